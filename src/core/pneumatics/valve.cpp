#include "knuckleboom/core/pneumatics/valve.hpp"

namespace knuckleboom::pneumatics {

double area_from_nominal_flow(const Gas& gas, double flow_m3_per_s, double P_u, double P_d) {
  constexpr double kReference_Pa = 1e5, kReference_K = 293.15;  // ISO 8778, dry
  const double m_dot = flow_m3_per_s * kReference_Pa / (gas.R * kReference_K);
  return m_dot / flow(FlowLaw(gas), 1.0, P_u, kReference_K, P_d, kReference_K).m_dot;
}

}  // namespace knuckleboom::pneumatics
