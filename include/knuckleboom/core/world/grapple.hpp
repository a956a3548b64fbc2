// Jaws of a timber grapple: their shape as a function of the opening, for contact and for drawing.
//
// Frame: pin (a point of the body that carries the jaws), open axis (in which the jaws part), reach axis
// (from the pin to the tips), log axis (along a held log); unit vectors at right angles to each other.
// In coordinates x along open, y along reach, z along log, from the pin, with H = hinge_distance / 2,
// L = jaw_length, r = tine_radius and for jaw side = -1 or +1 (docs/theory/contact.md, eq. 14 to 16):
//
//   hinge  (side H, 0)                                 turns about the log axis
//   tip    hinge + L (side sin a, cos a)
//   elbow  hinge + L / 2 (side sin a, cos a) + kJawBow L (side cos a, -sin a)
//   a      angle of the chord hinge-tip, outwards from the reach axis:
//          a_closed = asin((r - H - overlap / 2) / L)   the tips' surfaces meet at x = 0, or the tines have
//                                                       passed each other by the overlap
//          a_open   = asin((opening_max / 2 + r - H) / L)   they are opening_max apart
//          a        = a_closed + opening (a_open - a_closed)
//
// Each jaw has two tines, at z = -jaw_width / 2 and +jaw_width / 2; a tine is two capsules of radius r,
// hinge to elbow and elbow to tip. A bar joins its two elbows. Arguments of asin are kept within +-0.99.
#pragma once

#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr double kJawBow = 0.3;       // elbow's distance from the chord / jaw_length
inline constexpr int kGrappleParts = 10;     // capsules
inline constexpr double kGripAngle = 0.611;  // between log and log axis, at most [rad]

struct GrappleFrame {
  Vec3 pin_W = Vec3::Zero();
  Vec3 log_axis_W = Vec3::UnitX(), open_axis_W = Vec3::UnitY(), reach_axis_W = -Vec3::UnitZ();
  Vec3 v_W = Vec3::Zero(), omega_W = Vec3::Zero();  // of the body at the pin
  double hinge_distance = 0.3;                      // m
  double jaw_length = 0.6;                          // hinge to tip, straight [m]
  double jaw_width = 0.3;                           // between the axes of a jaw's tines [m]
  double tine_radius = 0.04;                        // m
  double opening_max = 1.2;                         // between the tips' surfaces when open [m]
  double overlap = 0.0;  // by which the tips have passed each other when closed [m]
};

// Hinge, elbow and tip of a tine in the coordinates above; z is the tine's own.
struct JawPoints {
  Vec3 hinge, elbow, tip;
};
// side: -1 or +1. opening: 0 closed to 1 open.
JawPoints jaw_points(const GrappleFrame& frame, int side, double opening);

// Angle a of the jaws [rad].
double jaw_angle(const GrappleFrame& frame, double opening);

// The jaws as parts of the machine with role kJaw and ids from first_id on: side -1 then +1, tine at -z then
// +z, upper then lower capsule, then the bar. Their velocity includes the rotation of the
// jaws. opening_rate: 1/s. out: room for kGrappleParts. Returns their number.
int grapple_parts(const GrappleFrame& frame, double opening, double opening_rate, int first_id,
                  MachinePart* out);

// The smallest opening at which a log of this radius, pushed up against the line between the
// hinges, fits between the tines. 0: it fits into closed jaws; 1 also when it is too thick for open
// ones.
double grapple_min_opening(const GrappleFrame& frame, double radius);

// Position of such a log's axis, from the pin along the reach axis [m].
double grapple_seat(const GrappleFrame& frame, double opening, double radius);

// Whether jaws closing now would grip the log: it lies between them over at least half of their
// width, with its axis within the outline hinges-elbows-tips and at less than kGripAngle.
bool can_grip(const GrappleFrame& frame, double opening, const Capsule& log);

}  // namespace knuckleboom::world
