// The gas of pneumatic cylinders, with its supply and surroundings.
#pragma once

namespace knuckleboom::pneumatics {

struct Gas {
  double R = 287.0;  // of this gas, not the universal one [J/(kg K)]
  double k = 1.4;    // ratio of specific heats, above 1
  double c_v() const { return R / (k - 1.0); }
  double c_p() const { return k * R / (k - 1.0); }
};

struct Air {
  Gas gas;
  double P_supply = 6e5, T_supply = 293.15;  // Pa absolute, K
  double P_ambient = 101325.0, T_ambient = 293.15;
};

}  // namespace knuckleboom::pneumatics
