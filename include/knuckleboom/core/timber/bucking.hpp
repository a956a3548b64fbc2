// Cutting a stem into logs of the highest value: a dynamic programme over its cuts. docs/theory/timber.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/math/table.hpp"
#include "knuckleboom/core/timber/tree.hpp"

namespace knuckleboom::timber {

inline constexpr int kMaxBuckedLogs = 32;

struct Product {
  std::string name;
  std::vector<std::string> species;  // none: any
  std::vector<double> lengths;       // whole decimetres [m]
  double trim = 0.0;                 // added to each length, whole decimetres [m]
  double least_top = 0.0;            // diameter at the thin end [m]
  double most_butt = 10.0;           // diameter at the thick end [m]
  double price = 0.0;                // of a cubic metre
  Table top_factor;         // multiplies it, over the diameter of the thin end [cm]; empty: 1
  Table length_factor;      // over the length [m]
  double most_sweep = 1.0;  // m/m
  bool rot = false;         // rotten wood may be in it
};

struct PriceList {
  std::string name, description;
  bool over_bark = false;  // diameters and volumes that are paid; else under bark
  double offcut = 0.5;     // what may be left between logs comes in pieces of this length [m]
  std::vector<Product> products;
};

struct PlannedLog {
  int product = 0;
  double from = 0.0;    // height of its butt [m]
  double length = 0.0;  // without trim [m]
  double trim = 0.0;    // m
  double value = 0.0;
};

struct Bucking {
  int count = 0;
  PlannedLog log[kMaxBuckedLogs];
  double value = 0.0;
};

// Grows with the tree: sweep, rot and fork are taken from the recipe, diameters from the profile.
// Value of one log, or none if the product does not take it.
std::optional<double> log_value(const PriceList& list, int product, double length,
                                const Profile& profile, const TreeRecipe& tree, double from);

// The best of all rows of logs and offcuts from the height `from`. Cuts lie on decimetres from there.
// No heap, no exception.
Bucking buck(const PriceList& list, const Profile& profile, const TreeRecipe& tree, double from);

// Worth of the logs of a plan that was made for another profile, on this one: those that their products do not
// take count for the best product that is no longer and does, or nothing.
double value_on(const Bucking& plan, const PriceList& list, const Profile& profile,
                const TreeRecipe& tree);

// One sentence if the list cannot be used; empty: none.
std::string objection(const PriceList& list);

}  // namespace knuckleboom::timber
