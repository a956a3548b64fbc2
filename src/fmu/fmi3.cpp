// The functions of FMI 3.0 for co-simulation.
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "fmi/types3.hpp"
#include "fmu/instance.hpp"

namespace {

using knuckleboom::fmu::Instance;
using knuckleboom::fmu::Status;

struct Slave {
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
  std::optional<Instance> instance;

  void tell(Status status, const std::string& message) const {
    if (log != nullptr)
      log(environment, static_cast<fmi3Status>(status), knuckleboom::fmi::kLogCategory,
          message.c_str());
  }
};

template <class Function>
fmi3Status in(fmi3Instance slave, Function&& function) noexcept {
  if (slave == nullptr) return fmi3Error;
  Instance& instance = *static_cast<Slave*>(slave)->instance;
  return static_cast<fmi3Status>(instance.guarded([&] {
    if constexpr (std::is_same_v<decltype(function(instance)), Status>) {
      return function(instance);
    } else {
      function(instance);
      return Status::kOk;
    }
  }));
}

fmi3Status none_of_type(fmi3Instance slave, const char* type, std::size_t count) noexcept {
  return in(slave, [&](Instance& one) {
    if (count > 0) one.refuse_type(type);
  });
}

fmi3Status unclaimed(fmi3Instance slave, const char* call) noexcept {
  return in(slave, [&](Instance& one) {
    return one.discard(fmt::format("{} is not claimed in the FMU's description", call));
  });
}

Instance::Saved* kept(fmi3FMUState state) { return static_cast<Instance::Saved*>(state); }

fmi3Instance no_such_kind(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                          const char* kind) {
  if (log != nullptr)
    log(environment, fmi3Error, knuckleboom::fmi::kLogCategory,
        fmt::format("this FMU is for co-simulation, not for {}", kind).c_str());
  return nullptr;
}

}  // namespace

#define KB_FMI3 extern "C" __attribute__((visibility("default")))

KB_FMI3 fmi3GetVersionTYPE fmi3GetVersion;
KB_FMI3 fmi3SetDebugLoggingTYPE fmi3SetDebugLogging;
KB_FMI3 fmi3InstantiateModelExchangeTYPE fmi3InstantiateModelExchange;
KB_FMI3 fmi3InstantiateCoSimulationTYPE fmi3InstantiateCoSimulation;
KB_FMI3 fmi3InstantiateScheduledExecutionTYPE fmi3InstantiateScheduledExecution;
KB_FMI3 fmi3FreeInstanceTYPE fmi3FreeInstance;
KB_FMI3 fmi3EnterInitializationModeTYPE fmi3EnterInitializationMode;
KB_FMI3 fmi3ChangeModeTYPE fmi3ExitInitializationMode, fmi3EnterEventMode, fmi3EnterStepMode,
    fmi3Terminate, fmi3Reset, fmi3EnterConfigurationMode, fmi3ExitConfigurationMode,
    fmi3EvaluateDiscreteStates;
KB_FMI3 fmi3GetTYPE<fmi3Float64> fmi3GetFloat64;
KB_FMI3 fmi3SetTYPE<fmi3Float64> fmi3SetFloat64;
KB_FMI3 fmi3GetTYPE<fmi3String> fmi3GetString;
KB_FMI3 fmi3SetTYPE<fmi3String> fmi3SetString;
KB_FMI3 fmi3GetBinaryTYPE fmi3GetBinary;
KB_FMI3 fmi3SetBinaryTYPE fmi3SetBinary;
KB_FMI3 fmi3GetClockTYPE fmi3GetClock;
KB_FMI3 fmi3SetClockTYPE fmi3SetClock;
KB_FMI3 fmi3GetNumberOfVariableDependenciesTYPE fmi3GetNumberOfVariableDependencies;
KB_FMI3 fmi3GetVariableDependenciesTYPE fmi3GetVariableDependencies;
KB_FMI3 fmi3GetFMUStateTYPE fmi3GetFMUState;
KB_FMI3 fmi3SetFMUStateTYPE fmi3SetFMUState;
KB_FMI3 fmi3FreeFMUStateTYPE fmi3FreeFMUState;
KB_FMI3 fmi3SerializedFMUStateSizeTYPE fmi3SerializedFMUStateSize;
KB_FMI3 fmi3SerializeFMUStateTYPE fmi3SerializeFMUState;
KB_FMI3 fmi3DeserializeFMUStateTYPE fmi3DeserializeFMUState;
KB_FMI3 fmi3GetDerivativeTYPE fmi3GetDirectionalDerivative, fmi3GetAdjointDerivative;
KB_FMI3 fmi3GetIntervalDecimalTYPE fmi3GetIntervalDecimal;
KB_FMI3 fmi3GetIntervalFractionTYPE fmi3GetIntervalFraction;
KB_FMI3 fmi3GetShiftDecimalTYPE fmi3GetShiftDecimal;
KB_FMI3 fmi3GetShiftFractionTYPE fmi3GetShiftFraction;
KB_FMI3 fmi3SetDecimalTYPE fmi3SetIntervalDecimal, fmi3SetShiftDecimal;
KB_FMI3 fmi3SetFractionTYPE fmi3SetIntervalFraction, fmi3SetShiftFraction;
KB_FMI3 fmi3UpdateDiscreteStatesTYPE fmi3UpdateDiscreteStates;
KB_FMI3 fmi3GetOutputDerivativesTYPE fmi3GetOutputDerivatives;
KB_FMI3 fmi3DoStepTYPE fmi3DoStep;

const char* fmi3GetVersion() { return "3.0"; }

fmi3Status fmi3SetDebugLogging(fmi3Instance slave, fmi3Boolean, std::size_t, const fmi3String[]) {
  // There is but one category, of what is refused, and that is always told.
  return in(slave, [](Instance&) {});
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                          fmi3Boolean, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  return no_such_kind(environment, log, "model exchange");
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                               fmi3Boolean, fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback,
                                               fmi3LockPreemptionCallback) {
  return no_such_kind(environment, log, "scheduled execution");
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resources,
                                         fmi3Boolean, fmi3Boolean, fmi3Boolean event_mode,
                                         fmi3Boolean, const fmi3ValueReference[],
                                         std::size_t intermediate_count,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback) {
  try {
    auto slave = std::make_unique<Slave>();
    slave->environment = environment;
    slave->log = log;
    Slave* const self = slave.get();
    try {
      if (event_mode) throw std::runtime_error("this FMU has no event mode");
      if (intermediate_count > 0)
        throw std::runtime_error("this FMU has no intermediate variables");
      if (resources == nullptr)
        throw std::runtime_error("the importer does not say where the FMU's resources are");
      slave->instance.emplace(
          resources, token != nullptr ? token : "",
          [self](Status status, const std::string& message) { self->tell(status, message); });
    } catch (const std::exception& error) {
      self->tell(Status::kError, error.what());
      return nullptr;
    }
    return slave.release();
  } catch (...) {
    return nullptr;
  }
}

void fmi3FreeInstance(fmi3Instance slave) { delete static_cast<Slave*>(slave); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance slave, fmi3Boolean, fmi3Float64,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
  return in(slave, [&](Instance& one) {
    one.setup(start, has_stop, stop);
    one.enter_initialization();
  });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance slave) {
  return in(slave, [](Instance& one) { one.exit_initialization(); });
}
fmi3Status fmi3EnterEventMode(fmi3Instance slave) { return unclaimed(slave, "an event mode"); }
fmi3Status fmi3EnterStepMode(fmi3Instance slave) { return unclaimed(slave, "an event mode"); }
fmi3Status fmi3Terminate(fmi3Instance slave) {
  return in(slave, [](Instance& one) { one.terminate(); });
}
fmi3Status fmi3Reset(fmi3Instance slave) {
  return in(slave, [](Instance& one) { one.reset(); });
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance slave) {
  return unclaimed(slave, "a structural parameter");
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance slave) {
  return unclaimed(slave, "a structural parameter");
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance slave) {
  return unclaimed(slave, "an event mode");
}

namespace {
void same_count(std::size_t variables, std::size_t values) {
  if (variables != values)
    throw std::runtime_error(fmt::format("{} variables cannot have {} values", variables, values));
}
}  // namespace

fmi3Status fmi3GetFloat64(fmi3Instance slave, const fmi3ValueReference variables[],
                          std::size_t count, fmi3Float64 values[], std::size_t value_count) {
  return in(slave, [&](Instance& one) {
    same_count(count, value_count);
    one.get(variables, count, values);
  });
}
fmi3Status fmi3SetFloat64(fmi3Instance slave, const fmi3ValueReference variables[],
                          std::size_t count, const fmi3Float64 values[], std::size_t value_count) {
  return in(slave, [&](Instance& one) {
    same_count(count, value_count);
    one.set(variables, count, values);
  });
}
fmi3Status fmi3GetString(fmi3Instance slave, const fmi3ValueReference variables[],
                         std::size_t count, fmi3String values[], std::size_t value_count) {
  return in(slave, [&](Instance& one) {
    same_count(count, value_count);
    one.get(variables, count, values);
  });
}
fmi3Status fmi3SetString(fmi3Instance slave, const fmi3ValueReference[], std::size_t count,
                         const fmi3String[], std::size_t) {
  return none_of_type(slave, "String that can be set", count);
}

// Types of which there is no variable.
#define KB_NO_TYPE(Type)                                                                      \
  KB_FMI3 fmi3GetTYPE<fmi3##Type> fmi3Get##Type;                                              \
  KB_FMI3 fmi3SetTYPE<fmi3##Type> fmi3Set##Type;                                              \
  fmi3Status fmi3Get##Type(fmi3Instance slave, const fmi3ValueReference[], std::size_t count, \
                           fmi3##Type[], std::size_t) {                                       \
    return none_of_type(slave, #Type, count);                                                 \
  }                                                                                           \
  fmi3Status fmi3Set##Type(fmi3Instance slave, const fmi3ValueReference[], std::size_t count, \
                           const fmi3##Type[], std::size_t) {                                 \
    return none_of_type(slave, #Type, count);                                                 \
  }
KB_NO_TYPE(Float32)
KB_NO_TYPE(Int8)
KB_NO_TYPE(UInt8)
KB_NO_TYPE(Int16)
KB_NO_TYPE(UInt16)
KB_NO_TYPE(Int32)
KB_NO_TYPE(UInt32)
KB_NO_TYPE(Int64)
KB_NO_TYPE(UInt64)
KB_NO_TYPE(Boolean)
#undef KB_NO_TYPE

fmi3Status fmi3GetBinary(fmi3Instance slave, const fmi3ValueReference[], std::size_t count,
                         std::size_t[], fmi3Binary[], std::size_t) {
  return none_of_type(slave, "Binary", count);
}
fmi3Status fmi3SetBinary(fmi3Instance slave, const fmi3ValueReference[], std::size_t count,
                         const std::size_t[], const fmi3Binary[], std::size_t) {
  return none_of_type(slave, "Binary", count);
}
fmi3Status fmi3GetClock(fmi3Instance slave, const fmi3ValueReference[], std::size_t count,
                        fmi3Clock[]) {
  return none_of_type(slave, "Clock", count);
}
fmi3Status fmi3SetClock(fmi3Instance slave, const fmi3ValueReference[], std::size_t count,
                        const fmi3Clock[]) {
  return none_of_type(slave, "Clock", count);
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance slave, fmi3ValueReference,
                                               std::size_t*) {
  return unclaimed(slave, "a dependency that changes");
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance slave, fmi3ValueReference, std::size_t[],
                                       fmi3ValueReference[], std::size_t[], fmi3DependencyKind[],
                                       std::size_t) {
  return unclaimed(slave, "a dependency that changes");
}

fmi3Status fmi3GetFMUState(fmi3Instance slave, fmi3FMUState* state) {
  return in(slave, [&](Instance& one) {
    Instance::Saved* const now = one.save();
    Instance::free(kept(*state));
    *state = now;
  });
}
fmi3Status fmi3SetFMUState(fmi3Instance slave, fmi3FMUState state) {
  return in(slave, [&](Instance& one) { one.restore(Instance::given(kept(state))); });
}
fmi3Status fmi3FreeFMUState(fmi3Instance slave, fmi3FMUState* state) {
  return in(slave, [&](Instance&) {
    if (state == nullptr) return;
    Instance::free(kept(*state));
    *state = nullptr;
  });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance slave, fmi3FMUState state, std::size_t* size) {
  return in(slave, [&](Instance& one) { *size = one.bytes(Instance::given(kept(state))).size(); });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance slave, fmi3FMUState state, fmi3Byte bytes[],
                                 std::size_t size) {
  return in(slave,
            [&](Instance& one) { one.write_bytes(Instance::given(kept(state)), bytes, size); });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance slave, const fmi3Byte bytes[], std::size_t size,
                                   fmi3FMUState* state) {
  return in(slave, [&](Instance& one) {
    Instance::Saved* const read = one.from_bytes({reinterpret_cast<const char*>(bytes), size});
    Instance::free(kept(*state));
    *state = read;
  });
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                        const fmi3ValueReference[], std::size_t,
                                        const fmi3Float64[], std::size_t, fmi3Float64[],
                                        std::size_t) {
  return unclaimed(slave, "a directional derivative");
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                    const fmi3ValueReference[], std::size_t, const fmi3Float64[],
                                    std::size_t, fmi3Float64[], std::size_t) {
  return unclaimed(slave, "an adjoint derivative");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                  fmi3Float64[], fmi3IntervalQualifier[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                   fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                               fmi3Float64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3GetShiftFraction(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                fmi3UInt64[], fmi3UInt64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                  const fmi3Float64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                               const fmi3Float64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                   const fmi3UInt64[], const fmi3UInt64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3SetShiftFraction(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                const fmi3UInt64[], const fmi3UInt64[]) {
  return unclaimed(slave, "a clock");
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance slave, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
                                    fmi3Boolean*, fmi3Boolean*, fmi3Float64*) {
  return unclaimed(slave, "an event mode");
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance slave, const fmi3ValueReference[], std::size_t,
                                    const fmi3Int32[], fmi3Float64[], std::size_t) {
  return unclaimed(slave, "a derivative of an output");
}

fmi3Status fmi3DoStep(fmi3Instance slave, fmi3Float64 now, fmi3Float64 length, fmi3Boolean,
                      fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful) {
  return in(slave, [&](Instance& one) {
    for (fmi3Boolean* const flag : {event_needed, terminate, early_return})
      if (flag != nullptr) *flag = false;
    const Status status = one.step(now, length);
    if (last_successful != nullptr) *last_successful = one.time();
    return status;
  });
}

// --- Of other kinds of FMU ----------------------------------------------------

KB_FMI3 fmi3ChangeModeTYPE fmi3EnterContinuousTimeMode;
KB_FMI3 fmi3CompletedIntegratorStepTYPE fmi3CompletedIntegratorStep;
KB_FMI3 fmi3SetTimeTYPE fmi3SetTime;
KB_FMI3 fmi3SetContinuousStatesTYPE fmi3SetContinuousStates;
KB_FMI3 fmi3GetContinuousTYPE fmi3GetContinuousStateDerivatives, fmi3GetEventIndicators,
    fmi3GetContinuousStates, fmi3GetNominalsOfContinuousStates;
KB_FMI3 fmi3GetNumberTYPE fmi3GetNumberOfEventIndicators, fmi3GetNumberOfContinuousStates;
KB_FMI3 fmi3ActivateModelPartitionTYPE fmi3ActivateModelPartition;

namespace {
constexpr const char *kModelExchange = "model exchange", *kScheduled = "scheduled execution";
}  // namespace

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance slave) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance slave, fmi3Boolean, fmi3Boolean*,
                                       fmi3Boolean*) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3SetTime(fmi3Instance slave, fmi3Float64) { return unclaimed(slave, kModelExchange); }
fmi3Status fmi3SetContinuousStates(fmi3Instance slave, const fmi3Float64[], std::size_t) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance slave, fmi3Float64[], std::size_t) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance slave, fmi3Float64[], std::size_t) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance slave, fmi3Float64[], std::size_t) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance slave, fmi3Float64[], std::size_t) {
  return unclaimed(slave, kModelExchange);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance slave, std::size_t* count) {
  return in(slave, [&](Instance&) { *count = 0; });
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance slave, std::size_t* count) {
  return in(slave, [&](Instance&) { *count = 0; });
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance slave, fmi3ValueReference, fmi3Float64) {
  return unclaimed(slave, kScheduled);
}
