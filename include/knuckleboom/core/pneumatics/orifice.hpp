// Flow of an ideal gas through an orifice, choked or not, in either direction.
//
// All pressures are absolute. Source: H. Daepp, W. Book, modeling and simulation of a pneumatically-actuated
// rescue robot (DB), eq. 1 and 2. docs/theory/pneumatics.md
#pragma once

#include "knuckleboom/core/pneumatics/air.hpp"

namespace knuckleboom::pneumatics {

// Constants of eq. 2. Near equal pressures the root of eq. 2a, with its infinite slope, is replaced
// by a parabola through the origin with the same value and slope at a pressure ratio of 1 -
// kLaminar.
class FlowLaw {
 public:
  static constexpr double kLaminar = 1e-3;

  explicit FlowLaw(const Gas& gas);

  const Gas& gas() const { return gas_; }
  double critical_ratio() const {
    return critical_;
  }                                  // P_d / P_u at which the throat becomes
                                     // sonic
  double c1() const { return c1_; }  // sqrt(kg K / J)
  double c2() const { return c2_; }

  // f of eq. 1 over P_u / sqrt(T_u), and its slope by the ratio r = P_d / P_u, 0 <= r <= 1.
  struct Value {
    double value, slope;
  };
  Value psi(double r) const;

 private:
  Gas gas_;
  double critical_, c1_, c2_;
  double laminar_, bend_;  // value at 1 - kLaminar; slope there times kLaminar over the value
};

struct Flow {
  double m_dot;  // from 1 to 2 [kg/s]
  double by_P1, by_P2;
  double by_T;  // by the temperature upstream
  bool from_1;  // upstream is side 1
  bool choked;
};

// area: C_d A_0 >= 0 [m^2]. Pressures above zero [Pa], temperatures above zero [K].
Flow flow(const FlowLaw& law, double area, double P1, double T1, double P2, double T2);

}  // namespace knuckleboom::pneumatics
