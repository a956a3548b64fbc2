// knuckleboom fell: a tree is cut off and falls.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/commands/timber.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "knuckleboom/core/timber/felling.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

using timber::Felling;
using timber::FellingSetup;
using timber::FellingState;

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kTick = 1e-3;      // s
constexpr double kThrough = 0.005;  // m; less wood has no say
constexpr int kTicksPerSample = 10;

struct FellOptions {
  std::string tree, plot, summary;
  std::vector<std::string> assignments;
  double stump = 0.1, towards_deg = 0.0, hinge_mm = 0.0, saw = 0.075;
  double push_kN = 0.0, push_height = 1.2;
  std::optional<double> push_towards_deg;
  double longest = 30.0;  // s
};

struct Sample {
  double t, lean, rate, cut;
  Vec3 butt, tip;
};

struct Fall {
  std::vector<Sample> samples;
  double parted = -1.0, left = 0.0;  // when the strip let go, and the wood that was left [s, m]
  double from_5 = -1.0;              // when it leaned by 5 degrees more than at the start [s]
  double ground = -1.0;              // when the tip came to the ground [s]
  double rate = 0.0, direction = 0.0, tip_speed = 0.0;  // there
  double rose = 0.0;                                    // of the butt over the cut [m]
  double pinched = -1.0;                                // since when the saw has been held [s]
  double residual = 0.0;
  FellingState end;
};

Fall run(const Felling& felling, const FellOptions& options) {
  Fall fall;
  FellingState state = felling.initial_state();
  const FellingState start = state;
  const double lean = felling.lean(start);
  const InterruptGuard guard;
  for (int tick = 0; state.t < options.longest && !felling.lies(state) && !interrupted(); ++tick) {
    if (tick % kTicksPerSample == 0)
      fall.samples.push_back({state.t, felling.lean(state), state.omega.norm(), state.cut,
                              felling.butt(state), felling.tip(state)});
    const FellingState before = state;
    felling.step(kTick, options.saw, state);
    if (before.attached && !state.attached) {
      fall.parted = state.t;
      fall.left = felling.butt_diameter() - before.cut;
    }
    if (fall.from_5 < 0.0 && felling.lean(state) > lean + 5.0 / kDegrees) fall.from_5 = state.t;
    if (fall.ground < 0.0 && felling.tip(state).z() <= 0.02) {
      fall.ground = state.t;
      fall.rate = before.omega.norm();
      fall.direction = felling.direction(before);
      fall.tip_speed = (felling.tip(state) - felling.tip(before)).norm() / kTick;
    }
    if (!state.attached) fall.rose = std::max(fall.rose, felling.butt(state).z() - options.stump);
    fall.pinched = !state.pinched ? -1.0 : fall.pinched < 0.0 ? state.t : fall.pinched;
    fall.residual = std::max(fall.residual, felling.residual(start, state));
  }
  fall.end = state;
  return fall;
}

std::string outcome(const Felling& felling, const Fall& fall) {
  std::string text;
  if (fall.parted >= 0.0 && fall.left < kThrough)
    text += fmt::format("  {:.2f} s  the saw is through\n", fall.parted);
  else if (fall.parted >= 0.0)
    text += fmt::format("  {:.2f} s  the stem parts from the stump, {:.0f} mm of wood left\n",
                        fall.parted, 1000.0 * fall.left);
  if (fall.from_5 >= 0.0)
    text += fmt::format("  {:.2f} s  it leans by 5 degrees more than it stood\n", fall.from_5);
  if (fall.ground >= 0.0)
    text += fmt::format(
        "  {:.2f} s  its tip is on the ground: direction {:.1f} deg, {:.2f} rad/s, tip {:.1f} "
        "m/s\n",
        fall.ground, kDegrees * fall.direction, fall.rate, fall.tip_speed);
  const Vec3 butt = felling.butt(fall.end);
  if (felling.lies(fall.end))
    text += fmt::format(
        "  {:.2f} s  it lies, its butt {:.2f} m from the stump's middle, after rising by {:.2f} "
        "m\n",
        fall.end.t, std::hypot(butt.x(), butt.y()), fall.rose);
  else if (fall.pinched >= 0.0)
    text += fmt::format(
        "  {:.2f} s  it sits back on the bar, which is held since {:.2f} s; push it, or cut from "
        "the "
        "other side\n",
        fall.end.t, fall.pinched);
  else
    text += fmt::format("  {:.2f} s  it has not fallen: it leans by {:.1f} degrees\n", fall.end.t,
                        kDegrees * felling.lean(fall.end));
  return text;
}

std::string to_json(const LoadedTree& loaded, const Felling& felling, const Fall& fall) {
  JsonWriter json;
  json.begin_object().member("tree", loaded.name).member("mass_kg", felling.mass());
  json.member("centre_m", felling.centre()).member("inertia_kg_m2", felling.inertia());
  json.member("lies", felling.lies(fall.end)).member("pinched", fall.pinched >= 0.0);
  json.member("parted_s", fall.parted).member("hinge_m", fall.left);
  json.member("ground_s", fall.ground).member("direction_rad", fall.direction);
  json.member("rate_rad_per_s", fall.rate).member("tip_speed_m_per_s", fall.tip_speed);
  json.member("rose_m", fall.rose).member("energy_residual", fall.residual);
  return json.end_object().text();
}

Figure picture(const LoadedTree& loaded, const FellOptions& options, const Fall& fall) {
  Figure figure{fmt::format("{}, felled", tree_title(loaded)), "", {}, 2};
  Panel side{"from the side, in its direction of fall", "[m]", "height [m]", {}, true, 0.0};
  const double direction = fall.ground >= 0.0 ? fall.direction : options.towards_deg / kDegrees;
  const auto along = [&](const Vec3& p) {
    return p.x() * std::cos(direction) + p.y() * std::sin(direction);
  };
  // Stems a few degrees apart.
  double shown = -1.0;
  for (const Sample& s : fall.samples) {
    if (shown >= 0.0 && s.lean - shown < 8.0 / kDegrees && &s != &fall.samples.back()) continue;
    shown = s.lean;
    side.curves.push_back(
        {"", {along(s.butt), along(s.tip)}, {s.butt.z(), s.tip.z()}, 0, LineStyle::kSolid});
  }
  const double r = 0.5 * timber::over_bark(loaded.tree.profile(), options.stump);
  side.curves.push_back(
      {"stump", {-r, -r, r, r}, {0.0, options.stump, options.stump, 0.0}, 1, LineStyle::kThick});
  Panel plan{"from above", "x [m]", "y [m]", {}, true, 0.0};
  Curve tip{"tip", {}, {}, 0, LineStyle::kSolid}, butt{"butt", {}, {}, 1, LineStyle::kThin};
  Curve lean{"lean", {}, {}, 0, LineStyle::kSolid}, rate{"turning", {}, {}, 3, LineStyle::kDashed};
  Curve cut{"cut", {}, {}, 0, LineStyle::kSolid},
      rise{"butt's height", {}, {}, 1, LineStyle::kDashed};
  for (const Sample& s : fall.samples) {
    tip.x.push_back(s.tip.x());
    tip.y.push_back(s.tip.y());
    butt.x.push_back(s.butt.x());
    butt.y.push_back(s.butt.y());
    for (Curve* curve : {&lean, &rate, &cut, &rise}) curve->x.push_back(s.t);
    lean.y.push_back(kDegrees * s.lean);
    rate.y.push_back(kDegrees * s.rate);
    cut.y.push_back(100.0 * s.cut);
    rise.y.push_back(100.0 * s.butt.z());
  }
  plan.curves = {tip, butt};
  Panel angle{"lean and turning", "time [s]", "[deg], [deg/s]", {lean, rate}, false, 0.0};
  Panel foot{"cut and butt", "time [s]", "[cm]", {cut, rise}, false, 0.0};
  figure.panels = {side, plan, angle, foot};
  return figure;
}

int fell(const FellOptions& options) {
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  check_distinct({{"--plot", options.plot}, {"--summary", options.summary}}, {options.tree});
  const LoadedTree loaded = load_tree(options.tree, options.assignments);
  FellingSetup setup;
  setup.stump = options.stump;
  setup.towards = options.towards_deg / kDegrees;
  setup.hinge = 1e-3 * options.hinge_mm;
  setup.push = 1e3 * options.push_kN;
  setup.push_height = options.push_height;
  setup.push_towards = options.push_towards_deg.value_or(options.towards_deg) / kDegrees;
  std::unique_ptr<Felling> felling;
  try {
    felling = std::make_unique<Felling>(loaded.tree, setup);
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
  const timber::TreeRecipe& recipe = loaded.tree.recipe();
  say(fmt::format(
      "{}\n  {:.0f} kg over the cut, {:.1f} cm thick there, centre at {:.1f} m, lean {:.1f} deg "
      "towards {:.0f} deg\n\n",
      tree_title(loaded), felling->mass(), 100.0 * felling->butt_diameter(), felling->centre(),
      kDegrees * recipe.lean, kDegrees * recipe.lean_towards));
  const Fall fall = run(*felling, options);
  say(outcome(*felling, fall));
  say(fmt::format("\n  energy not explained: {:.1e} of the weight's work\n", fall.residual));
  if (!options.summary.empty()) io::write_file(options.summary, to_json(loaded, *felling, fall));
  if (!options.plot.empty()) draw(picture(loaded, options, fall), options.plot);
  return interrupted() ? kInterruptedRun : kSuccess;
}

}  // namespace

Command fell_command() {
  const auto o = std::make_shared<FellOptions>();
  constexpr Range kAround{-3600.0, 3600.0};
  return {.name = "fell",
          .sentence = "Fell a tree: cut, hinge, direction, fall, and where its butt goes",
          .arguments =
              joined({{tree_argument(o->tree)},
                      tree_set_options(o->assignments),
                      {{.name = "--towards",
                        .target = &o->towards_deg,
                        .kind = {"DEG"},
                        .sentence = "Where the tree is to go: the saw comes from the other side",
                        .without = "0, along x",
                        .range = kAround},
                       {.name = "--stump",
                        .target = &o->stump,
                        .kind = {"M"},
                        .sentence = "Height of the cut",
                        .without = "0.1",
                        .range = Range{0.0, 2.0}},
                       {.name = "--hinge",
                        .target = &o->hinge_mm,
                        .kind = {"MM"},
                        .sentence = "Wood that the saw leaves",
                        .without = "0, it cuts through",
                        .range = Range{0.0, 1000.0}},
                       {.name = "--push",
                        .target = &o->push_kN,
                        .kind = {"KN"},
                        .sentence = "Push of the head",
                        .without = "0",
                        .range = Range{0.0, 30.0}},
                       {.name = "--push-towards",
                        .target = &o->push_towards_deg,
                        .kind = {"DEG"},
                        .sentence = "Direction of the push",
                        .without = "that of --towards",
                        .range = kAround},
                       {.name = "--push-height",
                        .target = &o->push_height,
                        .kind = {"M"},
                        .sentence = "Where it pushes, over the cut",
                        .without = "1.2",
                        .range = Range{0.1, 10.0}},
                       {.name = "--saw",
                        .target = &o->saw,
                        .kind = {"M2/S"},
                        .sentence = "Area that the saw cuts in a second",
                        .without = "0.075",
                        .range = Range{0.001, 1.0}},
                       {.name = "--longest",
                        .target = &o->longest,
                        .kind = {"S"},
                        .sentence = "Give up after this time",
                        .without = "30",
                        .range = Range{0.1, 600.0}},
                       summary_option(o->summary, "Write the outcome as JSON"),
                       plot_option(o->plot, "Plot the fall from the side and from above")}}),
          .examples = {"knuckleboom fell spruce_30 --hinge 30 --push 4 --plot fall.png",
                       "knuckleboom fell spruce_20 --set lean_deg=3 --set lean_towards_deg=90"},
          .run = [o] { return fell(*o); }};
}

}  // namespace knuckleboom::app
