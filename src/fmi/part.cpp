#include "fmi/part.hpp"

#include <array>
#include <string_view>

#include "fmi/controller_part.hpp"
#include "fmi/machine_part.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::fmi {
namespace {

constexpr std::array<std::string_view, 4> kInputWords = {"none", "references", "volts", "levers"};
constexpr std::array<std::string_view, 2> kPartWords = {"machine", "controller"};

constexpr struct {
  std::string_view key;
  std::string PartFacts::*text;
} kTexts[] = {{"fidelity", &PartFacts::fidelity},
              {"name", &PartFacts::name},
              {"title", &PartFacts::title},
              {"description", &PartFacts::says},
              {"token", &PartFacts::token}};
constexpr std::string_view kPart = "part", kInputs = "inputs";

}  // namespace

std::string_view word_of(Inputs inputs) { return kInputWords[static_cast<std::size_t>(inputs)]; }

io::NamedText to_text(const PartFacts& facts) {
  std::vector<io::ContentKey> keys;
  const auto add = [&keys](std::string_view key, std::string_view value) {
    keys.push_back({std::string(key), std::string(value), {}, 0});
  };
  add(kPart, kPartWords[facts.controller ? 1 : 0]);
  add(kInputs, word_of(facts.inputs));
  for (const auto& [key, text] : kTexts) add(key, facts.*text);
  return {kPartFile, io::content_keys_text(std::string(kProgram) + ' ' + kVersion, keys)};
}

PartFacts read_facts(const std::filesystem::path& resources) {
  PartFacts facts;
  for (const io::ContentKey& line : io::read_content_keys(resources / kPartFile).keys) {
    if (line.key == kPart) facts.controller = line.value == kPartWords[1];
    for (std::size_t i = 0; line.key == kInputs && i < kInputWords.size(); ++i)
      if (line.value == kInputWords[i]) facts.inputs = static_cast<Inputs>(i);
    for (const auto& [key, text] : kTexts)
      if (line.key == key) facts.*text = line.value;
  }
  return facts;
}

std::unique_ptr<Part> open_part(const std::filesystem::path& resources, const PartFacts& facts) {
  return facts.controller ? open_controller(resources) : open_machine(resources, facts);
}

}  // namespace knuckleboom::fmi
