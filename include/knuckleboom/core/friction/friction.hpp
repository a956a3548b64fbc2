// The laws of dry friction. docs/theory/friction.md
#pragma once

#include "knuckleboom/core/friction/parameters.hpp"

namespace knuckleboom::friction {

struct Force {
  double force;
  double slope;  // by v
};

// Friction level at speed v that Stribeck and LuGre share; positive.
Force stribeck_level(const FrictionModel& model, double v);

// kCoulomb, kStribeck while moving in the sense +1 or -1. v may be on the other side of zero, as a
// solver's trial value.
Force sliding(const FrictionModel& model, double sense, double v);

// kContinuous.
Force continuous(const FrictionModel& model, double v);
// Its fall from static to Coulomb friction in the sense +1 or -1, as an infinite line.
Force falling(const FrictionModel& model, double sense, double v);
// Slope of its line through zero.
inline double creep_resistance(const FrictionModel& model) { return model.F_s / model.v_min; }

// kLuGre in an implicit stage of weight g: z = z_star + g (v - sigma_0 |v| z / level). Stable for any g.
struct Bristle {
  double z;
  double slope;  // by v
};
Bristle bristle(const FrictionModel& model, double z_star, double g, double v);
// Over a whole step h at the mean speed v, to second order and as stable: with y = h sigma_0 |v| / level,
// exp(-y) becomes 2 / (2 + 2 y + y^2).
Bristle bristle_step(const FrictionModel& model, double z_start, double h, double v);
// The same with the slip rate and level of another speed: does not fall with v.
Bristle bristle_at(const FrictionModel& model, double z_star, double g, double v, double v_slip);
// Force of bristles going from z_star to z in a stage of weight g; share: of z in the mean bending.
Force bristle_force(const FrictionModel& model, double z_star, const Bristle& end, double g,
                    double share);
inline double bristle_energy(const FrictionModel& model, double z) {
  return 0.5 * model.sigma_0 * z * z;
}

// Bound on how steeply the force falls with |v| [N s/m]; for kLuGre in a stage or step of weight g.
double steepest_fall(const FrictionModel& model, double g);

}  // namespace knuckleboom::friction
