// Where a machine works: the ground, stems and logs beside a Simulation, and the jaws that take hold of a
// log. A simulation that is stepped through its worksite can grip, carry and touch.
//
//   joints -> parts of the machine -> contact, world::World -> forces on the joints -> Simulation::step
//                jaws, held log                                                              |
//                     ^------------------ logs gripped, carried, let go <--------------------+
//
// Constant; what changes is in WorksiteState, a plain value beside the simulation's own state: copy both to
// save, rewind or branch. docs/theory/contact.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/worksite/felling_site.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::worksite {

struct GrappleState {
  double opening;   // 0 closed .. 1 open
  double speed;     // 1/s, positive opens
  double log_p[3];  // centre of the held log in the frame of the grapple's body [m]
  double log_q[4];  // its orientation there, w x y z
  double
      slipping_s;  // time for which the pull on the jaws has exceeded their force; of jaws that are
                   // bodies: for which they no longer touch the log from both sides
  std::int32_t held;  // log, -1: none
  std::int32_t slot;  // payload of the simulation; -1: none, always so of jaws that are bodies
};
constexpr auto state_fields(const GrappleState* /*type*/) {
  using namespace knuckleboom::state;
  using S = GrappleState;
  return state::fields_of<S>(KB_FIELD(opening, kShare), KB_FIELD(speed, kSpeed),
                             KB_FIELD(log_p, kPosition), KB_FIELD(log_q, kDirection),
                             KB_FIELD(slipping_s, kPositive),
                             KB_FIELD(held, none_or_below(world::kMaxLogs), Along::kAll, -1),
                             KB_FIELD(slot, none_or_below(sim::kMaxPayloads), Along::kAll, -1));
}

struct WorksiteState {
  std::int64_t logs_slipped;  // out of the jaws, by too strong a pull
  GrappleState grapple;
  TimberState timber;
  world::WorldState world;
};
constexpr auto state_fields(const WorksiteState* /*type*/) {
  using namespace knuckleboom::state;
  using S = WorksiteState;
  return state::fields_of<S>(KB_FIELD(logs_slipped, kCounter), KB_FIELD(grapple), KB_FIELD(timber),
                             KB_FIELD(world));
}

// The machine's grapple, placed at the origin. Jaws that are bodies close as far as their joint goes.
world::GrappleFrame grapple_shape(const machine::MachineModel& machine);
// Where a log of usual thickness sits in it, from the pin [m].
double usual_seat(const world::GrappleFrame& shape);
// Opening at a position of the jaws' joints, 0 closed to 1 open.
double jaw_opening(const machine::MachineModel& machine, double position);

// Where the grapple takes hold, world frame.
struct Grip {
  Vec3 p_W;                  // centre of a log in it [m]: of the held one, or of a usual one
  Vec3 axis_W, downwards_W;  // of the log; from the pin through the grip, downwards at rest
};

class Worksite {
 public:
  // The simulation must outlive it. A machine without a grapple touches only. Throws
  // std::invalid_argument with one sentence for what no forest can be.
  // trees: those of its stems that a head may grip.
  Worksite(const sim::Simulation& simulation, world::WorldRecipe recipe,
           std::vector<StandingTree> trees = {}, timber::PriceList prices = {});

  // Logs where the recipe puts them, jaws empty. opening: 0 closed to 1 open, clamped; jaws that are bodies
  // are where their joints are.
  WorksiteState initial_state(double opening) const;
  // One sentence if the machine starts deep inside something; else empty. Where it only touches, contact
  // parts them gently.
  std::string start_objection(const sim::SimState& sim, const WorksiteState& state) const;

  // One tick of the simulation (0.25 to 4 ms) and of what it touches. grapple: -1 opens .. 1 closes, at
  // full speed. sim must be a state of the simulation given; the payload slot of the held log is the
  // worksite's. No heap, no exception.
  void step(const sim::TickInput& input, double grapple, sim::SimState& sim, WorksiteState& state,
            const HeadDemand& head = {}) const;

  // The held log and, in jaws that are bodies, all that they enclose with it and that touch them or each other.
  world::LogSet carried(const multibody::Kinematics& kinematics, const WorksiteState& state) const;

  const sim::Simulation& simulation() const { return simulation_; }
  const world::World& world() const { return world_; }
  const FellingSite& felling() const { return felling_; }
  // A log of the world, as it was cut off if it was.
  world::LogSize size_of(int log, const WorksiteState& state) const {
    return felling_.size_of(log, state.timber);
  }
  // Only of a machine with a grapple.
  HeadFrame head_frame(const multibody::Kinematics& kinematics) const;
  // Only of a machine with a grapple.
  Grip grip(const multibody::Kinematics& kinematics, const WorksiteState& state) const;

 private:
  struct Parts;
  class Crane;
  const machine::MachineModel& machine() const { return simulation_.model(); }
  void gather(const multibody::Kinematics& kinematics, const WorksiteState& state,
              Parts& parts) const;
  void joint_forces(const multibody::Kinematics& kinematics, const Parts& parts,
                    const world::PartForces& forces, double* tau) const;
  world::GrappleFrame grapple_frame(const multibody::Kinematics& kinematics) const;
  void move_grapple(double demand, const multibody::Kinematics& kinematics, sim::SimState& sim,
                    WorksiteState& state) const;
  bool move_knives(double before, double& next, double demand, const world::GrappleFrame& frame,
                   WorksiteState& state) const;
  void take_hold(int log, const multibody::Kinematics& kinematics, sim::SimState& sim,
                 WorksiteState& state) const;
  void use_head(const HeadDemand& demand, const multibody::Kinematics& kinematics,
                const sim::SimState& sim, const timber::FellingTouch* const (&touch)[2],
                WorksiteState& state, double* tau) const;
  static const timber::FellingTouch* touch_of_tree(const Parts& parts, int link,
                                                   const world::PartForces& forces,
                                                   timber::FellingTouch& touch);
  void let_go(sim::SimState& sim, WorksiteState& state) const;
  world::LogSet between_jaws(const multibody::Kinematics& kinematics,
                             const WorksiteState& state) const;
  double around(int log, const WorksiteState& state) const;
  double seat(int log, const WorksiteState& state) const;
  bool encloses(int log, const world::GrappleFrame& frame, const WorksiteState& state) const;
  void feel_grip(const sim::SimState& sim, const multibody::Kinematics& kinematics,
                 WorksiteState& state) const;
  void carry_log(const multibody::Kinematics& kinematics, WorksiteState& state) const;
  void watch_grip(const Parts& parts, const world::PartForces& forces, const Vec3& v_before_W,
                  sim::SimState& sim, WorksiteState& state) const;

  const sim::Simulation& simulation_;
  world::World world_;
  FellingSite felling_;
  // By log: the smallest opening around it, and its position then, from the pin [m].
  std::array<double, world::kMaxLogs> around_{}, seat_{};
  world::GrappleFrame shape_;
  double closed_ = 0.0,
         opening_per_rad_ = 0.0;  // angle of closed jaws [rad], opening beyond it [1/rad]
  double usual_seat_ = 0.0;       // of a usual log, for the empty grapple [m]
};

}  // namespace knuckleboom::worksite
