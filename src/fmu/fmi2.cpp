// The functions of FMI 2.0 for co-simulation.
#include <optional>
#include <string>

#include <fmt/format.h>

#include "fmi/types2.hpp"
#include "fmu/instance.hpp"
#include "fmu/resource_path.hpp"

namespace {

using knuckleboom::fmu::Instance;
using knuckleboom::fmu::Status;

struct Component {
  std::string name;
  fmi2CallbackFunctions callbacks;
  std::optional<Instance> instance;

  void tell(Status status, const std::string& message) const {
    // The logger takes a format.
    std::string format;
    for (const char c : message) format.append(c == '%' ? 2 : 1, c);
    callbacks.logger(callbacks.componentEnvironment, name.c_str(), static_cast<fmi2Status>(status),
                     knuckleboom::fmi::kLogCategory, format.c_str());
  }
};

template <class Function>
fmi2Status with(fmi2Component component, Function&& function) noexcept {
  if (component == nullptr) return fmi2Error;
  Instance& instance = *static_cast<Component*>(component)->instance;
  return static_cast<fmi2Status>(instance.guarded([&] {
    if constexpr (std::is_same_v<decltype(function(instance)), Status>) {
      return function(instance);
    } else {
      function(instance);
      return Status::kOk;
    }
  }));
}

fmi2Status no_variables(fmi2Component component, const char* type, std::size_t count) noexcept {
  return with(component, [&](Instance& one) {
    if (count > 0) one.refuse_type(type);
  });
}

fmi2Status not_claimed(fmi2Component component, const char* call) noexcept {
  return with(component, [&](Instance& one) {
    return one.discard(fmt::format("{} is not claimed in the FMU's description", call));
  });
}

Instance::Saved* saved(fmi2FMUstate state) { return static_cast<Instance::Saved*>(state); }

}  // namespace

#define KB_FMI2 __attribute__((visibility("default")))

extern "C" {

KB_FMI2 fmi2GetTypesPlatformTYPE fmi2GetTypesPlatform;
KB_FMI2 fmi2GetVersionTYPE fmi2GetVersion;
KB_FMI2 fmi2SetDebugLoggingTYPE fmi2SetDebugLogging;
KB_FMI2 fmi2InstantiateTYPE fmi2Instantiate;
KB_FMI2 fmi2FreeInstanceTYPE fmi2FreeInstance;
KB_FMI2 fmi2SetupExperimentTYPE fmi2SetupExperiment;
KB_FMI2 fmi2EnterInitializationModeTYPE fmi2EnterInitializationMode;
KB_FMI2 fmi2ExitInitializationModeTYPE fmi2ExitInitializationMode;
KB_FMI2 fmi2TerminateTYPE fmi2Terminate;
KB_FMI2 fmi2ResetTYPE fmi2Reset;
KB_FMI2 fmi2GetRealTYPE fmi2GetReal;
KB_FMI2 fmi2GetIntegerTYPE fmi2GetInteger;
KB_FMI2 fmi2GetBooleanTYPE fmi2GetBoolean;
KB_FMI2 fmi2GetStringTYPE fmi2GetString;
KB_FMI2 fmi2SetRealTYPE fmi2SetReal;
KB_FMI2 fmi2SetIntegerTYPE fmi2SetInteger;
KB_FMI2 fmi2SetBooleanTYPE fmi2SetBoolean;
KB_FMI2 fmi2SetStringTYPE fmi2SetString;
KB_FMI2 fmi2GetFMUstateTYPE fmi2GetFMUstate;
KB_FMI2 fmi2SetFMUstateTYPE fmi2SetFMUstate;
KB_FMI2 fmi2FreeFMUstateTYPE fmi2FreeFMUstate;
KB_FMI2 fmi2SerializedFMUstateSizeTYPE fmi2SerializedFMUstateSize;
KB_FMI2 fmi2SerializeFMUstateTYPE fmi2SerializeFMUstate;
KB_FMI2 fmi2DeSerializeFMUstateTYPE fmi2DeSerializeFMUstate;
KB_FMI2 fmi2GetDirectionalDerivativeTYPE fmi2GetDirectionalDerivative;
KB_FMI2 fmi2SetRealInputDerivativesTYPE fmi2SetRealInputDerivatives;
KB_FMI2 fmi2GetRealOutputDerivativesTYPE fmi2GetRealOutputDerivatives;
KB_FMI2 fmi2DoStepTYPE fmi2DoStep;
KB_FMI2 fmi2CancelStepTYPE fmi2CancelStep;
KB_FMI2 fmi2GetStatusTYPE fmi2GetStatus;
KB_FMI2 fmi2GetRealStatusTYPE fmi2GetRealStatus;
KB_FMI2 fmi2GetIntegerStatusTYPE fmi2GetIntegerStatus;
KB_FMI2 fmi2GetBooleanStatusTYPE fmi2GetBooleanStatus;
KB_FMI2 fmi2GetStringStatusTYPE fmi2GetStringStatus;

const char* fmi2GetTypesPlatform() { return "default"; }
const char* fmi2GetVersion() { return "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean, std::size_t,
                               const fmi2String[]) {
  // There is but one category, of what is refused, and that is always told.
  return with(component, [](Instance&) {});
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean) {
  if (callbacks == nullptr || callbacks->logger == nullptr) return nullptr;
  try {
    auto component = std::make_unique<Component>();
    component->name = name != nullptr ? name : "";
    component->callbacks = *callbacks;
    Component* const self = component.get();
    try {
      if (type != fmi2CoSimulation)
        throw std::runtime_error("this FMU is for co-simulation, not for model exchange");
      component->instance.emplace(
          knuckleboom::fmu::folder_of_uri(resources), guid != nullptr ? guid : "",
          [self](Status status, const std::string& message) { self->tell(status, message); });
    } catch (const std::exception& error) {
      self->tell(Status::kError, error.what());
      return nullptr;
    }
    return component.release();
  } catch (...) {
    return nullptr;
  }
}

void fmi2FreeInstance(fmi2Component component) { delete static_cast<Component*>(component); }

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean, fmi2Real, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
  return with(component, [&](Instance& one) { one.setup(start, has_stop != 0, stop); });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return with(component, [](Instance& one) { one.enter_initialization(); });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return with(component, [](Instance& one) { one.exit_initialization(); });
}
fmi2Status fmi2Terminate(fmi2Component component) {
  return with(component, [](Instance& one) { one.terminate(); });
}
fmi2Status fmi2Reset(fmi2Component component) {
  return with(component, [](Instance& one) { one.reset(); });
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference variables[],
                       std::size_t count, fmi2Real values[]) {
  return with(component, [&](Instance& one) { one.get(variables, count, values); });
}
fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                          fmi2Integer[]) {
  return no_variables(component, "Integer", count);
}
fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                          fmi2Boolean[]) {
  return no_variables(component, "Boolean", count);
}
fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference variables[],
                         std::size_t count, fmi2String values[]) {
  return with(component, [&](Instance& one) { one.get(variables, count, values); });
}
fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference variables[],
                       std::size_t count, const fmi2Real values[]) {
  return with(component, [&](Instance& one) { one.set(variables, count, values); });
}
fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                          const fmi2Integer[]) {
  return no_variables(component, "Integer", count);
}
fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                          const fmi2Boolean[]) {
  return no_variables(component, "Boolean", count);
}
fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference[], std::size_t count,
                         const fmi2String[]) {
  return no_variables(component, "String that can be set", count);
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return with(component, [&](Instance& one) {
    Instance::Saved* const now = one.save();
    Instance::free(saved(*state));
    *state = now;
  });
}
fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return with(component, [&](Instance& one) { one.restore(Instance::given(saved(state))); });
}
fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return with(component, [&](Instance&) {
    if (state == nullptr) return;
    Instance::free(saved(*state));
    *state = nullptr;
  });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state,
                                      std::size_t* size) {
  return with(component,
              [&](Instance& one) { *size = one.bytes(Instance::given(saved(state))).size(); });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                 std::size_t size) {
  return with(component,
              [&](Instance& one) { one.write_bytes(Instance::given(saved(state)), bytes, size); });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[],
                                   std::size_t size, fmi2FMUstate* state) {
  return with(component, [&](Instance& one) {
    Instance::Saved* const read = one.from_bytes({bytes, size});
    Instance::free(saved(*state));
    *state = read;
  });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference[],
                                        std::size_t, const fmi2ValueReference[], std::size_t,
                                        const fmi2Real[], fmi2Real[]) {
  return not_claimed(component, "fmi2GetDirectionalDerivative");
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference[],
                                       std::size_t, const fmi2Integer[], const fmi2Real[]) {
  return not_claimed(component, "fmi2SetRealInputDerivatives");
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference[],
                                        std::size_t, const fmi2Integer[], fmi2Real[]) {
  return not_claimed(component, "fmi2GetRealOutputDerivatives");
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real now, fmi2Real length, fmi2Boolean) {
  return with(component, [&](Instance& one) { return one.step(now, length); });
}
fmi2Status fmi2CancelStep(fmi2Component component) {
  return not_claimed(component, "fmi2CancelStep");
}
fmi2Status fmi2GetStatus(fmi2Component component, fmi2StatusKind, fmi2Status*) {
  return not_claimed(component, "a step that is still under way");
}
fmi2Status fmi2GetRealStatus(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return not_claimed(component, "this status as a number");
  return with(component, [&](Instance& one) { *value = one.time(); });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component component, fmi2StatusKind, fmi2Integer*) {
  return not_claimed(component, "a status as a whole number");
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return not_claimed(component, "this status as true or false");
  return with(component, [&](Instance&) { *value = fmi2False; });
}
fmi2Status fmi2GetStringStatus(fmi2Component component, fmi2StatusKind, fmi2String*) {
  return not_claimed(component, "a step that is still under way");
}
}
