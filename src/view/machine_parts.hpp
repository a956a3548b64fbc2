// Parts of a crane, each generated from a few dimensions. Frames: x along the part, z up, y to the
// left.
#pragma once

#include <vector>

#include "view/mesh_builder.hpp"

namespace knuckleboom::view {

inline constexpr Colour kPaint = {0.90, 0.60, 0.06, 0.50};
inline constexpr Colour kDarkPaint = {0.135, 0.14, 0.145, 0.35};
inline constexpr Colour kSteel = {0.40, 0.40, 0.41, 0.50};
inline constexpr Colour kWornSteel = {0.30, 0.285, 0.27, 0.60};
inline constexpr Colour kChrome = {0.78, 0.80, 0.83, 1.00};
inline constexpr Colour kRubber = {0.050, 0.050, 0.055, 0.15};
inline constexpr Colour kBrass = {0.62, 0.50, 0.24, 0.60};

// Tapered box beam from the joint at the origin to (length, 0, 0), arched upwards by `arch`.
struct BeamShape {
  double length = 3.0, arch = 0.0;
  double height_start = 0.26, height_end = 0.18;
  double width_start = 0.22, width_end = 0.16;
  double from = 0.0;  // start of the box; before it there are only the side plates
};
double centre_line(const BeamShape& beam, double x);  // height above the straight line [m]
double half_height(const BeamShape& beam, double x);
double half_width(const BeamShape& beam, double x);
void add_beam(MeshBuilder& mesh, const BeamShape& beam);

// Pin with its bosses and end plates across y, from -half_width to half_width.
void add_pin(MeshBuilder& mesh, const Vec3& at, double radius, double half_width);
// Two cheeks with rounded outlines, inner faces at y = +-inner.
void add_cheeks(MeshBuilder& mesh, const std::vector<std::pair<Vec2, double>>& circles,
                double inner, double thickness);

// Cylinder, pin to pin. Barrel: base pin at the origin; rod: rod pin at the origin, its barrel side
// towards +x. The rod is as long as the stroke needs.
struct CylinderShape {
  double bore = 0.14, rod = 0.09, length_min = 1.4, length_max = 2.2, half_width = 0.05;
};
double barrel_length(const CylinderShape& cylinder);  // from the base pin to the gland
void add_barrel(MeshBuilder& mesh, const CylinderShape& cylinder);
void add_rod(MeshBuilder& mesh, const CylinderShape& cylinder);

// A tyre with lugs on its rim, about z in the origin.
void add_wheel(MeshBuilder& mesh, double radius, double width);

struct UndercarriageShape {
  double length = 4.2, gauge = 2.3,
         shoe = 0.60;   // over the track, between track centres, shoe width
  double height = 1.0;  // ground to the slewing ring
};
void add_undercarriage(MeshBuilder& mesh, const UndercarriageShape& shape);

// Swinging upper structure: platform, engine, counterweight, tower of the boom; origin on the swing
// axis.
struct UpperShape {
  double deck = 1.0;  // height of the platform's underside
  Vec3 boom_pin = Vec3(0.35, 0.0, 1.9);
  Vec3 cylinder_pin = Vec3(0.9, 0.0, 1.15);
  bool has_cylinder = true;
  Vec3 eye = Vec3(0.4, 0.9, 2.4);
  double boom_half_width = 0.12;  // the tower's cheeks are outside of it
};
void add_upper(MeshBuilder& mesh, const UpperShape& upper);
void add_cab(MeshBuilder& mesh, const UpperShape& upper);  // frame, roof, lamps, mirrors
void add_cab_glass(MeshBuilder& mesh, const UpperShape& upper);
void add_cab_interior(MeshBuilder& mesh, const UpperShape& upper);  // seat, levers, screen

}  // namespace knuckleboom::view
