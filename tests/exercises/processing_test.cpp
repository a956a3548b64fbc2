// A harvester's head feeds stems and cuts them up, in a session: times and forces as computed, lengths, momentum.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/training/check_state.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::SessionSnapshot;
using training::SessionState;
using worksite::MovingTree;
using worksite::TimberState;

struct Cutting {
  std::unique_ptr<training::Session> session = test::shipped_session("feed");
  std::unique_ptr<SessionState> state = std::make_unique<SessionState>(session->initial_state());
  std::unique_ptr<SessionSnapshot> snapshot =
      std::make_unique<SessionSnapshot>(session->snapshot(*state));
  training::Demonstrator driver{*session};
  training::DemonstratorState hands = driver.initial_state();

  Cutting() {
    session->apply({training::CommandKind::kControlMode,
                    static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
                   *state);
  }
  void step() {
    session->step(driver.drive(*snapshot, session->tick_s(), hands), *state, *snapshot);
  }
  const MovingTree& tree() const { return state->worksite.timber.moving; }
  const TimberState& timber() const { return state->worksite.timber; }
};

// The whole of what moves as one body: momentum, and kinetic energy and that of height.
struct Motion {
  Vec3 momentum = Vec3::Zero();
  double energy = 0.0;
};
Motion motion_of_stem(const MovingTree& tree) {
  const Vec3 v = vec(tree.v);
  return {tree.form.mass * v, 0.5 * tree.form.mass * v.squaredNorm() +
                                  0.5 * tree.form.inertia * vec(tree.omega).squaredNorm() +
                                  tree.form.mass * 9.81 * tree.p[2]};
}

// The first tree is felled and fed; the tick in which its first log comes off keeps momentum and energy.
TEST(ProcessingInASession, ALogComesOffAsItMovedAndHasItsLength) {
  Cutting run;
  auto before = std::make_unique<SessionState>(*run.state);
  double slow_way = 0.0, fastest = 0.0, saw_s = 0.0;
  bool slips_too_early = false;
  while (run.snapshot->sim.t_s < 40.0 && run.timber().cut_count == 0) {
    training::copy_used(*run.state, *before);
    run.step();
    const MovingTree& tree = run.tree();
    fastest = std::max(fastest, run.snapshot->feed_m_s);
    if (tree.stem >= 0 && tree.kerf > 0.0) saw_s += run.session->tick_s();
    // While the rollers turn no faster than a little, nothing slips that they can hold.
    if (tree.stem >= 0 && std::fabs(run.snapshot->feed_m_s) < 1e-3 && tree.attached == 0) {
      slow_way += tree.slipped_m - before->worksite.timber.moving.slipped_m;
      slips_too_early = slips_too_early || slow_way > 0.05;
    }
  }
  ASSERT_EQ(run.timber().cut_count, 1);
  EXPECT_FALSE(slips_too_early) << slow_way;
  EXPECT_NEAR(fastest, run.session->machine().head.feed_speed, 0.02);
  const worksite::CutLog& cut = run.timber().cut[0];
  const MovingTree& was = before->worksite.timber.moving;
  const MovingTree& tree = run.tree();
  // As long as it took, by the law of the saw and the thickness there.
  const worksite::FellingSite& site = run.session->site().felling();
  const timber::Tree& wood = site.trees()[0].tree;
  const machine::Head& head = run.session->machine().head;
  timber::SawLaw law;
  law.chain_speed = head.chain_speed;
  law.power = head.saw_power;
  law.energy = head.saw_energy;
  law.feed_force = head.bar_force;
  const double d = timber::over_bark(wood.profile(), cut.from + cut.size.length);
  EXPECT_NEAR(saw_s, timber::cutting_time(law, d), 0.05 * timber::cutting_time(law, d));
  // Volume and mass of that section of the stem.
  const timber::Round piece =
      timber::section(wood.profile(), wood.density(), cut.from, cut.from + cut.size.length);
  EXPECT_NEAR(world::mass(cut.size), piece.mass, 1e-9 * piece.mass);
  EXPECT_NEAR(cut.size.length, cut.wanted_m + head.length_allowance, 0.06);
  EXPECT_NEAR(cut.measured_m, cut.wanted_m + head.length_allowance, 0.012);
  // In one tick the forces on stem and log change little.
  const world::LogState& log = run.state->worksite.world.log[run.session->world().first_spare()];
  const double m = world::mass(cut.size), g = 9.81;
  const Motion whole = motion_of_stem(was), rest = motion_of_stem(tree);
  const Vec3 v = vec(log.v);
  const Vec3 momentum = rest.momentum + m * v;
  const Vec3 foot = site.foot_W(tree.stem);
  const double energy = rest.energy + 0.5 * m * v.squaredNorm() +
                        0.5 * world::inertia(cut.size).transverse * vec(log.omega).squaredNorm() +
                        m * g * (log.p[2] - foot.z());
  EXPECT_NEAR(tree.form.mass + m, was.form.mass, 1e-6 * was.form.mass);
  const double h = run.session->tick_s();
  EXPECT_LT((momentum - whole.momentum).norm(), 3e4 * h);
  EXPECT_LT(std::fabs(energy - whole.energy), 1e-3 * was.form.mass * g * wood.height());
  // It lies a while later, and nothing of the state is impossible.
  for (int i = 0; i < 1000; ++i) run.step();
  EXPECT_LT(log.p[2] - foot.z(), 0.4);
  EXPECT_EQ(training::check_state(*run.session, *run.state), "");
  const auto objection = [&](auto forge) {
    auto forged = std::make_unique<SessionState>(*run.state);
    forge(*forged);
    return training::check_state(*run.session, *forged);
  };
  using S = SessionState;
  const auto at = [&](const char* where, auto forge) {
    EXPECT_NE(objection(forge).find(where), std::string::npos) << where << ": " << objection(forge);
  };
  at("timber.cut[0].length", [](S& s) { s.worksite.timber.cut[0].size.length = 30.0; });
  at("timber.cut[0].product", [](S& s) { s.worksite.timber.cut[0].product = 9; });
  at("timber.cut[5].length", [](S& s) { s.worksite.timber.cut[5].size.length = 4.0; });
  at("timber.cut_count", [](S& s) { s.worksite.timber.cut_count = 60; });
  at("timber.moving.from", [](S& s) { s.worksite.timber.moving.from = 60.0; });
  at("timber.cut[1].length",
     [](S& s) { s.worksite.world.log[1].status = world::LogStatus::kFree; });
  // A copy goes on alike, also into a state that had more.
  auto copy = std::make_unique<S>(*run.state);
  training::copy_used(*before, *copy);
  EXPECT_EQ(state::hash(*copy), state::hash(*before));
}

}  // namespace
}  // namespace knuckleboom
