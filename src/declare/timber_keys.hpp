// Keys of species, tree and price list files.
#pragma once

#include <algorithm>

#include "declare/body_keys.hpp"
#include "knuckleboom/core/timber/bucking.hpp"
#include "knuckleboom/core/timber/tree.hpp"

namespace knuckleboom::declare::keys {

// A list into an array, a percentage into a share.
template <class T, std::size_t N, double (T::*Member)[N]>
inline void list_into(T& object, std::span<const double> values) {
  std::copy_n(values.begin(), N, object.*Member);
}
template <class T, double T::*Member>
inline void percent_into(T& object, double value) {
  object.*Member = value / 100.0;
}

namespace species_file {
using timber::Species;
inline constexpr Range kThickness{0.0, 0.2};  // m
inline constexpr Key all[] = {
    keys::name("").to<&Species::name>(),
    description().to<&Species::description>(),
    numbers(
        "taper", D::kNone, {-50.0, 50.0}, timber::kTaperTerms, timber::kTaperTerms,
        "diameter over that at a fifth of the height: factors of $x^p$, $x = 1 - h/H$, p = 1, 2, "
        "3, 5, 8, 13, 21, 34")
        .must()
        .to<&list_into<Species, timber::kTaperTerms, &Species::taper>>(),
    numbers("bark", D::kNone, {-50.0, 50.0}, 3, 3,
            "$b_0 + b_1 d_{1.3} + b_2 d$: both sides together in mm, diameters in cm")
        .must()
        .to<&list_into<Species, 3, &Species::bark>>(),
    number("least_bark", D::kLength, kThickness, "both sides together").to<&Species::least_bark>(),
    number("density", D::kDensity, {300.0, 1500.0}, "of the green stem").to<&Species::density>(),
    numbers("crown", D::kNone, {-50.0, 50.0}, 5, 5,
            "dry branches with leaves in kg: $\\exp(c_0 + c_1 d/(d + c_2) + c_3 H + c_4 \\ln H)$, "
            "d in cm, H in m")
        .must()
        .to<&list_into<Species, 5, &Species::crown>>(),
    plain("crown_water", {1.0, 5.0}, "green mass of the crown over the dry one")
        .to<&Species::crown_water>(),
    plain("crown_base", {0.05, 0.9}, "height of the lowest living branches over the tree's")
        .to<&Species::crown_base>(),
    number("whorl_spacing", D::kLength, {0.1, 2.0}, "from whorl to whorl")
        .to<&Species::whorl_spacing>(),
    plain("whorl_branches", {1.0, 12.0}, "in a whorl").to<&Species::whorl_branches>(),
    number("branch_base", D::kLength, kThickness,
           "thickest branch of a tree: this and `branch_slope` times the diameter at breast height")
        .to<&Species::branch_base>(),
    plain("branch_slope", {0.0, 0.5}, "see `branch_base`").to<&Species::branch_slope>(),
    plain("form_spread", {0.0, 0.1},
          "standard deviation of the diameter half way up, over the mean one")
        .to<&Species::form_spread>(),
    numbers("height_curve", D::kNone, {0.0, 20.0}, 2, 2,
            "usual height: $1.3\\,\\mathrm{m} + (d/(a + b d))^2$, d in cm")
        .to<&list_into<Species, 2, &Species::height_curve>>()
        .otherwise("[1, 0.18]"),
    number("strength", D::kPressure, {1e6, 2e8, true}, "of green wood in bending")
        .to<&Species::strength>(),
    number("modulus", D::kPressure, {1e8, 5e10, true}, "of green wood along the grain")
        .usually(2e9, 2e10, "green wood has 5 to 14 GPa")
        .to<&Species::modulus>(),
};
inline constexpr KeyTable table{"species", "", all};
}  // namespace species_file

namespace tree {
using timber::TreeRecipe;
inline constexpr Range kHeight{timber::kLeastHeight, timber::kMostHeight};
inline constexpr Range kAlong{0.0, timber::kMostHeight};
constexpr Key species(std::string_view says) {
  return text("species", says).to<&TreeRecipe::species>();
}
inline constexpr Key dbh =
    number("dbh", D::kLength, {0.03, 1.0}, "diameter at breast height, over bark")
        .to<&TreeRecipe::dbh>();
// Those that a tree file and a stem of an exercise share.
inline constexpr Key shared[] = {
    whole("seed", 0, std::numeric_limits<int>::max(),
          "of its form and branches; 0: as the mean of its species")
        .to<&TreeRecipe::seed>(),
    number("lean", D::kAngle, {0.0, 0.5}, "from plumb").to<&TreeRecipe::lean>(),
    number("lean_towards", D::kAngle, {-10.0, 10.0}, "direction, from x")
        .to<&TreeRecipe::lean_towards>(),
    plain("sweep_percent", {0.0, 20.0}, "bow of a log over its length")
        .to<&percent_into<TreeRecipe, &TreeRecipe::sweep>>()
        .otherwise(0.0),
    number("sweep_from", D::kLength, kAlong, "bowed from this height")
        .to<&TreeRecipe::sweep_from>(),
    number("sweep_to", D::kLength, kAlong, "up to this height").to<&TreeRecipe::sweep_to>(),
    number("rot_height", D::kLength, kAlong, "rotten from the butt to this height")
        .to<&TreeRecipe::rot_height>(),
    number("fork_height", D::kLength, kAlong, "no log goes through a fork; 0: none")
        .to<&TreeRecipe::fork_height>(),
};
}  // namespace tree

namespace tree_file {
inline constexpr Key species =
    tree::species("name of a species (`knuckleboom list species`) or a file").must();
inline constexpr Key own[] = {
    species,
    tree::dbh,
    number("height", D::kLength, tree::kHeight, "").to<&timber::TreeRecipe::height>(),
};
inline constexpr auto all = join(own, tree::shared);
inline constexpr KeyTable table{"tree", "", all};
}  // namespace tree_file

namespace product {
using timber::Product;
inline void take_lengths(Product& product, std::span<const double> lengths) {
  product.lengths.assign(lengths.begin(), lengths.end());
}
inline constexpr Key name = keys::name("").to<&Product::name>();
inline constexpr Key species = texts("species", 10, "that it is cut from").otherwise("all");
inline constexpr Key lengths =
    numbers("lengths", D::kLength, {1.0, 20.0}, 1, 60, "whole decimetres")
        .must()
        .to<&take_lengths>();
inline constexpr Key top_factor =
    curve("top_factor", D::kNone, {0.0, 200.0}, {0.0, 100.0},
          "multiplies the price, over the diameter of the thin end in cm");
inline constexpr Key length_factor = curve("length_factor", D::kNone, {0.0, 20.0}, {0.0, 100.0},
                                           "multiplies the price, over the length in m");
inline constexpr Key all[] = {
    name,
    species,
    lengths,
    number("trim", D::kLength, {0.0, 1.0}, "added to each length, whole decimetres")
        .to<&Product::trim>(),
    number("least_top", D::kLength, {0.0, 1.0}, "diameter of the thin end")
        .to<&Product::least_top>(),
    number("most_butt", D::kLength, {0.01, 10.0}, "diameter of the thick end")
        .to<&Product::most_butt>()
        .otherwise("any"),
    plain("price", {0.0, 1e6, true}, "of a cubic metre, in any currency")
        .must()
        .to<&Product::price>(),
    top_factor,
    length_factor,
    plain("most_sweep_percent", {0.0, 100.0}, "bow over length")
        .to<&percent_into<Product, &Product::most_sweep>>()
        .otherwise("any"),
    flag("rot", "whether rotten wood may be in it").to<&Product::rot>().otherwise("false"),
};
inline constexpr KeyTable table{"price_list.product", "[[product]]", all};
}  // namespace product

namespace price_list_file {
using timber::PriceList;
inline constexpr Word kBark[] = {{"under", 0}, {"over", 1}};
inline constexpr Key offcut = number("offcut", D::kLength, {0.1, 2.0},
                                     "wood left between logs comes in pieces of this length")
                                  .to<&PriceList::offcut>();
inline constexpr Key products = tables("product", product::table, 40, "what is bought").must();
inline constexpr Key all[] = {
    keys::name("").to<&PriceList::name>(),
    description().to<&PriceList::description>(),
    word_of("bark", kBark, "whether diameters and volumes are those under or over bark")
        .to<&PriceList::over_bark>(),
    offcut,
    products,
};
inline constexpr KeyTable table{"price_list", "", all};
}  // namespace price_list_file

}  // namespace knuckleboom::declare::keys
