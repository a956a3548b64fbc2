// Where a machine comes to rest on its wheels: Newton's method with Levenberg's damping on the balance of forces and, where
// that ends in a balance that does not last, down the energy first.
#include <algorithm>
#include <cmath>

#include "knuckleboom/core/carrier/carrier.hpp"
#include "knuckleboom/core/machine/rest.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/math/turn_between.hpp"
#include "knuckleboom/core/multibody/ball.hpp"

namespace knuckleboom::carrier {

using multibody::Kinematics;

namespace {

constexpr double kDifference = 1e-7;  // rad, m
constexpr double kLeast = 0.3;        // of the weight, on the wheels

double total_mass(const multibody::Tree& tree) {
  double sum = 0.0;
  for (int i = 0; i < tree.link_count(); ++i) sum += nth(tree.link_inertias(), i).mass;
  return sum;
}

// Forces that the free joints lack for rest, over their positions. Forces: writes those of all joints.
template <class Forces>
class Balance {
 public:
  Balance(const Forces& forces, const bool* free, int links) : forces_(forces), links_(links) {
    for (int i = 0; i < links; ++i)
      if (free[i]) nth(joint_, n_++) = i;
  }

  // To a position without lacking forces if one is found, stable or not.
  void solve(double* q) const {
    constexpr int kMaxIterations = 100;
    constexpr double kLongest = 0.1;  // rad, m
    if (n_ == 0) return;
    double here[kMaxLinks];
    double square = measure(q, here);
    double damping = 1e-9;
    for (int iteration = 0; iteration < kMaxIterations && damping < 1e6; ++iteration) {
      if (square < kBalanced * kBalanced) return;
      double J[kMaxLinks][kMaxLinks];
      const double largest = differentiate(q, J);
      bool moved = false;
      while (!moved && damping < 1e6) {
        double A[kMaxLinks][kMaxLinks], step[kMaxLinks], trial[kMaxLinks], there[kMaxLinks];
        for (int r = 0; r < n_; ++r) {
          step[r] = 0.0;
          for (int k = 0; k < n_; ++k) step[r] -= J[r][k] * here[k];
          for (int c = 0; c <= r; ++c) {
            A[r][c] = 0.0;
            for (int k = 0; k < n_; ++k) A[r][c] += J[r][k] * J[c][k];
          }
          A[r][r] += damping * largest;
        }
        if (solve_positive_definite<kMaxLinks>(n_, A, step)) {
          move(q, step, kLongest, trial);
          const double next = measure(trial, there);
          if (next < square) {
            std::copy(trial, trial + links_, q);
            std::copy(there, there + n_, here);
            square = next;
            moved = true;
          }
        }
        damping = moved ? std::max(1e-15, damping * 0.1) : damping * 10.0;
      }
    }
  }

  // Down the energy whose slope the lacking forces are: steps of a motion that is all friction, longer and longer ones. It
  // leaves what is unstable.
  void sink(double* q) const {
    constexpr int kMaxIterations = 400;
    constexpr double kLongest = 0.02;  // rad, m
    constexpr double kStiffest = 1e9;  // friction, of the joints' own stiffness
    double friction = 1.0, here[kMaxLinks];
    for (int iteration = 0; iteration < kMaxIterations && friction < kStiffest; ++iteration) {
      if (measure(q, here) < kNear * kNear) return;
      double J[kMaxLinks][kMaxLinks], A[kMaxLinks][kMaxLinks];
      double step[kMaxLinks], trial[kMaxLinks], there[kMaxLinks];
      differentiate(q, J);
      for (int r = 0; r < n_; ++r) {
        step[r] = -here[r];
        for (int c = 0; c <= r; ++c) A[r][c] = 0.5 * (J[r][c] + J[c][r]);
        A[r][r] += friction * std::fabs(J[r][r]) + kLeastStiffness;
      }
      bool moved = solve_positive_definite<kMaxLinks>(n_, A, step);
      if (moved) {
        move(q, step, kLongest, trial);
        moved = std::isfinite(measure(trial, there));
      }
      if (moved) std::copy(trial, trial + links_, q);
      friction = moved ? 0.7 * friction : 8.0 * friction;
    }
  }

  // Nothing lacks, and each small displacement is answered by forces that lead back.
  bool rests(const double* q) const {
    double here[kMaxLinks], A[kMaxLinks][kMaxLinks], J[kMaxLinks][kMaxLinks];
    double side[kMaxLinks] = {};
    if (!(measure(q, here) < kNear * kNear)) return false;
    differentiate(q, J);
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c <= r; ++c)
        A[r][c] = 0.5 * (J[r][c] + J[c][r]) + (r == c ? kLeastStiffness : 0.0);
    return solve_positive_definite<kMaxLinks>(n_, A, side);
  }

 private:
  static constexpr double kBalanced = 1e-6;  // N, N m
  static constexpr double kNear = 1.0;       // N, N m
  // A joint that nothing leads back, as a wheel's turning, counts as at rest [N/m, N m/rad].
  static constexpr double kLeastStiffness = 10.0;

  double measure(const double* at, double* r) const {
    double all[kMaxLinks];
    forces_(at, all);
    double sum = 0.0;
    for (int k = 0; k < n_; ++k) {
      r[k] = all[nth(joint_, k)];
      sum += r[k] * r[k];
    }
    return sum;
  }

  // J[joint][balance]; returns the largest sum of the squares of a row.
  double differentiate(const double* q, double (&J)[kMaxLinks][kMaxLinks]) const {
    double side[kMaxLinks], up[kMaxLinks], down[kMaxLinks];
    double largest = 0.0;
    for (int c = 0; c < n_; ++c) {
      const int joint = nth(joint_, c);
      std::copy(q, q + links_, side);
      side[joint] = q[joint] + kDifference;
      measure(side, up);
      side[joint] = q[joint] - kDifference;
      measure(side, down);
      double length = 0.0;
      for (int r = 0; r < n_; ++r) {
        J[c][r] = (up[r] - down[r]) / (2.0 * kDifference);
        length += J[c][r] * J[c][r];
      }
      largest = std::max(largest, length);
    }
    return largest;
  }

  void move(const double* q, const double* step, double longest, double* to) const {
    double length = 0.0;
    for (int r = 0; r < n_; ++r) length = std::max(length, std::fabs(step[r]));
    const double share = length > longest ? longest / length : 1.0;
    std::copy(q, q + links_, to);
    for (int r = 0; r < n_; ++r) to[nth(joint_, r)] += share * step[r];
  }

  const Forces& forces_;
  int joint_[kMaxLinks] = {};
  int n_ = 0, links_;
};

}  // namespace

void Carrier::add_rest_forces(const double* q, CarrierState& state, double* tau) const {
  const multibody::Tree& tree = model_.tree;
  const double zero[kMaxLinks] = {};
  const Kinematics kinematics = multibody::forward_kinematics(tree, q, zero);
  Wrenches wrenches(tree.link_count());
  Pressure pressures[kMaxWheels];
  Hub hubs[kMaxWheels];
  Vec3 missing = total_mass(tree) * tree.gravity_W;
  double load = 0.0;
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    hubs[i] = hub(kinematics, tyres_[i]);
    pressures[i] = pressure(tyres_[i], model_.wheels[i], hubs[i]);
    missing += pressures[i].f_W;
    load += pressures[i].N;
  }
  for (std::size_t i = 0; i < tyres_.size(); ++i) {
    const Pressure& p = pressures[i];
    WheelState& s = state.wheel[i];
    s = {};
    if (!(p.N > 0.0)) continue;
    const Vec3 along = -missing + missing.dot(p.normal_W) * p.normal_W;
    // Beyond the grip it will slide, and stands as if it did not.
    const Vec3 t = along * (p.N / load);
    s.load = p.N;
    store(-t / model_.wheels[i].grip_stiffness, s.bristle);
    const double turning =
        (p.at_W - hubs[i].p_W).cross(p.f_W).dot(hubs[i].axis_W) + p.moment_W.dot(hubs[i].axis_W);
    wrenches.push(tyres_[i].link, p.at_W, p.f_W + t);
    wrenches.twist(tyres_[i].link, p.moment_W - turning * hubs[i].axis_W);
  }
  spread(kinematics, wrenches, tau);
}

// Infinite where the wheels are all but in the air: nothing would lead back from there.
void Carrier::residual(const double* q, double* out) const {
  CarrierState state{};
  double tau[kMaxLinks] = {};
  machine::holding_forces(model_, q, out);
  add_rest_forces(q, state, tau);
  double load = 0.0;
  for (std::size_t i = 0; i < tyres_.size(); ++i) load += state.wheel[i].load;
  const double least = -kLeast * total_mass(model_.tree) * model_.tree.gravity_W.z();
  for (int i = 0; i < model_.joint_count(); ++i) out[i] = load < least ? INFINITY : out[i] - tau[i];
}

// Upright on a plane through the ground below the wheels, as deep in it as its weight asks.
void Carrier::place_root(const bool* free, double* q) const {
  if (root_ < 0 || !free[root_ + 2]) return;
  const multibody::Tree& tree = model_.tree;
  const double zero[kMaxLinks] = {};
  double* const ball = q + root_ + 3;
  const auto wheels = [&](auto use) {
    const Kinematics kinematics = multibody::forward_kinematics(tree, q, zero);
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Vec3 c = hub(kinematics, tyres_[i]).p_W;
      use(c, height(c.x(), c.y()), model_.wheels[i]);
    }
  };
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  double stiffness = 0.0;
  const Vec3 middle(q[root_], q[root_ + 1], 0.0);
  wheels([&](const Vec3& c, double z, const machine::Wheel& wheel) {
    const Vec3 row(1.0, c.x() - middle.x(), c.y() - middle.y());
    A += row * row.transpose();
    b += z * row;
    stiffness += wheel.stiffness;
  });
  // Wheels in one line give no plane.
  A(1, 1) += 1e-6;
  A(2, 2) += 1e-6;
  const Vec3 plane = A.inverse() * b;
  const Vec3 up = Vec3(-plane(1), -plane(2), 1.0).normalized();
  if (free[root_ + 5] && free[root_ + 6]) {
    const Kinematics kinematics = multibody::forward_kinematics(tree, q, zero);
    const Mat3 R_WB = multibody::body_pose(tree, kinematics, tree.link(root_ + 6).body).R;
    const Mat3 R0 = multibody::orientation(ball).toRotationMatrix();
    const Mat3 zero_pose = R_WB * R0.transpose();
    const Vec3 upright = zero_pose * R0 * zero_pose.transpose() * Vec3::UnitZ();
    const Mat3 tilt = turn_between(upright, up);
    multibody::place(zero_pose.transpose() * tilt * zero_pose * R0, ball);
  }
  double gap = 0.0;
  wheels([&](const Vec3& c, double z, const machine::Wheel& wheel) {
    gap += ((c.z() - z) * up.z() - wheel.radius) / static_cast<double>(tyres_.size());
  });
  const double sag = -total_mass(tree) * tree.gravity_W.z() / stiffness;
  q[root_ + 2] -= (gap + sag) / up.z();
}

void Carrier::settle(const bool* free, double* q) const {
  place_root(free, q);
  const auto forces = [this](const double* at, double* out) { residual(at, out); };
  const Balance balance(forces, free, model_.joint_count());
  double sunk[kMaxLinks];
  std::copy(q, q + model_.joint_count(), sunk);
  balance.solve(q);
  if (balance.rests(q)) return;
  // Balanced on its lower wheels, or nowhere: let it sink from where it was put.
  balance.sink(sunk);
  balance.solve(sunk);
  if (balance.rests(sunk)) std::copy(sunk, sunk + model_.joint_count(), q);
}

}  // namespace knuckleboom::carrier
