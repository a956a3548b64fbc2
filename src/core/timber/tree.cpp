#include "knuckleboom/core/timber/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::timber {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kPowers[kTaperTerms] = {1, 2, 3, 5, 8, 13, 21, 34};
constexpr double kMostForm = 2.5;  // standard deviations

double exponential(double x) { return x < 0.0 ? decay(-x) : 1.0 / decay(x); }

double whole_power(double x, int n) {
  double out = 1.0;
  for (; n > 0; n /= 2, x *= x)
    if (n % 2 == 1) out *= x;
  return out;
}

double knot_height(const Profile& p, int i) {
  return i + 1 == p.knots ? p.height : kKnot * static_cast<double>(i);
}

int knots_of(double height) {
  // The tip is a knot of its own, and the last cell is not a sliver.
  return static_cast<int>(std::floor(height / kKnot - 0.5)) + 2;
}

// Knot at or before a height that is not above the tip; the tip's cell for the tip.
int cell_at(const Profile& p, double height) {
  return std::clamp(static_cast<int>(height / kKnot), 0, p.knots - 2);
}

double at(const Profile& p, const double (&diameter)[kMaxKnots], double height) {
  if (p.knots < 2 || height >= p.height) return 0.0;
  const int i = cell_at(p, std::max(height, 0.0));
  const double low = knot_height(p, i), high = knot_height(p, i + 1);
  const double t = std::clamp((height - low) / (high - low), 0.0, 1.0);
  return diameter[i] + t * (diameter[i + 1] - diameter[i]);
}

double frustum_volume(double r0, double r1, double length) {
  return kPi * length / 3.0 * (r0 * r0 + r0 * r1 + r1 * r1);
}

// Calls `each` with every piece of a cell between two heights.
template <class Each>
void for_each_piece(const Profile& p, double from, double to, Each each) {
  from = std::clamp(from, 0.0, p.height);
  to = std::clamp(to, 0.0, p.height);
  if (p.knots < 2 || from >= to) return;
  for (int i = cell_at(p, from); i + 1 < p.knots; ++i) {
    const double low = std::max(from, knot_height(p, i));
    const double high = std::min(to, knot_height(p, i + 1));
    if (high > low) each(low, high);
    if (knot_height(p, i + 1) >= to) return;
  }
}

double bark_of(const Species& s, double dbh, double d) {
  const double mm = s.bark[0] + 100.0 * (s.bark[1] * dbh + s.bark[2] * d);
  return std::min(std::max(1e-3 * mm, s.least_bark), d);
}

void bark(const Species& s, double dbh, Profile& p) {
  for (int i = 0; i < p.knots; ++i) p.under[i] = p.over[i] - bark_of(s, dbh, p.over[i]);
}

// How far a tree's form is off that of its species, at a share of its height: nothing at breast height and at
// the tip, most half way between.
double form(double spread, double share, double breast) {
  const double u = std::clamp((share - breast) / (1.0 - breast), 0.0, 1.0);
  return 1.0 + spread * 4.0 * u * (1.0 - u);
}

}  // namespace

std::string objection(const TreeRecipe& r) {
  // Written so that a number that is none is refused.
  if (!(r.height >= kLeastHeight && r.height <= kMostHeight))
    return "A tree must be between 4 and 50 m high.";
  if (!(r.dbh >= 0.03 && r.dbh <= 1.0))
    return "A tree must be between 3 and 100 cm thick at breast height.";
  if (!(r.height >= 15.0 * r.dbh && r.height <= 250.0 * r.dbh))
    return "A tree's height must be between 15 and 250 times its diameter.";
  if (!(r.rot_height >= 0.0 && r.rot_height <= r.height && r.fork_height >= 0.0 &&
        r.fork_height <= r.height))
    return "Rot and fork of a tree must lie within its height.";
  return {};
}

double over_bark(const Profile& p, double height) { return at(p, p.over, height); }
double under_bark(const Profile& p, double height) { return at(p, p.under, height); }

Round section(const Profile& p, double density, double from, double to) {
  Round sum;
  double first = 0.0, second = 0.0;  // moments of the volume about the ground
  double fourth = 0.0;               // integral of r^4
  for_each_piece(p, from, to, [&](double low, double high) {
    const double L = high - low;
    const double a = 0.5 * over_bark(p, low),
                 b = 0.5 * (high >= p.height ? p.over[p.knots - 1] : over_bark(p, high));
    const double V = frustum_volume(a, b, L);
    const double m1 = kPi * L * L / 12.0 * (a * a + 2.0 * a * b + 3.0 * b * b);
    const double m2 = kPi * L * L * L / 30.0 * (a * a + 3.0 * a * b + 6.0 * b * b);
    sum.volume += V;
    sum.volume_under_bark +=
        frustum_volume(0.5 * under_bark(p, low),
                       0.5 * (high >= p.height ? p.under[p.knots - 1] : under_bark(p, high)), L);
    first += m1 + low * V;
    second += m2 + 2.0 * low * m1 + low * low * V;
    fourth +=
        L / 5.0 * (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b);
  });
  if (sum.volume <= 0.0) {
    sum.centre = 0.5 * (from + to);
    return sum;
  }
  sum.mass = density * sum.volume;
  sum.centre = first / sum.volume;
  sum.axial = density * kPi / 2.0 * fourth;
  sum.transverse = 0.5 * sum.axial + density * (second - first * sum.centre);
  return sum;
}

Round together(const Round& a, const Round& b) {
  const double mass = a.mass + b.mass;
  if (mass <= 0.0) return a;
  const double apart = b.centre - a.centre;
  return {a.volume + b.volume,
          a.volume_under_bark + b.volume_under_bark,
          mass,
          (a.mass * a.centre + b.mass * b.centre) / mass,
          a.axial + b.axial,
          a.transverse + b.transverse + a.mass * b.mass / mass * apart * apart};
}

double relative_diameter(const Species& s, double share) {
  const double x = 1.0 - share;
  double sum = 0.0;
  for (int i = 0; i < kTaperTerms; ++i) sum += s.taper[i] * whole_power(x, kPowers[i]);
  return sum;
}

Profile mean_profile(const Species& s, double height, double at_height, double diameter) {
  // Below the flare's height the curve goes on straight: there the polynomial follows the roots.
  const auto curve = [&](double h) {
    if (h >= kFlareHeight) return relative_diameter(s, h / height);
    const double here = relative_diameter(s, kFlareHeight / height);
    const double next = relative_diameter(s, (kFlareHeight + kKnot) / height);
    return here + (kFlareHeight - h) / kKnot * (here - next);
  };
  Profile p;
  p.height = height;
  p.knots = std::min(knots_of(height), kMaxKnots);
  const double scale = diameter / curve(at_height);
  for (int i = 0; i + 1 < p.knots; ++i) p.over[i] = std::max(scale * curve(knot_height(p, i)), 0.0);
  p.over[p.knots - 1] = 0.0;
  bark(s, scale * curve(kBreastHeight), p);
  return p;
}

double usual_height(const Species& s, double dbh) {
  const double root = 100.0 * dbh / (s.height_curve[0] + s.height_curve[1] * 100.0 * dbh);
  return kBreastHeight + root * root;
}

Profile forecast(const Species& s, const Profile& measured, double from, double up_to) {
  const double top = std::floor(std::clamp(up_to, from + 1.0, measured.height) / kKnot) * kKnot;
  const double thick = over_bark(measured, top);
  const bool breast = from <= kBreastHeight && top >= kBreastHeight;
  const double reference = breast ? kBreastHeight : std::max(from, kKnot);
  const double dbh = over_bark(measured, reference);
  // The height at which the species' curve goes through both diameters. Near the butt the two hardly tell it:
  // the usual height counts as much as they do at three metres.
  const auto excess = [&](double height) {
    return over_bark(mean_profile(s, height, reference, dbh), top) - thick;
  };
  double low = std::max(top + 0.5, kLeastHeight), high = kMostHeight - 0.1;
  const double usual = std::clamp(usual_height(s, dbh), low, high);
  if (excess(low) < 0.0 && excess(high) > 0.0)
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      (excess(middle) < 0.0 ? low : high) = middle;
    }
  else
    low = high = excess(low) >= 0.0 ? low : high;
  const double found = std::clamp(0.5 * (low + high), 0.7 * usual, 1.4 * usual);
  const double weight = whole_power((top - from) / 3.0, 2);
  const double height = std::max((weight * found + usual) / (weight + 1.0), top + 0.5);
  Profile p = mean_profile(s, height, reference, dbh);
  const double join = over_bark(p, top) > 0.0 ? thick / over_bark(p, top) : 1.0;
  for (int i = 0; i + 1 < p.knots; ++i) {
    const double h = knot_height(p, i);
    p.over[i] = h <= top + 1e-9 ? over_bark(measured, h) : join * p.over[i];
  }
  bark(s, dbh, p);
  return p;
}

Tree::Tree(const Species& s, TreeRecipe recipe)
    : recipe_(std::move(recipe)), density_(s.density), strength_(s.strength), modulus_(s.modulus) {
  if (const std::string fault = objection(recipe_); !fault.empty())
    throw std::invalid_argument(fault);
  const double H = recipe_.height, dbh = recipe_.dbh;
  const double breast = kBreastHeight / H;
  std::uint64_t number = mixed_bits(recipe_.seed);
  const double spread = recipe_.seed == 0
                            ? 0.0
                            : s.form_spread * std::clamp(gaussian(++number), -kMostForm, kMostForm);
  profile_ = mean_profile(s, H, kBreastHeight, dbh);
  for (int i = 0; i + 1 < profile_.knots; ++i)
    profile_.over[i] *= form(spread, knot_height(profile_, i) / H, breast);
  bark(s, dbh, profile_);

  const double d_cm = 100.0 * dbh;
  const double mass =
      s.crown_water * exponential(s.crown[0] + s.crown[1] * d_cm / (d_cm + s.crown[2]) +
                                  s.crown[3] * H + s.crown[4] * logarithm(H));
  const double base = s.crown_base * H, crown = H - base;
  const double thickest = s.branch_base + s.branch_slope * dbh;
  // Branches thicken downwards from the tip, quickly at first; the lowest of the crown are shaded and thinner.
  double weights = 0.0;
  for (double h = base; h < H - 0.5 * s.whorl_spacing;) {
    const double depth = (H - h) / crown;  // 1 at the base
    const double vary = recipe_.seed == 0 ? 0.0 : uniform(++number) - 0.5;
    Whorl whorl;
    whorl.height = h;
    whorl.branches =
        std::max(1, static_cast<int>(std::lround(s.whorl_branches * (1.0 + 0.4 * vary))));
    whorl.diameter =
        thickest * std::min(1.0, 1.3 * power(depth, 0.6)) * (depth > 0.8 ? 1.8 - depth : 1.0);
    whorl.diameter = std::min(whorl.diameter, 0.6 * over_bark(profile_, h));
    whorl.length = std::min(60.0 * whorl.diameter, 0.5 * (H - h) + 0.2);
    whorl.mass = whorl.branches * whorl.diameter * whorl.diameter * whorl.length;
    weights += whorl.mass;
    whorls_.push_back(whorl);
    h += s.whorl_spacing * (recipe_.seed == 0 ? 1.0 : 0.8 + 0.4 * uniform(++number));
  }
  for (Whorl& whorl : whorls_) whorl.mass *= mass / weights;
}

Round Tree::above(double height, double bare_to) const {
  Round sum = section(profile_, density_, height, recipe_.height);
  for (const Whorl& whorl : whorls_) {
    if (whorl.height < std::max(height, bare_to)) continue;
    // A ring of rods that stand out by their length.
    Round ring;
    ring.mass = whorl.mass;
    ring.centre = whorl.height;
    ring.axial = whorl.mass * whorl.length * whorl.length / 3.0;
    ring.transverse = 0.5 * ring.axial;
    sum = together(sum, ring);
  }
  return sum;
}

}  // namespace knuckleboom::timber
