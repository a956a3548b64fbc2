// Levers moved at random, with the demonstrator in between, so that trees are gripped, felled, dropped and run into. Nothing
// becomes infinite, no energy comes from nothing, nothing goes through the ground. KNUCKLEBOOM_LONG: an hour on each shipped
// exercise, or the seconds that it tells; KNUCKLEBOOM_MINUTES: so many; KNUCKLEBOOM_EXERCISE: on this one alone;
// KNUCKLEBOOM_SEED: other levers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/training/check_state.hpp"
#include "support/long_run.hpp"
#include "support/paths.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::SessionSnapshot;
using training::SessionState;

constexpr double kHour = 3600.0;
constexpr double kLookEvery = 0.25;  // s
constexpr double kAgain = 60.0;      // s after the end of an attempt
constexpr double kInGround = 0.5;    // m; a heavy stem is pressed in by less
constexpr double kUnaccounted = 2e-3;

// One after the other, the demonstrator and levers that jump to places of their own.
class Hands {
 public:
  Hands(const training::Session& session, std::uint32_t seed)
      : driver_(session), state_(driver_.initial_state()), random_(seed) {}

  command::OperatorInput next(const SessionSnapshot& snapshot, double dt) {
    left_s_ -= dt;
    if (left_s_ <= 0.0) {
      wild_ = !wild_;
      left_s_ = wild_ ? 1.0 + 5.0 * share() : 5.0 + 15.0 * share();
      if (!wild_) state_ = driver_.initial_state();
    }
    const command::OperatorInput tame = driver_.drive(snapshot, dt, state_);
    if (!wild_) return tame;
    hold_s_ -= dt;
    if (hold_s_ > 0.0) return levers_;
    hold_s_ = 0.05 + share();
    for (double& axis : levers_.axis)
      axis = share() < 0.5 ? 0.0 : std::clamp(3.0 * share() - 1.5, -1.0, 1.0);
    levers_.buttons = 0;
    for (int button = 0; button < command::kLeverButtons; ++button)
      if (share() < 0.15) levers_.buttons |= std::int64_t{1} << button;
    return levers_;
  }

 private:
  double share() { return std::uniform_real_distribution<>(0.0, 1.0)(random_); }
  training::Demonstrator driver_;
  training::DemonstratorState state_;
  std::mt19937 random_;
  command::OperatorInput levers_{};
  bool wild_ = true;
  double left_s_ = 0.0, hold_s_ = 0.0;
};

// The ledger of each tree goes on from when it is gripped, over its cuts, until it lies.
class Trees {
 public:
  explicit Trees(const training::Session& session) : session_(session) {}
  void look(const SessionState& state) {
    const worksite::MovingTree& m = state.worksite.timber.moving;
    if (m.stem < 0) {
      stem_ = -1;
      return;
    }
    const timber::FellingState now = worksite::FellingSite::felling_state(m);
    const timber::Felling felling = session_.site().felling().felling(m);
    const double balance = felling.energy(now) - now.pushed + now.lost + now.released;
    if (m.stem != stem_ || now.t < t_) {
      stem_ = m.stem;
      start_ = balance;
      work_ = felling.mass() * 9.81 * felling.centre();
    }
    t_ = now.t;
    residual = std::max(residual, std::fabs(balance - start_) / work_);
  }
  double residual = 0.0;

 private:
  const training::Session& session_;
  int stem_ = -1;
  double t_ = 0.0, start_ = 0.0, work_ = 1.0;
};

// Depth of the lowest point of what moves in the ground [m].
double deepest(const training::Session& session, const SessionState& state) {
  const world::Ground& ground = session.world().ground();
  double most = 0.0;
  const auto look = [&](const Vec3& p) {
    most = std::max(most, world::height(ground, p.x(), p.y()) - p.z());
  };
  for (int i = 0; i < session.world().log_count(); ++i)
    if (state.worksite.world.log[i].status != world::LogStatus::kAbsent)
      look(vec(state.worksite.world.log[i].p));
  const worksite::TimberState& timber = state.worksite.timber;
  for (const worksite::MovingTree* tree : {&timber.moving, &timber.falling}) {
    if (tree->stem < 0) continue;
    const Vec3 butt = session.site().felling().butt_W(*tree);
    look(butt);
    look(butt + tree->form.length * vec(tree->n));
  }
  for (std::int64_t k = 0; k < timber.felled_count; ++k) look(vec(timber.felled[k].butt));
  const multibody::Kinematics kinematics = multibody::forward_kinematics(
      session.machine().tree, state.sim.machine.q, state.sim.machine.v);
  for (const machine::ContactShape& shape : session.machine().shapes) {
    if (shape.body == multibody::kBase) continue;
    const multibody::Pose pose =
        multibody::body_pose(session.machine().tree, kinematics, shape.body);
    look(pose.R * shape.from_B + pose.p);
    look(pose.R * shape.to_B + pose.p);
  }
  return most;
}

void drive_at_random(const std::string& name, double until_s, std::uint32_t seed) {
  SCOPED_TRACE(name + " seed " + std::to_string(seed));
  const auto session = test::shipped_session(name);
  auto state = std::make_unique<SessionState>(session->initial_state());
  auto snapshot = std::make_unique<SessionSnapshot>(session->snapshot(*state));
  session->apply({training::CommandKind::kControlMode,
                  static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
                 *state);
  Hands hands(*session, seed);
  Trees trees(*session);
  const sim::Simulation& simulation = session->simulation();
  const double dt = session->tick_s();
  double look_at = 0.0, depth = 0.0, ended_s = 0.0;
  int attempts = 1;
  for (double t = 0.0; t < until_s; t += dt) {
    session->step(hands.next(*snapshot, dt), *state, *snapshot);
    ended_s = has_ended(snapshot->task.phase) ? ended_s + dt : 0.0;
    if (ended_s > kAgain) {
      session->apply({training::CommandKind::kRestart, 0}, *state);
      *snapshot = session->snapshot(*state);
      ++attempts;
    }
    if (t < look_at) continue;
    look_at += kLookEvery;
    ASSERT_EQ(training::check_state(*session, *state), "") << t;
    trees.look(*state);
    ASSERT_LT(trees.residual, kUnaccounted) << t;
    depth = std::max(depth, deepest(*session, *state));
    ASSERT_LT(depth, kInGround) << t;
    const double turned = machine::energy_turned_over(state->sim.machine.energy,
                                                      simulation.stored_change(state->sim));
    ASSERT_LT(std::fabs(simulation.energy_residual(state->sim)), kUnaccounted * turned + 100.0)
        << t;
  }
  std::printf(
      "%s: %.0f s, %d attempts, at most %.0f mm in the ground, energy of trees within %.1e\n",
      name.c_str(), until_s, attempts, 1e3 * depth, trees.residual);
  std::fflush(stdout);
}

TEST(RandomLevers, LeaveEverythingFinite) {
  if (!test::long_run()) {
    for (const char* name : {"felling", "feed"}) drive_at_random(name, 25.0, 1);
    drive_at_random("strip_road_loaded", 3.0, 1);
    return;
  }
  const char* const minutes = std::getenv("KNUCKLEBOOM_MINUTES");
  const double asked =
      minutes != nullptr ? 60.0 * std::atof(minutes) : std::atof(std::getenv("KNUCKLEBOOM_LONG"));
  const char* const one = std::getenv("KNUCKLEBOOM_EXERCISE");
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(KNUCKLEBOOM_SOURCE_DIR "/config/exercises"))
    if (one == nullptr || file.path().stem() == one) names.insert(file.path().stem().string());
  ASSERT_FALSE(names.empty());
  const char* const text = std::getenv("KNUCKLEBOOM_SEED");
  const auto seed = static_cast<std::uint32_t>(text == nullptr ? 1 : std::atoi(text));
  for (const std::string& name : names) drive_at_random(name, asked > 1.0 ? asked : kHour, seed);
}

}  // namespace
}  // namespace knuckleboom
