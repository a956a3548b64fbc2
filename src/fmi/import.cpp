#include "fmi/import.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <tinyxml2.h>

#include "fmi/archive.hpp"
#include "fmi/types2.hpp"
#include "fmi/types3.hpp"
#include "io/hasher.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::fmi {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

constexpr const char* kDescription = "modelDescription.xml";
constexpr std::size_t kLongestDescription = std::size_t{8} << 20U;
constexpr std::size_t kLongestIdentifier = 200;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw io::FileError(file.string(), why);
}

std::string attribute(const XMLElement& element, const char* name) {
  const char* const value = element.Attribute(name);
  return value != nullptr ? value : "";
}

// For code: letters, digits and '_'.
bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

// The library takes "-1" for a whole number.
bool read_reference(const XMLElement& element, unsigned& out) {
  const std::string text = attribute(element, "valueReference");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

ForeignVariable variable_of(const XMLElement& element, const fs::path& file) {
  ForeignVariable one{attribute(element, "name"), 0, false, false};
  if (one.name.empty() || !read_reference(element, one.reference))
    refuse(file, fmt::format("{}, line {}: a variable has no name or no valueReference",
                             kDescription, element.GetLineNum()));
  const std::string causality = attribute(element, "causality");
  one.input = causality == "input";
  one.output = causality == "output";
  return one;
}

// A value could not be told from another one's.
void refuse_doubles(const std::vector<ForeignVariable>& variables, const fs::path& file) {
  std::map<std::string_view, const ForeignVariable*> names;
  std::map<unsigned, const ForeignVariable*> references;
  for (const ForeignVariable& one : variables) {
    if (!one.input && !one.output) continue;
    if (!names.emplace(one.name, &one).second)
      refuse(file, fmt::format("{} has two variables '{}'", kDescription, one.name));
    if (const auto [at, is_new] = references.emplace(one.reference, &one); !is_new)
      refuse(file, fmt::format("in {}, '{}' and '{}' have the same valueReference {}", kDescription,
                               at->second->name, one.name, one.reference));
  }
}

// The library compares each attribute of an element with all others.
bool has_crowded_element(std::string_view text) {
  constexpr int kMostAttributes = 1000;
  constexpr std::pair<std::string_view, std::string_view> kPassedOver[] = {
      {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const auto* const other =
        std::find_if(std::begin(kPassedOver), std::end(kPassedOver),
                     [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    if (other != std::end(kPassedOver)) {
      at = text.find(other->second, at);
      continue;
    }
    int attributes = 0;
    for (at = text.find_first_of("\"'>", at); at != std::string_view::npos && text[at] != '>';
         at = text.find_first_of("\"'>", at + 1)) {
      if (++attributes > kMostAttributes) return true;
      at = text.find(text[at], at + 1);
      if (at == std::string_view::npos) break;
    }
  }
  return false;
}

void read_description(const std::string& text, Foreign& out, std::string& identifier) {
  const fs::path& file = out.file;
  tinyxml2::XMLDocument xml;
  // Entities would have to be expanded; the library leaves them as they are.
  if (text.find("<!DOCTYPE") != std::string::npos || text.find("<!ENTITY") != std::string::npos)
    refuse(file, fmt::format("{} declares a document type or entities, which an FMU's has not",
                             kDescription));
  if (has_crowded_element(text))
    refuse(file, fmt::format("{} has an element with more than 1000 attributes, which no FMU's has",
                             kDescription));
  if (xml.Parse(text.data(), text.size()) == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    refuse(file, fmt::format("{} nests its elements deeper than {}, which no FMU's does",
                             kDescription, TINYXML2_MAX_ELEMENT_DEPTH));
  if (xml.Error())
    refuse(file, fmt::format("{} is no XML: something is wrong in line {}", kDescription,
                             xml.ErrorLineNum()));
  const XMLElement* root = xml.RootElement();
  if (root == nullptr || std::string_view(root->Name()) != "fmiModelDescription")
    refuse(file, fmt::format("{} describes no FMU: it has no <fmiModelDescription>", kDescription));
  const std::string version = attribute(*root, "fmiVersion");
  if (!version.starts_with("2.0") && !version.starts_with("3."))
    refuse(file, fmt::format("the FMU is of FMI '{}'; those of 2.0 and 3.0 can run here", version));
  const bool two = version.starts_with('2');
  out.version = two ? Version::k2 : Version::k3;
  out.name = attribute(*root, "modelName");
  out.token = attribute(*root, two ? "guid" : "instantiationToken");
  const XMLElement* const kind = root->FirstChildElement("CoSimulation");
  if (kind == nullptr) refuse(file, "the FMU is not for co-simulation");
  identifier = attribute(*kind, "modelIdentifier");
  if (!is_identifier(identifier) || identifier.size() > kLongestIdentifier)
    refuse(file, fmt::format("'{}' cannot be the FMU's modelIdentifier", identifier));
  if (attribute(*kind, "needsExecutionTool") == "true")
    refuse(file, "the FMU needs the tool that has made it, so it cannot run here");
  const XMLElement* const list = root->FirstChildElement("ModelVariables");
  for (const XMLElement* one = list != nullptr ? list->FirstChildElement() : nullptr;
       one != nullptr; one = one->NextSiblingElement()) {
    const bool number = two ? one->FirstChildElement("Real") != nullptr
                            : std::string_view(one->Name()) == "Float64";
    if (number && one->FirstChildElement("Dimension") == nullptr)
      out.variables.push_back(variable_of(*one, file));
  }
  refuse_doubles(out.variables, file);
}

// --- Running ------------------------------------------------------------------

class Library {
 public:
  Library(const fs::path& path, fs::path file) : file_(std::move(file)) {
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      refuse(file_, fmt::format("the FMU's code cannot be loaded: {}", ::dlerror()));
  }
  ~Library() { ::dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    void* const found = ::dlsym(handle_, name);
    if (found == nullptr) refuse(file_, fmt::format("the FMU's code has no {}", name));
    return reinterpret_cast<Function*>(found);
  }
  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  void* handle_ = nullptr;
};

class Running : public ForeignSlave {
 public:
  explicit Running(const Foreign& foreign) : library_(foreign.library, foreign.file) {}

 protected:
  // Both versions number their statuses alike; a warning is no failure.
  void check(int status, const char* call) const {
    if (status <= 1) return;
    throw RunFailure(fmt::format("{}: {} failed{}{}", library_.file().string(), call,
                                 told_.empty() ? "" : ": ", told_));
  }
  [[noreturn]] void not_made() const {
    throw RunFailure(fmt::format("{}: the FMU makes no instance of itself{}{}",
                                 library_.file().string(), told_.empty() ? "" : ": ", told_));
  }

  Library library_;
  std::string told_;  // last
};

class Running2 : public Running {
 public:
  explicit Running2(const Foreign& foreign)
      : Running(foreign),
        set_(library_.function<fmi2SetRealTYPE>("fmi2SetReal")),
        get_(library_.function<fmi2GetRealTYPE>("fmi2GetReal")),
        step_(library_.function<fmi2DoStepTYPE>("fmi2DoStep")),
        free_(library_.function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")),
        exit_(library_.function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")) {
    callbacks_ = {log, std::calloc, std::free, nullptr, this};
    std::string uri = "file://";
    for (const char c : (foreign.folder->path() / "resources").string())
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
          std::string_view("/-_.~").find(c) != std::string_view::npos)
        uri += c;
      else
        uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    instance_ = library_.function<fmi2InstantiateTYPE>("fmi2Instantiate")(
        "controller", fmi2CoSimulation, foreign.token.c_str(), uri.c_str(), &callbacks_, fmi2False,
        fmi2False);
    if (instance_ == nullptr) not_made();
    check(library_.function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(
              instance_, fmi2False, 0.0, 0.0, fmi2False, 0.0),
          "fmi2SetupExperiment");
    check(library_.function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(
              instance_),
          "fmi2EnterInitializationMode");
  }
  ~Running2() override {
    if (instance_ != nullptr) free_(instance_);
  }
  Running2(const Running2&) = delete;
  Running2& operator=(const Running2&) = delete;

  void set(const std::vector<unsigned>& references, const std::vector<double>& values) override {
    check(set_(instance_, references.data(), references.size(), values.data()), "fmi2SetReal");
  }
  void get(const std::vector<unsigned>& references, std::vector<double>& values) override {
    check(get_(instance_, references.data(), references.size(), values.data()), "fmi2GetReal");
  }
  void begin() override { check(exit_(instance_), "fmi2ExitInitializationMode"); }
  void step(double now, double length) override {
    check(step_(instance_, now, length, fmi2True), "fmi2DoStep");
  }

 private:
  static void log(fmi2ComponentEnvironment self, fmi2String, fmi2Status, fmi2String,
                  fmi2String message, ...) {
    std::array<char, 1024> text{};
    va_list rest;
    va_start(rest, message);
    std::vsnprintf(text.data(), text.size(), message != nullptr ? message : "", rest);
    va_end(rest);
    static_cast<Running2*>(self)->told_ = text.data();
  }

  fmi2CallbackFunctions callbacks_{};
  fmi2Component instance_ = nullptr;
  fmi2SetRealTYPE* set_;
  fmi2GetRealTYPE* get_;
  fmi2DoStepTYPE* step_;
  fmi2FreeInstanceTYPE* free_;
  fmi2ExitInitializationModeTYPE* exit_;
};

class Running3 : public Running {
 public:
  explicit Running3(const Foreign& foreign)
      : Running(foreign),
        set_(library_.function<fmi3SetTYPE<double>>("fmi3SetFloat64")),
        get_(library_.function<fmi3GetTYPE<double>>("fmi3GetFloat64")),
        step_(library_.function<fmi3DoStepTYPE>("fmi3DoStep")),
        free_(library_.function<fmi3FreeInstanceTYPE>("fmi3FreeInstance")),
        exit_(library_.function<fmi3ChangeModeTYPE>("fmi3ExitInitializationMode")) {
    const std::string resources = (foreign.folder->path() / "resources").string() + '/';
    instance_ = library_.function<fmi3InstantiateCoSimulationTYPE>("fmi3InstantiateCoSimulation")(
        "controller", foreign.token.c_str(), resources.c_str(), false, false, false, false, nullptr,
        0, this, log, nullptr);
    if (instance_ == nullptr) not_made();
    check(library_.function<fmi3EnterInitializationModeTYPE>("fmi3EnterInitializationMode")(
              instance_, false, 0.0, 0.0, false, 0.0),
          "fmi3EnterInitializationMode");
  }
  ~Running3() override {
    if (instance_ != nullptr) free_(instance_);
  }
  Running3(const Running3&) = delete;
  Running3& operator=(const Running3&) = delete;

  void set(const std::vector<unsigned>& references, const std::vector<double>& values) override {
    check(set_(instance_, references.data(), references.size(), values.data(), values.size()),
          "fmi3SetFloat64");
  }
  void get(const std::vector<unsigned>& references, std::vector<double>& values) override {
    check(get_(instance_, references.data(), references.size(), values.data(), values.size()),
          "fmi3GetFloat64");
  }
  void begin() override { check(exit_(instance_), "fmi3ExitInitializationMode"); }
  void step(double now, double length) override {
    bool event = false, terminate = false, early = false;
    double last = now;
    check(step_(instance_, now, length, true, &event, &terminate, &early, &last), "fmi3DoStep");
    if (terminate)
      throw RunFailure(
          fmt::format("{}: the FMU ends the simulation at {} s", library_.file().string(), last));
  }

 private:
  static void log(fmi3InstanceEnvironment self, fmi3Status, fmi3String, fmi3String message) {
    static_cast<Running3*>(self)->told_ = message != nullptr ? message : "";
  }

  fmi3Instance instance_ = nullptr;
  fmi3SetTYPE<double>* set_;
  fmi3GetTYPE<double>* get_;
  fmi3DoStepTYPE* step_;
  fmi3FreeInstanceTYPE* free_;
  fmi3ChangeModeTYPE* exit_;
};

// --- Unpacking ----------------------------------------------------------------

constexpr const char* kBinaries = "binaries";
constexpr std::string_view kPlatforms[] = {"linux64", "x86_64-linux"};  // of FMI 2, 3

bool needed_here(std::string_view name) {
  return name == kDescription || name.starts_with("resources/") ||
         std::any_of(std::begin(kPlatforms), std::end(kPlatforms), [&](std::string_view platform) {
           return name.starts_with(fmt::format("{}/{}/", kBinaries, platform));
         });
}

// "; it has some for win64", as a sentence goes on.
std::string code_in(const std::vector<std::string>& names, const std::string& wanted) {
  std::set<std::string> platforms;
  bool sources = false;
  const std::string before = std::string(kBinaries) + '/';
  for (const std::string& name : names) {
    sources = sources || name.starts_with("sources/");
    const std::size_t end = name.find('/', before.size());
    if (name.starts_with(before) && end != std::string::npos && end < kLongestIdentifier)
      platforms.insert(name.substr(before.size(), end - before.size()));
  }
  platforms.erase(wanted);
  if (!platforms.empty())
    return "; it has some for " +
           io::listing(std::vector<std::string>(platforms.begin(), platforms.end()));
  return sources ? "; it has sources, which are not built here" : "";
}

}  // namespace

Foreign unpack(const fs::path& file) {
  Foreign out;
  out.file = file;
  out.folder = std::make_unique<io::ScratchFolder>();
  const Extracted extracted = extract_archive(file, out.folder->path(), needed_here);
  out.hash = extracted.hash;
  const fs::path description = out.folder->path() / kDescription;
  std::error_code ignored;
  if (!fs::is_regular_file(description, ignored))
    refuse(file, fmt::format("this is no FMU: there is no {} in it", kDescription));
  if (fs::file_size(description, ignored) > kLongestDescription)
    refuse(file, fmt::format("{} has more than {} MiB, which no controller needs", kDescription,
                             kLongestDescription >> 20U));
  std::ifstream stream(description, std::ios::binary);
  std::string identifier;
  read_description({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}, out,
                   identifier);
  const std::string platform(kPlatforms[out.version == Version::k2 ? 0 : 1]);
  out.library = out.folder->path() / kBinaries / platform / (identifier + ".so");
  if (!fs::is_regular_file(out.library, ignored))
    refuse(file, fmt::format("the FMU has no code for this computer: {}/{}/{}.so is not in it{}",
                             kBinaries, platform, identifier, code_in(extracted.names, platform)));
  return out;
}

std::unique_ptr<ForeignSlave> run_foreign(const Foreign& foreign) {
  if (foreign.version == Version::k2) return std::make_unique<Running2>(foreign);
  return std::make_unique<Running3>(foreign);
}

}  // namespace knuckleboom::fmi
