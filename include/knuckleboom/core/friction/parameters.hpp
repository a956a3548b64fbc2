// Dry friction of an actuator or a joint. docs/theory/friction.md
//
// Sign: `force` is the force that the motion has to overcome, so it has the sign of the speed; its
// negative acts on the body. Units N, m for sliding and N m, rad for rotation. The viscous part
// (C_V v, LuGre's sigma_2 v) is not included: it acts separately, as the circuit's B or the joint's
// damping, so that every kind has one. Kind kNone with that part alone is viscous friction.
// Sources: H. Daepp, W. Book, practical modelling of friction in a pneumatic cylinder (eq. 6-10);
// C. Canudas de Wit et al., IEEE Trans. Automatic Control 40 (1995) 419-425 (LuGre).
#pragma once

#include <cstdint>

namespace knuckleboom::friction {

enum class Kind : std::int32_t {
  kNone,        // viscous alone
  kCoulomb,     // sticks up to F_s; F_c sign(v) while it moves (eq. 9)
  kContinuous,  // eq. 10: a steep line through zero instead of sticking
  kStribeck,    // sticks up to F_s; F_c + (F_s - F_c) exp(-(v / v_s)^2) while it moves
  kLuGre,       // bristles that bend like springs and slip
};

struct FrictionModel {
  Kind kind = Kind::kNone;
  double F_c = 0.0;      // Coulomb friction [N, N m]
  double F_s = 0.0;      // static friction, F_s >= F_c; kContinuous: peak of the dry part, at v_min
  double v_s = 0.0;      // Stribeck speed [m/s, rad/s]: kStribeck, kLuGre
  double v_min = 0.0;    // kContinuous: speed of the peak
  double n = 0.0;        // kContinuous: the fall ends at n v_min, n > 1
  double sigma_0 = 0.0;  // kLuGre: stiffness of the bristles [N/m, N m/rad]
  double sigma_1 = 0.0;  // kLuGre: their damping [N s/m, N m s/rad]
};

// Parameters of eq. 10, whose peak F_s includes the viscous part of that speed.
FrictionModel continuous_coulomb_viscous(double F_c, double F_s, double viscous, double v_min,
                                         double n);

// A message on impossible parameters; null if valid.
const char* fault_of(const FrictionModel& model);

// Whether it holds without motion.
inline bool sticks(Kind kind) { return kind == Kind::kCoulomb || kind == Kind::kStribeck; }

}  // namespace knuckleboom::friction
