// A tree of rigid bodies joined by revolute, prismatic or fixed joints to a fixed base.
//
// Frames. World: z up, right-handed. Each body has one frame; its joint axis passes through that
// frame's origin. At joint position zero the body frame is at (R_PB, p_PB) in its parent's frame.
// All vectors named *_B are in the body's own frame, *_P in the parent's, *_W in the world's.
//
// Links are the bodies that move; the arrays q, v, tau have one entry for each of them, in the
// order they were added (parents first). A body on a fixed joint is lumped into the link it is
// welded to. A link's frame has the body's origin and its z axis along the joint axis: a rotation
// about z costs a third of one about any axis. Body::in_link leads from body frame to link frame.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::multibody {

enum class JointType { kFixed, kRevolute, kPrismatic };

inline constexpr int kBase = -1;

// Mass [kg], centre of mass [m] and rotational inertia about it [kg m^2], all in one frame.
struct RigidInertia {
  double mass = 0.0;
  Vec3 com = Vec3::Zero();
  Mat3 about_com = Mat3::Zero();
};

// Pose of one frame in another: x_outer = R x_inner + p.
struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
};

struct Body {
  std::string name;
  std::string joint_name;
  int parent = kBase;  // index of a body, or kBase
  JointType type = JointType::kFixed;
  Pose in_parent;                   // pose of the body frame in the parent's at joint position zero
  Vec3 axis_B = Vec3::UnitZ();      // unit axis, the same in body frame and (at zero) joint frame
  RigidInertia inertia;             // in the body frame
  double damping = 0.0;             // viscous, N m s/rad or N s/m
  double stiffness = 0.0;           // of a spring towards `rest`, N m/rad or N/m
  double rest = 0.0;                // rad or m
  double lower = 0.0, upper = 0.0;  // rad or m; equal means no limit
  // Stiffness of the joint's own stop beyond a limit; 0: none (an actuator may have end stops).
  double stop_stiffness = 0.0;  // N m/rad or N/m
  double stop_damping = 0.0;    // N m s/rad or N s/m
  int link = kBase;             // link that carries this body (itself if it moves)
  Pose in_link;                 // pose in that link's frame
};

// Input of the recursive algorithms, one per moving body.
struct Link {
  int parent = kBase;  // index of a link
  bool revolute = true;
  bool aligned = true;  // in_parent.R is the identity: the joint axis is parallel to the parent's
  Pose in_parent;       // pose in the parent link's frame at joint position zero
  double damping = 0.0;
  double stiffness = 0.0, rest = 0.0;
  int body = 0;  // the body that moves with this link
};

// Plain numbers, so that a state can contain it: mass, first moment m c, inertia about the link
// origin.
struct LinkInertia {
  double mass = 0.0;
  double mc[3] = {0.0, 0.0, 0.0};                // kg m, link frame
  double I[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  // xx yy zz xy xz yz about the link origin
};
constexpr auto state_fields(const LinkInertia* /*type*/) {
  using namespace knuckleboom::state;
  using S = LinkInertia;
  return state::fields_of<S>(KB_FIELD(mass, kInertia), KB_FIELD(mc, kInertia),
                             KB_FIELD(I, kInertia));
}

LinkInertia to_link_inertia(const RigidInertia& body, const Pose& in_link);
LinkInertia operator+(const LinkInertia& a, const LinkInertia& b);
LinkInertia operator-(const LinkInertia& a, const LinkInertia& b);

// True if some distribution of mass has this inertia: symmetric, positive, triangle rule on the
// principal moments (to 1e-9 relative). Point masses and zero mass are allowed.
bool is_physical(const RigidInertia& inertia);

class Tree {
 public:
  // Adds a body; parent is kBase or an index returned earlier. Returns the body's index.
  // Throws std::invalid_argument, naming the body, on a bad parent, a name (of the body or of a moving
  // joint) that is taken, a pose that is no rotation (to 1e-9), a zero axis, an unphysical inertia,
  // numbers that are not finite, negative damping, crossed limits, or a full tree.
  int add_body(Body body);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int link_count() const { return n_links_; }
  const Body& body(int i) const { return nth(bodies_, i); }
  const Link& link(int i) const { return nth(links_, i); }
  // Body with this name, or kBase.
  int find_body(const std::string& name) const;
  // Link whose joint has this name, or kBase.
  int find_joint(const std::string& joint_name) const;
  // Inertias of the links as built, welded bodies included.
  const std::array<LinkInertia, kMaxLinks>& link_inertias() const { return inertias_; }

  Vec3 gravity_W = Vec3(0.0, 0.0, -9.81);

 private:
  std::vector<Body> bodies_;
  std::array<Link, kMaxLinks> links_;
  std::array<LinkInertia, kMaxLinks> inertias_;
  int n_links_ = 0;
};

}  // namespace knuckleboom::multibody
