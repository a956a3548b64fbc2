// Falling trees against integrations of other equations, energy, and closed forms.
#include "knuckleboom/core/timber/felling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/timber_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::felling_test {
namespace {

using timber::Felling;
using timber::FellingSetup;
using timber::FellingState;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kGravity = 9.81;
constexpr double kSaw = 0.075;  // m^2/s

timber::Tree spruce(double dbh, double height, double lean_deg = 0.0, double towards_deg = 0.0) {
  const std::string root = KNUCKLEBOOM_SOURCE_DIR;
  timber::TreeRecipe recipe;
  recipe.species = root + "/config/species/spruce.toml";
  recipe.dbh = dbh;
  recipe.height = height;
  recipe.lean = lean_deg * kDegree;
  recipe.lean_towards = towards_deg * kDegree;
  return io::grow(recipe);
}

// Until the tree lies or a condition holds; the largest residual of the energy on the way.
double run(const Felling& felling, FellingState& state,
           const std::function<bool(const FellingState&)>& until = nullptr) {
  const FellingState start = state;
  double most = 0.0;
  while (state.t < 30.0 && !felling.lies(state)) {
    if (until && until(state)) break;
    felling.step(1e-3, kSaw, state);
    most = std::max(most, felling.residual(start, state));
  }
  return most;
}

// --- Lagrange's equations, by differences ----------------------------------------------

struct Angles {
  double q[2];  // across the strip and along it
};

// A body about the middle of its strip, as angles: from L(q, dq/dt) alone, whose derivatives are differences.
class Hinged {
 public:
  Hinged(const Felling& felling, const FellingSetup& setup, double offset, double stiff_weak,
         double stiff_strong, const FellingState& at)
      : felling_(felling),
        setup_(setup),
        offset_(offset),
        stiff_{stiff_weak, stiff_strong},
        rest_{at.rest_weak, at.rest_strong},
        bent_{at.bent_weak, at.bent_strong},
        limit_{felling.weak_moment(at.cut), felling.strong_moment(at.cut)} {
    q_ = {std::atan2(at.n.x(), at.n.z()), std::asin(at.n.y())};
    const double rate_weak =
        (at.omega.cross(at.n).x() * at.n.z() - at.omega.cross(at.n).z() * at.n.x()) /
        (at.n.x() * at.n.x() + at.n.z() * at.n.z());
    u_ = {rate_weak, at.omega.cross(at.n).y() / std::cos(q_.q[1])};
  }

  static Vec3 axis(const Angles& a) {
    return {std::sin(a.q[0]) * std::cos(a.q[1]), std::sin(a.q[1]),
            std::cos(a.q[0]) * std::cos(a.q[1])};
  }
  Vec3 axis() const { return axis(q_); }
  double rate() const { return std::hypot(u_.q[0] * std::cos(q_.q[1]), u_.q[1]); }

  void step(double dt) {
    const auto slope = [&](const Angles& q, const Angles& u) { return acceleration(q, u); };
    const auto moved = [](const Angles& a, const Angles& b, double h) {
      return Angles{{a.q[0] + h * b.q[0], a.q[1] + h * b.q[1]}};
    };
    const Angles k1 = slope(q_, u_);
    const Angles q2 = moved(q_, u_, 0.5 * dt), u2 = moved(u_, k1, 0.5 * dt), k2 = slope(q2, u2);
    const Angles q3 = moved(q_, u2, 0.5 * dt), u3 = moved(u_, k2, 0.5 * dt), k3 = slope(q3, u3);
    const Angles q4 = moved(q_, u3, dt), u4 = moved(u_, k3, dt), k4 = slope(q4, u4);
    for (int i = 0; i < 2; ++i) {
      q_.q[i] += dt / 6.0 * (u_.q[i] + 2.0 * u2.q[i] + 2.0 * u3.q[i] + u4.q[i]);
      u_.q[i] += dt / 6.0 * (k1.q[i] + 2.0 * k2.q[i] + 2.0 * k3.q[i] + k4.q[i]);
      const double moment = stiff_[i] * (q_.q[i] - rest_[i] - bent_[i]);
      if (std::fabs(moment) > limit_[i])
        bent_[i] = q_.q[i] - rest_[i] - std::copysign(limit_[i] / stiff_[i], moment);
    }
  }
  double bent() const { return bent_[0]; }

 private:
  // Centre of mass from the strip.
  Vec3 centre(const Angles& a) const {
    const Vec3 n = axis(a);
    const Vec3 across = (Vec3::UnitX() - n.x() * n).normalized();
    return felling_.centre() * n - offset_ * across;
  }
  double lagrangian(const Angles& q, const Angles& u) const {
    constexpr double h = 1e-5;
    const Angles before{{q.q[0] - h * u.q[0], q.q[1] - h * u.q[1]}};
    const Angles after{{q.q[0] + h * u.q[0], q.q[1] + h * u.q[1]}};
    const double v2 = ((centre(after) - centre(before)) / (2.0 * h)).squaredNorm();
    const double w2 = ((axis(after) - axis(before)) / (2.0 * h)).squaredNorm();
    return 0.5 * felling_.mass() * v2 + 0.5 * felling_.inertia() * w2 -
           felling_.mass() * kGravity * centre(q).z();
  }
  Angles acceleration(const Angles& q, const Angles& u) const {
    constexpr double h = 1e-3;
    const auto L = [&](double a, double b, double c, double d) {
      return lagrangian({{q.q[0] + a, q.q[1] + b}}, {{u.q[0] + c, u.q[1] + d}});
    };
    const auto pick = [](int i, double x, double& a, double& b) { (i == 0 ? a : b) += x; };
    double M[2][2], f[2];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        double mass = 0.0, mixed = 0.0;
        for (const double si : {1.0, -1.0})
          for (const double sj : {1.0, -1.0}) {
            double c = 0.0, d = 0.0;
            pick(i, si * h, c, d);
            double e = c, g = d;
            pick(j, sj * h, c, d);
            mass += si * sj * L(0, 0, c, d);
            double a = 0.0, b = 0.0;
            pick(j, sj * h, a, b);
            mixed += si * sj * L(a, b, e, g);
          }
        M[i][j] = mass / (4.0 * h * h);
        if (j == 0) f[i] = 0.0;
        f[i] -= mixed / (4.0 * h * h) * u.q[j];
      }
      double a = 0.0, b = 0.0;
      pick(i, h, a, b);
      f[i] += (L(a, b, 0, 0) - L(-a, -b, 0, 0)) / (2.0 * h);
      const double moment = stiff_[i] * (q.q[i] - rest_[i] - bent_[i]);
      f[i] -= std::clamp(moment, -limit_[i], limit_[i]) + kDamping * stiff_[i] * u.q[i];
      // The push along x, at a height over the cut.
      const Vec3 n = axis(q);
      Angles shifted = q;
      shifted.q[i] += h;
      f[i] += setup_.push * setup_.push_height * (axis(shifted).x() - n.x()) / h;
    }
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    return {{(f[0] * M[1][1] - f[1] * M[0][1]) / det, (f[1] * M[0][0] - f[0] * M[1][0]) / det}};
  }

  static constexpr double kDamping = 0.02;  // s, as in the felling
  const Felling& felling_;
  FellingSetup setup_;
  double offset_, stiff_[2], rest_[2], bent_[2], limit_[2];
  Angles q_{}, u_{};
};

// Segment of a circle by counting strips.
struct Segment {
  double centre, weak, strong;
};
Segment segment(double R, double h) {
  constexpr int kStrips = 200'000;
  double area = 0.0, first = 0.0, second = 0.0, across = 0.0;
  const double dy = h / kStrips;
  for (int i = 0; i < kStrips; ++i) {
    const double y = R - h + (i + 0.5) * dy, half = std::sqrt(std::max(R * R - y * y, 0.0));
    area += 2.0 * half * dy;
    first += 2.0 * half * y * dy;
    second += 2.0 * half * y * y * dy;
    across += 2.0 * half * half * half / 3.0 * dy;
  }
  return {first / area, second - first * first / area, across};
}

// The saw has left 30 mm of a spruce that leans 3 degrees to the side and is pushed ahead: from there to where
// the strip breaks.
TEST(Felling, AHingedTreeMovesAsLagrangesEquationsSay) {
  const timber::Tree tree = spruce(0.20, 17.0, 3.0, 90.0);
  FellingSetup setup;
  setup.hinge = 0.03;
  setup.push = 1500.0;
  setup.push_height = 1.2;
  setup.crown_drag = 0.0;
  const Felling felling(tree, setup);
  FellingState state = felling.initial_state();
  run(felling, state,
      [&](const FellingState& s) { return s.cut >= felling.butt_diameter() - 0.030001; });
  const double R = 0.5 * felling.butt_diameter();
  const Segment s = segment(R, 0.03);
  const double root = setup.root_stiffness * std::pow(2.0 * R / 0.2, 3);
  const auto series = [&](double second) {
    const double strip = tree.modulus() * second / setup.hinge_length;
    return strip * root / (strip + root);
  };
  Hinged other(felling, setup, s.centre, series(s.weak), series(s.strong), state);
  const auto lean = [](const Vec3& n) { return std::atan2(std::hypot(n.x(), n.y()), n.z()); };
  const double begin = state.t, until = 20.0 * kDegree;
  double t = 0.0;
  while (lean(other.axis()) < until && t < 10.0) {
    other.step(5e-4);
    t += 5e-4;
  }
  run(felling, state, [&](const FellingState& now) { return felling.lean(now) >= until; });
  ASSERT_TRUE(state.attached);
  EXPECT_GT(t, 1.0);
  EXPECT_NEAR(state.t - begin, t, 0.01 * t);
  EXPECT_NEAR(state.omega.norm(), other.rate(), 0.01 * other.rate());
  EXPECT_NEAR(felling.direction(state), std::atan2(other.axis().y(), other.axis().x()),
              2.0 * kDegree);
  EXPECT_NEAR(state.bent_weak, other.bent(), 0.01 * other.bent());
}

// --- Free falls -----------------------------------------------------------------------

// Cut through and leaning, on a stump that does not let it slip: a pendulum about the edge of its butt.
TEST(Felling, AFreeTreeFallsFromFiveDegreesAsAPendulum) {
  struct Case {
    double dbh, height;
  };
  for (const Case& c : {Case{0.20, 17.0}, Case{0.30, 23.0}, Case{0.60, 30.0}}) {
    FellingSetup setup;
    setup.play = 0.0;
    setup.wood_friction = 3.0;
    setup.crown_drag = 0.0;
    const Felling felling(spruce(c.dbh, c.height, 5.0), setup);
    FellingState state = felling.initial_state();
    state.attached = false;
    state.cut = felling.butt_diameter();
    const double R = 0.5 * felling.butt_diameter(), b = felling.centre();
    const double inertia = felling.inertia() + felling.mass() * (b * b + R * R);
    // Height of the centre over the edge, at a lean.
    const auto height = [&](double lean) { return b * std::cos(lean) + R * std::sin(lean); };
    const double from = 5.0 * kDegree, until = 60.0 * kDegree;
    const auto rate = [&](double lean) {
      return std::sqrt(2.0 * felling.mass() * kGravity * (height(from) - height(lean)) / inertia);
    };
    // dt = d(lean) / rate, with lean = from + x^2, which takes the pole at the start away.
    double time = 0.0;
    constexpr int kParts = 20'000;
    const double end = std::sqrt(until - from);
    for (int i = 0; i < kParts; ++i) {
      const double x = (i + 0.5) * end / kParts;
      time += 2.0 * x / rate(from + x * x) * end / kParts;
    }
    run(felling, state, [&](const FellingState& s) { return felling.lean(s) >= until; });
    EXPECT_NEAR(state.t, time, 0.01 * time) << c.dbh;
    EXPECT_NEAR(state.omega.norm(), rate(until), 0.01 * rate(until)) << c.dbh;
    EXPECT_NEAR(felling.direction(state), 0.0, 0.1 * kDegree);
  }
}

TEST(Felling, LeanAloneFallsToTheLean) {
  for (const double towards : {60.0, 100.0, -135.0}) {
    const Felling felling(spruce(0.22, 18.0, 4.0, towards), FellingSetup());
    FellingState state = felling.initial_state();
    EXPECT_LT(run(felling, state), 1e-3) << towards;
    EXPECT_TRUE(felling.lies(state));
    EXPECT_NEAR(
        std::remainder(felling.direction(state) - towards * kDegree, 2.0 * std::numbers::pi), 0.0,
        8.0 * kDegree)
        << towards;
  }
}

TEST(Felling, AHingeTurnsTheFallTowardsItsDirection) {
  FellingSetup through, hinged;
  hinged.hinge = 0.03;
  hinged.push = through.push = 1500.0;
  double direction[2];
  int i = 0;
  for (const FellingSetup& setup : {through, hinged}) {
    const Felling felling(spruce(0.20, 17.0, 3.0, 90.0), setup);
    FellingState state = felling.initial_state();
    EXPECT_LT(run(felling, state), 1e-3);
    direction[i++] = felling.direction(state);
  }
  EXPECT_LT(direction[1], 10.0 * kDegree);
  EXPECT_GT(direction[0], direction[1] + 5.0 * kDegree);
}

TEST(Felling, TheButtJumpsOffTheStump) {
  const Felling felling(spruce(0.25, 20.0, 3.0), FellingSetup());
  FellingState state = felling.initial_state();
  double rose = 0.0;
  const double residual = run(felling, state, [&](const FellingState& s) {
    if (!s.attached) rose = std::max(rose, felling.butt(s).z() - 0.1);
    return false;
  });
  EXPECT_LT(residual, 1e-3);
  EXPECT_TRUE(state.jumped);
  EXPECT_GT(rose, 0.05);
  EXPECT_LT(rose, 0.3);
  EXPECT_GT(felling.butt(state).head<2>().norm(), 0.3);
  EXPECT_GT(felling.butt(state).z(), 0.0);
}

// It leans back by less than what would tip it over the back of its butt, and is cut slowly at the end.
TEST(Felling, ATreeThatSitsBackHoldsTheSawUntilItIsPushed) {
  const timber::Tree tree = spruce(0.20, 17.0, 0.7, 180.0);
  FellingSetup setup;
  setup.push_height = 1.5;
  const Felling alone(tree, setup);
  setup.push = 3000.0;
  const Felling pushed(tree, setup);
  FellingState state = alone.initial_state();
  const auto saw = [&] { return state.cut < 0.2 ? 0.05 : 0.002; };
  while (state.t < 8.0 && !state.pinched) alone.step(5e-3, saw(), state);
  EXPECT_TRUE(state.attached);
  EXPECT_TRUE(state.pinched);
  const double cut = state.cut;
  EXPECT_LT(cut, 0.98 * alone.butt_diameter());
  alone.step(5e-3, saw(), state);
  EXPECT_EQ(state.cut, cut);
  while (state.t < 20.0 && !pushed.lies(state)) pushed.step(5e-3, saw(), state);
  EXPECT_GT(state.cut, cut);
  EXPECT_TRUE(pushed.lies(state));
  EXPECT_NEAR(pushed.direction(state), 0.0, 3.0 * kDegree);
}

TEST(Felling, TheStripYieldsAtTheMomentsOfTheBook) {
  const Felling felling(spruce(0.20, 17.0), FellingSetup());
  const double D = felling.butt_diameter(), h = 0.03;
  const double b = 2.0 * std::sqrt(h * (D - h));
  EXPECT_NEAR(felling.weak_moment(D - h), 40e6 * b * h * h / 6.0, 1e-6 * 40e6);
  EXPECT_NEAR(felling.strong_moment(D - h), 40e6 * h * b * b / 6.0, 1e-6 * 40e6);
  EXPECT_NEAR(felling.weak_moment(0.0), 40e6 * D * D * D / 6.0, 1.0);  // plastic, of a circle
  EXPECT_EQ(felling.weak_moment(D), 0.0);
}

TEST(Felling, FromASaplingToAGiantTheEnergyIsExplained) {
  struct Size {
    double dbh, height;
  };
  for (const Size& size : {Size{0.03, 4.0}, Size{0.08, 9.0}, Size{0.9, 45.0}}) {
    const Felling felling(spruce(size.dbh, size.height, 6.0), FellingSetup());
    FellingState state = felling.initial_state();
    const FellingState start = state;
    while (state.t < 30.0 && !felling.lies(state)) felling.step(2e-3, 0.5, state);
    EXPECT_TRUE(felling.lies(state)) << size.dbh;
    EXPECT_LT(felling.residual(start, state), 1e-3) << size.dbh;
  }
}

// The rest of a stem that has been thrown lands flat: the blow presses it down a hundred times as hard as its weight. What it
// slides by dies out within the blow, and what it slides on with has lost friction's share of the blow.
TEST(Felling, AThrownStemThatLandsFlatKeepsItsEnergyExplained) {
  FellingSetup setup;
  setup.crown_drag = 0.0;
  const timber::FellingForm form = timber::rest_form(spruce(0.12, 9.6), 2.4, 2.4, setup);
  const Felling felling(form, setup);
  for (const double aside : {0.05, 0.2, 12.0}) {
    FellingState state = felling.initial_state();
    state.attached = false;
    for (bool& off : state.off) off = true;
    state.n = Vec3::UnitX();
    state.p = Vec3(0.0, 0.0, form.point_radius[0] + 0.01);
    state.v = Vec3(0.5, aside, -3.7);
    state.omega = Vec3(0.0, 1.4, 0.0);
    const FellingState start = state;
    double most = 0.0;
    for (int i = 0; i < 100; ++i) {
      felling.step(1e-3, 0.0, state);
      most = std::max(most, felling.residual(start, state));
    }
    EXPECT_LT(most, 2e-4) << aside;
    const double taken = (start.v - state.v).head<2>().norm();
    const double blow = state.v.z() - start.v.z() + kGravity * (state.t - start.t);
    if (aside < 1.0)
      EXPECT_LT(state.v.head<2>().norm(), 1e-3) << aside;
    else
      EXPECT_NEAR(taken, setup.soil_friction * blow, 0.01 * setup.soil_friction * blow);
  }
}

// --- In a head -------------------------------------------------------------------------

timber::FellingGrip still_head(const FellingState& at, double height) {
  timber::FellingGrip grip{};
  grip.p = Vec3(0.0, 0.0, height);
  grip.axis = at.n;
  grip.v = grip.omega = Vec3::Zero();
  grip.half = 0.4;
  grip.knives = grip.rollers = 2e4;
  return grip;
}

// Both ledgers: that of the tree, and that of the grip, at the beginning of a step.
double residual_of_grip(const Felling& felling, const timber::FellingGrip& grip, double before,
                        const FellingState& state) {
  return std::fabs(state.grip_work - state.pushed - state.grip_lost -
                   (felling.grip_energy(grip, state) - before)) /
         (felling.mass() * kGravity * felling.centre());
}

// Closed knives press on what is off their middle with their force and no more, whatever way it is off.
TEST(FellingInAHead, AMisplacedGripHasTheForceOfItsKnives) {
  const Felling felling(spruce(0.25, 20.0), FellingSetup());
  for (const Vec3& off : {Vec3(0.2, 0.0, 0.0), Vec3(0.0, -0.2, 0.0), Vec3(0.0, 0.0, 0.0)}) {
    FellingState state = felling.initial_state();
    timber::FellingGrip grip = still_head(state, 0.8);
    grip.p += off;
    if (off.isZero()) grip.axis = Vec3(std::sin(10.0 * kDegree), 0.0, std::cos(10.0 * kDegree));
    felling.take_hold(grip, state);
    const double before = felling.grip_energy(grip, state);
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      timber::FellingGripLoad load;
      felling.step(1e-3, 0.0, state, &grip, &load);
      for (const Vec3& force : load.force) most = std::max(most, force.norm());
    }
    EXPECT_LE(most, grip.knives * (1.0 + 1e-9));
    EXPECT_GT(most, 0.999 * grip.knives);
    EXPECT_LT(residual_of_grip(felling, grip, before, state), 1e-3);
  }
}

// A head that stays and floats is a hinge at the grip: the tree over it is a pendulum.
TEST(FellingInAHead, ATreeThatFallsInAFloatingHeadIsAPendulumAboutIt) {
  const timber::Tree tree = spruce(0.25, 20.0, 5.0);
  FellingSetup setup;
  setup.crown_drag = 0.0;
  const Felling felling(tree, setup);
  FellingState state = felling.initial_state();
  state.attached = false;
  for (bool& off : state.off) off = true;
  // Far above the ground.
  state.p.z() += 30.0;
  const double at = 0.8;
  timber::FellingGrip grip = still_head(state, 0.0);
  grip.p = felling.butt(state) + at * state.n;
  grip.knives = grip.rollers = 1e6;
  felling.take_hold(grip, state);
  double angle = felling.lean(state), rate = 0.0;
  const double arm = felling.centre() - at;
  const double inertia = felling.inertia() + felling.mass() * arm * arm;
  const FellingState start = state;
  const double before = felling.grip_energy(grip, state);
  while (angle < 1.4) {
    grip.axis = state.n;
    grip.omega = state.omega;
    felling.step(1e-3, 0.0, state, &grip);
    constexpr int kParts = 50;
    for (int i = 0; i < kParts; ++i) {
      rate += 1e-3 / kParts * felling.mass() * kGravity * arm * std::sin(angle) / inertia;
      angle += 1e-3 / kParts * rate;
    }
  }
  EXPECT_NEAR(felling.lean(state), angle, 1.0 * kDegree);
  EXPECT_NEAR(state.omega.norm(), rate, 0.01 * rate);
  EXPECT_NEAR(felling.direction(state), 0.0, 0.1 * kDegree);
  EXPECT_LT(felling.residual(start, state), 1e-3);
  // The head turned with it: no work, as its knives stood still.
  EXPECT_LT(residual_of_grip(felling, grip, before, state), 1e-3);
}

TEST(FellingInAHead, GripCutBreakAndFallKeepTheEnergy) {
  for (const double dbh : {0.12, 0.25, 0.35}) {
    const timber::Tree tree = spruce(dbh, 80.0 * dbh, 1.0, 40.0);
    const Felling felling(tree, FellingSetup());
    FellingState state = felling.initial_state();
    timber::FellingGrip grip = still_head(state, 0.8);
    grip.p.x() += 0.05;
    felling.take_hold(grip, state);
    const FellingState start = state;
    double before = felling.grip_energy(grip, state);
    double most = 0.0;
    while (state.t < 12.0 && !felling.lies(state)) {
      if (state.cut > 0.0) {
        // It turns a little between two steps as well, which gives the springs energy or takes it.
        before -= felling.grip_energy(grip, state);
        grip.axis = state.n;
        grip.omega = state.omega;
        before += felling.grip_energy(grip, state);
      }
      felling.step(1e-3, state.t > 0.5 ? kSaw : 0.0, state, &grip);
      grip.axis += 1e-3 * grip.omega.cross(grip.axis);
      most = std::max(most, felling.residual(start, state));
    }
    EXPECT_TRUE(felling.lean(state) > 75.0 * kDegree) << dbh;
    EXPECT_LT(most, 1e-3) << dbh;
    EXPECT_LT(residual_of_grip(felling, grip, before, state), 1e-3) << dbh;
    EXPECT_LT(std::fabs(felling.direction(state)), 15.0 * kDegree) << dbh;
  }
}

// Rollers that press too little let a stem that is free slip down, and what that takes is counted.
TEST(FellingInAHead, AStemSlipsThroughRollersThatPressTooLittle) {
  const Felling felling(spruce(0.25, 20.0), FellingSetup());
  FellingState state = felling.initial_state();
  state.attached = false;
  for (bool& off : state.off) off = true;
  state.p.z() += 30.0;
  timber::FellingGrip grip = still_head(state, 0.0);
  grip.p = felling.butt(state) + 0.8 * state.n;
  grip.rollers = 0.5 * felling.mass() * kGravity;
  felling.take_hold(grip, state);
  const double before = felling.grip_energy(grip, state);
  const auto fall = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) felling.step(1e-3, 0.0, state, &grip);
    return state.v.z();
  };
  const double first = fall(200), last = fall(300);
  // Half of its weight is left to accelerate it.
  EXPECT_NEAR((first - last) / 0.3, 0.5 * kGravity, 0.01 * kGravity);
  EXPECT_LT(residual_of_grip(felling, grip, before, state), 1e-3);
}

TEST(Felling, CutsThatAreNotOnTheStemAreRefused) {
  const timber::Tree tree = spruce(0.20, 17.0);
  FellingSetup setup;
  setup.stump = 12.0;
  EXPECT_THROW(Felling(tree, setup), std::invalid_argument);
  setup.stump = 0.1;
  setup.hinge = 0.5;
  EXPECT_THROW(Felling(tree, setup), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom::felling_test
