#include "fmi/import.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <tinyxml2.h>

#include "fmi/archive.hpp"
#include "fmi/types2.hpp"
#include "fmi/types3.hpp"
#include "io/hasher.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::fmi {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

constexpr const char* kDescription = "modelDescription.xml";

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw io::FileError(file.string(), why);
}

std::string attribute(const XMLElement& element, const char* name) {
  const char* const value = element.Attribute(name);
  return value != nullptr ? value : "";
}

ForeignVariable variable_of(const XMLElement& element, const fs::path& file) {
  ForeignVariable one{attribute(element, "name"), 0, false, false};
  if (one.name.empty() ||
      element.QueryUnsignedAttribute("valueReference", &one.reference) != tinyxml2::XML_SUCCESS)
    refuse(file, fmt::format("{}, line {}: a variable has no name or no valueReference",
                             kDescription, element.GetLineNum()));
  const std::string causality = attribute(element, "causality");
  one.input = causality == "input";
  one.output = causality == "output";
  return one;
}

void read_description(const std::string& text, Foreign& out, std::string& identifier) {
  const fs::path& file = out.file;
  tinyxml2::XMLDocument xml;
  if (xml.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
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
  if (identifier.empty() || identifier.find_first_of("/\\") != std::string::npos)
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

}  // namespace

Foreign unpack(const fs::path& file) {
  Foreign out;
  out.file = file;
  out.folder = std::make_unique<io::ScratchFolder>();
  out.hash = extract_archive(file, out.folder->path());
  const fs::path description = out.folder->path() / kDescription;
  if (!fs::is_regular_file(description))
    refuse(file, fmt::format("this is no FMU: there is no {} in it", kDescription));
  std::ifstream stream(description, std::ios::binary);
  std::string identifier;
  read_description({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}, out,
                   identifier);
  const char* const platform = out.version == Version::k2 ? "linux64" : "x86_64-linux";
  out.library = out.folder->path() / "binaries" / platform / (identifier + ".so");
  if (!fs::is_regular_file(out.library))
    refuse(file,
           fmt::format("the FMU has no code for this computer: binaries/{}/{}.so is not in it",
                       platform, identifier));
  return out;
}

std::unique_ptr<ForeignSlave> run_foreign(const Foreign& foreign) {
  if (foreign.version == Version::k2) return std::make_unique<Running2>(foreign);
  return std::make_unique<Running3>(foreign);
}

}  // namespace knuckleboom::fmi
