// A harvester's head on standing trees, in a session: energy, direction, rewinding, stored states.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/training/check_state.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::SessionSnapshot;
using training::SessionState;
using worksite::FellingSite;
using worksite::MovingTree;

// Both ledgers of the moving tree, over the weight's work from plumb to the ground, since it was gripped: that of the
// tree, and that of the grip with the head where the machine has moved it. They go on over cuts.
class Ledger {
 public:
  explicit Ledger(const training::Session& session) : session_(session) {}

  void look(const SessionState& state) {
    const MovingTree& tree = state.worksite.timber.moving;
    if (tree.stem < 0) return;
    const FellingSite& site = session_.site().felling();
    const timber::Felling felling = site.felling(tree);
    const timber::FellingState now = FellingSite::felling_state(tree);
    const multibody::Kinematics kinematics = multibody::forward_kinematics(
        session_.machine().tree, state.sim.machine.q, state.sim.machine.v);
    const double of_tree = felling.energy(now) - now.pushed + now.lost + now.released;
    const double of_grip =
        now.grip_work - now.pushed - now.grip_lost -
        felling.grip_energy(
            site.grip_of(session_.site().head_frame(kinematics), state.worksite.timber), now);
    if (tree.stem != stem_) {
      stem_ = tree.stem;
      start_tree_ = of_tree;
      start_grip_ = of_grip;
      work_ = felling.mass() * 9.81 * felling.centre();
    }
    tree_ = std::max(tree_, std::fabs(of_tree - start_tree_) / work_);
    if (tree.gripped != 0) grip_ = std::max(grip_, std::fabs(of_grip - start_grip_) / work_);
  }
  double of_tree() const { return tree_; }
  double of_grip() const { return grip_; }

 private:
  const training::Session& session_;
  int stem_ = -1;
  double start_tree_ = 0.0, start_grip_ = 0.0, work_ = 0.0;
  double tree_ = 0.0, grip_ = 0.0;
};

struct Felled {
  std::unique_ptr<training::Session> session = test::shipped_session("felling");
  std::unique_ptr<SessionState> state = std::make_unique<SessionState>(session->initial_state());
  std::unique_ptr<SessionSnapshot> snapshot =
      std::make_unique<SessionSnapshot>(session->snapshot(*state));
  training::Demonstrator driver{*session};
  training::DemonstratorState hands = driver.initial_state();

  Felled() {
    session->apply({training::CommandKind::kControlMode,
                    static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
                   *state);
  }
  void step() {
    session->step(driver.drive(*snapshot, session->tick_s(), hands), *state, *snapshot);
  }
  const MovingTree& tree() const { return state->worksite.timber.moving; }
};

TEST(FellingInASession, TheFirstTreeFallsWhereTheHeadPointsAndTheEnergyIsExplained) {
  Felled run;
  Ledger ledger(*run.session);
  while (run.snapshot->sim.t_s < 25.0 && run.snapshot->task.step == 0) {
    run.step();
    ledger.look(*run.state);
  }
  EXPECT_EQ(run.snapshot->task.step, 1);
  RecordProperty("of_tree", fmt::format("{:.2e}", ledger.of_tree()));
  RecordProperty("of_grip", fmt::format("{:.2e}", ledger.of_grip()));
  EXPECT_LT(ledger.of_tree(), 1e-3);
  EXPECT_LT(ledger.of_grip(), 1e-3);
  EXPECT_LT(run.snapshot->score.fall_error_rad, 5.0 / 180.0 * std::numbers::pi);
  EXPECT_GT(run.snapshot->score.stump_m, 0.02);
  EXPECT_LT(run.snapshot->score.stump_m, 0.1);
  EXPECT_EQ(run.snapshot->score.stems_hit, 0.0);
  EXPECT_EQ(run.snapshot->score.collisions, 0.0);
  // The tree's work on the machine is in the machine's own balance.
  const sim::Simulation& simulation = run.session->simulation();
  const sim::SimState& sim = run.state->sim;
  EXPECT_LT(std::fabs(simulation.energy_residual(sim)),
            1e-3 * machine::energy_turned_over(sim.machine.energy, simulation.stored_change(sim)));
}

// A state is a plain value: copied while the tree falls, both go on alike.
TEST(FellingInASession, AStateCopiedInTheFallGoesOnAlike) {
  Felled run;
  while (run.snapshot->sim.t_s < 25.0 && !(run.tree().stem >= 0 && run.tree().attached == 0))
    run.step();
  ASSERT_EQ(run.tree().attached, 0);
  auto copy = std::make_unique<SessionState>(run.session->initial_state());
  training::copy_used(*run.state, *copy);
  EXPECT_EQ(state::hash(*copy), state::hash(*run.state));
  auto snapshot = std::make_unique<SessionSnapshot>(*run.snapshot);
  const command::OperatorInput still{};
  for (int i = 0; i < 1500; ++i) {
    run.session->step(still, *run.state, *run.snapshot);
    run.session->step(still, *copy, *snapshot);
  }
  EXPECT_EQ(state::hash(*copy), state::hash(*run.state));
  EXPECT_NE(run.tree().n[2], 1.0);
}

TEST(FellingInASession, AForgedTreeIsRefused) {
  Felled run;
  EXPECT_EQ(training::check_state(*run.session, *run.state), "");
  while (run.snapshot->sim.t_s < 25.0 && !(run.tree().stem >= 0 && run.tree().cut > 0.0))
    run.step();
  ASSERT_GT(run.tree().cut, 0.0);
  EXPECT_EQ(training::check_state(*run.session, *run.state), "");
  const auto objection = [&](auto forge) {
    auto forged = std::make_unique<SessionState>(*run.state);
    forge(forged->worksite.timber);
    return training::check_state(*run.session, *forged);
  };
  using worksite::TimberState;
  EXPECT_NE(objection([](TimberState& t) { t.moving.stem = 99; }).find("timber.moving.stem"),
            std::string::npos);
  EXPECT_NE(objection([](TimberState& t) { t.moving.n[2] = 0.2; }).find("timber.moving.n"),
            std::string::npos);
  EXPECT_NE(
      objection([](TimberState& t) { t.moving.form.mass = 0.0; }).find("timber.moving.form.mass"),
      std::string::npos);
  EXPECT_NE(objection([](TimberState& t) { t.moving.cut = 3.0; }).find("timber.moving.cut"),
            std::string::npos);
  EXPECT_NE(objection([](TimberState& t) { t.felled_count = 1; }).find("timber.felled[0]"),
            std::string::npos);
  EXPECT_NE(objection([](TimberState& t) { t.felled[3].stump = 0.1; }).find("timber.felled[3]"),
            std::string::npos);
  EXPECT_NE(objection([](TimberState& t) { t.bar = 2.0; }).find("bar"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom
