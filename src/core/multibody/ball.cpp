#include "knuckleboom/core/multibody/ball.hpp"

#include <cmath>

#include "knuckleboom/core/math/angle.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::multibody {
namespace {

constexpr double kQuarter = 1.5707963267948966;
// Size of the vertical part of the body's x axis beyond which q0 is pi/2, and below which it is 0 again: either way
// the pitch stays within 46 degrees.
constexpr double kSteep = 0.71, kFlat = 0.70;

bool steep(const double* q) { return q[0] != 0.0; }

Mat3 rotation(const double* q) {
  const SinCos y0 = sin_cos(q[0]), z = sin_cos(q[1]), y = sin_cos(q[2]), x = sin_cos(q[3]);
  Mat3 R;
  R << z.cos * y.cos, z.cos * y.sin * x.sin - z.sin * x.cos,
      z.cos * y.sin * x.cos + z.sin * x.sin,  //
      z.sin * y.cos, z.sin * y.sin * x.sin + z.cos * x.cos,
      z.sin * y.sin * x.cos - z.cos * x.sin,  //
      -y.sin, y.cos * x.sin, y.cos * x.cos;
  Mat3 out;
  out.row(0) = y0.cos * R.row(0) + y0.sin * R.row(2);
  out.row(1) = R.row(1);
  out.row(2) = y0.cos * R.row(2) - y0.sin * R.row(0);
  return out;
}

void place_from(const Mat3& R, bool steep, double* q) {
  Mat3 S = R;
  if (steep) {
    S.row(0) = -R.row(2);
    S.row(2) = R.row(0);
  }
  q[0] = steep ? kQuarter : 0.0;
  q[1] = angle_of(S(1, 0), S(0, 0));
  q[2] = angle_of(-S(2, 0), std::sqrt(S(0, 0) * S(0, 0) + S(1, 0) * S(1, 0)));
  q[3] = angle_of(S(2, 1), S(2, 2));
}

// Rates of the turns with a change of the angular velocity's kind; poor only where the pitch is.
void spread(const double* q, const Vec3& omega, double* v) {
  const SinCos y = sin_cos(q[2]), x = sin_cos(q[3]);
  v[0] = 0.0;
  v[1] = (omega.y() * x.sin + omega.z() * x.cos) / y.cos;
  v[2] = omega.y() * x.cos - omega.z() * x.sin;
  v[3] = omega.x() + v[1] * y.sin;
}

// Angular acceleration of turns at constant rates.
Vec3 turned(const double* q, const double* v) {
  const SinCos y = sin_cos(q[2]), x = sin_cos(q[3]);
  return {-v[1] * v[2] * y.cos,
          -v[2] * v[3] * x.sin + v[1] * (v[3] * x.cos * y.cos - v[2] * x.sin * y.sin),
          -v[2] * v[3] * x.cos - v[1] * (v[3] * x.sin * y.cos + v[2] * x.cos * y.sin)};
}

}  // namespace

Eigen::Quaterniond orientation(const double* q) {
  const auto about = [q](int i, const Vec3& axis) {
    const SinCos half = sin_cos(0.5 * q[i]);
    return Eigen::Quaterniond(half.cos, half.sin * axis.x(), half.sin * axis.y(),
                              half.sin * axis.z());
  };
  Eigen::Quaterniond R = about(0, Vec3::UnitY()) * about(1, Vec3::UnitZ()) *
                         about(2, Vec3::UnitY()) * about(3, Vec3::UnitX());
  if (R.w() < 0.0) R.coeffs() = -R.coeffs();
  return R;
}

void place(const Mat3& R, double* q) {
  place_from(R, std::fabs(R(2, 0)) > 0.5 * (kSteep + kFlat), q);
}

Mat3 turning(const double* q) {
  const SinCos y = sin_cos(q[2]), x = sin_cos(q[3]);
  Mat3 J;
  J << -y.sin, 0.0, 1.0,          //
      y.cos * x.sin, x.cos, 0.0,  //
      y.cos * x.cos, -x.sin, 0.0;
  return J;
}

Vec3 angular_velocity(const double* q, const double* v) {
  return turning(q) * Vec3(v[1], v[2], v[3]);
}

bool rebase(double* q, double* v, double* a) {
  const SinCos y = sin_cos(q[2]);
  const bool now = steep(q);
  // Vertical part of the body's x axis.
  const double up = std::fabs(now ? sin_cos(q[1]).cos * y.cos : y.sin);
  if (now ? !(up < kFlat) : !(up > kSteep)) return false;
  const Vec3 omega = angular_velocity(q, v);
  const Vec3 alpha = turning(q) * Vec3(a[1], a[2], a[3]) + turned(q, v);
  place_from(rotation(q), !now, q);
  spread(q, omega, v);
  spread(q, alpha - turned(q, v), a);
  return true;
}

Bend bend(const double* q) {
  const Eigen::Quaterniond R = orientation(q);
  const double sine = std::sqrt(R.vec().squaredNorm());  // of half the angle
  const double half = angle_of(sine, R.w());
  // With half the angle h: h / sin h, and (1 - h cot h) / (2 h)^2, by their series near zero.
  const double h2 = half * half;
  const bool small = half < 1e-2;
  const double per_sine = small ? 1.0 + h2 * (1.0 / 6.0 + h2 * (7.0 / 360.0)) : half / sine;
  const double square = small ? 1.0 / 12.0 + h2 * (1.0 / 180.0 + h2 * (1.0 / 1890.0))
                              : (1.0 - half * R.w() / sine) / (4.0 * h2);
  const Vec3 phi = 2.0 * per_sine * R.vec();
  Mat3 cross;
  cross << 0.0, -phi.z(), phi.y(), phi.z(), 0.0, -phi.x(), -phi.y(), phi.x(), 0.0;
  // Inverse of the right Jacobian of the rotation group.
  const Mat3 by_omega = Mat3::Identity() + 0.5 * cross + square * cross * cross;
  return {phi, by_omega * turning(q)};
}

}  // namespace knuckleboom::multibody
