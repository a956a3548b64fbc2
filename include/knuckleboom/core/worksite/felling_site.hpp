// Standing trees that a harvester's head grips, saws and lets fall. docs/theory/timber.md, "In a session".
//
// One tree at a time moves: the one in the head, or one that still falls. It is a timber::Felling whose stump
// stands on level ground; what lies is kept as a line. Constant; what changes is in a TimberState, a value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/timber/felling.hpp"
#include "knuckleboom/core/timber/head.hpp"
#include "knuckleboom/core/timber/tree.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::worksite {

inline constexpr int kMaxFelled = 32;

// One of the world's stems that is a tree.
struct StandingTree {
  int stem = 0;  // its number in the world
  timber::Tree tree;
};

// An operator's demand on the head, beside the lever of its knives.
struct HeadDemand {
  double tilt = 0.0;  // -1 down .. 1 up
  bool saw = false;
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
  std::int32_t stem;      // of the world; -1: none moves
  std::int32_t gripped;   // 1: in the head
  std::int32_t attached;  // 1: by root and uncut wood
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
      KB_FIELD(grip_work_J), KB_FIELD(grip_lost_J),
      KB_FIELD(stem, none_or_below(timber::kMostStems), Along::kAll, -1), KB_FIELD(gripped, kFlag),
      KB_FIELD(attached, kFlag), KB_FIELD(pinched, kFlag), KB_FIELD(on_stump, kFlag),
      KB_FIELD(jumped, kFlag), KB_FIELD(off, bits(timber::kRimPoints)), KB_FIELD(hits, kCounter32));
}

// A tree that lies.
struct FelledTree {
  double butt[3], n[3];  // world; towards the tip
  double stump;          // height of its stump [m]
  std::int32_t stem, hits;
};
constexpr auto state_fields(const FelledTree* /*type*/) {
  using namespace knuckleboom::state;
  using S = FelledTree;
  return state::fields_of<S>(KB_FIELD(butt, kPosition), KB_FIELD(n, kDirection),
                             KB_FIELD(stump, kPositive), KB_FIELD(stem, below(timber::kMostStems)),
                             KB_FIELD(hits, kCounter32));
}

struct TimberState {
  double tilt_reference;  // of the head's joint [rad]
  double bar;             // of the saw: 0 at home .. 1 at the wood or in it
  double press;           // of the knives: share of their force
  std::int64_t felled_count;
  MovingTree moving;
  FelledTree felled[kMaxFelled];
};
constexpr auto state_fields(const TimberState* /*type*/) {
  using namespace knuckleboom::state;
  using S = TimberState;
  return state::fields_of<S>(KB_FIELD(tilt_reference, kPosition), KB_FIELD(bar, kShare),
                             KB_FIELD(press, kShare), KB_FIELD(felled_count, below(kMaxFelled + 1)),
                             KB_FIELD(moving), KB_FIELD(felled));
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

class FellingSite {
 public:
  // The world must outlive it.
  FellingSite(const machine::MachineModel& machine, const world::World& world,
              std::vector<StandingTree> trees);

  bool present() const { return head_.present && !trees_.empty(); }
  void start(TimberState& state) const;
  // A tree that closing knives would take, -1: none: number among the trees.
  int between_knives(const world::GrappleFrame& frame, double opening,
                     const TimberState& state) const;
  double around(int tree) const { return around_[static_cast<std::size_t>(tree)]; }
  int stem_of(int tree) const { return trees_[static_cast<std::size_t>(tree)].stem; }
  // The tree in the head, -1: none.
  int gripped(const TimberState& state) const;
  void grip(int tree, const HeadFrame& head, TimberState& state) const;
  void let_go(TimberState& state) const;

  // One tick of tree and saw.
  void step(const HeadDemand& demand, const HeadFrame& head, double dt, TimberState& state,
            HeadLoad& load) const;
  // Torque of the tilt [N m]. q, v: of its joint.
  double tilt_torque(const HeadDemand& demand, double q, double v, double dt,
                     TimberState& state) const;
  // Stems that are cut, and the one in the head.
  void changes(const TimberState& state, world::StemChanges& out) const;

  // The moving tree: its dynamics and its state, from the foot of its stump.
  timber::Felling felling(const MovingTree& tree) const;
  static timber::FellingState felling_state(const MovingTree& tree);
  timber::FellingGrip grip_of(const HeadFrame& head, const TimberState& state) const;
  Vec3 foot_W(int stem) const;
  const std::vector<StandingTree>& trees() const { return trees_; }

 private:
  int tree_of(int stem) const;
  void set_up(int tree, double stump, double towards, TimberState& state) const;
  void begin_cut(const HeadFrame& head, TimberState& state) const;
  void strike(double dt, TimberState& state) const;
  void lay_down(TimberState& state) const;

  machine::Head head_;
  const world::World& world_;
  std::vector<StandingTree> trees_;
  std::vector<double> around_;                     // smallest opening about each
  std::array<int, timber::kMostStems> tree_of_{};  // by stem; -1: a post
  double lower_ = 0.0, upper_ = 0.0;               // of the tilt joint [rad]
  timber::SawLaw saw_;
};

// First thing that a stored state of this site cannot be: "moving.stem is ..."; empty: it can.
std::string check_state(const FellingSite& site, const TimberState& state);

}  // namespace knuckleboom::worksite
