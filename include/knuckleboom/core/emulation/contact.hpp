// A cylindrical peg against a worksite: a plane, or a plane with a chamfered blind hole. docs/theory/emulation.md
//
// Site frame: origin on the surface (hole: in its centre), z into the material along the hole.
// Peg: its frame has the origin in the centre of its end face and z along its axis, out of the face.
//
// Contact is compliant: each point that is inside the material is pushed out along the surface's
// normal, N = max(0, k (depth + tau depth_dot)), and held by a bristle within Coulomb's limit. The
// points are those of the end face's rim on plane and bottom, the rim's deepest point on chamfer or
// wall, and the hole's edge on the peg's side: the last two together are the two-point contact that
// jams (D. Whitney, ASME J. Dyn. Sys. Meas. Control 104 (1982) 65-77).
#pragma once

#include <cstdint>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

// Force and moment about a stated point, in a stated frame.
struct Wrench {
  Vec3 force = Vec3::Zero();   // N
  Vec3 moment = Vec3::Zero();  // N m
};

struct ContactLaw {
  double stiffness =
      1e5;  // of the whole end face on a plane; of one point on wall or chamfer [N/m]
  double relaxation_s = 2e-4;  // damping over stiffness
  double friction = 0.2;       // Coulomb
};

enum class SiteKind { kPlane, kHole };
struct Worksite {
  SiteKind kind = SiteKind::kPlane;
  double hole_radius = 0.0;  // m
  double chamfer = 0.0;      // width and depth, at 45 degrees [m]
  double depth = 0.0;        // of the bottom below the surface [m]
  ContactLaw law;
};
struct Peg {
  double radius = 0.02;  // m
  double length = 0.1;   // m
};

// Motion of the peg's frame, in the site frame.
struct PegMotion {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();      // m
  Vec3 v = Vec3::Zero();      // of the end face's centre [m/s]
  Vec3 omega = Vec3::Zero();  // rad/s
};

inline constexpr int kFacePoints = 8;
inline constexpr int kRimPoint = kFacePoints;       // deepest of the rim on chamfer or wall
inline constexpr int kEdgePoint = kFacePoints + 1;  // of the hole's edge on the peg's side
inline constexpr int kContactPoints = kFacePoints + 2;

struct ContactState {
  double bristle[kContactPoints][3];  // tangential deflection, site frame [m]
  double normal[kContactPoints];      // force in the last step [N]
  std::int64_t touching;              // bit per point
};
constexpr auto state_fields(const ContactState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ContactState;
  return state::fields_of<S>(KB_FIELD(bristle, kPosition), KB_FIELD(normal, kForce),
                             KB_FIELD(touching, bits(kContactPoints)));
}

// Force and moment of the site on the peg about the centre of its end face, in the site frame.
// Advances the bristles by h [s].
Wrench contact_wrench(const Worksite& site, const Peg& peg, const PegMotion& motion, double h,
                      ContactState& state);

}  // namespace knuckleboom::emulation
