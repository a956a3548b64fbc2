// Composite rigid bodies and Newton-Euler in one outward and one inward sweep, in link frames; over a type of
// number (math/lanes.hpp).
//
// In its own frame, z along the joint axis, a link's inertia is constant, a unit joint rate selects
// single components, and the rotation to the parent is planar. It uses plain numbers: this is the
// most expensive part of a tick, and the compiler keeps them in registers, whereas small matrices
// go through memory.
#pragma once

#include <utility>

#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::multibody {

template <class T>
struct Sweeps {
  static constexpr int kBase = -1;  // parent of what stands on it
  static constexpr int kRoom = 40;  // links of any tree

  struct V {
    T x, y, z;
    friend inline V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend inline V operator*(T s, V a) { return {s * a.x, s * a.y, s * a.z}; }
  };
  static inline V cross(V a, V b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  static inline T dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  // Vectors and matrices are numbers by index, as Vec3 and Mat3.
  template <class Vector>
  static inline V from(const Vector& v) {
    return {v(0), v(1), v(2)};
  }
  template <class Matrix>
  static inline V row(const Matrix& m, int i) {
    return {m(i, 0), m(i, 1), m(i, 2)};
  }
  template <class Matrix>
  static inline V column(const Matrix& m, int i) {
    return {m(0, i), m(1, i), m(2, i)};
  }

  struct Sym {
    T xx, yy, zz, xy, xz, yz;
    friend inline V operator*(const Sym& s, V v) {
      return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
              s.xz * v.x + s.yz * v.y + s.zz * v.z};
    }
    friend inline Sym operator+(const Sym& a, const Sym& b) {
      return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    }
  };

  // E I E^T.
  template <class Matrix>
  static inline Sym rotate(const Matrix& E, const Sym& I) {
    const V r0 = row(E, 0), r1 = row(E, 1), r2 = row(E, 2);
    const V t0 = I * r0, t1 = I * r1, t2 = I * r2;
    return {dot(r0, t0), dot(r1, t1), dot(r2, t2), dot(r0, t1), dot(r0, t2), dot(r1, t2)};
  }

  // Rotation about z.
  static inline Sym rotate(T c, T s, const Sym& I) {
    const T cc = c * c, ss = s * s, cs = c * s;
    const T mixed = 2.0 * cs * I.xy;
    return {
        cc * I.xx + ss * I.yy - mixed,         ss * I.xx + cc * I.yy + mixed, I.zz,
        cs * (I.xx - I.yy) + (cc - ss) * I.xy, c * I.xz - s * I.yz,           s * I.xz + c * I.yz};
  }

  // Inertia about a point, given that about another at p from it and the first moment mc about that one:
  // I + m (p.p 1 - p p^T) + 2 (p.mc) 1 - p mc^T - mc p^T.
  static inline Sym shift(const Sym& I, T mass, V mc, V p) {
    const V g = mc + (0.5 * mass) * p;  // folds the m p p^T terms into the mixed ones
    const T xx = 2.0 * p.x * g.x, yy = 2.0 * p.y * g.y, zz = 2.0 * p.z * g.z;
    return {I.xx + yy + zz,
            I.yy + xx + zz,
            I.zz + xx + yy,
            I.xy - p.x * g.y - p.y * g.x,
            I.xz - p.x * g.z - p.z * g.x,
            I.yz - p.y * g.z - p.z * g.y};
  }

  struct Sweep {
    T c, s;          // of the joint angle
    V r;             // link origin in the parent's frame
    V up;            // axis of a parent on the base, in the link's frame
    V omega, alpha;  // angular velocity and acceleration, at zero joint accelerations
    V a;             // acceleration of the origin; gravity as an upward acceleration of the base
    // Composite quantities, summed inward.
    V force, torque, mc;
    T mass;
    Sym I;
  };

  template <class Link>
  static inline V to_link(const Link& link, const Sweep& s, V v) {
    if (!link.aligned) {
      const auto& E = link.in_parent.R;
      v = {dot(column(E, 0), v), dot(column(E, 1), v), dot(column(E, 2), v)};
    }
    return {s.c * v.x + s.s * v.y, s.c * v.y - s.s * v.x, v.z};
  }

  template <class Link>
  static inline V to_parent(const Link& link, const Sweep& s, V v) {
    const V w{s.c * v.x - s.s * v.y, s.s * v.x + s.c * v.y, v.z};
    if (link.aligned) return w;
    const auto& E = link.in_parent.R;
    return {dot(row(E, 0), w), dot(row(E, 1), w), dot(row(E, 2), w)};
  }

  template <class Link>
  static inline void place(const Link& link, bool turns, T q, Sweep& s) {
    s.r = from(link.in_parent.p);
    if (turns) {
      const BasicSinCos<T> t = sin_cos(q);
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
  template <class Link>
  static inline void outward_root(const Link& link, bool turns, V up, T v, Sweep& s) {
    s.a = to_link(link, s, up);
    s.alpha = {0.0, 0.0, 0.0};
    s.omega = {0.0, 0.0, turns ? v : T(0.0)};
  }

  template <class Link>
  static inline void outward(const Link& link, bool turns, const Sweep& parent, bool parent_is_root,
                             T v, Sweep& s) {
    const V& w = parent.omega;
    if (parent_is_root) {
      const T ww = w.z * w.z;
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
    const T x = v * s.omega.y;
    const T y = -v * s.omega.x;
    if (turns) {
      s.alpha.x += x;
      s.alpha.y += y;
      s.omega.z += v;
    } else {
      s.a.x += 2.0 * x;
      s.a.y += 2.0 * y;
    }
  }

  template <class Inertia>
  static inline void own(const Inertia& body, bool root, Sweep& s) {
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
  template <class Link>
  static inline T component_along_parent(const Link& link, const Sweep& s, V v) {
    return link.aligned ? v.z : dot(s.up, v);
  }

  template <class Link>
  static inline T inertia_about_parent_axis(const Link& link, const Sweep& s, V mc) {
    const T zz = link.aligned ? s.I.zz : dot(s.up, s.I * s.up);
    const V g = mc + (0.5 * s.mass) * s.r;
    return zz + 2.0 * (s.r.x * g.x + s.r.y * g.y);
  }

  template <class Link>
  static inline void add_to_parent(const Link& link, bool turns, const Sweep& s,
                                   bool parent_is_root, Sweep& parent) {
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

  // do_this(i) for every link, from the base outward or back. Chain > 0: their number, known when compiling.
  template <int Chain, class Each>
  static inline void outward_over(int n, Each do_this) {
    if constexpr (Chain > 0) [&]<int... I>(std::integer_sequence<int, I...>) {
        (do_this(I), ...);
      }
    (std::make_integer_sequence<int, Chain>{});
    else for (int i = 0; i < n; ++i) do_this(i);
  }
  template <int Chain, class Each>
  static inline void inward_over(int n, Each do_this) {
    outward_over<Chain>(
        n, [&](int i) __attribute__((always_inline)) { do_this(n - 1 - i); });
  }

  // Chain > 0: number of links of such a chain: loops unroll and most branches go; 0: any tree.
  // tree: as multibody::Tree. inertia: of each link, as LinkInertia. out: as MassAndBias.
  template <int Chain, class Tree, class Inertia, class Out>
  static inline void sweep_both_ways(const Tree& tree, const Inertia* inertia, const T* q,
                                     const T* v, Out& out) {
    const int n = Chain > 0 ? Chain : tree.link_count();
    const auto parent_of = [&](int i) { return Chain > 0 ? i - 1 : tree.link(i).parent; };
    const auto is_root = [&](int i) { return parent_of(i) == kBase; };
    const auto turns = [&](int i) { return Chain > 0 || tree.link(i).revolute; };
    Sweep sweep[Chain > 0 ? Chain : kRoom];
    const V up = T(-1.0) * from(tree.gravity_W);
    outward_over<Chain>(
        n, [&](int i) __attribute__((always_inline)) {
          const auto& link = tree.link(i);
          Sweep& s = sweep[i];
          place(link, turns(i), q[i], s);
          if (is_root(i))
            outward_root(link, turns(i), up, v[i], s);
          else
            outward(link, turns(i), sweep[parent_of(i)], is_root(parent_of(i)), v[i], s);
          own(inertia[i], is_root(i), s);
          out.sin_q[i] = s.s;
          out.cos_q[i] = turns(i) ? s.c : T(0.0);
        });
    inward_over<Chain>(
        n, [&](int i) __attribute__((always_inline)) {
          const auto& link = tree.link(i);
          const Sweep& s = sweep[i];
          out.bias[i] = turns(i) ? s.torque.z : s.force.z;
          if (Chain == 0)
            for (int j = 0; j < i; ++j) out.M[i][j] = out.M[j][i] = 0.0;
          // Momentum of the composite body for a unit joint rate, propagated inward.
          V momentum = turns(i) ? V{-s.mc.y, s.mc.x, 0.0} : V{0.0, 0.0, s.mass};
          V angular = turns(i) ? V{s.I.xz, s.I.yz, s.I.zz} : V{s.mc.y, -s.mc.x, 0.0};
          out.M[i][i] = turns(i) ? angular.z : momentum.z;
          for (int j = i; !is_root(j);) {
            const auto& carried = tree.link(j);
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
};

}  // namespace knuckleboom::multibody
