// knuckleboom tree: what a tree holds, weighs and looks like.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/commands/timber.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

using timber::Round;

struct TreeOptions {
  std::string tree, plot, summary;
  std::vector<std::string> assignments;
  double from = 0.0, to = timber::kMostHeight;  // of the section
};

double crown_mass(const timber::Tree& tree) {
  double sum = 0.0;
  for (const timber::Whorl& whorl : tree.whorls()) sum += whorl.mass;
  return sum;
}

std::string row(const char* what, const Round& r) {
  return fmt::format("  {:<22}{:9.4f} {:9.4f} {:8.1f} {:8.2f} {:9.2f} {:10.1f}\n", what, r.volume,
                     r.volume_under_bark, r.mass, r.centre, r.axial, r.transverse);
}

std::string facts(const LoadedTree& loaded, const Round& piece, double from, double to) {
  const timber::Tree& tree = loaded.tree;
  const timber::Profile& p = tree.profile();
  std::string text = tree_title(loaded) + "\n\n";
  text += fmt::format("  {:>10} {:>10} {:>11}\n", "height [m]", "over [cm]", "under [cm]");
  for (const double share : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    const double h = share == 0.0 ? timber::kBreastHeight : share * p.height;
    text += fmt::format("  {:10.2f} {:10.2f} {:11.2f}\n", h, 100.0 * timber::over_bark(p, h),
                        100.0 * timber::under_bark(p, h));
  }
  text += fmt::format("\n  {:<22}{:>9} {:>9} {:>8} {:>8} {:>9} {:>10}\n", "", "V over", "V under",
                      "mass", "centre", "I axial", "I across");
  text += fmt::format("  {:<22}{:>9} {:>9} {:>8} {:>8} {:>9} {:>10}\n", "", "[m3]", "[m3]", "[kg]",
                      "[m]", "[kg m2]", "[kg m2]");
  text += row("stem", timber::section(p, tree.density(), 0.0, p.height));
  text += row("stem and branches", tree.above(0.0));
  if (from > 0.0 || to < p.height)
    text += row(fmt::format("stem, {:g} to {:g} m", from, to).c_str(), piece);
  const timber::Whorl* thickest = nullptr;
  for (const timber::Whorl& whorl : tree.whorls())
    if (thickest == nullptr || whorl.diameter > thickest->diameter) thickest = &whorl;
  if (thickest != nullptr)
    text += fmt::format(
        "\n  crown: {} from {:.1f} m on, {:.0f} kg green; thickest branch {:.1f} cm, at {:.1f} m\n",
        counted(static_cast<long long>(tree.whorls().size()), "whorl", "whorls"),
        tree.whorls().front().height, crown_mass(tree), 100.0 * thickest->diameter,
        thickest->height);
  return text;
}

void put(JsonWriter& json, const char* name, const Round& r) {
  json.key(name).begin_object();
  json.member("volume_m3", r.volume).member("volume_under_bark_m3", r.volume_under_bark);
  json.member("mass_kg", r.mass).member("centre_m", r.centre);
  json.member("axial_kg_m2", r.axial).member("transverse_kg_m2", r.transverse).end_object();
}

std::string to_json(const LoadedTree& loaded, const Round& piece) {
  const timber::Tree& tree = loaded.tree;
  JsonWriter json;
  json.begin_object().member("tree", loaded.name).member("species", loaded.species.name);
  json.member("dbh_m", tree.recipe().dbh).member("height_m", tree.height());
  put(json, "stem", timber::section(tree.profile(), tree.density(), 0.0, tree.height()));
  put(json, "stem_and_branches", tree.above(0.0));
  put(json, "section", piece);
  json.member("crown_kg", crown_mass(tree)).key("whorls").begin_array();
  for (const timber::Whorl& whorl : tree.whorls()) {
    json.begin_object().member("height_m", whorl.height).member("branches", whorl.branches);
    json.member("diameter_m", whorl.diameter).member("mass_kg", whorl.mass).end_object();
  }
  return json.end_array().end_object().text();
}

Figure picture(const LoadedTree& loaded) {
  Figure figure{tree_title(loaded), "", {}, 3};
  Curve stem{"stem", {}, {}, 0, LineStyle::kSolid};
  const timber::Profile& p = loaded.tree.profile();
  for (const int side : {-1, 1})
    for (int i = 0; i < p.knots; ++i) {
      const int k = side < 0 ? i : p.knots - 1 - i;
      stem.x.push_back(0.5 * side * p.over[k]);
      stem.y.push_back(k + 1 == p.knots ? p.height : timber::kKnot * k);
    }
  Panel look{"from the side", "[m]", "height [m]", {}, true, 0.0};
  look.curves = {branch_lines(loaded.tree), stem};
  Panel taper{"taper", "height [m]", "diameter [cm]", stem_outline(p), false, 0.0};
  Panel whorls{"branches", "height [m]", "diameter [mm], mass of a whorl [kg]", {}, false, 0.0};
  Curve diameter{"diameter", {}, {}, 2, LineStyle::kSolid},
      mass{"mass", {}, {}, 3, LineStyle::kDashed};
  for (const timber::Whorl& whorl : loaded.tree.whorls()) {
    diameter.x.push_back(whorl.height);
    diameter.y.push_back(1000.0 * whorl.diameter);
    mass.x.push_back(whorl.height);
    mass.y.push_back(whorl.mass);
  }
  whorls.curves = {diameter, mass};
  figure.panels = {look, taper, whorls};
  return figure;
}

int tree(const TreeOptions& options) {
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  check_distinct({{"--plot", options.plot}, {"--summary", options.summary}}, {options.tree});
  const LoadedTree loaded = load_tree(options.tree, options.assignments);
  const double to = std::min(options.to, loaded.tree.height());
  if (options.from >= to)
    throw UserError(
        fmt::format("--from {:g} is not below the end of the section at {:g} m", options.from, to));
  const Round piece =
      timber::section(loaded.tree.profile(), loaded.tree.density(), options.from, to);
  say(facts(loaded, piece, options.from, to));
  if (!options.summary.empty()) io::write_file(options.summary, to_json(loaded, piece));
  if (!options.plot.empty()) draw(picture(loaded), options.plot);
  return kSuccess;
}

}  // namespace

Command tree_command() {
  const auto o = std::make_shared<TreeOptions>();
  return {.name = "tree",
          .sentence = "Show a tree: taper, bark, branches, and what it or a piece of it weighs",
          .arguments = joined({{tree_argument(o->tree)},
                               tree_set_options(o->assignments),
                               {{.name = "--from",
                                 .target = &o->from,
                                 .kind = {"M"},
                                 .sentence = "Lower end of a piece of the stem",
                                 .without = "the ground",
                                 .range = Range{0.0, timber::kMostHeight}},
                                {.name = "--to",
                                 .target = &o->to,
                                 .kind = {"M"},
                                 .sentence = "Upper end of the piece",
                                 .without = "the tip",
                                 .range = Range{0.0, timber::kMostHeight}},
                                summary_option(o->summary, "Write all this as JSON"),
                                plot_option(o->plot, "Plot the tree, its taper and branches")}}),
          .examples =
              {"knuckleboom tree spruce_20 --plot tree.png",
               "knuckleboom tree spruce_20 --set dbh_cm=30 --set height_m=23 --from 0.1 --to 5.1"},
          .run = [o] { return tree(*o); }};
}

}  // namespace knuckleboom::app
