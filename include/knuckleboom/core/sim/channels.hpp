// Every signal of a simulation once: name, unit, description and how to read it from a snapshot.
// Trace columns, instruments, comparisons and documentation all come from the table in channels.cpp.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/sim/channel_family.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"

namespace knuckleboom::sim {

struct Channel {
  std::string name;  // as in a trace's header, unit included
  std::string unit;
  std::string description;
  double (*read)(const Snapshot& snapshot, int index);  // index: of the joint, or component
  int index;

  double value(const Snapshot& snapshot) const { return read(snapshot, index); }
};

// t_s, then per joint position, rate, reference, valve command, port pressures, valve state, then the
// joints' own drives and the loops' forces where there are any, then the tip. A passive joint has zeros
// for its actuator's channels.
std::vector<Channel> channels(const machine::MachineModel& model);
// Including those not in a trace: the oil's force of every actuator, the length of a cylinder
// between its pins, and the supply pressure.
std::vector<Channel> all_channels(const machine::MachineModel& model);
// The families of all_channels().
std::vector<FamilyRow> channel_rows();

}  // namespace knuckleboom::sim
