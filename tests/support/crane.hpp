// The reference machine's rigid bodies (representative of a 20 t class harvester, not identified from
// one machine), built in code so that tests of the core need no machine file.
#pragma once

#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom::test {

// Bodies and links swing (0), boom (1), stick (2); body head (3) is welded to the stick's tip.
// Joints swing, boom, stick: q = [about +z, from the horizontal, relative to the boom], up positive.
multibody::Tree reference_crane();

// Parameters of the crane, for closed forms. Links are planar: z is up in the link's own frame.
struct CraneNumbers {
  double g = 9.81;
  double boom_pivot_x = 0.35, boom_pivot_z = 1.9;
  double I_swing = 15000.0;  // about the swing axis
  double boom_length = 5.0, boom_mass = 1400.0, boom_com_x = 2.3, boom_com_z = 0.25;
  double boom_I_x = 90.0, boom_I_t = 3200.0;  // about the centre of mass: along the link, across it
  double stick_length = 3.2, stick_mass = 650.0, stick_com_x = 1.3, stick_com_z = 0.05;
  double stick_I_x = 30.0, stick_I_t = 700.0;
  double head_mass = 800.0;
};

}  // namespace knuckleboom::test
