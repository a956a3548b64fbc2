// Composite rigid bodies and Newton-Euler in one outward and one inward sweep, in link frames.
//
// In its own frame, z along the joint axis, a link's inertia is constant, a unit joint rate selects
// single components, and the rotation to the parent is planar. It uses plain numbers: this is the
// most expensive part of a tick, and the compiler keeps them in registers, whereas small matrices
// go through memory.
#include <utility>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::multibody {
namespace {

struct V {
  double x, y, z;
};
inline V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V operator*(double s, V a) { return {s * a.x, s * a.y, s * a.z}; }
inline V cross(V a, V b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V from(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline V row(const Mat3& m, int i) { return {m(i, 0), m(i, 1), m(i, 2)}; }
inline V column(const Mat3& m, int i) { return {m(0, i), m(1, i), m(2, i)}; }

struct Sym {
  double xx, yy, zz, xy, xz, yz;
};
inline V operator*(const Sym& s, V v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
inline Sym operator+(const Sym& a, const Sym& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

// E I E^T.
inline Sym rotate(const Mat3& E, const Sym& I) {
  const V r0 = row(E, 0), r1 = row(E, 1), r2 = row(E, 2);
  const V t0 = I * r0, t1 = I * r1, t2 = I * r2;
  return {dot(r0, t0), dot(r1, t1), dot(r2, t2), dot(r0, t1), dot(r0, t2), dot(r1, t2)};
}

// Rotation about z.
inline Sym rotate(double c, double s, const Sym& I) {
  const double cc = c * c, ss = s * s, cs = c * s;
  const double mixed = 2.0 * cs * I.xy;
  return {
      cc * I.xx + ss * I.yy - mixed,         ss * I.xx + cc * I.yy + mixed, I.zz,
      cs * (I.xx - I.yy) + (cc - ss) * I.xy, c * I.xz - s * I.yz,           s * I.xz + c * I.yz};
}

// Inertia about a point, given that about another at p from it and the first moment mc about that one:
// I + m (p.p 1 - p p^T) + 2 (p.mc) 1 - p mc^T - mc p^T.
inline Sym shift(const Sym& I, double mass, V mc, V p) {
  const V g = mc + 0.5 * mass * p;  // folds the m p p^T terms into the mixed ones
  const double xx = 2.0 * p.x * g.x, yy = 2.0 * p.y * g.y, zz = 2.0 * p.z * g.z;
  return {I.xx + yy + zz,
          I.yy + xx + zz,
          I.zz + xx + yy,
          I.xy - p.x * g.y - p.y * g.x,
          I.xz - p.x * g.z - p.z * g.x,
          I.yz - p.y * g.z - p.z * g.y};
}

struct Sweep {
  double c, s;     // of the joint angle
  V r;             // link origin in the parent's frame
  V up;            // axis of a parent on the base, in the link's frame
  V omega, alpha;  // angular velocity and acceleration, at zero joint accelerations
  V a;             // acceleration of the origin; gravity as an upward acceleration of the base
  // Composite quantities, summed inward.
  V force, torque, mc;
  double mass;
  Sym I;
};

inline V to_link(const Link& link, const Sweep& s, V v) {
  if (!link.aligned) {
    const Mat3& E = link.in_parent.R;
    v = {dot(column(E, 0), v), dot(column(E, 1), v), dot(column(E, 2), v)};
  }
  return {s.c * v.x + s.s * v.y, s.c * v.y - s.s * v.x, v.z};
}

inline V to_parent(const Link& link, const Sweep& s, V v) {
  const V w{s.c * v.x - s.s * v.y, s.s * v.x + s.c * v.y, v.z};
  if (link.aligned) return w;
  const Mat3& E = link.in_parent.R;
  return {dot(row(E, 0), w), dot(row(E, 1), w), dot(row(E, 2), w)};
}

inline void place(const Link& link, bool turns, double q, Sweep& s) {
  s.r = from(link.in_parent.p);
  if (turns) {
    const SinCos t = sin_cos(q);
    s.c = t.cos;
    s.s = t.sin;
  } else {
    s.c = 1.0;
    s.s = 0.0;
    s.r = s.r + q * column(link.in_parent.R, 2);
  }
}

// A link on the base rotates about its own axis only, and only that axis is needed: most of its
// vectors have one component.
inline void outward_root(const Link& link, bool turns, V up, double v, Sweep& s) {
  s.a = to_link(link, s, up);
  s.alpha = {0.0, 0.0, 0.0};
  s.omega = {0.0, 0.0, turns ? v : 0.0};
}

inline void outward(const Link& link, bool turns, const Sweep& parent, bool parent_is_root,
                    double v, Sweep& s) {
  const V& w = parent.omega;
  if (parent_is_root) {
    const double ww = w.z * w.z;
    s.a = to_link(link, s, parent.a + V{-ww * s.r.x, -ww * s.r.y, 0.0});
    s.alpha = {0.0, 0.0, 0.0};
    const V z = link.aligned ? V{0.0, 0.0, 1.0} : row(link.in_parent.R, 2);
    s.up = {s.c * z.x + s.s * z.y, s.c * z.y - s.s * z.x, z.z};
    const V turn = w.z * z;
    s.omega = {s.c * turn.x + s.s * turn.y, s.c * turn.y - s.s * turn.x, turn.z};
  } else {
    s.a = to_link(link, s, parent.a + cross(parent.alpha, s.r) + cross(w, cross(w, s.r)));
    s.alpha = to_link(link, s, parent.alpha);
    s.omega = to_link(link, s, w);
  }
  // omega x (v z)
  const double x = v * s.omega.y;
  const double y = -v * s.omega.x;
  if (turns) {
    s.alpha.x += x;
    s.alpha.y += y;
    s.omega.z += v;
  } else {
    s.a.x += 2.0 * x;
    s.a.y += 2.0 * y;
  }
}

inline void own(const LinkInertia& body, bool root, Sweep& s) {
  s.mass = body.mass;
  s.mc = {body.mc[0], body.mc[1], body.mc[2]};
  s.I = {body.I[0], body.I[1], body.I[2], body.I[3], body.I[4], body.I[5]};
  if (root) {
    // Components along the axis alone: the gyroscopic terms have none.
    s.force = {0.0, 0.0, s.mass * s.a.z};
    s.torque = {0.0, 0.0, s.mc.x * s.a.y - s.mc.y * s.a.x};
    return;
  }
  s.force = s.mass * s.a + cross(s.alpha, s.mc) + cross(s.omega, cross(s.omega, s.mc));
  s.torque = s.I * s.alpha + cross(s.omega, s.I * s.omega) + cross(s.mc, s.a);
}

// Below, the parent stands on the base: only what is along its axis counts.
inline double component_along_parent(const Link& link, const Sweep& s, V v) {
  return link.aligned ? v.z : dot(s.up, v);
}

inline double inertia_about_parent_axis(const Link& link, const Sweep& s, V mc) {
  const double zz = link.aligned ? s.I.zz : dot(s.up, s.I * s.up);
  const V g = mc + 0.5 * s.mass * s.r;
  return zz + 2.0 * (s.r.x * g.x + s.r.y * g.y);
}

inline void add_to_parent(const Link& link, bool turns, const Sweep& s, bool parent_is_root,
                          Sweep& parent) {
  const V force = to_parent(link, s, s.force);
  const V mc = to_parent(link, s, s.mc);
  parent.mass += s.mass;
  parent.mc = parent.mc + mc + s.mass * s.r;
  if (parent_is_root) {
    parent.force.z += force.z;
    parent.torque.z +=
        component_along_parent(link, s, s.torque) + s.r.x * force.y - s.r.y * force.x;
    parent.I.zz += inertia_about_parent_axis(link, s, mc);
    return;
  }
  parent.force = parent.force + force;
  parent.torque = parent.torque + to_parent(link, s, s.torque) + cross(s.r, force);
  Sym I = turns ? rotate(s.c, s.s, s.I) : s.I;
  if (!link.aligned) I = rotate(link.in_parent.R, I);
  parent.I = parent.I + shift(I, s.mass, mc, s.r);
}

// Whether each link turns on the one before it, the first on the base.
inline bool is_chain(const Tree& tree, int n) {
  for (int i = 0; i < n; ++i)
    if (!tree.link(i).revolute || tree.link(i).parent != i - 1) return false;
  return true;
}

// do_this(i) for every link, from the base outward or back. Chain > 0: their number, known when compiling.
template <int Chain, class Each>
inline void outward_over(int n, Each do_this) {
  if constexpr (Chain > 0) [&]<int... I>(std::integer_sequence<int, I...>) {
      (do_this(I), ...);
    }
  (std::make_integer_sequence<int, Chain>{});
  else for (int i = 0; i < n; ++i) do_this(i);
}
template <int Chain, class Each>
inline void inward_over(int n, Each do_this) {
  outward_over<Chain>(
      n, [&](int i) __attribute__((always_inline)) { do_this(n - 1 - i); });
}

// Chain > 0: number of links of such a chain: loops unroll and most branches go; 0: any tree.
template <int Chain>
inline void sweep_both_ways(const Tree& tree, const LinkInertia* inertia, const double* q,
                            const double* v, MassAndBias& out) {
  const int n = Chain > 0 ? Chain : tree.link_count();
  const auto parent_of = [&](int i) { return Chain > 0 ? i - 1 : tree.link(i).parent; };
  const auto is_root = [&](int i) { return parent_of(i) == kBase; };
  const auto turns = [&](int i) { return Chain > 0 || tree.link(i).revolute; };
  Sweep sweep[Chain > 0 ? Chain : kMaxLinks];
  const V up = -1.0 * from(tree.gravity_W);
  outward_over<Chain>(
      n, [&](int i) __attribute__((always_inline)) {
        const Link& link = tree.link(i);
        Sweep& s = sweep[i];
        place(link, turns(i), q[i], s);
        if (is_root(i))
          outward_root(link, turns(i), up, v[i], s);
        else
          outward(link, turns(i), sweep[parent_of(i)], is_root(parent_of(i)), v[i], s);
        own(inertia[i], is_root(i), s);
        out.sin_q[i] = s.s;
        out.cos_q[i] = turns(i) ? s.c : 0.0;
      });
  inward_over<Chain>(
      n, [&](int i) __attribute__((always_inline)) {
        const Link& link = tree.link(i);
        const Sweep& s = sweep[i];
        out.bias[i] = turns(i) ? s.torque.z : s.force.z;
        if (Chain == 0)
          for (int j = 0; j < i; ++j) out.M[i][j] = out.M[j][i] = 0.0;
        // Momentum of the composite body for a unit joint rate, propagated inward.
        V momentum = turns(i) ? V{-s.mc.y, s.mc.x, 0.0} : V{0.0, 0.0, s.mass};
        V angular = turns(i) ? V{s.I.xz, s.I.yz, s.I.zz} : V{s.mc.y, -s.mc.x, 0.0};
        out.M[i][i] = turns(i) ? angular.z : momentum.z;
        for (int j = i; !is_root(j);) {
          const Link& carried = tree.link(j);
          const Sweep& t = sweep[j];
          momentum = to_parent(carried, t, momentum);
          j = parent_of(j);
          if (is_root(j)) {
            out.M[i][j] = turns(j) ? component_along_parent(carried, t, angular) +
                                         t.r.x * momentum.y - t.r.y * momentum.x
                                   : momentum.z;
          } else {
            angular = to_parent(carried, t, angular) + cross(t.r, momentum);
            out.M[i][j] = turns(j) ? angular.z : momentum.z;
          }
          out.M[j][i] = out.M[i][j];
        }
        if (!is_root(i))
          add_to_parent(link, turns(i), s, is_root(parent_of(i)), sweep[parent_of(i)]);
      });
}

}  // namespace

void mass_and_bias(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v,
                   MassAndBias& out) {
  if (tree.link_count() == 3 && is_chain(tree, 3)) [[likely]]
    sweep_both_ways<3>(tree, inertia, q, v, out);
  else
    sweep_both_ways<0>(tree, inertia, q, v, out);
}

}  // namespace knuckleboom::multibody
