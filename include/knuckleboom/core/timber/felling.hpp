// A tree that is cut off and falls. docs/theory/timber.md.
//
// One rigid body, round about its axis and without spin, on a stump: root and uncut wood hold it as springs
// that yield and break; a saw takes the wood away by a plane cut; then it stands on its butt, tips, slides,
// jumps and comes to lie on the ground. World frame: z up, ground at z = 0, the stump's middle above the
// origin; SI units. Constant is the Felling, what moves is a FellingState, a plain value.
#pragma once

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/timber/tree.hpp"

namespace knuckleboom::timber {

inline constexpr int kStemPoints = 16;  // that may touch the ground
// Ground under the points of the stem, as planes through the places `at` with the normals `up`.
struct FellingGround {
  bool uneven = false;  // else level at z = 0
  double at[kStemPoints][3] = {}, up[kStemPoints][3] = {};
};

inline constexpr int kRimPoints = 8;  // of the butt, that may touch the stump

// How a tree is felled, and what wood, root and ground are taken for.
struct FellingSetup {
  double stump = 0.1;  // height of the cut [m]
  double towards =
      0.0;  // the bar comes from the opposite side: the last wood is on this one [rad from x]
  double hinge = 0.0;  // wood that the saw leaves, across the strip [m]
  double play =
      0.0015;  // of the bar in its kerf: the tree sits on it when it leans back farther [m]
  // Horizontal push of the head, while the tree leans by less than push_until.
  double push = 0.0, push_height = 1.0, push_towards = 0.0,
         push_until = 0.5;  // N, m over the cut, rad
  double root_stiffness =
      6e5;  // of 20 cm at the cut, growing with the cube of the diameter [N m/rad]
  double hinge_length = 0.1;   // over which the strip bends [m]
  double break_strain = 0.05;  // of its outer fibre beyond the yield
  double wood_friction = 0.4;  // butt on stump
  double soil_friction = 0.5;
  double soil_stiffness = 1.5e5;  // at one point of the stem, its branches under it [N/m]
  double crown_drag = 0.25;       // of the crown's outline in air
  FellingGround ground;
};

// A tree above the height of its cut, as its fall needs it.
struct FellingForm {
  double mass, centre;               // kg, over the cut [m]
  double inertia;                    // across the axis, about the centre [kg m^2]
  double length, radius;             // over the cut, at the cut [m]
  double strength, modulus;          // Pa
  double root;                       // N m/rad
  double soil;                       // under one point of the stem [N/m]
  double drag, drag_at;              // kg/m, over the cut [m]
  double lean, lean_towards;         // as it has grown
  double point_radius[kStemPoints];  // m
};
constexpr auto state_fields(const FellingForm* /*type*/) {
  using namespace knuckleboom::state;
  using S = FellingForm;
  return state::fields_of<S>(
      KB_FIELD(mass, kPositive), KB_FIELD(centre, kPositive), KB_FIELD(inertia, kPositive),
      KB_FIELD(length, kPositive), KB_FIELD(radius, kPositive), KB_FIELD(strength, kPositive),
      KB_FIELD(modulus, kPositive), KB_FIELD(root, kPositive), KB_FIELD(soil, kPositive),
      KB_FIELD(drag, kPositive), KB_FIELD(drag_at, kPosition), KB_FIELD(lean, kPosition),
      KB_FIELD(lean_towards, kPosition), KB_FIELD(point_radius, kPositive));
}
// Distances from the cut of the points that may touch the ground [m].
inline double stem_point(const FellingForm& form, int i) {
  return form.length * i / (kStemPoints - 1.0);
}
// Throws std::invalid_argument with a sentence for a cut that is not on the stem. No heap without one.
FellingForm felling_form(const Tree& tree, const FellingSetup& setup);
// The rest of it from a height on, without branches up to another one.
FellingForm rest_form(const Tree& tree, double from, double bare_to, const FellingSetup& setup);

// A head that holds the stem: two pairs of knives pull its axis into the head's, rollers between them hold it
// along. In the stump's frame; during a step the head goes on as it moves.
struct FellingGrip {
  Vec3 p, axis;         // middle of the grip; towards the tip
  Vec3 v, omega;        // of the head there
  double half;          // from the middle to either pair of knives [m]
  double knives;        // largest force of a pair [N]
  double rollers;       // largest force along the stem [N]
  double feed = 0;      // of the rollers' rims; positive: the head goes towards the tip [m/s]
  double drag = 0;      // friction of the knives, against the head's way along the stem [N]
  double branches = 0;  // that hold the head up on its way towards the tip [N]
};
// Mean forces on the stem over a step, at the knives towards the butt, those towards the tip, and the rollers,
// which act where these are on the head, with drag and branches.
struct FellingGripLoad {
  Vec3 force[3] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  double rollers = 0.0;  // of the rollers alone, towards the tip [N]
};

// Mean force over a step of what it meets but its stump and the ground, about its centre of mass.
struct FellingTouch {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

struct FellingState {
  double t = 0.0;
  Vec3 p, v;          // centre of mass [m, m/s]
  Vec3 n, omega;      // axis, from butt to tip; turning, across the axis [rad/s]
  double cut = 0.0;   // depth [m]
  Vec3 stump_anchor;  // where the strip holds the butt
  double rest_weak = 0.0,
         rest_strong = 0.0;  // angles at which root and strip are without load [rad]
  double bent_weak = 0.0, bent_strong = 0.0;  // by which the strip has yielded [rad]
  bool attached = true;
  bool pinched = false;          // the kerf closes on the bar
  bool on_stump = true;          // the butt touches the stump or is held there
  bool jumped = false;           // no part of the butt is over it any more
  bool off[kRimPoints] = {};     // points of the butt's rim that have been beside the stump
  double torn[kRimPoints] = {};  // by how much the stump is lower there [m]
  double calm_s = 0.0;
  // Since the start [J]: work of the push; lost in friction, dampers, air and yielding wood; released as the
  // saw and the break let go of bent wood. The push is all that does work on it from outside: a head, what it meets.
  double pushed = 0.0, lost = 0.0, released = 0.0;
  // A grip: where on the stem the rollers hold, from the cut [m]; work of head and rollers on it, and what
  // slip and dampers have taken [J]. What it does to the stem counts as pushed.
  double grip_at = 0.0, grip_work = 0.0, grip_lost = 0.0;
};

class Felling {
 public:
  // Throws std::invalid_argument with a sentence for a cut that is not on the stem.
  Felling(const Tree& tree, const FellingSetup& setup);
  Felling(const FellingForm& form, const FellingSetup& setup);

  FellingState initial_state() const;
  // saw: area that it cuts [m^2/s]; 0: it stands. No heap, no exception; dt up to 10 ms.
  // grip: null: nothing holds it. touch: null: it meets nothing.
  void step(double dt, double saw, FellingState& state, const FellingGrip* grip = nullptr,
            FellingGripLoad* load = nullptr, const FellingTouch* touch = nullptr) const;
  // The rollers take hold where the head is.
  void take_hold(const FellingGrip& grip, FellingState& state) const;
  // Energy in knives and rollers that give, at the beginning of a step.
  double grip_energy(const FellingGrip& grip, const FellingState& state) const;

  double energy(const FellingState& state) const;  // kinetic, of height and of springs [J]
  // Energy that the ledger does not explain since the start, over the weight's work from plumb to the ground.
  double residual(const FellingState& start, const FellingState& state) const;
  double lean(const FellingState& state) const;       // from plumb [rad]
  double direction(const FellingState& state) const;  // in which it leans [rad from x]
  Vec3 butt(const FellingState& state) const;
  Vec3 tip(const FellingState& state) const;
  bool lies(const FellingState& state) const;

  // Widest wood that is left, and the moments at which it yields [m, N m].
  double strip_width(double cut) const;
  double weak_moment(double cut) const;
  double strong_moment(double cut) const;
  // The front of a cut that goes on, at least a millimetre or so [m].
  double cut_width(double cut) const;
  double butt_diameter() const { return 2.0 * form_.radius; }
  double length() const { return form_.length; }
  double mass() const { return form_.mass; }
  double centre() const { return form_.centre; }    // over the cut [m]
  double inertia() const { return form_.inertia; }  // across the axis, about the centre [kg m^2]

 private:
  struct Stiffness {
    double weak, strong;
  };
  struct Rates;
  Stiffness stiffness(double cut) const;
  double strip_offset(double cut) const;
  Vec3 anchor(const FellingState& state) const;
  double rim_depth(const FellingState& state, int point, Vec3& arm) const;
  struct Hold;
  Hold hold(const FellingGrip& grip, double t, const FellingState& state) const;
  struct OnGround;
  OnGround on_ground(const FellingState& state, int point) const;
  Rates rates(const FellingState& state, const FellingGrip* grip, const FellingTouch* touch,
              double t) const;
  void substep(double dt, double saw, const FellingGrip* grip, const FellingTouch* touch, double t,
               FellingState& state, FellingGripLoad& load) const;
  void slip(const FellingGrip& grip, double t, double dt, FellingState& state) const;
  void advance_cut(double dt, double saw, FellingState& state) const;
  void yield(FellingState& state) const;
  void tear(FellingState& state) const;
  void look_at_stump(FellingState& state) const;

  FellingSetup setup_;
  FellingForm form_;
  Vec3 f_, c_;  // across the strip, along it
};

}  // namespace knuckleboom::timber
