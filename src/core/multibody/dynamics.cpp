// Everything except the mass matrix and bias force of a tick, which are in mass_and_bias.cpp.
//
// World axes throughout, each link's quantities about its own origin: unlike about the world
// origin, a light link far out loses no digits.
#include "knuckleboom/core/multibody/dynamics.hpp"

#include <algorithm>

#include "knuckleboom/core/math/cholesky.hpp"

namespace knuckleboom::multibody {
namespace {

Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

// Inertia of one link rotated into world axes, about the link origin.
struct WorldInertia {
  double mass;
  Vec3 mc;
  Mat3 I;
};

WorldInertia in_world(const LinkInertia& inertia, const Mat3& R) {
  Mat3 I;
  I << inertia.I[0], inertia.I[3], inertia.I[4],  //
      inertia.I[3], inertia.I[1], inertia.I[5],   //
      inertia.I[4], inertia.I[5], inertia.I[2];
  return {inertia.mass, R * Vec3(inertia.mc[0], inertia.mc[1], inertia.mc[2]),
          R * I * R.transpose()};
}

// Angular acceleration and acceleration of the origin; forces are (moment about the origin, force).
struct Acceleration {
  Vec3 angular;
  Vec3 linear;
};

struct Wrench {
  Vec3 moment;
  Vec3 force;
};

// From the parent's origin to the link's.
Vec3 offset(const Tree& tree, const Kinematics& kinematics, int i) {
  const int parent = tree.link(i).parent;
  const Vec3& p = kinematics.link[i].in_world.p;
  return parent == kBase ? p : Vec3(p - kinematics.link[parent].in_world.p);
}

// The part of a link's acceleration due to velocities, without the parent's and the joint's
// acceleration.
Acceleration velocity_product(const Tree& tree, const Kinematics& kinematics, int i, double rate) {
  const Link& link = tree.link(i);
  if (link.parent == kBase) return {Vec3::Zero(), Vec3::Zero()};
  const Vec3& w = kinematics.link[link.parent].omega_W;
  const Vec3 centripetal = w.cross(w.cross(offset(tree, kinematics, i)));
  const Vec3 turned = w.cross(kinematics.link[i].axis_W) * rate;
  if (link.revolute) return {turned, centripetal};
  return {Vec3::Zero(), centripetal + 2.0 * turned};
}

// Gravity enters as a base that accelerates upwards.
Acceleration parent_acceleration(const Tree& tree, const Acceleration* of_link, int i) {
  const int parent = tree.link(i).parent;
  return parent == kBase ? Acceleration{Vec3::Zero(), -tree.gravity_W} : of_link[parent];
}

double joint_component(const Link& link, const Vec3& axis_W, const Wrench& wrench) {
  return axis_W.dot(link.revolute ? wrench.moment : wrench.force);
}

Vec3 centre_of_mass(const LinkInertia& payload) {
  if (!(payload.mass > 0.0)) return Vec3::Zero();
  return Vec3(payload.mc[0], payload.mc[1], payload.mc[2]) / payload.mass;
}

FreeMotion motion_when_attached(const Kinematics& kinematics, int link,
                                const LinkInertia& payload) {
  const LinkMotion& motion = kinematics.link[link];
  const Vec3 r = motion.in_world.R * centre_of_mass(payload);
  return {motion.in_world.p + r, motion.v_origin_W + motion.omega_W.cross(r), motion.omega_W};
}

}  // namespace

void inverse_dynamics(const Tree& tree, const LinkInertia* inertia, const double* q,
                      const double* v, const double* a, double* tau) {
  const int n = tree.link_count();
  const Kinematics kinematics = forward_kinematics(tree, q, v);
  Acceleration acceleration[kMaxLinks];
  Wrench wrench[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    const LinkMotion& motion = kinematics.link[i];
    const Acceleration parent = parent_acceleration(tree, acceleration, i);
    const Acceleration c = velocity_product(tree, kinematics, i, v[i]);
    Acceleration& here = acceleration[i];
    here.angular = parent.angular + c.angular;
    here.linear = parent.linear + parent.angular.cross(offset(tree, kinematics, i)) + c.linear;
    (tree.link(i).revolute ? here.angular : here.linear) += motion.axis_W * a[i];

    const WorldInertia b = in_world(inertia[i], motion.in_world.R);
    const Vec3& w = motion.omega_W;
    wrench[i].moment = b.I * here.angular + b.mc.cross(here.linear) + w.cross(b.I * w);
    wrench[i].force = b.mass * here.linear + here.angular.cross(b.mc) + w.cross(w.cross(b.mc));
  }
  for (int i = n - 1; i >= 0; --i) {
    const Link& link = tree.link(i);
    tau[i] = joint_component(link, kinematics.link[i].axis_W, wrench[i]);
    if (link.parent == kBase) continue;
    wrench[link.parent].moment +=
        wrench[i].moment + offset(tree, kinematics, i).cross(wrench[i].force);
    wrench[link.parent].force += wrench[i].force;
  }
}

void forward_dynamics(const Tree& tree, const LinkInertia* inertia, const double* q,
                      const double* v, const double* tau, double* a) {
  const int n = tree.link_count();
  const Kinematics kinematics = forward_kinematics(tree, q, v);

  // Articulated inertia: moment = J alpha + H a + bias.moment, force = H^T alpha + M a + bias.force.
  struct Articulated {
    Mat3 J, H, M;
    Wrench bias;
  };
  Articulated body[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    const LinkMotion& motion = kinematics.link[i];
    const WorldInertia b = in_world(inertia[i], motion.in_world.R);
    const Vec3& w = motion.omega_W;
    body[i].J = b.I;
    body[i].H = skew(b.mc);
    body[i].M = b.mass * Mat3::Identity();
    body[i].bias.moment = w.cross(b.I * w);
    body[i].bias.force = w.cross(w.cross(b.mc));
  }

  Wrench U[kMaxLinks];  // wrench per unit joint acceleration
  Acceleration c[kMaxLinks];
  double D[kMaxLinks];  // inertia at the joint
  double u[kMaxLinks];  // joint force available to accelerate it
  for (int i = n - 1; i >= 0; --i) {
    const Link& link = tree.link(i);
    const Vec3& s = kinematics.link[i].axis_W;
    Articulated& A = body[i];
    if (link.revolute) {
      U[i].moment.noalias() = A.J * s;
      U[i].force.noalias() = A.H.transpose() * s;
    } else {
      U[i].moment.noalias() = A.H * s;
      U[i].force.noalias() = A.M * s;
    }
    D[i] = joint_component(link, s, U[i]);
    u[i] = tau[i] - joint_component(link, s, A.bias);
    c[i] = velocity_product(tree, kinematics, i, v[i]);
    if (link.parent == kBase) continue;

    // Inertia seen by the parent through the free joint, then moved to the parent's origin.
    const Mat3 J = A.J - U[i].moment * (U[i].moment.transpose() / D[i]);
    const Mat3 H = A.H - U[i].moment * (U[i].force.transpose() / D[i]);
    const Mat3 M = A.M - U[i].force * (U[i].force.transpose() / D[i]);
    const double share = u[i] / D[i];
    const Vec3 moment = A.bias.moment + J * c[i].angular + H * c[i].linear + U[i].moment * share;
    const Vec3 force =
        A.bias.force + H.transpose() * c[i].angular + M * c[i].linear + U[i].force * share;
    const Vec3 r = offset(tree, kinematics, i);
    const Mat3 rx = skew(r);
    const Mat3 rx_M = rx * M;
    const Mat3 H_rx = H * rx;
    Articulated& P = body[link.parent];
    P.J += J - H_rx - H_rx.transpose() - rx_M * rx;
    P.H += H + rx_M;
    P.M += M;
    P.bias.moment += moment + r.cross(force);
    P.bias.force += force;
  }

  Acceleration acceleration[kMaxLinks];
  for (int i = 0; i < n; ++i) {
    const Link& link = tree.link(i);
    const Acceleration parent = parent_acceleration(tree, acceleration, i);
    Acceleration& here = acceleration[i];
    here.angular = parent.angular + c[i].angular;
    here.linear = parent.linear + parent.angular.cross(offset(tree, kinematics, i)) + c[i].linear;
    a[i] = (u[i] - U[i].moment.dot(here.angular) - U[i].force.dot(here.linear)) / D[i];
    (link.revolute ? here.angular : here.linear) += kinematics.link[i].axis_W * a[i];
  }
}

Energy energy(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v) {
  const Kinematics kinematics = forward_kinematics(tree, q, v);
  Energy out{0.0, 0.0};
  for (int i = 0; i < tree.link_count(); ++i) {
    const LinkMotion& motion = kinematics.link[i];
    const WorldInertia b = in_world(inertia[i], motion.in_world.R);
    const Vec3& w = motion.omega_W;
    const Vec3& v_o = motion.v_origin_W;
    out.kinetic += 0.5 * (b.mass * v_o.squaredNorm() + w.dot(b.I * w)) + v_o.dot(w.cross(b.mc));
    out.potential -= tree.gravity_W.dot(b.mass * motion.in_world.p + b.mc);
  }
  return out;
}

void attach_momentum(const Tree& tree, const double* q, const double* v, int link,
                     const LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W,
                     double* momentum) {
  const Kinematics kinematics = forward_kinematics(tree, q, v);
  const FreeMotion joined = motion_when_attached(kinematics, link, payload);
  const LinkMotion& carrier = kinematics.link[link];

  // A payload already moving with the link contributes none.
  const WorldInertia b = in_world(payload, carrier.in_world.R);
  const Vec3 r = joined.p_com_W - carrier.in_world.p;
  const Vec3 excess_omega = omega_W - joined.omega_W;
  const Vec3 linear = b.mass * (v_com_W - joined.v_com_W);
  const Vec3 angular = b.I * excess_omega - b.mass * r.cross(excess_omega.cross(r));

  std::fill(momentum, momentum + tree.link_count(), 0.0);
  for (int i = link; i != kBase; i = tree.link(i).parent) {
    const LinkMotion& m = kinematics.link[i];
    const Wrench impulse{angular + (joined.p_com_W - m.in_world.p).cross(linear), linear};
    momentum[i] = joint_component(tree.link(i), m.axis_W, impulse);
  }
}

void attach(const Tree& tree, LinkInertia* inertia, const double* q, double* v, int link,
            const LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W) {
  const int n = tree.link_count();
  double dv[kMaxLinks];
  attach_momentum(tree, q, v, link, payload, v_com_W, omega_W, dv);
  inertia[link] = inertia[link] + payload;
  MassAndBias system;
  mass_and_bias(tree, inertia, q, v, system);
  if (!solve_positive_definite(n, system.M, dv)) return;
  for (int i = 0; i < n; ++i) v[i] += dv[i];
}

FreeMotion detach(const Tree& tree, LinkInertia* inertia, const double* q, const double* v,
                  int link, const LinkInertia& payload) {
  FreeMotion out = motion_when_attached(forward_kinematics(tree, q, v), link, payload);
  inertia[link] = inertia[link] - payload;
  return out;
}

}  // namespace knuckleboom::multibody
