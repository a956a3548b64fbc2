// Closed loops on top of the tree, by embedding (coordinate partitioning): some joints are independent, the
// others follow from them, q_d = f(q_i), so that the loops stay closed to the resolution of the numbers.
//   point-point: a point of body a coincides with one of body b.
//   point-line:  a point of body a stays on a line fixed to body b.
// Couplings of joints, q_joint = ratio q_follows + offset (gears, chains, racks), are rows of the same kind
// with a constant Jacobian.
// With v = B u, u the rates of the independent joints, and v_dot = B u_dot + gamma:
//   B^T M B u_dot + B^T (bias + M gamma) = B^T tau.
// Loops and couplings that share joints form a group; groups are solved one by one. docs/theory/loops.md
//
// Sources: R. Wehage, E. Haug, ASME J. Mech. Des. 104 (1982) 247-255; loop frames after R. Featherstone,
// Rigid Body Dynamics Algorithms (2008), ch. 8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom::multibody {

inline constexpr int kMaxLoops = 8;
inline constexpr int kMaxCouplings = 16;
inline constexpr int kMaxConstraints = kMaxLoops + kMaxCouplings;
inline constexpr int kMaxRows = 3 * kMaxLoops + kMaxCouplings;

enum class LoopKind { kPointPoint, kPointLine };

struct Loop {
  std::string name;
  LoopKind kind = LoopKind::kPointPoint;
  int body_a = kBase, body_b = kBase;  // kBase: the ground, in world axes
  Vec3 point_a = Vec3::Zero();         // m, in body a
  Vec3 point_b = Vec3::Zero();         // m, in body b; of a line: any of its points
  Vec3 direction_b = Vec3::UnitX();    // of the line, in body b
};

// A joint that follows another one: q[joint] = ratio q[follows] + offset.
struct Coupling {
  int joint = 0, follows = 0;  // links
  double ratio = 1.0;          // rad or m of the joint per rad or m of the other
  double offset = 0.0;         // rad, m
};

// Two points of the tree and the joints between them, without the joints common to both.
class PointPair {
 public:
  PointPair() = default;
  PointPair(const Tree& tree, int body_a, const Vec3& point_a, int body_b, const Vec3& point_b);

  struct Chain {
    int length = 0;
    int link[kMaxLinks];  // outward from the last common link, which is excluded
  };
  // Relative to the last common link.
  struct Place {
    Vec3 a, b;                                // both points
    Mat3 R_b;                                 // orientation of the link that carries b
    Vec3 axis[kMaxLinks], origin[kMaxLinks];  // of the joints between them
  };
  void locate(const Tree& tree, const double* q, Place& out) const;

  const Chain& chain_a() const { return a_; }
  const Chain& chain_b() const { return b_; }
  int link_a() const { return link_a_; }
  int link_b() const { return link_b_; }
  const Vec3& point_a() const { return point_a_; }  // in their links
  const Vec3& point_b() const { return point_b_; }

  // Distance of the points [m]; row[j]: its derivative by joint j (link_count() entries, zero
  // elsewhere).
  double distance(const Tree& tree, const double* q, double* row) const;

 private:
  Chain a_, b_;
  int link_a_ = kBase, link_b_ = kBase;
  Vec3 point_a_ = Vec3::Zero(), point_b_ = Vec3::Zero();  // in their links
};

// Dependence of the joints on each other at one position. Arrays by joint.
struct Embedding {
  struct Group {
    int dependents, independents;
    int dependent[kMaxLinks], independent[kMaxLinks];
    int rows;
    int row_of[kMaxRows];    // constraint of each row: the loops, then the couplings
    int row_axis[kMaxRows];  // of a loop
  };
  int groups;
  Group group[kMaxConstraints];
  double T[kMaxLinks][kMaxRows];   // of a dependent: v_d = -T (rows of its group at v_d = 0)
  bool undetermined[kMaxLinks];    // of a dependent: no row determines it, it keeps its motion
  double B[kMaxLinks][kMaxLinks];  // [dependent][independent of its group]
  double gamma[kMaxLinks];         // of the dependents, by add_gamma()
  // Over all groups: how well the dependent joints are determined (1: well, 0: not at all; the
  // smallest pivot over the group's reach), and the worst constraint: a loop, or kMaxLoops + a coupling.
  double quality;
  int worst;
  double gap;  // of the constraints that are not met [m; rad]; 0: all are
  int open;    // the worst of them
  PointPair::Place place[kMaxLoops];
  Vec3 axis[kMaxLoops][3];  // of each loop's rows, relative to its last common link
};

class LoopSystem {
 public:
  LoopSystem() = default;
  // Throws std::invalid_argument, naming the loop or joint: too many, a body that does not exist, a loop
  // that no joint can close, a line without direction, a joint that follows twice or, round a circle, itself,
  // a ratio of zero, numbers that are not finite. held (bit j: joint j): joints that never move.
  LoopSystem(const Tree& tree, const std::vector<Loop>& loops,
             const std::vector<Coupling>& couplings = {}, std::int64_t held = 0);

  bool empty() const { return groups_.empty(); }
  int loop_count() const { return static_cast<int>(loops_.size()); }
  int group_count() const { return static_cast<int>(groups_.size()); }
  // Constraints of a group, and the joints that take part in them. A constraint is a loop, or kMaxLoops + a
  // coupling.
  struct Group {
    std::vector<int> loop, coupling, joint;
    bool linear() const { return loop.empty(); }  // couplings alone
    int first() const { return linear() ? kMaxLoops + coupling.front() : loop.front(); }
  };
  const Group& group(int g) const { return nth(groups_, g); }
  // The group that a constraint belongs to.
  int group_of(int constraint) const;
  bool has(int joint) const { return (joints_ >> joint & 1) != 0; }

  // Moves the joints with fixed[j] false until all constraints are met, starting from q, and from
  // elsewhere if that fails. Returns -1, or the constraint that is not met, with the smallest gap found
  // [m; rad]. For set-up. Where only couplings join joints, the first fixed one leads, else the
  // one that follows none.
  int assemble(const Tree& tree, const bool* fixed, double* q, double& gap) const;

  // Dependent joints (bit j: joint j) for a closed position: by pivoting, first among the joints with
  // keep[j] false. rank: expected number, or 0; fewer than that are returned where the rank drops.
  std::int64_t choose(const Tree& tree, const double* q, const bool* keep) const;
  // Number of dependent joints away from singular positions.
  int rank(const Tree& tree, const double* q) const;

  // Closes the loops by the dependent joints, starting from q, and computes B there. v: expected
  // rates of the joints, for joints that a singular position leaves undetermined.
  void embed(const Tree& tree, std::int64_t dependent, const double* v, double* q,
             Embedding& out) const;
  // Accelerations of the dependent joints at rates v (on the constraint) with u_dot = 0. a: as expected.
  void add_gamma(const Tree& tree, const double* v, const double* a, Embedding& e) const;
  // Forces that hold the dependent joints: of body b on body a at each loop's point, in world axes, and of
  // each coupling on the joint that follows [N m, N]. joint_force: missing force of the dependent joints.
  // force_W: kMaxLoops rows; coupling_force: by joint, entries of other joints are unchanged.
  void forces(const Tree& tree, const Embedding& e, const double* q, const double* joint_force,
              double (*force_W)[3], double* coupling_force) const;
  // Largest gap of a loop or coupling at q [m; rad].
  double gap(const Tree& tree, const double* q) const;

 private:
  struct Path {
    PointPair pair;
    int rows;
    Mat3 E_b;  // rows' directions, one per column, in the link of body b
  };
  struct Work;
  void evaluate(const Tree& tree, const Group& group, const double* q, Work& w,
                Embedding* out) const;
  double closing_error(const Tree& tree, const Group& group, const double* q) const;
  double coupling_error(int coupling, const double* q) const;
  bool follow(const Group& group, const bool* fixed, double* q, int& open, double& gap) const;
  bool close_group(const Tree& tree, const Group& group, const bool* fixed, double* q) const;

  std::vector<Path> loops_;
  std::vector<Coupling> couplings_;
  std::vector<Group> groups_;
  std::int64_t joints_ = 0;
  double arm_[kMaxLinks] = {};  // how far a loop's point may be from a revolute joint [m]; else 1
};

// v_d = B u: fills the rates of the dependent joints from those of the independent ones.
inline void expand(const Embedding& e, double* v) {
  for (int g = 0; g < e.groups; ++g) {
    const Embedding::Group& group = e.group[g];
    for (int d = 0; d < group.dependents; ++d) {
      const int row = group.dependent[d];
      double sum = 0.0;
      for (int i = 0; i < group.independents; ++i)
        sum += e.B[row][group.independent[i]] * v[group.independent[i]];
      v[row] = sum;
    }
  }
}
// B^T tau: adds the forces on the dependent joints to the independent ones.
inline void project(const Embedding& e, double* tau) {
  for (int g = 0; g < e.groups; ++g) {
    const Embedding::Group& group = e.group[g];
    for (int i = 0; i < group.independents; ++i) {
      const int column = group.independent[i];
      double sum = 0.0;
      for (int d = 0; d < group.dependents; ++d)
        sum += e.B[group.dependent[d]][column] * tau[group.dependent[d]];
      tau[column] += sum;
    }
  }
}
// B^T M B in the rows and columns of the independent joints; the others are unchanged.
void project(const Embedding& e, int n, double (*M)[kMaxLinks]);

}  // namespace knuckleboom::multibody
