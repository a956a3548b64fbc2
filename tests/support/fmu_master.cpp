#include "support/fmu_master.hpp"

#include <cstdlib>
#include <stdexcept>

#include <dlfcn.h>

#include "fmi/types2.hpp"
#include "fmi/types3.hpp"

namespace knuckleboom::test {
namespace {

template <class Function>
Function* function(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("the FMU has no ") + name);
  return reinterpret_cast<Function*>(found);
}

class Slave2 : public Slave {
 public:
  Slave2(void* library, const std::filesystem::path& resources, const std::string& token)
      : library_(library) {
    callbacks_ = {log, std::calloc, std::free, nullptr, this};
    const std::string uri = "file://" + resources.string();
    component_ = function<fmi2InstantiateTYPE>(library, "fmi2Instantiate")(
        "one", fmi2CoSimulation, token.c_str(), uri.c_str(), &callbacks_, fmi2False, fmi2False);
  }
  ~Slave2() override {
    if (component_ != nullptr) call<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(component_);
  }
  bool there() const { return component_ != nullptr; }

  int initialise(double start) override {
    const int status = call<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(
        component_, fmi2False, 0.0, start, fmi2False, 0.0);
    if (status != fmi2OK) return status;
    const int entered =
        call<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(component_);
    if (entered != fmi2OK) return entered;
    return call<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")(component_);
  }
  int set(unsigned variable, double value) override {
    return call<fmi2SetRealTYPE>("fmi2SetReal")(component_, &variable, 1, &value);
  }
  int get(unsigned variable, double& value) override {
    return call<fmi2GetRealTYPE>("fmi2GetReal")(component_, &variable, 1, &value);
  }
  std::string text(unsigned variable) override {
    const char* value = "";
    call<fmi2GetStringTYPE>("fmi2GetString")(component_, &variable, 1, &value);
    return value;
  }
  int step(double now, double length) override {
    return call<fmi2DoStepTYPE>("fmi2DoStep")(component_, now, length, fmi2True);
  }
  int reset() override { return call<fmi2ResetTYPE>("fmi2Reset")(component_); }
  int terminate() override { return call<fmi2TerminateTYPE>("fmi2Terminate")(component_); }
  int save(void*& state) override {
    return call<fmi2GetFMUstateTYPE>("fmi2GetFMUstate")(component_, &state);
  }
  int restore(void* state) override {
    return call<fmi2SetFMUstateTYPE>("fmi2SetFMUstate")(component_, state);
  }
  int free(void*& state) override {
    return call<fmi2FreeFMUstateTYPE>("fmi2FreeFMUstate")(component_, &state);
  }
  int write(void* state, std::string& bytes) override {
    std::size_t size = 0;
    if (const int status = call<fmi2SerializedFMUstateSizeTYPE>("fmi2SerializedFMUstateSize")(
            component_, state, &size))
      return status;
    bytes.resize(size);
    return call<fmi2SerializeFMUstateTYPE>("fmi2SerializeFMUstate")(component_, state, bytes.data(),
                                                                    size);
  }
  int read(const std::string& bytes, void*& state) override {
    return call<fmi2DeSerializeFMUstateTYPE>("fmi2DeSerializeFMUstate")(component_, bytes.data(),
                                                                        bytes.size(), &state);
  }

 private:
  template <class Function>
  Function* call(const char* name) const {
    return function<Function>(library_, name);
  }
  static void log(fmi2ComponentEnvironment self, fmi2String, fmi2Status, fmi2String,
                  fmi2String message, ...) {
    static_cast<Slave2*>(self)->told_ += std::string(message) + '\n';
  }

  void* library_;
  fmi2CallbackFunctions callbacks_{};
  fmi2Component component_ = nullptr;
};

class Slave3 : public Slave {
 public:
  Slave3(void* library, const std::filesystem::path& resources, const std::string& token)
      : library_(library) {
    const std::string folder = resources.string() + '/';
    instance_ = function<fmi3InstantiateCoSimulationTYPE>(library, "fmi3InstantiateCoSimulation")(
        "one", token.c_str(), folder.c_str(), false, false, false, false, nullptr, 0, this, log,
        nullptr);
  }
  ~Slave3() override {
    if (instance_ != nullptr) call<fmi3FreeInstanceTYPE>("fmi3FreeInstance")(instance_);
  }
  bool there() const { return instance_ != nullptr; }

  int initialise(double start) override {
    const int entered = call<fmi3EnterInitializationModeTYPE>("fmi3EnterInitializationMode")(
        instance_, false, 0.0, start, false, 0.0);
    if (entered != fmi3OK) return entered;
    return call<fmi3ChangeModeTYPE>("fmi3ExitInitializationMode")(instance_);
  }
  int set(unsigned variable, double value) override {
    return call<fmi3SetTYPE<double>>("fmi3SetFloat64")(instance_, &variable, 1, &value, 1);
  }
  int get(unsigned variable, double& value) override {
    return call<fmi3GetTYPE<double>>("fmi3GetFloat64")(instance_, &variable, 1, &value, 1);
  }
  std::string text(unsigned variable) override {
    const char* value = "";
    call<fmi3GetTYPE<fmi3String>>("fmi3GetString")(instance_, &variable, 1, &value, 1);
    return value;
  }
  int step(double now, double length) override {
    bool event = true, terminate = true, early = true;
    double last = -1.0;
    const int status = call<fmi3DoStepTYPE>("fmi3DoStep")(instance_, now, length, true, &event,
                                                          &terminate, &early, &last);
    if (status == fmi3OK && (event || terminate || early || last < now)) return -1;
    return status;
  }
  int reset() override { return call<fmi3ChangeModeTYPE>("fmi3Reset")(instance_); }
  int terminate() override { return call<fmi3ChangeModeTYPE>("fmi3Terminate")(instance_); }
  int save(void*& state) override {
    return call<fmi3GetFMUStateTYPE>("fmi3GetFMUState")(instance_, &state);
  }
  int restore(void* state) override {
    return call<fmi3SetFMUStateTYPE>("fmi3SetFMUState")(instance_, state);
  }
  int free(void*& state) override {
    return call<fmi3FreeFMUStateTYPE>("fmi3FreeFMUState")(instance_, &state);
  }
  int write(void* state, std::string& bytes) override {
    std::size_t size = 0;
    if (const int status = call<fmi3SerializedFMUStateSizeTYPE>("fmi3SerializedFMUStateSize")(
            instance_, state, &size))
      return status;
    bytes.resize(size);
    return call<fmi3SerializeFMUStateTYPE>("fmi3SerializeFMUState")(
        instance_, state, reinterpret_cast<fmi3Byte*>(bytes.data()), size);
  }
  int read(const std::string& bytes, void*& state) override {
    return call<fmi3DeserializeFMUStateTYPE>("fmi3DeserializeFMUState")(
        instance_, reinterpret_cast<const fmi3Byte*>(bytes.data()), bytes.size(), &state);
  }

 private:
  template <class Function>
  Function* call(const char* name) const {
    return function<Function>(library_, name);
  }
  static void log(fmi3InstanceEnvironment self, fmi3Status, fmi3String, fmi3String message) {
    static_cast<Slave3*>(self)->told_ += std::string(message) + '\n';
  }

  void* library_;
  fmi3Instance instance_ = nullptr;
};

template <class Version>
std::unique_ptr<Slave> make(void* library, const std::filesystem::path& resources,
                            const std::string& token, std::string* errors) {
  auto slave = std::make_unique<Version>(library, resources, token);
  if (errors != nullptr) *errors = slave->told();
  if (!slave->there()) return nullptr;
  return slave;
}

}  // namespace

std::unique_ptr<Slave> instantiate(const std::filesystem::path& library, fmi::Version version,
                                   const std::filesystem::path& resources, const std::string& token,
                                   std::string* errors) {
  void* const code = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (code == nullptr) throw std::runtime_error(::dlerror());
  return version == fmi::Version::k2 ? make<Slave2>(code, resources, token, errors)
                                     : make<Slave3>(code, resources, token, errors);
}

}  // namespace knuckleboom::test
