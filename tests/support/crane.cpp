#include "support/crane.hpp"

namespace knuckleboom::test {

multibody::Tree reference_crane() {
  using multibody::Body;
  using multibody::JointType;
  const CraneNumbers k;
  multibody::Tree tree;
  tree.gravity_W = Vec3(0.0, 0.0, -k.g);

  // Only the inertia about z shows in the equations; mass and the rest just have to be possible.
  Body swing;
  swing.name = swing.joint_name = "swing";
  swing.type = JointType::kRevolute;
  swing.axis_B = Vec3::UnitZ();
  swing.inertia.mass = 7000.0;
  swing.inertia.about_com = Vec3(9000.0, 9000.0, k.I_swing).asDiagonal();
  const int swing_index = tree.add_body(swing);

  Body boom;
  boom.name = boom.joint_name = "boom";
  boom.parent = swing_index;
  boom.type = JointType::kRevolute;
  boom.in_parent.p = Vec3(k.boom_pivot_x, 0.0, k.boom_pivot_z);
  boom.axis_B = -Vec3::UnitY();
  boom.inertia.mass = k.boom_mass;
  boom.inertia.com = Vec3(k.boom_com_x, 0.0, k.boom_com_z);
  boom.inertia.about_com = Vec3(k.boom_I_x, k.boom_I_t, k.boom_I_t).asDiagonal();
  boom.lower = -0.35;
  boom.upper = 1.10;
  const int boom_index = tree.add_body(boom);

  Body stick;
  stick.name = stick.joint_name = "stick";
  stick.parent = boom_index;
  stick.type = JointType::kRevolute;
  stick.in_parent.p = Vec3(k.boom_length, 0.0, 0.0);
  stick.axis_B = -Vec3::UnitY();
  stick.inertia.mass = k.stick_mass;
  stick.inertia.com = Vec3(k.stick_com_x, 0.0, k.stick_com_z);
  stick.inertia.about_com = Vec3(k.stick_I_x, k.stick_I_t, k.stick_I_t).asDiagonal();
  stick.lower = -2.10;
  stick.upper = -0.50;
  const int stick_index = tree.add_body(stick);

  Body head;
  head.name = "head";
  head.parent = stick_index;
  head.in_parent.p = Vec3(k.stick_length, 0.0, 0.0);
  head.inertia.mass = k.head_mass;
  tree.add_body(head);
  return tree;
}

}  // namespace knuckleboom::test
