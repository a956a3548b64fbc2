// Standing trees that a harvester's head grips, saws and lets fall. docs/theory/timber.md, "In a session".
//
// Two trees may move: one that is or was in the head, and another one that still falls or is pushed. Each is a
// timber::Felling whose stump stands on level ground; what lies is kept as a line. They meet the world as parts, row
// after row of capsules.
// Constant; what changes is in a TimberState, a value.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/timber/bucking.hpp"
#include "knuckleboom/core/timber/felling.hpp"
#include "knuckleboom/core/timber/head.hpp"
#include "knuckleboom/core/timber/tree.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::worksite {

inline constexpr int kMaxFelled = 32;
inline constexpr int kMaxCutLogs = 64;
inline constexpr int kMostProducts = 40;
static_assert(kMaxCutLogs <= world::StemChanges::kMostCutOff);
inline constexpr int kTreeParts = 8;  // of a stem, as it meets others
inline constexpr int kMaxMovingTrees = 2;
inline constexpr int kPresets = 6;  // of lengths, the first ones of the price list

// One of the world's stems that is a tree.
struct StandingTree {
  int stem = 0;  // its number in the world
  timber::Tree tree;
  timber::Species species;
};

// An operator's demand on the head, beside the lever of its knives.
struct HeadDemand {
  double tilt = 0.0;  // -1 down .. 1 up
  bool saw = false;
  double feed = 0.0;   // -1 .. 1 towards the tip, of the rollers' full speed
  bool reset = false;  // the wheel to zero, where the saw is
  int length =
      0;  // 1 to kPresets: to that length; kPresets + 1: to the one of highest value; 0: none
};

// The tree that moves: its form and, as a timber::FellingState, where it is, from the stump's foot.
struct MovingTree {
  timber::FellingForm form;
  double stump, towards;  // height of the cut [m], where it is to fall [rad from x]
  double t_s;
  double p[3], v[3], n[3], omega[3];
  double cut, stump_anchor[3];
  double rest_weak, rest_strong, bent_weak, bent_strong;
  double torn[timber::kRimPoints];
  double calm_s, pushed_J, lost_J, released_J;
  double grip_at, grip_work_J, grip_lost_J;
  double from;                          // height of its lower end on the tree [m]
  double bare_to;                       // and that up to which its branches are off
  double whorl_cut;                     // way of the knives into the next whorl [m]
  double grip_radius;                   // as the head holds it [m]
  double zero_at;                       // of the wheel, from the lower end [m]
  double fed_m, fed_back_m, slipped_m;  // by the rollers, and of their rims on the stem
  double kerf, kerf_at;                 // of the cut across it: depth, from the lower end [m]
  // Feeding to a length: with branches that hold the stem, and where a run-up at them begins and ends.
  double stalled_s, back_to, clear_at;
  std::int32_t runs_up, rams;
  std::int32_t pieces, reserved;  // cut off so far
  std::int32_t stem;              // of the world; -1: none moves
  std::int32_t gripped;           // 1: in the head
  std::int32_t attached;          // 1: by root and uncut wood
  std::int32_t pinched, on_stump, jumped;
  std::int32_t off;   // points of the rim beside the stump, by bits
  std::int32_t hits;  // other stems that it has struck
};
constexpr auto state_fields(const MovingTree* /*type*/) {
  using namespace knuckleboom::state;
  using S = MovingTree;
  return state::fields_of<S>(
      KB_FIELD(form), KB_FIELD(stump, kPositive), KB_FIELD(towards, kPosition),
      KB_FIELD(t_s, kPositive), KB_FIELD(p, kPosition), KB_FIELD(v, kSpeed),
      KB_FIELD(n, kDirection), KB_FIELD(omega, kSpeed), KB_FIELD(cut, kPositive),
      KB_FIELD(stump_anchor, kPosition), KB_FIELD(rest_weak, kPosition),
      KB_FIELD(rest_strong, kPosition), KB_FIELD(bent_weak, kPosition),
      KB_FIELD(bent_strong, kPosition), KB_FIELD(torn, kPosition), KB_FIELD(calm_s, kPositive),
      KB_FIELD(pushed_J), KB_FIELD(lost_J), KB_FIELD(released_J), KB_FIELD(grip_at, kPosition),
      KB_FIELD(grip_work_J), KB_FIELD(grip_lost_J), KB_FIELD(from, kPositive),
      KB_FIELD(bare_to, kPositive), KB_FIELD(whorl_cut, kPositive),
      KB_FIELD(grip_radius, kPositive), KB_FIELD(zero_at, kPosition), KB_FIELD(fed_m, kPositive),
      KB_FIELD(fed_back_m, kPositive), KB_FIELD(slipped_m, kPositive), KB_FIELD(kerf, kPositive),
      KB_FIELD(kerf_at, kPosition), KB_FIELD(stalled_s, kPositive), KB_FIELD(back_to, kPosition),
      KB_FIELD(clear_at, kPosition), KB_FIELD(runs_up, kFlag), KB_FIELD(rams, kFlag),
      KB_FIELD(pieces, kCounter32), KB_FIELD(reserved, kZero),
      KB_FIELD(stem, none_or_below(timber::kMostStems), Along::kAll, -1), KB_FIELD(gripped, kFlag),
      KB_FIELD(attached, kFlag), KB_FIELD(pinched, kFlag), KB_FIELD(on_stump, kFlag),
      KB_FIELD(jumped, kFlag), KB_FIELD(off, bits(timber::kRimPoints)), KB_FIELD(hits, kCounter32));
}

// Stems that have been struck or gripped, one bit each.
struct HurtStems {
  static constexpr int kWords = (timber::kMostStems + 31) / 32;
  std::int64_t bits[kWords];
  void add(int stem) { bits[stem / 32] |= std::int64_t{1} << (stem % 32); }
  bool has(int stem) const { return (bits[stem / 32] >> (stem % 32) & 1) != 0; }
};
constexpr auto state_fields(const HurtStems* /*type*/) {
  using namespace knuckleboom::state;
  using S = HurtStems;
  return state::fields_of<S>(KB_FIELD(bits, state::bits(32)));
}

// A tree that lies.
struct FelledTree {
  double butt[3], n[3];  // world; towards the tip
  double stump;          // height of its stump [m]
  double from, bare_to;  // heights on the tree: of its butt, and up to which it is without branches
  std::int32_t stem, hits;
};
constexpr auto state_fields(const FelledTree* /*type*/) {
  using namespace knuckleboom::state;
  using S = FelledTree;
  return state::fields_of<S>(KB_FIELD(butt, kPosition), KB_FIELD(n, kDirection),
                             KB_FIELD(stump, kPositive), KB_FIELD(from, kPositive),
                             KB_FIELD(bare_to, kPositive),
                             KB_FIELD(stem, below(timber::kMostStems)), KB_FIELD(hits, kCounter32));
}

// A log that has been cut off: the world's spare log of that number.
struct CutLog {
  world::LogSize size;                // of the cylinder that has its length, volume and mass
  double from;                        // height of its thick end on the tree [m]
  double wanted_m;                    // length that was asked for; 0: none
  double measured_m, measured_top_m;  // length and diameter of its thin end, by the head
  std::int32_t stem, product;         // of the price list; -1: none
};
constexpr auto state_fields(const CutLog* /*type*/) {
  using namespace knuckleboom::state;
  using S = CutLog;
  return state::fields_of<S>(
      KB_FIELD_AS("length", size.length, kPositive), KB_FIELD_AS("radius", size.radius, kPositive),
      KB_FIELD_AS("density", size.density, kPositive), KB_FIELD(from, kPositive),
      KB_FIELD(wanted_m, kPositive), KB_FIELD(measured_m, kPosition),
      KB_FIELD(measured_top_m, kPositive), KB_FIELD(stem, below(timber::kMostStems)),
      KB_FIELD(product, none_or_below(kMostProducts), Along::kAll, 0));
}

struct TimberState {
  double tilt_reference;                 // of the head's joint [rad]
  double bar;                            // of the saw: 0 at home .. 1 at the wood or in it
  double press;                          // of the knives: share of their force
  double roller;                         // speed of the rollers' rims, positive towards a tip [m/s]
  double wanted_m;                       // length to feed to; 0: none
  std::int32_t reset_held, length_held;  // by the operator, as in a HeadDemand
  std::int32_t product, reserved;        // of that length; -1: none
  std::int64_t leaving;  // stem + 1 of the tree that the head has let go, until it is clear of it
  std::int64_t felled_count, cut_count;
  MovingTree moving, falling;  // the one that is or was last in the head; another one
  HurtStems hurt;
  FelledTree felled[kMaxFelled];
  CutLog cut[kMaxCutLogs];
};
constexpr auto state_fields(const TimberState* /*type*/) {
  using namespace knuckleboom::state;
  using S = TimberState;
  return state::fields_of<S>(
      KB_FIELD(tilt_reference, kPosition), KB_FIELD(bar, kShare), KB_FIELD(press, kShare),
      KB_FIELD(roller, kSpeed), KB_FIELD(wanted_m, kPositive), KB_FIELD(reset_held, kFlag),
      KB_FIELD(length_held, below(kPresets + 2)),
      KB_FIELD(product, none_or_below(kMostProducts), Along::kAll, -1), KB_FIELD(reserved, kZero),
      KB_FIELD(leaving, below(timber::kMostStems + 1)),
      KB_FIELD(felled_count, below(kMaxFelled + 1)), KB_FIELD(cut_count, below(kMaxCutLogs + 1)),
      KB_FIELD(moving), KB_FIELD(falling), KB_FIELD(hurt), KB_FIELD(felled), KB_FIELD(cut));
}

// The head in this tick, world frame.
struct HeadFrame {
  Vec3 p_W, axis_W,
      reach_W;        // middle of the line between the knives' hinges; towards the tip; to the stem
  Vec3 v_W, omega_W;  // of the head at p
};

// Forces of a stem on the head, and where they act.
struct HeadLoad {
  int count = 0;
  Vec3 p_W[3], f_W[3];
};

// By wheel and knives, of a stem that is off its stump [m].
struct HeadReading {
  double length = 0.0, diameter = 0.0;
};

class FellingSite {
 public:
  // The world must outlive it.
  FellingSite(const machine::MachineModel& machine, const world::World& world,
              std::vector<StandingTree> trees, timber::PriceList prices);

  bool present() const { return head_.present && !trees_.empty(); }
  void start(TimberState& state) const;
  // A tree that closing knives would take, -1: none: number among the trees.
  int between_knives(const world::GrappleFrame& frame, double opening,
                     const TimberState& state) const;
  // Smallest opening about a tree: as it stands, as it lies where the head is, or as it is in the head.
  double around(int tree, const Vec3& pin_W, const TimberState& state) const;
  int stem_of(int tree) const { return trees_[static_cast<std::size_t>(tree)].stem; }
  // The tree in the head, -1: none.
  int gripped(const TimberState& state) const;
  void grip(int tree, const HeadFrame& head, TimberState& state) const;
  void let_go(TimberState& state) const;

  // One tick of trees and saw. touch, other_touch: of the moving tree and of the other one; null: it meets nothing.
  void step(const HeadDemand& demand, const HeadFrame& head, double dt, TimberState& state,
            world::WorldState& world, HeadLoad& load, const timber::FellingTouch* touch = nullptr,
            const timber::FellingTouch* other_touch = nullptr) const;
  // The moving tree and those that lie, as far as they may meet something in this tick. machine: its parts. Returns
  // their number.
  int parts(std::span<const world::MachinePart> machine, double dt, const TimberState& state,
            const world::WorldState& world, std::span<world::MachinePart> out) const;
  // Whether the tree that the head has let go is out of the reach of its knives.
  void look_at_leaving(const world::GrappleFrame& frame, TimberState& state) const;
  // 1/kg, of the moving tree at a point. arm: to it from the tree's centre.
  static double inverse_mass(const MovingTree& tree, const Vec3& arm_W, const Vec3& n_W);
  Vec3 centre_W(const MovingTree& tree) const { return foot_W(tree.stem) + vec(tree.p); }
  Vec3 butt_W(const MovingTree& tree) const {
    return centre_W(tree) - tree.form.centre * vec(tree.n);
  }
  // Stems that trees and machine have come upon, and trees that lie and are pushed, which move again.
  void feel(std::span<const world::MachinePart> parts, const world::PartForces& forces,
            TimberState& state) const;
  // Torque of the tilt [N m]. q, v: of its joint.
  double tilt_torque(const HeadDemand& demand, double q, double v, double dt,
                     TimberState& state) const;
  // Stems that are cut, and the one in the head. between: the tree between its knives; -1: none.
  void changes(const TimberState& state, int between, world::StemChanges& out) const;
  // A log of the world, as it was cut off if it was.
  world::LogSize size_of(int log, const TimberState& state) const;
  // For another log that is cut off.
  bool has_room(const TimberState& state) const;
  // For a log of that radius: the smallest opening about it, and its seat then, from the pin [m].
  double around_radius(double radius) const;
  double seat_of(double radius) const;
  const timber::PriceList& prices() const { return prices_; }

  // The moving tree: its dynamics and its state, from the foot of its stump.
  timber::Felling felling(const MovingTree& tree) const;
  static timber::FellingState felling_state(const MovingTree& tree);
  timber::FellingGrip grip_of(const HeadFrame& head, const TimberState& state) const;
  Vec3 foot_W(int stem) const;
  HeadReading reading(const TimberState& state) const;
  const timber::FeedLaw& feed_law() const { return feed_; }
  const std::vector<StandingTree>& trees() const { return trees_; }

 private:
  int tree_of(int stem) const;
  void set_up(int tree, double stump, double towards, TimberState& state) const;
  void begin_cut(const HeadFrame& head, TimberState& state) const;
  void look_at_ground(const MovingTree& tree, timber::FellingGround& out) const;
  void take_up(int felled, const Vec3& pin_W, MovingTree& m, TimberState& state) const;
  void lay_down(MovingTree& m, TimberState& state) const;
  void make_room(int stem, TimberState& state) const;
  bool is_pushed(const FelledTree& felled, const Vec3& force) const;
  void step_other(double dt, const timber::FellingTouch* touch, TimberState& state) const;
  void resist(const TimberState& state, timber::FellingGrip& grip) const;
  void fit(double dt, bool at_rest, TimberState& state) const;
  void turn_rollers(double wanted, double held, double dt, TimberState& state) const;
  void delimb(TimberState& state, timber::FellingState& s) const;
  void reform(double from, double bare_to, MovingTree& m, timber::FellingState& s) const;
  const timber::Whorl* next_whorl(const MovingTree& m) const;
  void choose(int length, TimberState& state) const;
  void plan(TimberState& state) const;
  void plan_anew(double way, TimberState& state) const;
  double wanted_feed(const HeadDemand& demand, TimberState& state) const;
  bool saw_through(double dt, TimberState& state) const;
  void cut_off(TimberState& state, timber::FellingState& s, world::WorldState& world) const;
  const timber::Tree& grown(const MovingTree& m) const;
  // Along the stem from its lower end; height on the tree of the knives at the tip's end [m].
  double saw_at(const MovingTree& m) const { return m.grip_at - head_.saw_distance; }
  double knives_at(const MovingTree& m) const {
    return m.from + m.grip_at + 0.5 * head_.knife_distance;
  }

  machine::Head head_;
  const world::World& world_;
  std::vector<StandingTree> trees_;
  std::vector<double> around_;                     // smallest opening about each
  std::vector<double> around_radius_, seat_;       // the same by the radius, and the seat
  std::array<int, timber::kMostStems> tree_of_{};  // by stem; -1: a post
  double lower_ = 0.0, upper_ = 0.0;               // of the tilt joint [rad]
  timber::SawLaw saw_;
  timber::FeedLaw feed_;
  timber::MeasureLaw measure_;
  timber::PriceList prices_;
};

// First thing that a stored state of this site cannot be: "moving.stem is ..."; empty: it can.
std::string check_state(const FellingSite& site, const world::World& world,
                        const world::WorldState& world_state, const TimberState& state);

}  // namespace knuckleboom::worksite
