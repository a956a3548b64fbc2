// Trees: taper, bark, branches and what they weigh. docs/theory/timber.md.
//
// A stem is a row of frustums between diameters a decimetre apart, so that volumes, masses and moments of
// any section are exact sums. Heights are along the stem from the ground; SI units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knuckleboom::timber {

inline constexpr double kKnot = 0.1;          // between diameters [m]
inline constexpr int kMaxKnots = 501;         // of the tallest tree
inline constexpr double kBreastHeight = 1.3;  // m
inline constexpr double kFlareHeight = 0.5;   // the taper curve holds from here on [m]
inline constexpr double kLeastHeight = 4.0;   // of a tree [m]
inline constexpr double kMostHeight = 50.0;   // m
inline constexpr int kTaperTerms = 8;
inline constexpr int kMostStems = 220;  // standing in one exercise

// Common to the trees of a species.
struct Species {
  std::string name, description;
  // Diameter at height h over that at a fifth of the height H: sum of taper[i] x^p, x = 1 - h/H,
  // p = 1, 2, 3, 5, 8, 13, 21, 34 (Laasasenaho 1982).
  double taper[kTaperTerms] = {1.25};
  // Double bark thickness [mm] = bark[0] + bark[1] dbh + bark[2] d, diameters in cm (Hannrup 2004).
  double bark[3] = {};
  double least_bark = 0.002;  // on both sides together [m]
  double density = 850.0;     // green, wood and bark [kg/m^3]
  // Dry branches and needles [kg]: exp(crown[0] + crown[1] d/(d + crown[2]) + crown[3] H + crown[4] ln H),
  // d in cm, H in m (Marklund 1988).
  double crown[5] = {};
  double crown_water = 2.0;  // green mass over dry
  double crown_base = 0.4;   // lowest living whorl over the height
  double whorl_spacing = 0.45;
  double whorl_branches = 5.0;
  double branch_base = 0.01, branch_slope = 0.07;  // thickest branch: base [m] + slope dbh
  double form_spread = 0.03;  // of the diameter half way up, standard deviation over the mean
  // Height from the diameter at breast height: H = 1.3 m + (d / (a + b d))^2, d in cm (Naslund 1936).
  double height_curve[2] = {1.0, 0.18};
  double strength = 40e6;  // of green wood in bending [Pa]
  double modulus = 8e9;    // the same, along the grain [Pa]
};

// One tree, as an exercise or a tree file gives it.
struct TreeRecipe {
  std::string species;
  double dbh = 0.25;                                // over bark, at breast height [m]
  double height = 20.0;                             // m
  std::uint64_t seed = 0;                           // 0: as the mean of its species
  double lean = 0.0, lean_towards = 0.0;            // from plumb; direction about z from x [rad]
  double sweep = 0.0;                               // bow of a log, for each metre of it [m/m]
  double sweep_from = 0.0, sweep_to = kMostHeight;  // where it is bowed [m]
  double rot_height = 0.0;                          // rotten from the butt to here [m]
  double fork_height = 0.0;                         // no log goes through it [m]; 0: none
};

// One sentence if there is no such tree; empty: there may be.
std::string objection(const TreeRecipe& recipe);

// Diameters at heights 0, kKnot, 2 kKnot, ... and, the last, at the tip.
struct Profile {
  double over[kMaxKnots] = {};   // bark [m]
  double under[kMaxKnots] = {};  // m
  int knots = 0;
  double height = 0.0;  // m
};
double over_bark(const Profile& profile, double height);
double under_bark(const Profile& profile, double height);

// Mass and moments of a body that is round about its own axis.
struct Round {
  double volume = 0.0, volume_under_bark = 0.0;  // m^3
  double mass = 0.0;                             // kg
  double centre = 0.0;                           // along the stem, from the ground [m]
  double axial = 0.0, transverse = 0.0;          // about the centre [kg m^2]
};
// That of the stem from one height to another.
Round section(const Profile& profile, double density, double from, double to);
Round together(const Round& a, const Round& b);

struct Whorl {
  double height = 0.0;  // m
  int branches = 0;
  double diameter = 0.0;  // of one of them, where it grows out [m]
  double mass = 0.0;      // of all, green, with needles [kg]
  double length = 0.0;    // of one [m]
};

class Tree {
 public:
  // Throws std::invalid_argument with a sentence for a tree that cannot be.
  Tree(const Species& species, TreeRecipe recipe);

  const TreeRecipe& recipe() const { return recipe_; }
  double height() const { return recipe_.height; }
  double density() const { return density_; }
  double strength() const { return strength_; }
  double modulus() const { return modulus_; }
  const Profile& profile() const { return profile_; }
  const std::vector<Whorl>& whorls() const { return whorls_; }  // from below
  // Stem with its branches from there to the tip; without those up to another height.
  Round above(double height, double bare_to = 0.0) const;

 private:
  TreeRecipe recipe_;
  double density_, strength_, modulus_;
  Profile profile_;
  std::vector<Whorl> whorls_;
};

// Diameter over that at a fifth of the height, at a height over the height; flare below is left in.
double relative_diameter(const Species& species, double share);
// Over bark of a mean tree of the species, which is as thick as `diameter` at height `at`.
Profile mean_profile(const Species& species, double height, double at, double diameter);
double usual_height(const Species& species, double dbh);  // m

// The stem as a machine knows it that has fed it so far: measured diameters from the butt up to a height,
// beyond them the species' curve through the last ones. `from`: height of the butt; at least a metre is measured.
Profile forecast(const Species& species, const Profile& measured, double from, double up_to);

}  // namespace knuckleboom::timber
