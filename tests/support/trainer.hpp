// Sessions of the trainer from the shipped files, for tests.
#pragma once

#include <memory>
#include <string>

#include "knuckleboom/core/training/demonstrator.hpp"
#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::test {

machine::MachineModel shipped_machine(const std::string& name = "harvester_grapple");
command::LeverPattern shipped_levers(const std::string& name = "nordic");
// variant: its seed; 0: as written.
training::Exercise shipped_exercise(const std::string& name, int variant = 0);
// An exercise with its own machine and levers.
std::unique_ptr<training::Session> shipped_session(const std::string& exercise);

// The demonstrator at the levers until `done` or for `limit_s`. Returns the last snapshot.
template <class Done>
training::SessionSnapshot demonstrate(const training::Session& session,
                                      training::SessionState& state, double limit_s, Done done,
                                      command::ControlMode mode = command::ControlMode::kBoomTip) {
  const training::Demonstrator driver(session);
  training::DemonstratorState hands = driver.initial_state();
  session.apply({training::CommandKind::kControlMode, static_cast<std::int32_t>(mode)}, state);
  training::SessionSnapshot snapshot = session.snapshot(state);
  const double h = session.tick_s();
  for (double t = 0.0; t < limit_s && !done(snapshot); t += h) {
    if (const std::int32_t fault = driver.diagnosis(snapshot); fault >= 0)
      session.apply({training::CommandKind::kDiagnose, fault}, state);
    session.step(driver.drive(snapshot, h, hands), state, snapshot);
  }
  return snapshot;
}

}  // namespace knuckleboom::test
