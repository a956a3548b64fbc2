// Machines whose joints depend on each other: closed loops, couplings, cylinders across several joints,
// bodies that are still absent. Their step runs over the independent joints. docs/theory/loops.md
#pragma once

#include <string>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::machine {

// Pivots below this share plus the joints' motion in a tick are reported as singular.
inline constexpr double kSingularQuality = 1e-4;

// The machine over its independent joints, for one step. joint[c] is the tree's joint of column c.
struct Mechanism {
  int count;
  int joint[kMaxLinks];
  double M[kMaxLinks][kMaxLinks];  // B^T M B
  multibody::Embedding embedding;
  double q_start[kMaxLinks];
};

// Joints that stay independent if possible: the driven ones.
void keep_independent(const MachineModel& model, bool* keep);

// Position of the dependent joints, choice of the independent ones and their rates, from state.q and
// state.v on. For the start and after a change of the machine.
void choose_independent(const MachineModel& model, MachineState& state);

// Mass matrix and bias at the middle of a step (step_parts.hpp), over the tree; the bias includes
// M gamma. Rates of the dependent joints in the state become those of the middle's B. exact: iterate
// until the middle is that of the step's own acceleration.
void middle_of_mechanism(const MachineModel& model, MachineState& state, double h,
                         const double* joint_force, bool exact, double* q_mid,
                         multibody::MassAndBias& body, Mechanism& out);
// Ends a step: balls take other turns where theirs determine each other poorly.
// Closes the loops: dependent positions, rates and accelerations. Chooses other independent joints where the present ones determine the rest poorly; counts singular
// positions. lossless: without damping, so that the step's energy residual is returned to the
// speeds.
void close_mechanism(const MachineModel& model, double h, bool lossless, MachineState& state,
                     Mechanism& mechanism);

// B^T row, over the independent joints.
inline void to_independent(const Mechanism& m, double* by_joint, double* out) {
  multibody::project(m.embedding, by_joint);
  for (int c = 0; c < m.count; ++c) out[c] = by_joint[m.joint[c]];
}
// v = B u.
inline void to_joints(const Mechanism& m, const double* u, double* v) {
  for (int c = 0; c < m.count; ++c) v[m.joint[c]] = u[c];
  multibody::expand(m.embedding, v);
}

// Embedding of the loops at positions q that close them. Returns the dependent joints (bit j: joint
// j).
std::int64_t embed_at(const MachineModel& model, const double* q, multibody::Embedding& out);

// Actuator displacement at joint positions q [m, rad]. row (joint_count() entries, may be null): its
// derivatives by every joint of the tree.
double displacement_row(const MachineModel& model, int actuator, const double* q, double* row);
// The same as a function of the actuator's own joint: J includes the loops; other independent
// joints are fixed. q must close the loops.
LinkageState displacement(const MachineModel& model, int actuator, const double* q);

// Forces held by the actuators at rest [N, N m], outward positive, and the loads on the independent
// joints (gravity; B^T bias) [N m, N]; entries of dependent joints are zero. outside: forces on every joint that
// help to hold; null: none.
void static_loads(const MachineModel& model, const multibody::LinkInertia* inertia, const double* q,
                  std::int64_t dependent, double* actuator_force, double* joint_load,
                  const double* outside = nullptr);

// How easily the machine gives way where it is, its loops closed and its actuators free.
class FreeMass {
 public:
  FreeMass(const MachineModel& model, const MachineState& state);
  // Rate along a row over the joints (entries to joint_count(); overwritten) that a unit impulse along it
  // causes: row M^-1 row^T. 0: nothing there can move.
  double inverse_along(double* row) const;

 private:
  Mechanism mechanism_;
  double inverse_[kMaxLinks];  // of the factored mass matrix
  bool sound_;
};

// Fixes a payload to a link (multibody::attach), conserving the momentum that the loops leave free.
void attach(const MachineModel& model, MachineState& state, int link,
            const multibody::LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W);
// An absent body joins the machine, at rest in the world until then, with its joint at its present
// position.
void assemble_body(const MachineModel& model, MachineState& state, int link);

// How messages name a constraint (multibody::LoopSystem::Group): "loop 'bucket'"; a coupling by its joint.
std::string constraint_name(const MachineModel& model, int constraint);
// A message about a singular position: the constraint and the positions of its joints.
std::string singular_sentence(const MachineModel& model, int constraint, const double* q);

}  // namespace knuckleboom::machine
