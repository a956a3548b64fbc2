// knuckleboom buck: the logs of highest value in a stem.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/commands/timber.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/timber/bucking.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/timber_file.hpp"

namespace knuckleboom::app {
namespace {

using timber::Bucking;
using timber::PlannedLog;

struct BuckOptions {
  std::string tree, list, plot, summary;
  std::vector<std::string> assignments;
  double stump = 0.1;              // m
  std::optional<double> measured;  // fed so far [m]; none: the whole stem is known
};

const timber::Product& product_of(const timber::PriceList& list, const PlannedLog& log) {
  return list.products[static_cast<std::size_t>(log.product)];
}

std::string table(const Bucking& plan, const timber::PriceList& list, const timber::Tree& tree) {
  const timber::Profile& p = tree.profile();
  std::string text = fmt::format("  {:<12}{:>8} {:>8} {:>8} {:>9} {:>10} {:>9} {:>9} {:>8} {:>8}\n",
                                 "product", "from [m]", "to [m]", "long [m]", "top [cm]",
                                 "under [cm]", "over [m3]", "under[m3]", "[kg]", "value");
  for (int i = 0; i < plan.count; ++i) {
    const PlannedLog& log = plan.log[i];
    const double end = log.from + log.length + log.trim;
    const timber::Round wood = timber::section(p, tree.density(), log.from, end);
    text += fmt::format(
        "  {:<12}{:8.2f} {:8.2f} {:8.2f} {:9.1f} {:10.1f} {:9.4f} {:9.4f} {:8.1f} {:8.2f}\n",
        product_of(list, log).name, log.from, end, log.length, 100.0 * timber::over_bark(p, end),
        100.0 * timber::under_bark(p, end), wood.volume, wood.volume_under_bark, wood.mass,
        log.value);
  }
  return text;
}

std::string to_json(const LoadedTree& loaded, const timber::PriceList& list, const Bucking& plan,
                    double value, double most) {
  JsonWriter json;
  json.begin_object().member("tree", loaded.name).member("price_list", list.name);
  json.member("value", value).member("highest_value", most).key("logs").begin_array();
  for (int i = 0; i < plan.count; ++i) {
    const PlannedLog& log = plan.log[i];
    const double end = log.from + log.length + log.trim;
    const timber::Round wood =
        timber::section(loaded.tree.profile(), loaded.tree.density(), log.from, end);
    json.begin_object().member("product", product_of(list, log).name);
    json.member("from_m", log.from).member("length_m", log.length).member("trim_m", log.trim);
    json.member("top_m", timber::over_bark(loaded.tree.profile(), end));
    json.member("top_under_bark_m", timber::under_bark(loaded.tree.profile(), end));
    json.member("volume_m3", wood.volume).member("volume_under_bark_m3", wood.volume_under_bark);
    json.member("mass_kg", wood.mass).member("value", log.value).end_object();
  }
  return json.end_array().end_object().text();
}

Figure picture(const LoadedTree& loaded, const timber::PriceList& list, const Bucking& plan,
               const timber::Profile& known, bool forecast) {
  Figure figure{fmt::format("{}; {}", tree_title(loaded), list.name), "", {}, 1};
  Panel panel{"logs", "height [m]", "diameter [cm]", stem_outline(loaded.tree.profile()),
              false,  0.0};
  if (forecast) {
    Curve guess = stem_outline(known).front();
    guess.title = "as known to the machine, over bark";
    guess.color = 3;
    guess.style = LineStyle::kDashed;
    panel.curves.push_back(std::move(guess));
  }
  std::vector<bool> named(list.products.size(), false);
  for (int i = 0; i < plan.count; ++i) {
    const PlannedLog& log = plan.log[i];
    const auto product = static_cast<std::size_t>(log.product);
    const double end = log.from + log.length + log.trim;
    Curve outline{named[product] ? "" : list.products[product].name,
                  {log.from},
                  {0.0},
                  4 + log.product % 4,
                  LineStyle::kSolid};
    constexpr int kPieces = 30;
    for (int k = 0; k <= kPieces; ++k) {
      outline.x.push_back(log.from + (end - log.from) * k / kPieces);
      outline.y.push_back(100.0 * timber::over_bark(loaded.tree.profile(), outline.x.back()));
    }
    outline.x.push_back(end);
    outline.y.push_back(0.0);
    panel.curves.push_back(std::move(outline));
    named[product] = true;
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

int buck(const BuckOptions& options) {
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  check_distinct({{"--plot", options.plot}, {"--summary", options.summary}},
                 {options.tree, options.list});
  const LoadedTree loaded = load_tree(options.tree, options.assignments);
  const std::filesystem::path path = io::find_price_list(options.list);
  io::refuse_other_kind(path.string(), io::FileKind::kPriceList);
  const timber::PriceList list = io::read_price_list(path).content;
  const timber::Tree& tree = loaded.tree;
  const timber::TreeRecipe& recipe = tree.recipe();

  const Bucking best = timber::buck(list, tree.profile(), recipe, options.stump);
  timber::Profile known = tree.profile();
  if (options.measured)
    known = timber::forecast(loaded.species, tree.profile(), options.stump,
                             options.stump + *options.measured);
  Bucking plan = options.measured ? timber::buck(list, known, recipe, options.stump) : best;
  // The logs are worth what the wood is, not what was forecast.
  const double value = timber::value_on(plan, list, tree.profile(), recipe);
  for (int i = 0; i < plan.count; ++i) {
    Bucking one;
    one.count = 1;
    one.log[0] = plan.log[i];
    plan.log[i].value = timber::value_on(one, list, tree.profile(), recipe);
  }
  say(fmt::format("{}\n{}: {}\n\n", tree_title(loaded), list.name, list.description));
  if (plan.count == 0)
    say("  no log of any product fits into this stem\n");
  else
    say(table(plan, list, tree));
  const double end = plan.count == 0
                         ? options.stump
                         : plan.log[plan.count - 1].from + plan.log[plan.count - 1].length +
                               plan.log[plan.count - 1].trim;
  say(fmt::format("\n  value {:.2f}; stump {:g} m, top of {:.2f} m left\n", value, options.stump,
                  tree.height() - end));
  if (options.measured)
    say(fmt::format("  planned with {:g} m measured: {:.1f} % of the highest value, {:.2f}\n",
                    *options.measured, best.value > 0.0 ? 100.0 * value / best.value : 100.0,
                    best.value));
  if (!options.summary.empty())
    io::write_file(options.summary, to_json(loaded, list, plan, value, best.value));
  if (!options.plot.empty())
    draw(picture(loaded, list, plan, known, options.measured.has_value()), options.plot);
  return kSuccess;
}

}  // namespace

Command buck_command() {
  const auto o = std::make_shared<BuckOptions>();
  return {.name = "buck",
          .sentence = "Cut a tree into the logs of highest value by a price list",
          .arguments = joined(
              {{tree_argument(o->tree),
                {.name = "price-list",
                 .target = &o->list,
                 .kind = {"PRICE-LIST", &io::price_list_names, ValueKind::Path::kFile, ".toml"},
                 .sentence = "Price list: a name (knuckleboom list price-lists) or a file",
                 .required = true}},
               tree_set_options(o->assignments),
               {{.name = "--stump",
                 .target = &o->stump,
                 .kind = {"M"},
                 .sentence = "Height of the stump",
                 .without = "0.1",
                 .range = Range{0.0, 2.0}},
                {.name = "--measured",
                 .target = &o->measured,
                 .kind = {"M"},
                 .sentence = "Plan as a machine that has fed so much of the stem; the rest is a "
                             "forecast",
                 .without = "the whole stem is known",
                 .range = Range{1.0, timber::kMostHeight}},
                summary_option(o->summary, "Write the logs as JSON"),
                plot_option(o->plot, "Plot the stem with its logs")}}),
          .examples = {"knuckleboom buck spruce_30 thinning --plot logs.png",
                       "knuckleboom buck spruce_30 thinning --measured 3"},
          .run = [o] { return buck(*o); }};
}

}  // namespace knuckleboom::app
