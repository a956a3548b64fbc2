// FMI 3.0 for co-simulation in C, as types2.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

using fmi3Instance = void*;
using fmi3InstanceEnvironment = void*;
using fmi3FMUState = void*;
using fmi3ValueReference = std::uint32_t;
using fmi3Float32 = float;
using fmi3Float64 = double;
using fmi3Int8 = std::int8_t;
using fmi3UInt8 = std::uint8_t;
using fmi3Int16 = std::int16_t;
using fmi3UInt16 = std::uint16_t;
using fmi3Int32 = std::int32_t;
using fmi3UInt32 = std::uint32_t;
using fmi3Int64 = std::int64_t;
using fmi3UInt64 = std::uint64_t;
using fmi3Boolean = bool;
using fmi3String = const char*;
using fmi3Byte = std::uint8_t;
using fmi3Binary = const fmi3Byte*;
using fmi3Clock = bool;

enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal };
enum fmi3DependencyKind {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
};
enum fmi3IntervalQualifier { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged };

using fmi3LogMessageCallback = void (*)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                        fmi3String message);
using fmi3IntermediateUpdateCallback = void (*)(fmi3InstanceEnvironment, fmi3Float64 time,
                                                fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                                fmi3Boolean step_finished,
                                                fmi3Boolean can_return_early,
                                                fmi3Boolean* early_return_requested,
                                                fmi3Float64* early_return_time);
using fmi3ClockUpdateCallback = void (*)(fmi3InstanceEnvironment);
using fmi3LockPreemptionCallback = void (*)();

using fmi3GetVersionTYPE = const char*();
using fmi3SetDebugLoggingTYPE = fmi3Status(fmi3Instance, fmi3Boolean on, std::size_t count,
                                           const fmi3String categories[]);
using fmi3InstantiateModelExchangeTYPE = fmi3Instance(fmi3String instance, fmi3String token,
                                                      fmi3String resources, fmi3Boolean visible,
                                                      fmi3Boolean logging, fmi3InstanceEnvironment,
                                                      fmi3LogMessageCallback);
using fmi3InstantiateCoSimulationTYPE =
    fmi3Instance(fmi3String instance, fmi3String token, fmi3String resources, fmi3Boolean visible,
                 fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                 const fmi3ValueReference intermediate[], std::size_t intermediate_count,
                 fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
using fmi3InstantiateScheduledExecutionTYPE = fmi3Instance(
    fmi3String instance, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3ClockUpdateCallback,
    fmi3LockPreemptionCallback lock, fmi3LockPreemptionCallback unlock);
using fmi3FreeInstanceTYPE = void(fmi3Instance);
using fmi3EnterInitializationModeTYPE = fmi3Status(fmi3Instance, fmi3Boolean has_tolerance,
                                                   fmi3Float64 tolerance, fmi3Float64 start,
                                                   fmi3Boolean has_stop, fmi3Float64 stop);
// Also fmi3ExitInitializationMode, fmi3EnterEventMode, fmi3EnterStepMode, fmi3Terminate, fmi3Reset and the like.
using fmi3ChangeModeTYPE = fmi3Status(fmi3Instance);

template <class T>
using fmi3GetTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count, T[],
                               std::size_t value_count);
template <class T>
using fmi3SetTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                               const T[], std::size_t value_count);
using fmi3GetBinaryTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                     std::size_t sizes[], fmi3Binary[], std::size_t value_count);
using fmi3SetBinaryTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                     const std::size_t sizes[], const fmi3Binary[],
                                     std::size_t value_count);
using fmi3GetClockTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                    fmi3Clock[]);
using fmi3SetClockTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                    const fmi3Clock[]);

using fmi3GetNumberOfVariableDependenciesTYPE = fmi3Status(fmi3Instance, fmi3ValueReference,
                                                           std::size_t*);
using fmi3GetVariableDependenciesTYPE = fmi3Status(fmi3Instance, fmi3ValueReference dependent,
                                                   std::size_t elements[],
                                                   fmi3ValueReference independents[],
                                                   std::size_t independent_elements[],
                                                   fmi3DependencyKind kinds[], std::size_t count);
using fmi3GetFMUStateTYPE = fmi3Status(fmi3Instance, fmi3FMUState*);
using fmi3SetFMUStateTYPE = fmi3Status(fmi3Instance, fmi3FMUState);
using fmi3FreeFMUStateTYPE = fmi3Status(fmi3Instance, fmi3FMUState*);
using fmi3SerializedFMUStateSizeTYPE = fmi3Status(fmi3Instance, fmi3FMUState, std::size_t*);
using fmi3SerializeFMUStateTYPE = fmi3Status(fmi3Instance, fmi3FMUState, fmi3Byte[],
                                             std::size_t size);
using fmi3DeserializeFMUStateTYPE = fmi3Status(fmi3Instance, const fmi3Byte[], std::size_t size,
                                               fmi3FMUState*);
// Both derivatives, directional and adjoint.
using fmi3GetDerivativeTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference unknowns[],
                                         std::size_t unknown_count,
                                         const fmi3ValueReference knowns[], std::size_t known_count,
                                         const fmi3Float64 seed[], std::size_t seed_count,
                                         fmi3Float64 sensitivity[], std::size_t sensitivity_count);
using fmi3GetIntervalDecimalTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[],
                                              std::size_t count, fmi3Float64[],
                                              fmi3IntervalQualifier[]);
using fmi3GetIntervalFractionTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[],
                                               std::size_t count, fmi3UInt64[], fmi3UInt64[],
                                               fmi3IntervalQualifier[]);
using fmi3GetShiftDecimalTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[],
                                           std::size_t count, fmi3Float64[]);
using fmi3GetShiftFractionTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[],
                                            std::size_t count, fmi3UInt64[], fmi3UInt64[]);
// Intervals and shifts.
using fmi3SetDecimalTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                      const fmi3Float64[]);
using fmi3SetFractionTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[], std::size_t count,
                                       const fmi3UInt64[], const fmi3UInt64[]);
using fmi3UpdateDiscreteStatesTYPE = fmi3Status(fmi3Instance, fmi3Boolean* again,
                                                fmi3Boolean* terminate, fmi3Boolean* nominals,
                                                fmi3Boolean* values, fmi3Boolean* has_next,
                                                fmi3Float64* next);
using fmi3GetOutputDerivativesTYPE = fmi3Status(fmi3Instance, const fmi3ValueReference[],
                                                std::size_t count, const fmi3Int32 orders[],
                                                fmi3Float64[], std::size_t value_count);
using fmi3DoStepTYPE = fmi3Status(fmi3Instance, fmi3Float64 now, fmi3Float64 step,
                                  fmi3Boolean no_back, fmi3Boolean* event_needed,
                                  fmi3Boolean* terminate, fmi3Boolean* early_return,
                                  fmi3Float64* last_successful);

// Model exchange and scheduled execution, which importers may look for in any FMU.
using fmi3CompletedIntegratorStepTYPE = fmi3Status(fmi3Instance, fmi3Boolean, fmi3Boolean*,
                                                   fmi3Boolean*);
using fmi3SetTimeTYPE = fmi3Status(fmi3Instance, fmi3Float64);
using fmi3SetContinuousStatesTYPE = fmi3Status(fmi3Instance, const fmi3Float64[], std::size_t);
using fmi3GetContinuousTYPE = fmi3Status(fmi3Instance, fmi3Float64[], std::size_t);
using fmi3GetNumberTYPE = fmi3Status(fmi3Instance, std::size_t*);
using fmi3ActivateModelPartitionTYPE = fmi3Status(fmi3Instance, fmi3ValueReference, fmi3Float64);
