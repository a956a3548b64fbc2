// Parts of a snapshot, for readers of a few numbers: what they do not need is not computed.
#pragma once

#include "knuckleboom/core/sim/channels.hpp"

namespace knuckleboom::sim {

// A bit each. Tick and time are always there.
inline constexpr unsigned kJointPart = 1;     // joint[]
inline constexpr unsigned kActuatorPart = 2;  // actuator[], but displacements
inline constexpr unsigned kLengthPart = 4;    // actuator[].displacement
inline constexpr unsigned kTipPart = 8;
inline constexpr unsigned kSupplyPart = 16;  // pump and engine
inline constexpr unsigned kOtherPart = 32;   // all the rest
inline constexpr unsigned kAllParts = 63;

// That a channel is read from.
unsigned parts_of(const Channel& channel);

// Some parts; the others stay as they are.
void take_snapshot(const Simulation& simulation, const SimState& state, unsigned parts,
                   Snapshot& out);

}  // namespace knuckleboom::sim
