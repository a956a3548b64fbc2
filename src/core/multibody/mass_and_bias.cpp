// Composite rigid bodies and Newton-Euler in one outward and one inward sweep.
//
// Everything is expressed in world axes. Moments, first moments and inertias are taken about the world
// origin: on the way inward they then only add, without a transformation per joint.
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::multibody {
namespace {

// Symmetric 3x3: xx yy zz xy xz yz.
struct Sym3 {
  double xx, yy, zz, xy, xz, yz;

  Vec3 operator*(const Vec3& v) const {
    return {xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
            xz * v.x() + yz * v.y() + zz * v.z()};
  }
  void operator+=(const Sym3& o) {
    xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
  }
};

// R I R^T.
Sym3 rotate(const Mat3& R, const double (&I)[6]) {
  const Sym3 s{I[0], I[1], I[2], I[3], I[4], I[5]};
  const Vec3 r0 = R.row(0).transpose(), r1 = R.row(1).transpose(), r2 = R.row(2).transpose();
  const Vec3 t0 = s * r0, t1 = s * r1, t2 = s * r2;
  return {r0.dot(t0), r1.dot(t1), r2.dot(t2), r0.dot(t1), r0.dot(t2), r1.dot(t2)};
}

// Inertia about the origin, given that about a point at p and the first moment mc about that point:
// I_O = I_p + m (p.p 1 - p p^T) + 2 (p.mc) 1 - p mc^T - mc p^T.
Sym3 about_origin(const Sym3& I, double mass, const Vec3& mc, const Vec3& p) {
  const Vec3 g = mc + 0.5 * mass * p;  // folds the m p p^T terms into the mixed ones
  const double d = 2.0 * p.dot(g);
  return {I.xx + d - 2.0 * p.x() * g.x(),       I.yy + d - 2.0 * p.y() * g.y(),
          I.zz + d - 2.0 * p.z() * g.z(),       I.xy - p.x() * g.y() - p.y() * g.x(),
          I.xz - p.x() * g.z() - p.z() * g.x(), I.yz - p.y() * g.z() - p.z() * g.y()};
}

struct Sweep {
  Mat3 R;
  Vec3 p, axis, omega;
  Vec3 alpha, a_origin;  // accelerations at zero joint accelerations, gravity as upward acceleration
  Vec3 moment;           // velocity of the world origin, riding along, per unit joint rate
  // Composite quantities, summed inward.
  Vec3 force, torque;
  double mass;
  Vec3 mc;
  Sym3 I;
};

}  // namespace

void mass_and_bias(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v,
                   MassAndBias& out) {
  const int n = tree.link_count();
  Sweep sweep[kMaxLinks];
  const Vec3 up = -tree.gravity_W;

  for (int i = 0; i < n; ++i) {
    const Link& link = tree.link(i);
    Sweep& s = sweep[i];
    const bool rooted = link.parent == kBase;
    const Sweep& parent = sweep[rooted ? i : link.parent];
    Vec3 r = link.in_parent.p;
    if (link.revolute) {
      const SinCos t = sin_cos(q[i]);
      out.sin_q[i] = t.sin;
      out.cos_q[i] = t.cos;
      const Mat3 local = link.A + t.cos * link.C + t.sin * link.S;
      if (rooted) {
        s.R = local;
        s.axis = link.axis_P;
      } else {
        s.R.noalias() = parent.R * local;
        s.axis.noalias() = parent.R * link.axis_P;
        r = parent.R * r;
      }
    } else {
      out.sin_q[i] = 0.0;
      out.cos_q[i] = 0.0;
      s.R = link.A;
      s.axis = link.axis_P;
      if (!rooted) {
        s.R = parent.R * link.A;
        s.axis = parent.R * link.axis_P;
        r = parent.R * r;
      }
      r += q[i] * s.axis;
    }
    const Vec3 rate = v[i] * s.axis;
    if (rooted) {
      s.p = r;
      s.alpha.setZero();
      s.a_origin = up;
      s.omega = link.revolute ? rate : Vec3(Vec3::Zero());
    } else {
      s.p = parent.p + r;
      s.a_origin = parent.a_origin + parent.alpha.cross(r) + parent.omega.cross(parent.omega.cross(r));
      s.alpha = parent.alpha;
      s.omega = parent.omega;
      if (link.revolute) {
        s.alpha += parent.omega.cross(rate);
        s.omega += rate;
      } else {
        s.a_origin += 2.0 * parent.omega.cross(rate);
      }
    }

    const LinkInertia& body = inertia[i];
    const Vec3 mc = s.R * Vec3(body.mc[0], body.mc[1], body.mc[2]);
    const Sym3 I = rotate(s.R, body.I);
    s.force = body.mass * s.a_origin + s.alpha.cross(mc) + s.omega.cross(s.omega.cross(mc));
    const Vec3 about_joint =
        I * s.alpha + s.omega.cross(I * s.omega) + mc.cross(s.a_origin);
    s.torque = about_joint + s.p.cross(s.force);
    s.mass = body.mass;
    s.mc = mc + body.mass * s.p;
    s.I = about_origin(I, body.mass, mc, s.p);
    s.moment = s.p.cross(s.axis);
  }

  for (int i = n - 1; i >= 0; --i) {
    const Link& link = tree.link(i);
    const Sweep& s = sweep[i];
    Vec3 momentum, angular;  // of the composite body for a unit rate of joint i
    if (link.revolute) {
      out.bias[i] = s.axis.dot(s.torque) + s.moment.dot(s.force);
      momentum = s.mass * s.moment + s.axis.cross(s.mc);
      angular = s.I * s.axis + s.mc.cross(s.moment);
    } else {
      out.bias[i] = s.axis.dot(s.force);
      momentum = s.mass * s.axis;
      angular = s.mc.cross(s.axis);
    }
    for (int j = 0; j < i; ++j) out.M[i][j] = out.M[j][i] = 0.0;
    for (int j = i; j != kBase; j = tree.link(j).parent) {
      const Sweep& t = sweep[j];
      const double m = tree.link(j).revolute ? t.axis.dot(angular) + t.moment.dot(momentum)
                                             : t.axis.dot(momentum);
      out.M[i][j] = m;
      out.M[j][i] = m;
    }
    if (link.parent != kBase) {
      Sweep& parent = sweep[link.parent];
      parent.force += s.force;
      parent.torque += s.torque;
      parent.mass += s.mass;
      parent.mc += s.mc;
      parent.I += s.I;
    }
  }
}

}  // namespace knuckleboom::multibody
