// Many machines stepped together: those of one structure side by side in wide registers, a lane each, and each with
// the bits that it has alone. What lanes do not do (docs/theory/batch.md) is stepped machine by machine in the same
// call, so that every machine is always where it would be alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "knuckleboom/core/sim/held.hpp"

namespace knuckleboom::batch {

// The most lanes that this build and processor have: 2, 4 or 8.
int widest();
// Whether such a machine goes in lanes, beside others of its structure.
bool takes(const sim::Simulation& simulation, machine::Fidelity fidelity);

class Batch {
 public:
  // lanes: 2, 4, 8, or 1 for none; 0: widest(). Throws std::invalid_argument where this processor has fewer.
  explicit Batch(int lanes = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // Takes a machine in. The simulation must outlive the batch. Returns its number, from 0.
  int add(const sim::Simulation& simulation, const sim::SimState& state);
  int count() const;
  int lanes() const;
  // How many of them the last step() had in lanes at its end.
  int in_lanes() const;

  // Ticks, of all machines since the start, whose result was not finite.
  std::int64_t non_finite() const;

  // All of them. No allocation after the first call, but where a change or a leak makes another structure of a machine.
  void step(std::int64_t ticks);

  const sim::SimState& state(int machine);
  // The same where only what these parts of a snapshot (sim/parts.hpp) are made of is up to date: a look at a few
  // numbers of a machine in lanes costs little.
  const sim::SimState& look(int machine, unsigned parts);
  // To be changed before the next step.
  sim::SimState& change(int machine);
  const sim::Simulation& simulation(int machine) const;
  // Holds a drive's command, or gives it back to the scenario.
  void hold(int machine, int actuator, const sim::ActuatorCommand& command);
  void release(int machine, int actuator);
  // Joints' own drives; such a machine is beside the lanes.
  void hold_joint(int machine, int link, const sim::JointCommand& command);
  const sim::Held& held(int machine) const;

 private:
  struct Machines;
  std::unique_ptr<Machines> all_;
};

}  // namespace knuckleboom::batch
