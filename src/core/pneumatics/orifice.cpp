#include "knuckleboom/core/pneumatics/orifice.hpp"

#include <cmath>

#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::pneumatics {
namespace {

// Eq. 2a over C_1 and its slope by r; r below 1.
FlowLaw::Value subsonic(double k, double r) {
  const double e = (k - 1.0) / k;
  const double r_k = power(r, 1.0 / k);
  const double r_e = power(r, e);
  const double root = std::sqrt(1.0 - r_e);
  return {r_k * root, r_k / r * (root / k - 0.5 * e * r_e / root)};
}

}  // namespace

FlowLaw::FlowLaw(const Gas& gas) : gas_(gas) {
  const double k = gas.k;
  const double x = 2.0 / (k + 1.0);
  critical_ = power(x, k / (k - 1.0));
  c1_ = std::sqrt(2.0 * k / (gas.R * (k - 1.0)));
  c2_ = std::sqrt(k / gas.R * power(x, (k + 1.0) / (k - 1.0)));
  const Value edge = subsonic(k, 1.0 - kLaminar);
  laminar_ = c1_ * edge.value;
  bend_ = -edge.slope * kLaminar / edge.value;
}

FlowLaw::Value FlowLaw::psi(double r) const {
  if (r <= critical_) return {c2_, 0.0};
  const double u = (1.0 - r) / kLaminar;
  if (u < 1.0)
    return {laminar_ * u * (2.0 - bend_ + (bend_ - 1.0) * u),
            -laminar_ / kLaminar * (2.0 - bend_ + 2.0 * (bend_ - 1.0) * u)};
  const Value v = subsonic(gas_.k, r);
  return {c1_ * v.value, c1_ * v.slope};
}

Flow flow(const FlowLaw& law, double area, double P1, double T1, double P2, double T2) {
  const bool from_1 = P1 >= P2;
  const double P_u = from_1 ? P1 : P2;
  const double T_u = from_1 ? T1 : T2;
  const double r = (from_1 ? P2 : P1) / P_u;
  const FlowLaw::Value psi = law.psi(r);
  const double scale = area / std::sqrt(T_u);
  const double m_dot = scale * P_u * psi.value;
  const double by_u = scale * (psi.value - r * psi.slope);
  const double by_d = scale * psi.slope;
  const double by_T = -0.5 * m_dot / T_u;
  const bool choked = r <= law.critical_ratio();
  if (from_1) return {m_dot, by_u, by_d, by_T, true, choked};
  return {-m_dot, -by_d, -by_u, -by_T, false, choked};
}

}  // namespace knuckleboom::pneumatics
