// Every signal of a training session once: those of the simulation, then tip, levers, grapple, pump, task
// and score. Session files, reports and plots come from this table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"

namespace knuckleboom::training {

struct SessionChannel {
  std::string name;  // unit included: "tip_x_m"
  std::string unit;  // empty: a number
  std::string description;
  std::optional<sim::Channel> of_simulation;  // if set, the two below are not used
  double (*read)(const SessionSnapshot& snapshot, int index) = nullptr;
  int index = 0;

  double value(const SessionSnapshot& snapshot) const {
    return of_simulation ? of_simulation->value(snapshot.sim) : read(snapshot, index);
  }
};

// Time is that of the exercise: a restart resets it.
std::vector<SessionChannel> session_channels(const Session& session);
// Those of them that are not of the simulation, for the documentation.
std::vector<sim::FamilyRow> session_channel_rows();

}  // namespace knuckleboom::training
