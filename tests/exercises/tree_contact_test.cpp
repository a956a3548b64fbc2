// A falling tree and what it meets: standing stems, lying ones, logs, stakes, the machine.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/training/check_state.hpp"
#include "knuckleboom/core/world/closest_points.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using training::SessionSnapshot;
using training::SessionState;
using worksite::FelledTree;
using worksite::FellingSite;
using worksite::MovingTree;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kGravity = 9.81;

// Spruces of the exercise "felling", whose first one falls where the test wants it; all others are far away.
class Clearing {
 public:
  training::Exercise exercise = test::shipped_exercise("felling");

  Clearing() {
    for (std::size_t i = 0; i < exercise.world.stems.size(); ++i)
      stand(static_cast<int>(i), Vec3(-80.0, 6.0 * static_cast<double>(i) - 50.0, 0.0), 0.2, 16.0);
  }
  void stand(int stem, const Vec3& at, double dbh, double height) {
    const auto i = static_cast<std::size_t>(stem);
    world::Stem& to = exercise.world.stems[i];
    to.x = at.x();
    to.y = at.y();
    to.radius = 0.5 * dbh;
    to.height = height;
    exercise.trees[i].dbh = dbh;
    exercise.trees[i].height = height;
  }
  // Across the trees' fall, that is along y.
  void lay_log(double x, double lift = 0.0) {
    world::Log log;
    log.length = 4.0;
    log.radius = 0.12;
    log.x = x;
    log.heading = 0.5 * std::numbers::pi;
    log.lift = lift;
    exercise.world.logs.push_back(log);
  }
  void start() {
    session = std::make_unique<training::Session>(test::shipped_machine(exercise.machine),
                                                  test::shipped_levers(exercise.levers), exercise);
    state = std::make_unique<SessionState>(session->initial_state());
    snapshot = std::make_unique<SessionSnapshot>(session->snapshot(*state));
  }
  const FellingSite& site() const { return session->site().felling(); }
  worksite::TimberState& timber() const { return state->worksite.timber; }
  MovingTree& moving() const { return timber().moving; }

  // Felled before, along y.
  void lay(int stem, const Vec3& butt) const {
    FelledTree& felled = timber().felled[timber().felled_count++];
    felled.stem = stem;
    felled.stump = felled.from = 0.1;
    store(butt, felled.butt);
    store(Vec3::UnitY(), felled.n);
  }
  // Cut off and leaning, on its stump.
  void cut(int stem, double towards, double lean) const {
    const timber::Tree& tree = site().trees()[static_cast<std::size_t>(stem)].tree;
    timber::FellingSetup setup;
    setup.towards = towards;
    MovingTree& m = moving();
    m = MovingTree{};
    m.form = timber::felling_form(tree, setup);
    m.stump = m.from = setup.stump;
    m.grip_radius = m.form.radius;
    m.towards = towards;
    m.stem = stem;
    const SinCos to = sin_cos(towards), of = sin_cos(lean);
    const Vec3 n(of.sin * to.cos, of.sin * to.sin, of.cos);
    store(n, m.n);
    store(Vec3(Vec3(0.0, 0.0, setup.stump) + m.form.centre * n), m.p);
    m.cut = 2.0 * m.form.radius;
    m.jumped = 1;
    m.off = (1 << timber::kRimPoints) - 1;
  }
  void tick() { session->step({}, *state, *snapshot); }
  double weight_work() const { return moving().form.mass * kGravity * moving().form.centre; }

  std::unique_ptr<training::Session> session;
  std::unique_ptr<SessionState> state;
  std::unique_ptr<SessionSnapshot> snapshot;
};

// The ledger of the falling tree since its start, what it meets counting as a push.
class Watch {
 public:
  explicit Watch(const Clearing& clearing)
      : clearing_(clearing), start_(FellingSite::felling_state(clearing.moving())) {}
  void look() {
    const MovingTree& m = clearing_.moving();
    if (m.stem < 0) return;
    const timber::Felling felling = clearing_.site().felling(m);
    const timber::FellingState now = FellingSite::felling_state(m);
    residual = std::max(residual, felling.residual(start_, now));
    gained = std::max(gained, (now.pushed - start_.pushed) / clearing_.weight_work());
    tip_speed = std::max(
        tip_speed, (now.v + (felling.length() - felling.centre()) * now.omega.cross(now.n)).norm());
  }
  double residual = 0.0, gained = 0.0, tip_speed = 0.0;

 private:
  const Clearing& clearing_;
  timber::FellingState start_;
};

// Axis of the moving tree, or of the last one that lies, without its thin tip.
world::Capsule axis_of(const Clearing& c) {
  Vec3 butt, n;
  double length = 0.0;
  if (c.moving().stem >= 0) {
    n = vec(c.moving().n);
    butt = c.site().butt_W(c.moving());
    length = c.moving().form.length;
  } else {
    const FelledTree& felled = c.timber().felled[c.timber().felled_count - 1];
    n = vec(felled.n);
    butt = vec(felled.butt);
    length = c.site().trees()[static_cast<std::size_t>(felled.stem)].tree.height() - felled.from;
  }
  return {butt, butt + 0.85 * length * n, 0.0};
}
double distance(const world::Capsule& a, const world::Capsule& b) {
  const world::ClosestPoints near = world::closest_points(a.a, a.b, b.a, b.b);
  return (near.a - near.b).norm();
}
// Height of an axis over a place in its plane.
double height_at(const world::Capsule& axis, double x) {
  return axis.a.z() + (x - axis.a.x()) / (axis.b.x() - axis.a.x()) * (axis.b.z() - axis.a.z());
}

// Until nothing moves; each tick is looked at.
template <class Look>
void settle(Clearing& c, Watch& watch, Look look) {
  for (int i = 0; i < 20'000 && c.moving().stem >= 0; ++i) {
    c.tick();
    watch.look();
    look();
  }
}

TEST(TreeContact, AFallingStemHangsInAnotherOneOrSlidesOffIt) {
  for (const double aside : {0.0, 0.05}) {
    Clearing c;
    c.stand(0, Vec3(-20.0, 0.0, 0.0), 0.24, 19.0);
    c.stand(1, Vec3(-14.0, aside, 0.0), 0.24, 19.0);
    c.start();
    c.cut(0, 0.0, 4.0 * kDegree);
    Watch watch(c);
    const world::Capsule other{Vec3(-14.0, aside, 0.0), Vec3(-14.0, aside, 18.88), 0.12};
    double nearest = 1.0;
    settle(c, watch, [&] { nearest = std::min(nearest, distance(axis_of(c), other)); });
    ASSERT_EQ(c.timber().felled_count, 1);
    const FelledTree& felled = c.timber().felled[0];
    EXPECT_GE(felled.hits, 1);
    EXPECT_GT(nearest, 0.05) << "it has gone through";
    EXPECT_LT(watch.residual, 1e-3);
    EXPECT_LT(watch.gained, 1e-9);  // what stands does no work on it
    EXPECT_EQ(training::check_state(*c.session, *c.state), "");
    if (aside == 0.0) {
      EXPECT_GT(felled.n[2], 0.8);
      EXPECT_LT(distance(axis_of(c), other), 0.2);
    } else {
      EXPECT_LT(std::fabs(felled.n[2]), 0.1);
      EXPECT_LT(felled.n[1], -0.05);  // to the side on which it was
    }
  }
}

TEST(TreeContact, ATreeFelledOntoItsMachineCountsAndStaysAboveIt) {
  Clearing c;
  c.stand(0, Vec3(9.0, 0.8, 0.0), 0.30, 22.0);
  c.start();
  c.cut(0, std::numbers::pi, 4.0 * kDegree);
  Watch watch(c);
  double force = 0.0;
  settle(c, watch, [&] { force = std::max(force, c.state->worksite.world.machine_force); });
  EXPECT_GE(c.snapshot->collisions[static_cast<int>(world::Obstacle::kStem)], 1);
  EXPECT_GT(force, 2e4);
  EXPECT_LT(force, 5e5);
  EXPECT_LT(watch.residual, 1e-3);
  EXPECT_LT(watch.gained, 1e-6);
  EXPECT_EQ(c.state->worksite.world.contacts_dropped, 0);
  ASSERT_EQ(c.timber().felled_count, 1);
  EXPECT_GT(height_at(axis_of(c), 0.0), 1.0);  // over the carrier
}

// Its tip does 29 m/s, 29 mm in a tick; the stakes of a bunk are 5 cm in radius.
TEST(TreeContact, AStakeInTheWayOfAHeavyStemIsNotPassedThrough) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.56, 30.0);
  world::Bunk bunk;
  bunk.x = -20.0;
  bunk.y = 0.75;
  bunk.heading = 0.5 * std::numbers::pi;
  bunk.length = 1.5;
  c.exercise.world.bunks.push_back(bunk);
  c.start();
  c.cut(0, 0.0, 5.0 * kDegree);
  ASSERT_GT(c.moving().form.mass, 3000.0);
  Watch watch(c);
  double lowest = 10.0;
  settle(c, watch, [&] {
    if (c.moving().stem >= 0 && c.moving().n[0] > 0.1)
      lowest = std::min(lowest, height_at(axis_of(c), -20.0));
  });
  EXPECT_GT(lowest, 1.2);
  EXPECT_GT(watch.tip_speed, 28.0);
  EXPECT_LT(watch.residual, 1e-3);
  EXPECT_LT(watch.gained, 1e-6);
  ASSERT_EQ(c.timber().felled_count, 1);
  EXPECT_GT(height_at(axis_of(c), -20.0), 1.2 + 2.0 * world::kBeamRadius);
}

TEST(TreeContact, AFallingStemComesToLieOnALyingOneAndALog) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.stand(1, Vec3(-22.0, -6.0, 0.0), 0.24, 18.0);
  c.lay_log(-16.0);
  c.start();
  c.lay(1, Vec3(-22.0, -5.0, 0.13));
  c.cut(0, 0.0, 5.0 * kDegree);
  Watch watch(c);
  double deepest = 1.0;
  settle(c, watch, [&] {
    if (c.moving().stem >= 0 && c.moving().n[0] > 0.9)
      deepest = std::min(deepest, height_at(axis_of(c), -22.0));
  });
  ASSERT_EQ(c.timber().felled_count, 2);
  EXPECT_LT(watch.residual, 1e-3);
  EXPECT_LT(watch.gained, 1e-6);
  EXPECT_GT(deepest, 0.13);
  // On both: as high as what lies and the stem are thick.
  EXPECT_NEAR(height_at(axis_of(c), -22.0), 0.13 + 0.105 + 0.12, 0.04);
  EXPECT_GT(height_at(axis_of(c), c.state->worksite.world.log[0].p[0]), 0.25);
}

// Two trees at a time move: the knives take a second one while the first falls, but no third.
TEST(TreeContact, KnivesTakeASecondTreeWhileTheFirstOneFalls) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.stand(1, Vec3(-20.0, 12.0, 0.0), 0.24, 18.0);
  c.stand(2, Vec3(-20.0, -12.0, 0.0), 0.24, 18.0);
  c.start();
  const double radius = 0.5 * timber::over_bark(c.site().trees()[1].tree.profile(), 0.9);
  world::GrappleFrame knives = worksite::grapple_shape(c.session->machine());
  knives.log_axis_W = Vec3::UnitZ();
  knives.reach_axis_W = Vec3::UnitX();
  knives.open_axis_W = Vec3::UnitY();
  const auto at = [&](double y) {
    knives.pin_W = Vec3(-20.0 - c.site().seat_of(radius), y, 0.9);
    return c.site().between_knives(knives, c.site().around_radius(radius), c.timber());
  };
  const auto grip = [&](int tree, double y) {
    worksite::HeadFrame head;
    head.p_W = Vec3(-20.0 - radius, y, 0.9);
    head.axis_W = Vec3::UnitZ();
    head.reach_W = Vec3::UnitX();
    head.v_W = head.omega_W = Vec3::Zero();
    c.site().grip(tree, head, c.timber());
  };
  EXPECT_EQ(at(12.0), 1);
  c.cut(0, 0.0, 5.0 * kDegree);
  EXPECT_EQ(at(12.0), 1);
  grip(1, 12.0);
  EXPECT_EQ(c.moving().stem, 1);
  EXPECT_EQ(c.timber().falling.stem, 0);
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
  // In the head it is the only one that it takes.
  EXPECT_EQ(at(-12.0), -1);
  c.site().let_go(c.timber());
  EXPECT_EQ(at(-12.0), 2);
  c.cut(1, 0.5 * std::numbers::pi, 5.0 * kDegree);
  EXPECT_EQ(at(-12.0), -1);
  // Each falls as it would alone.
  while (c.timber().felled_count < 2 && c.snapshot->sim.t_s < 30.0) c.tick();
  ASSERT_EQ(c.timber().felled_count, 2);
  EXPECT_EQ(c.timber().falling.stem, -1);
  EXPECT_EQ(at(-12.0), 2);
  const auto felled = [](const Clearing& clearing, int stem) {
    for (std::int64_t k = 0; k < clearing.timber().felled_count; ++k)
      if (clearing.timber().felled[k].stem == stem) return clearing.timber().felled[k];
    return FelledTree{};
  };
  Clearing alone;
  alone.exercise = c.exercise;
  alone.start();
  alone.cut(0, 0.0, 5.0 * kDegree);
  while (alone.timber().felled_count < 1 && alone.snapshot->sim.t_s < 30.0) alone.tick();
  ASSERT_EQ(alone.timber().felled_count, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(felled(alone, 0).butt[i], felled(c, 0).butt[i]);
    EXPECT_EQ(felled(alone, 0).n[i], felled(c, 0).n[i]);
  }
  // As many lie as there is room for.
  while (c.timber().felled_count < worksite::kMaxFelled) c.lay(3, Vec3(-80.0, 0.0, 0.2));
  EXPECT_EQ(at(-12.0), -1);
}

// Two that fall across each other meet: the upper one lies on the lower one.
TEST(TreeContact, TwoFallingTreesDoNotPassThroughEachOther) {
  Clearing c;
  c.stand(0, Vec3(-40.0, 0.0, 0.0), 0.30, 20.0);
  c.stand(1, Vec3(-32.0, -8.0, 0.0), 0.30, 20.0);
  c.start();
  c.cut(0, 0.0, 8.0 * kDegree);
  c.timber().falling = c.moving();
  c.cut(1, 0.5 * std::numbers::pi, 5.0 * kDegree);
  while (c.timber().felled_count < 2 && c.snapshot->sim.t_s < 40.0) c.tick();
  ASSERT_EQ(c.timber().felled_count, 2);
  const auto axis = [&](int stem) {
    for (std::int64_t k = 0; k < 2; ++k)
      if (const FelledTree& tree = c.timber().felled[k]; tree.stem == stem)
        return world::Capsule{vec(tree.butt), vec(tree.butt) + 19.9 * vec(tree.n), 0.0};
    return world::Capsule{};
  };
  EXPECT_GT(distance(axis(0), axis(1)), 0.12);
}

// A tree that lies gives way to three tenths of its weight along the ground, and not to less; its ledger explains the push.
TEST(TreeContact, ATreeThatLiesIsPushed) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.20, 16.0);
  c.start();
  c.lay(0, Vec3(-30.0, 0.5, 0.12));
  const timber::Tree& tree = c.site().trees()[0].tree;
  const double weight = tree.above(0.1, 0.0).mass * kGravity;
  world::MachinePart part;
  part.role = world::PartRole::kLyingTree;
  part.id = 2200;
  const auto push = [&](double share) {
    world::PartForces forces;
    forces.count = 1;
    forces.force[0] = {0, Vec3::Zero(), Vec3(share * weight, 0.0, -3.0 * weight)};
    c.site().feel({&part, 1}, forces, c.timber());
  };
  push(0.29);
  EXPECT_EQ(c.timber().felled_count, 1);
  push(0.31);
  EXPECT_EQ(c.timber().felled_count, 0);
  ASSERT_EQ(c.timber().falling.stem, 0);
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
  // Left alone it comes to rest where it is.
  while (c.timber().felled_count < 1 && c.snapshot->sim.t_s < 10.0) c.tick();
  ASSERT_EQ(c.timber().felled_count, 1);
  EXPECT_NEAR(c.timber().felled[0].butt[0], -30.0, 0.01);
  EXPECT_NEAR(c.timber().felled[0].butt[1], 0.5, 0.03);
}

// The crane swings against a tree that hangs beside its head, and carries it along.
TEST(TreeContact, TheCraneTakesATreeThatHangsAlong) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.16, 12.0);
  c.start();
  const Vec3 head = vec(c.snapshot->grip_W);
  const Vec3 out = Vec3(head.x(), head.y(), 0.0).normalized();
  const Vec3 aside = out.cross(Vec3::UnitZ());
  c.lay(0, Vec3::Zero());
  // Upright, leaning a little, its butt on the ground beside the head.
  FelledTree& tree = c.timber().felled[0];
  store(Vec3(head - head.z() * Vec3::UnitZ() + 1.2 * aside + 0.1 * Vec3::UnitZ()), tree.butt);
  store(Vec3(Vec3::UnitZ() + 0.25 * aside).normalized(), tree.n);
  const auto butt = vec(tree.butt);
  command::OperatorInput levers{};
  int swing = -1;
  for (const command::LeverFunction& function : test::shipped_levers(c.exercise.levers).functions)
    if (function.joint == "swing") swing = static_cast<int>(function.axis);
  ASSERT_GE(swing, 0);
  levers.axis[swing] = 1.0;
  for (int i = 0; i < 4000 && c.timber().felled_count == 1; ++i)
    c.session->step(levers, *c.state, *c.snapshot);
  EXPECT_EQ(c.timber().felled_count, 0) << "nothing pushed it";
  EXPECT_EQ(c.timber().falling.stem, 0);
  levers = {};
  for (int i = 0; i < 12000 && c.timber().felled_count == 0; ++i)
    c.session->step(levers, *c.state, *c.snapshot);
  ASSERT_EQ(c.timber().felled_count, 1);
  EXPECT_LT(c.timber().felled[0].n[2], 0.5);
  EXPECT_GT((vec(c.timber().felled[0].butt) - butt).norm(), 0.02);
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
}

// Tree and log in free fall: what one gets, the other one loses, and no energy comes from it.
TEST(TreeContact, MomentumGoesFromATreeToALog) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.lay_log(-22.0, 6.0);
  const world::Log log = c.exercise.world.logs.front();
  c.start();
  c.cut(0, 0.0, 90.0 * kDegree);
  MovingTree& m = c.moving();
  m.form.drag = 0.0;
  m.p[2] = 6.5;
  m.v[2] = -6.0;
  world::LogState& l = c.state->worksite.world.log[0];
  l.status = world::LogStatus::kFree;
  const double mass = world::mass(log);
  const auto momentum = [&] { return Vec3(m.form.mass * vec(m.v) + mass * vec(l.v)); };
  // About the origin.
  const auto moment = [&] {
    const world::LogInertia I = world::inertia(log);
    const Vec3 axis = Vec3::UnitY(), omega = vec(l.omega);
    return Vec3(m.form.mass * c.site().centre_W(m).cross(vec(m.v)) + m.form.inertia * vec(m.omega) +
                mass * vec(l.p).cross(vec(l.v)) + I.transverse * omega +
                (I.axial - I.transverse) * axis.dot(omega) * axis);
  };
  const auto energy = [&] {
    const world::LogInertia I = world::inertia(log);
    return 0.5 * m.form.mass * vec(m.v).squaredNorm() +
           0.5 * m.form.inertia * vec(m.omega).squaredNorm() + m.form.mass * kGravity * m.p[2] +
           0.5 * mass * vec(l.v).squaredNorm() + 0.5 * I.transverse * vec(l.omega).squaredNorm() +
           mass * kGravity * l.p[2];
  };
  const Vec3 before = momentum();
  const double turn = moment().y(), first = energy();
  const double weight = (m.form.mass * c.site().centre_W(m).x() + mass * l.p[0]) * kGravity;
  double most = first;
  for (int i = 0; i < 150; ++i) {
    c.tick();
    most = std::max(most, energy());
  }
  ASSERT_LT(l.v[2], -5.0);  // it has been hit
  const double size = m.form.mass * 6.0;
  EXPECT_NEAR(momentum().x(), before.x(), 1e-9 * size);
  EXPECT_NEAR(momentum().z() + 0.15 * kGravity * (m.form.mass + mass), before.z(), 1e-9 * size);
  EXPECT_NEAR(moment().y(), turn + 0.15 * weight, 1e-3 * size * 10.0);
  EXPECT_LT(most, first + 1e-3 * (first - energy()));
  EXPECT_LT(energy(), first - 50.0);
}

// Without stakes, air and a butt that slips it falls as a pendulum about the edge of its butt.
TEST(TreeContact, TheTipOfAHeavyStemComesDownAsFastAsIntegrated) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.56, 30.0);
  c.start();
  const timber::Tree& tree = c.site().trees()[0].tree;
  timber::FellingSetup setup;
  setup.wood_friction = 50.0;
  setup.crown_drag = setup.play = 0.0;
  const timber::Felling felling(tree, setup);
  timber::FellingState state = felling.initial_state();
  const double from = 5.0 * kDegree;
  state.n = Vec3(std::sin(from), 0.0, std::cos(from));
  const double R = 0.5 * felling.butt_diameter(), b = felling.centre();
  // On the edge towards which it leans.
  state.p =
      Vec3(R, 0.0, setup.stump) - R * Vec3(std::cos(from), 0.0, -std::sin(from)) + b * state.n;
  state.attached = false;
  state.cut = felling.butt_diameter();
  for (double& torn : state.torn) torn = 0.0;
  while (felling.tip(state).z() > 0.1 && state.t < 20.0) felling.step(1e-3, 0.0, state);
  const double mass = felling.mass(), inertia = felling.inertia() + mass * (b * b + R * R);
  // About the edge, x to the side and z up, until it no longer presses on it; then in free flight.
  double lean = from, rate = 0.0, x = 0.0, z = 0.0;
  Vec3 v = Vec3::Zero();
  bool presses = true;
  constexpr double kStep = 1e-4;
  for (double tip_z = 1.0; tip_z > 0.1; lean += kStep * rate) {
    if (presses) {
      x = b * std::sin(lean) - R * std::cos(lean);
      z = b * std::cos(lean) + R * std::sin(lean);
      const double turns = mass * kGravity * x / inertia;
      v = rate * Vec3(z, 0.0, -x);
      presses = kGravity - x * turns - z * rate * rate > 0.0;
      rate += kStep * turns;
    } else {
      v.z() -= kStep * kGravity;
      z += kStep * v.z();
    }
    tip_z = setup.stump + z + (felling.length() - b) * std::cos(lean);
  }
  const double arm = felling.length() - b;
  const double as_integrated = (v + rate * arm * Vec3(std::cos(lean), 0.0, -std::sin(lean))).norm();
  const double speed = (state.v + arm * state.omega.cross(state.n)).norm();
  EXPECT_NEAR(speed, as_integrated, 0.02 * as_integrated);
}

// Along its whole length, as the ground does not let it through.
TEST(TreeContact, OnASlopeAStemLiesOnTheGround) {
  Clearing c;
  c.exercise.world.ground.size = 120.0;
  c.exercise.world.ground.slope_x = 0.2;
  c.exercise.world.ground.bump_height = 0.05;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.start();
  for (const double towards : {0.0, 90.0, 180.0}) {
    c.cut(0, towards * kDegree, 5.0 * kDegree);
    Watch watch(c);
    settle(c, watch, [] {});
    ASSERT_EQ(c.timber().felled_count, 1) << towards;
    const FelledTree& felled = c.timber().felled[0];
    const double length = c.site().trees()[0].tree.height() - 0.1;
    double deepest = 0.0, nearest = 10.0;
    for (int i = 0; i <= 20; ++i) {
      const Vec3 p = vec(felled.butt) + 0.04 * i * length * vec(felled.n);
      const double over = p.z() - world::height(c.session->world().ground(), p.x(), p.y());
      deepest = std::max(deepest, -over);
      nearest = std::min(nearest, over);
    }
    EXPECT_LT(deepest, 0.1) << towards;
    EXPECT_LT(nearest, 0.2) << towards;
    EXPECT_LT(watch.residual, 1e-3) << towards;
    c.timber().felled[0] = FelledTree{};
    c.timber().felled_count = 0;
  }
}

TEST(TreeContact, KnivesTakeUpATreeThatLies) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.start();
  c.lay(0, Vec3(-30.0, 0.5, 0.16));
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
  worksite::HeadFrame head;
  head.p_W = Vec3(-30.0, 3.0, 0.3);
  head.axis_W = Vec3::UnitY();
  head.reach_W = -Vec3::UnitZ();
  head.v_W = head.omega_W = Vec3::Zero();
  c.site().grip(0, head, c.timber());
  EXPECT_EQ(c.timber().felled_count, 0);
  EXPECT_EQ(c.moving().gripped, 1);
  EXPECT_NEAR(c.site().centre_W(c.moving()).y() - c.moving().form.centre, 0.5, 1e-9);
  EXPECT_NEAR(c.moving().grip_at, 2.5, 1e-9);
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
  c.site().let_go(c.timber());
  Watch watch(c);
  settle(c, watch, [] {});
  ASSERT_EQ(c.timber().felled_count, 1);
  EXPECT_NEAR(c.timber().felled[0].butt[1], 0.5, 0.02);
  EXPECT_LT(watch.residual, 1e-3);
}

// The rest of a stem after its logs weighs a few kilograms: still it comes to rest on what is below.
TEST(TreeContact, ALightTopComesToRestOnAStem) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.12, 12.0);
  c.stand(1, Vec3(-36.0, 0.0, 0.0), 0.30, 22.0);
  c.start();
  c.lay(1, Vec3(-29.0, -5.0, 0.16));
  c.cut(0, 0.0, 90.0 * kDegree);
  MovingTree& m = c.moving();
  m.from = 9.5;
  m.bare_to = 11.9;
  m.form = timber::rest_form(c.site().trees()[0].tree, m.from, m.bare_to, {});
  m.cut = 2.0 * m.form.radius;
  m.p[0] = 1.0;
  m.p[2] = 1.5;
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
  Watch watch(c);
  settle(c, watch, [] {});
  EXPECT_LT(watch.tip_speed, 12.0);
  EXPECT_LT(watch.gained, 1e-3);
  EXPECT_EQ(c.timber().felled_count, 2);
}

TEST(TreeContact, ForgedTreesAreRefused) {
  Clearing c;
  c.stand(0, Vec3(-30.0, 0.0, 0.0), 0.30, 22.0);
  c.start();
  c.cut(0, 0.0, 30.0 * kDegree);
  ASSERT_EQ(training::check_state(*c.session, *c.state), "");
  const auto objection = [&](auto forge) {
    auto forged = std::make_unique<SessionState>(*c.state);
    forge(forged->worksite.timber);
    return training::check_state(*c.session, *forged);
  };
  using worksite::TimberState;
  const auto lies = [](TimberState& t, int stem, double from) {
    FelledTree& felled = t.felled[t.felled_count++];
    felled.stem = stem;
    felled.from = from;
    store(Vec3::UnitX(), felled.n);
  };
  EXPECT_NE(objection([](TimberState& t) { t.moving.form.inertia *= 1e-6; }), "");
  EXPECT_NE(objection([](TimberState& t) { t.moving.form.modulus *= 1e6; }), "");
  EXPECT_NE(objection([](TimberState& t) { t.moving.form.point_radius[3] = 5.0; }), "");
  EXPECT_NE(objection([](TimberState& t) { t.moving.from = 21.99; }), "");
  EXPECT_NE(objection([](TimberState& t) { t.leaving = 40; }), "");
  EXPECT_EQ(objection([&](TimberState& t) { lies(t, 1, 3.0); }), "");
  EXPECT_NE(objection([&](TimberState& t) { lies(t, 1, 30.0); }), "");
  EXPECT_NE(objection([&](TimberState& t) {
              lies(t, 1, 3.0);
              lies(t, 1, 3.0);
            }),
            "");
}

// One tree in another one, in the machine and in the ground, as no fall leaves them: they part, and nothing flies off.
TEST(TreeContact, TreesThatAreInsideEachOtherPart) {
  Clearing c;
  c.stand(0, Vec3(6.0, 0.0, 0.0), 0.30, 22.0);
  c.stand(1, Vec3(4.0, 0.0, 0.0), 0.24, 19.0);
  c.start();
  c.lay(2, Vec3(5.5, -3.0, 0.16));
  c.cut(0, std::numbers::pi, 88.0 * kDegree);
  Watch watch(c);
  settle(c, watch, [] {});
  EXPECT_LT(watch.tip_speed, 10.0);
  EXPECT_LT(watch.gained, 0.1);  // of what their overlap holds
  EXPECT_EQ(training::check_state(*c.session, *c.state), "");
}

}  // namespace
}  // namespace knuckleboom
