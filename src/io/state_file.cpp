#include "knuckleboom/io/state_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <xxhash.h>

#include "knuckleboom/core/sim/check_state.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/released_layouts.hpp"
#include "knuckleboom/io/state_record.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::io {
namespace {

constexpr char kMagic[8] = {'K', 'B', 'S', 'T', 'A', 'T', 'E', '\n'};
constexpr std::size_t kHashDigits = 32;
constexpr std::size_t kProgramBytes = 64;
constexpr std::size_t kMethodBytes = 24;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a file

// The file is this header, the description of the state (its length as 8 bytes, then text), and the state as
// a record of it. In format 6 there was no description, and the record was the state as it lay in memory.
struct Header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t state_bytes;
  char machine[kHashDigits];
  char scenario[kHashDigits];
  char program[kProgramBytes];  // version and revision that wrote it, ended by zeros
  char method[kMethodBytes];    // ended by zeros
  std::int64_t tick;
  std::uint64_t checksum;  // XXH3-64 of all bytes before it and after it
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 184);

std::uint64_t checksum(const Header& header, std::string_view rest) {
  const XXH64_hash_t seed =
      XXH3_64bits(reinterpret_cast<const char*>(&header), offsetof(Header, checksum));
  return XXH3_64bits_withSeed(rest.data(), rest.size(), seed);
}

void copy_text(char* field, std::size_t size, const std::string& text) {
  std::memset(field, 0, size);
  std::copy_n(text.data(), std::min(size, text.size()), field);
}

bool same_text(const char* field, std::size_t size, const std::string& text) {
  return std::string_view(field, size) == text;
}

std::string program_of(const Header& header) {
  return {header.program, strnlen(header.program, kProgramBytes)};
}

// At most limit bytes of a regular file.
std::string read_bytes(const std::filesystem::path& path, std::size_t limit) {
  const std::string file = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw FileError(file, "there is no such file; expected a state that run --save has written");
  if (error) throw FileError(file, fmt::format("cannot be read: {}", error.message()));
  if (!std::filesystem::is_regular_file(status))
    throw FileError(file,
                    "this is not a regular file; expected a state that run --save has written");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::string bytes(limit, '\0');
  bytes.resize(std::fread(bytes.data(), 1, limit, stream.get()));
  if (std::ferror(stream.get()) != 0)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  return bytes;
}

// As header and description say.
std::uint64_t bytes_behind(const Header& header, std::string_view rest) {
  if (header.format == kSimFormat6) return header.state_bytes;
  std::uint64_t size = 0;
  if (rest.size() >= sizeof size) std::memcpy(&size, rest.data(), sizeof size);
  return sizeof size + std::min<std::uint64_t>(size, kMostBytes) + header.state_bytes;
}

// Takes the description from the front of what follows the header.
StateDescription description_of(const Header& header, std::string_view& rest) {
  if (header.format == kSimFormat6) return released_layout("sim::SimState");
  std::uint64_t size = 0;
  if (rest.size() < sizeof size) throw std::invalid_argument("it has no description");
  std::memcpy(&size, rest.data(), sizeof size);
  rest.remove_prefix(sizeof size);
  if (size > rest.size()) throw std::invalid_argument("its description is cut short");
  const std::string_view text = rest.substr(0, static_cast<std::size_t>(size));
  rest.remove_prefix(text.size());
  return StateDescription(text);
}

}  // namespace

std::string state_bytes(const sim::SimState& state, const ContentHash& machine,
                        const ContentHash& scenario, const std::string& method) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kStateFormat;
  header.state_bytes = sizeof state;
  copy_text(header.machine, kHashDigits, machine.hex);
  copy_text(header.scenario, kHashDigits, scenario.hex);
  copy_text(header.program, kProgramBytes, fmt::format("{} ({})", kVersion, kRevision));
  copy_text(header.method, kMethodBytes, method);
  header.tick = state.tick;
  const std::string fields = describe(state::struct_of<sim::SimState>());
  const auto size = static_cast<std::uint64_t>(fields.size());
  std::string rest(reinterpret_cast<const char*>(&size), sizeof size);
  rest += fields;
  rest.append(reinterpret_cast<const char*>(&state), sizeof state);
  header.checksum = checksum(header, rest);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + rest;
}

void write_state(const std::filesystem::path& path, const sim::SimState& state,
                 const ContentHash& machine, const ContentHash& scenario,
                 const std::string& method) {
  write_file(path, state_bytes(state, machine, scenario, method));
}

sim::SimState read_state(const std::filesystem::path& path, const ContentHash& machine,
                         const ContentHash& scenario, const sim::Simulation& simulation,
                         std::string* method) {
  return state_from_bytes(read_bytes(path, kMostBytes + 1), path.string(), machine, scenario,
                          simulation, method);
}

sim::SimState state_from_bytes(std::string_view bytes, const std::string& name,
                               const ContentHash& machine, const ContentHash& scenario,
                               const sim::Simulation& simulation, std::string* method) {
  const auto fail = [&name](const std::string& message) { throw FileError(name, message); };
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    fail("this is not a state file; expected one that run --save has written");
  Header header{};
  if (bytes.size() < sizeof header) fail("the state file is cut short; save the state again");
  if (bytes.size() > kMostBytes)
    fail("the state file is longer than a state; save the state again");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.format != kStateFormat &&
      !(header.format == kSimFormat6 && header.state_bytes == kSimBytes6))
    fail(
        fmt::format("the state was saved by another version of the program, {}; this is {} ({}); "
                    "save it again with this one",
                    program_of(header), kVersion, kRevision));
  std::string_view rest = bytes.substr(sizeof header);
  const std::uint64_t wanted = bytes_behind(header, rest);
  if (rest.size() < wanted) fail("the state file is cut short; save the state again");
  if (rest.size() > wanted) fail("the state file is longer than a state; save the state again");
  if (header.checksum != checksum(header, rest))
    fail("the state file is damaged (its checksum is wrong); save the state again");
  if (!same_text(header.machine, kHashDigits, machine.hex))
    fail(
        "the state belongs to another machine, or the machine file or its --set values have "
        "changed "
        "since; resume with those it was saved with");
  if (!same_text(header.scenario, kHashDigits, scenario.hex))
    fail(
        "the state belongs to another scenario, or the scenario file or its --set values have "
        "changed since; resume with those it was saved with");
  sim::SimState state;
  try {
    const StateDescription fields = description_of(header, rest);
    if (rest.size() != fields.record_bytes() || rest.size() != header.state_bytes)
      throw std::invalid_argument("its length is not that of a state");
    const std::string unknown =
        convert(fields.type(), rest.data(), state::struct_of<sim::SimState>(), &state);
    if (!unknown.empty())
      throw std::invalid_argument(
          fmt::format("it was saved by {}, and {}", program_of(header), unknown));
  } catch (const std::invalid_argument& error) {
    fail(fmt::format("the state cannot be resumed: {}", error.what()));
  }
  if (const std::string wrong = sim::check_state(simulation, state); !wrong.empty())
    fail(fmt::format("the state cannot be one of this machine and scenario: {}", wrong));
  if (header.tick != state.tick) fail("the state is not of the tick that its header names");
  if (method != nullptr) *method = {header.method, strnlen(header.method, kMethodBytes)};
  return state;
}

}  // namespace knuckleboom::io
