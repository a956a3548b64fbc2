// A machine's equations about one instant as a function with named arguments:
// y' = f(y, u), and the channels that follow from y and u. Linear models are
// its slopes. docs/theory/linear_models.md
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::reference {

// A state or an input. step: over which its slopes are taken, small against the
// curvature of the equations and large against rounding.
struct Quantity {
  std::string name, unit;
  double step = 0.0;
};

struct RatesOptions {
  // All valves closed and none of the tick's commands, rather than those of the
  // tick that starts there.
  bool at_rest = false;
  bool dry_friction = true, end_stops = true;
};

// A valve, as it stands at the instant.
struct DriveFacts {
  std::string joint;
  int joint_index = 0;
  double sign = 1.0;  // of the voltage that moves the joint up
  double overlap_V = 0.0, spool_V = 0.0;
  bool open = false;
};

class Rates {
 public:
  // The tick that starts at this state: its events have happened and its
  // commands are held. Dependent joints follow; held bodies and the oil that
  // the equations in force do not move are no states. The simulation must
  // outlive it.
  Rates(const sim::Simulation& simulation, const sim::SimState& state, RatesOptions options = {});
  ~Rates();
  Rates(const Rates&) = delete;
  Rates& operator=(const Rates&) = delete;

  const std::vector<Quantity>& states() const;
  const std::vector<Quantity>& inputs() const;
  const std::vector<sim::Channel>& outputs() const;
  const std::vector<DriveFacts>& drives() const;
  // At the instant, after the beginning of its tick.
  const sim::SimState& state() const;
  std::vector<double> y() const;
  std::vector<double> u() const;
  // Places at which the slopes are those of one side, or none; sentences.
  const std::vector<std::string>& remarks() const;

  // Neither may be null. rates: one for each state; outputs: one for each
  // channel.
  void evaluate(const std::vector<double>& y, const std::vector<double>& u,
                std::vector<double>& rates, std::vector<double>& outputs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace knuckleboom::reference
