// The named signals of a running emulation, which may be logged, sent out, or replaced from
// outside.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/core/sim/channel_family.hpp"

namespace knuckleboom::emulation {

struct HilState;

enum class SignalRole {
  kObserved,        // may only go out; all others may come from outside
  kStop,            // sensor: external stop button
  kOperator,        // sensor: the operator's command
  kWrench,          // sensor
  kHostSensor,      // sensor
  kEmulatedSensor,  // sensor for the emulated machine's own controllers
  kMotor,           // command to the emulated machine
  kDrive,           // command to the host
  kEcho,            // sensor: time that comes back
  kMachine,         // motion of an emulated machine elsewhere
};

// Where a signal is read.
struct SignalPlace {
  const Emulation& emulation;
  const HilState& state;
  int joint, part;
};

struct HilSignal {
  std::string name, unit, description;
  SignalRole role = SignalRole::kObserved;
  double (*read)(const SignalPlace& place) = nullptr;
  double& (*slot)(EmulationState& state, int joint, int part) = nullptr;  // null: only observed
  int joint = 0, part = 0;
};

std::vector<HilSignal> hil_signals(const EmulationPlan& plan);
// Their families, for the documentation.
std::vector<sim::FamilyRow> hil_signal_rows();

}  // namespace knuckleboom::emulation
