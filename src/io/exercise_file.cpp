#include "knuckleboom/io/exercise_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "declare/exercise_keys.hpp"
#include "document.hpp"
#include "fault_tables.hpp"
#include "ground_table.hpp"
#include "initial_joints.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/training/load_part.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/io/timber_file.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "limits_table.hpp"
#include "product_tables.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"
#include "way_table.hpp"

namespace knuckleboom::io {
namespace {

using training::TaskKind;

namespace keys = declare::keys;
namespace exercise_keys = keys::exercise_file;

constexpr double kPileGap = 0.01;      // between logs of a pile at the start [m]
constexpr double kRowHeight = 0.8661;  // of a row over the one below, in thicknesses
constexpr double kGridRoom = 0.1;      // between logs of a grid [m]
constexpr int kDraws = 50;             // of a grid's logs, until they have room
constexpr double kWidestAngle = 1.6;   // of a place or target, however wide it is made [rad]
constexpr int kNoBunk = -1;
constexpr double kTouch = 1e-3;  // m; parts that overlap by less only touch

// Words in place of a bunk's name.
struct LoadPart {
  const char* word;
  int bunk;
};
constexpr LoadPart kLoadParts[] = {{keys::log_task::kLoadSpaceWord, training::kLoadSpace},
                                   {keys::log_task::kLoadLeftWord, training::kLoadLeft},
                                   {keys::log_task::kLoadRightWord, training::kLoadRight}};

// Logs of a pile, from the lowest on: begin to end - 1.
struct PileLogs {
  std::string name;
  int begin, end;
};

using Point = std::array<double, 2>;

// --- Distances on the map -----------------------------------------------------

double distance(const Point& p, const Point& a, const Point& b) {
  const double ux = b[0] - a[0], uy = b[1] - a[1];
  const double length2 = ux * ux + uy * uy;
  const double along = length2 > 0.0 ? ((p[0] - a[0]) * ux + (p[1] - a[1]) * uy) / length2 : 0.0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p[0] - a[0] - t * ux, p[1] - a[1] - t * uy);
}

bool cross(const Point& a, const Point& b, const Point& c, const Point& d) {
  const auto side = [](const Point& p, const Point& q, const Point& r) {
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  };
  return side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
}

struct Axis {
  Point a, b;
};

// Axis of the capsule that a log is, seen from above.
Axis axis_of(const world::Log& log) {
  const double half = std::max(0.0, 0.5 * log.length - log.radius);
  const double x = half * std::cos(log.heading), y = half * std::sin(log.heading);
  return {{log.x - x, log.y - y}, {log.x + x, log.y + y}};
}

double distance(const Axis& s, const Axis& t) {
  if (cross(s.a, s.b, t.a, t.b)) return 0.0;
  return std::min({distance(s.a, t.a, t.b), distance(s.b, t.a, t.b), distance(t.a, s.a, s.b),
                   distance(t.b, s.a, s.b)});
}

// --- Reading ------------------------------------------------------------------

class ExerciseReader {
 public:
  ExerciseReader(const Node& root, Report& report, std::filesystem::path file,
                 std::span<const NamedText> species)
      : root_(root), report_(report), file_(std::move(file)), species_texts_(species) {}

  ExerciseFile read() {
    training::Exercise& e = exercise();
    TableReader reader(report_, root_, exercise_keys::table, "the exercise file");
    reader.fill(e);
    e.briefing = reader.texts(exercise_keys::briefing).value_or(std::vector<std::string>());
    out_.places.machine = to_place(reader.place_of(exercise_keys::machine));
    out_.places.levers = to_place(reader.place_of(exercise_keys::levers));
    read_initial(reader, exercise_keys::start, report_, e.initial, out_.places.initial);
    read_ground(reader, exercise_keys::ground, report_, exercise().world.ground);
    if (const Node* node = reader.subtable(exercise_keys::variant)) {
      TableReader variant(report_, *node, keys::variant::table, "'variant'");
      variant.fill(variant_);
      variant.done();
    }
    read_stems(reader);
    read_bunks(reader);
    read_logs(reader);
    read_piles(reader);
    read_products(reader, exercise_keys::products, e.prices);
    read_places(reader);
    read_grid(reader);
    if (const Node* node = reader.subtable(exercise_keys::contact)) {
      TableReader contact(report_, *node, keys::contact::table, "'contact'");
      contact.fill(e.world.contact);
      contact.done();
    }
    read_way(reader, exercise_keys::way, report_, e.world);
    if (const Node* node = reader.subtable(exercise_keys::stand)) {
      TableReader stand(report_, *node, keys::stand_area::table, "'stand'");
      stand.fill(e.stand);
      stand.done();
    }
    read_task(reader);
    check_way(reader);
    read_targets(reader);
    read_log_tasks(reader);
    read_fell_tasks(reader);
    read_visitors(reader);
    add_spare_logs(reader);
    read_limits(reader, exercise_keys::limits, e.limits);
    read_points(reader);
    read_faults(reader, exercise_keys::faults, report_, e.faults, out_.places.faults);
    read_fault_lot(reader, exercise_keys::fault_lot, report_, e.faults, e.fault_lot);
    if (const double tolerance = reader.quantity(exercise_keys::tolerance).value_or(1.0);
        tolerance != 1.0)
      widen(tolerance);
    reader.done();
    report_.throw_if_any();
    check_world();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  training::Exercise& exercise() { return out_.exercise; }

  ScenarioPlaces::Place to_place(const Place& place) const {
    return place_in(report_, place, ScenarioPlaces::Unit::kNone);
  }

  // --- The world --------------------------------------------------------------

  // Names are how log tasks and overrides point at things.
  void refuse_twin(TableReader& reader, const Key& key, std::set<std::string>& names,
                   const std::string& name) {
    if (!name.empty() && !names.insert(name).second)
      reader.error(key, fmt::format("there are two '{}'; rename one of them", name));
  }

  static std::string text_at(const Node& node, std::string_view key) {
    const Node* value = node.find(key);
    return value != nullptr && value->is_string() ? value->text : std::string();
  }

  static std::string called(const Node& node, std::string_view kind) {
    const Node* name = node.find("name");
    return name != nullptr && name->is_string() ? fmt::format("{} '{}'", kind, name->text)
                                                : fmt::format("the {}", kind);
  }

  void read_stems(TableReader& root) {
    std::set<std::string> names;
    std::vector<world::Stem>& stems = exercise().world.stems;
    for (const Node* node : root.tables(exercise_keys::stems)) {
      TableReader reader(report_, *node, keys::stem::table, called(*node, "stem"));
      world::Stem stem;
      timber::TreeRecipe tree;
      reader.fill(stem);
      reader.fill(tree);
      refuse_twin(reader, keys::stem::name, names, stem.name);
      if (!tree.species.empty()) vary(stem, tree);
      read_tree(reader, stem, tree);
      reader.done();
      for (const world::Stem& other : stems)
        if (std::hypot(stem.x - other.x, stem.y - other.y) < stem.radius + other.radius)
          reader.error(keys::stem::position,
                       fmt::format("{} overlaps another stem; move one of them", reader.what()));
      stems.push_back(std::move(stem));
      exercise().trees.push_back(std::move(tree));
    }
  }

  NamedText species_text(const std::string& name) const {
    const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem(); };
    for (const NamedText& text : species_texts_)
      if (stem(text.name) == stem(name)) return text;
    const std::filesystem::path path = species_file(name);
    return {path.string(), read_text_file(path, kConfigurationLimit, "species file")};
  }

  // A folder beside that of the exercise comes first, as it is for machines.
  std::filesystem::path species_file(const std::string& name) const {
    std::error_code ignored;
    if (file_.has_parent_path() && name.find('/') == std::string::npos)
      if (std::filesystem::path near = file_.parent_path() / ".." / "species" / (name + ".toml");
          std::filesystem::is_regular_file(near, ignored))
        return near.lexically_normal();
    return find_species(name);
  }

  // The species that its trees name, once each.
  void read_species_of(TableReader& reader, const timber::TreeRecipe& tree) {
    std::vector<timber::Species>& known = exercise().species;
    if (std::ranges::any_of(known, [&](const auto& one) { return one.name == tree.species; }))
      return;
    try {
      out_.species.push_back(species_text(tree.species));
      timber::Species species =
          read_species_text(out_.species.back().text, out_.species.back().name).content;
      species.name = tree.species;
      known.push_back(std::move(species));
    } catch (const UserError& error) {
      reader.error(keys::stem::species, error.what());
    }
  }

  // A stem with a species is a tree: its diameter makes the stem's radius.
  void read_tree(TableReader& reader, world::Stem& stem, timber::TreeRecipe& tree) {
    const bool thick = reader.has(keys::stem::dbh);
    if (tree.species.empty()) {
      for (const Key& key : keys::stem::all)
        if (reader.has(key) && (key.name == keys::stem::dbh.name || is_of_trees(key)))
          reader.error(key,
                       fmt::format("'{}' is about a tree, and {} has no species; add 'species'",
                                   key.name, reader.what()));
      return;
    }
    if (!thick)
      reader.missing(keys::stem::dbh, "since a species makes it a tree");
    else if (reader.has(keys::stem::radius))
      reader.error(keys::stem::radius,
                   fmt::format("{} has 'dbh' and 'radius'; remove one of them", reader.what()));
    tree.height = stem.height;
    stem.radius = 0.5 * tree.dbh;
    if (const std::string fault = timber::objection(tree); thick && !fault.empty())
      reader.error(keys::stem::dbh, fault);
    read_species_of(reader, tree);
  }

  static bool is_of_trees(const Key& key) {
    return std::ranges::any_of(keys::tree::shared,
                               [&](const Key& one) { return one.name == key.name; });
  }

  void read_bunks(TableReader& root) {
    for (const Node* node : root.tables(exercise_keys::bunks)) {
      TableReader reader(report_, *node, keys::bunk::table, called(*node, "bunk"));
      world::Bunk bunk;
      reader.fill(bunk);
      refuse_twin(reader, keys::bunk::name, bunk_names_, bunk.name);
      reader.done();
      exercise().world.bunks.push_back(std::move(bunk));
    }
  }

  // -1 to 1; 0 in the exercise as written. Each thing has its own draws, whatever is added before it.
  double draw(std::size_t thing, std::uint64_t number) const {
    if (variant_.seed == 0) return 0.0;
    const std::uint64_t first = mixed_bits(mixed_bits(variant_.seed) + thing);
    return 2.0 * uniform(mixed_bits(first + number)) - 1.0;
  }

  // Another form and other branches as well.
  void vary(world::Stem& stem, timber::TreeRecipe& tree) const {
    constexpr std::size_t kTrees = 2000;  // after logs and places
    const std::size_t n = kTrees + out_.exercise.world.stems.size();
    stem.x += variant_.trees_shift * draw(n, 0);
    stem.y += variant_.trees_shift * draw(n, 1);
    const double size = 1.0 + variant_.trees_size * draw(n, 2);
    tree.dbh *= size;
    stem.height *= size;
    if (variant_.seed != 0 && variant_.trees_size > 0.0)
      tree.seed = mixed_bits(variant_.seed + tree.seed + n);
  }

  void vary(world::Log& log) const {
    const std::size_t n = out_.exercise.world.logs.size();
    log.x += variant_.logs_shift * draw(n, 0);
    log.y += variant_.logs_shift * draw(n, 1);
    log.heading += variant_.logs_turn * draw(n, 2);
    log.length *= 1.0 + variant_.logs_size * draw(n, 3);
    log.radius *= 1.0 + variant_.logs_size * draw(n, 4);
  }

  void read_places(TableReader& root) {
    constexpr std::size_t kPlaces = 1000;  // after the logs
    std::vector<training::Place>& places = exercise().places;
    for (const Node* node : root.tables(exercise_keys::places)) {
      TableReader reader(report_, *node, keys::place::table, called(*node, "place"));
      training::Place place;
      reader.fill(place);
      refuse_twin(reader, keys::place::name, place_names_, place.name);
      if (log_names_.contains(place.name))
        reader.error(keys::place::name,
                     fmt::format("a log is called '{}' as well, and its name stands for where it "
                                 "lay at the start; rename one of them",
                                 place.name));
      if (reader.has(keys::place::product))
        place.product = index_of(reader, keys::place::product, exercise().prices.products, -1);
      reader.done();
      const std::size_t n = kPlaces + places.size();
      place.x += variant_.places_shift * draw(n, 0);
      place.y += variant_.places_shift * draw(n, 1);
      place.heading += variant_.places_turn * draw(n, 2);
      places.push_back(std::move(place));
    }
  }

  // The place with this name; of a log's name: where that log lay, made when it is first asked for.
  int place_of(TableReader& reader) {
    std::vector<training::Place>& places = exercise().places;
    const std::string name = reader.text(keys::log_task::place).value_or("");
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].name == name) return static_cast<int>(i);
    for (const world::Log& log : exercise().world.logs)
      if (log.name == name) {
        training::Place place;
        place.name = name;
        place.x = log.x;
        place.y = log.y;
        place.heading = log.heading;
        if (log.lift > 0.0) place.height = log.lift + log.radius;
        place.colour = log.colour;
        places.push_back(std::move(place));
        return static_cast<int>(places.size()) - 1;
      }
    std::vector<std::string> names(place_names_.begin(), place_names_.end());
    names.insert(names.end(), log_names_.begin(), log_names_.end());
    if (!name.empty())
      reader.error(keys::log_task::place, fmt::format("there is no place and no log '{}'{}", name,
                                                      alternatives(name, names)));
    return 0;
  }

  void read_logs(TableReader& root) {
    for (const Node* node : root.tables(exercise_keys::logs)) {
      TableReader reader(report_, *node, keys::log::table, called(*node, "log"));
      world::Log log;
      reader.fill(log);
      refuse_twin(reader, keys::log::name, log_names_, log.name);
      reader.done();
      vary(log);
      if (log.length <= 2.5 * log.radius)
        reader.error(keys::log::length,
                     fmt::format("{} must be longer than 2.5 times its radius", reader.what()));
      check_room(reader, keys::log::position, log);
      exercise().world.logs.push_back(std::move(log));
    }
  }

  void vary(declare::keys::Pile& pile, std::size_t number) const {
    constexpr std::size_t kPiles = 5000;  // after the targets
    pile.x += variant_.logs_shift * draw(kPiles + number, 0);
    pile.y += variant_.logs_shift * draw(kPiles + number, 1);
    pile.heading += variant_.logs_turn * draw(kPiles + number, 2);
  }

  // Rows on each other, each in the gaps of the one below, high enough for the thickest.
  void read_piles(TableReader& root) {
    std::size_t number_of_pile = 0;
    for (const Node* node : root.tables(exercise_keys::piles)) {
      TableReader reader(report_, *node, keys::pile::table, called(*node, "pile"));
      declare::keys::Pile pile;
      reader.fill(pile);
      const int bunk =
          reader.has(keys::pile::bunk) ? bunk_of(reader, *node, keys::pile::bunk) : kNoBunk;
      reader.done();
      vary(pile, number_of_pile++);
      const double thickest = pile.radius * (1.0 + pile.spread);
      const double side = 2.0 * thickest + kPileGap;
      if (pile.length * (1.0 - pile.spread) <= 2.5 * thickest)
        reader.error(
            keys::pile::length,
            fmt::format("{} must be longer than 2.5 times its logs' radius", reader.what()));
      if (const int most = pile.bottom * (pile.bottom + 1) / 2; pile.count > most)
        reader.error(
            keys::pile::count,
            fmt::format("{} of {} logs needs a wider lowest row: on {} there is room for {}",
                        reader.what(), pile.count, pile.bottom, most));
      std::uint64_t number = mixed_bits(pile.seed + variant_.seed);
      const auto differs = [&](double value) {
        return value * (1.0 + pile.spread * (2.0 * uniform(++number) - 1.0));
      };
      const SinCos heading = sin_cos(pile.heading);
      int made = 0;
      for (int row = 0; row < pile.bottom && made < pile.count; ++row)
        for (int i = 0; i < pile.bottom - row && made < pile.count; ++i) {
          const double across = side * (i - 0.5 * (pile.bottom - 1 - row));
          world::Log log;
          log.name = fmt::format("{}_{}", pile.name, ++made);
          log.length = differs(pile.length);
          log.radius = differs(pile.radius);
          log.density = pile.density;
          log.colour = pile.colour;
          log.x = pile.x - across * heading.sin;
          log.y = pile.y + across * heading.cos;
          log.heading = pile.heading;
          log.lift = pile.lift + row * (kRowHeight * side + kPileGap);
          refuse_twin(reader, keys::pile::name, log_names_, log.name);
          if (row == 0) check_room(reader, keys::pile::position, log);
          exercise().world.logs.push_back(std::move(log));
        }
      const auto end = static_cast<int>(exercise().world.logs.size());
      piles_.push_back({pile.name, end - made, end});
      for (int i = 1; bunk != kNoBunk && i <= made; ++i)
        exercise().log_tasks.push_back({end - i, bunk});
    }
    if (exercise().world.logs.size() > static_cast<std::size_t>(world::kMaxLogs))
      report_.error(root_.place,
                    fmt::format("there are {} logs with those of the piles; {} is the most",
                                exercise().world.logs.size(), world::kMaxLogs));
  }

  // Who lies in another one is drawn again, until all have room.
  void read_grid(TableReader& root) {
    const Node* node = root.subtable(exercise_keys::grid);
    if (node == nullptr) return;
    namespace k = keys::grid;
    TableReader reader(report_, *node, k::table, "the grid");
    declare::keys::Grid grid;
    const bool sound = reader.fill(grid);
    const std::vector<double> angles = reader.numbers(k::angles).value_or(std::vector<double>());
    const std::vector<double> distances =
        reader.numbers(k::distances).value_or(std::vector<double>());
    reader.done();
    const std::size_t places = angles.size() * distances.size();
    const std::size_t count = places * static_cast<std::size_t>(grid.rounds);
    std::vector<world::Log>& logs = exercise().world.logs;
    if (logs.size() + count > static_cast<std::size_t>(world::kMaxLogs))
      reader.error(k::distances, fmt::format("there are {} logs with those of the grid; {} is the "
                                             "most",
                                             logs.size() + count, world::kMaxLogs));
    if (grid.length * (1.0 - grid.size_spread) <= 2.5 * grid.radius * (1.0 + grid.size_spread))
      reader.error(k::length, "the logs of the grid must be longer than 2.5 times their radius");
    if (!sound || places == 0 || report_.count() > 0) return;
    const double farthest = *std::max_element(distances.begin(), distances.end());
    std::uint64_t number = mixed_bits(grid.seed);
    const auto within = [&number](double most) { return most * (2.0 * uniform(++number) - 1.0); };
    for (int round = 0; round < grid.rounds; ++round) {
      const std::size_t first = logs.size();
      std::vector<Point> place;
      for (const double angle : angles)
        for (const double distance : distances) {
          const SinCos to = sin_cos(round == 0 ? angle : -angle);
          place.push_back({distance * to.cos, distance * to.sin});
          world::Log log;
          log.name = fmt::format("grid_{}", logs.size() + 1);
          log.density = grid.density;
          log.length = grid.length * (1.0 + within(grid.size_spread));
          log.radius = grid.radius * (1.0 + within(grid.size_spread));
          refuse_twin(reader, k::distances, log_names_, log.name);
          logs.push_back(std::move(log));
        }
      const auto draw =
          [&](std::size_t n) {  // none beyond the farthest place: a crane may not reach
            world::Log& log = logs[first + n];
            log.x = place[n][0] + within(grid.place_spread);
            log.y = place[n][1] + within(grid.place_spread);
            const double beyond =
                std::max(1.0, std::sqrt(log.x * log.x + log.y * log.y) / farthest);
            log.x /= beyond;
            log.y /= beyond;
            log.heading = within(grid.heading_spread);
          };
      std::vector<std::size_t> order(places);
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (const std::size_t n : order) draw(n);
      bool fits = false;
      for (int pass = 0; pass < kDraws && !fits; ++pass) {
        fits = true;
        for (const std::size_t n : order)
          for (int i = 0; i < kDraws && is_in_another(first + n); ++i) {
            draw(n);
            fits = false;
          }
      }
      if (!fits)
        reader.error(k::distances, fmt::format("there is no room for the logs of the grid, which "
                                               "are {:g} m long; put them farther apart",
                                               grid.length));
      for (std::size_t n = places; n > 1; --n)
        std::swap(order[n - 1],
                  order[static_cast<std::size_t>(uniform(++number) * static_cast<double>(n))]);
      for (const std::size_t n : order)
        exercise().log_tasks.push_back({static_cast<int>(first + n), training::kLoadSpace});
    }
  }

  bool is_in_another(std::size_t index) {
    const world::WorldRecipe& world = exercise().world;
    const world::Log& log = world.logs[index];
    const Axis axis = axis_of(log);
    for (std::size_t i = 0; i < world.logs.size(); ++i)
      if (i != index &&
          distance(axis, axis_of(world.logs[i])) < log.radius + world.logs[i].radius + kGridRoom)
        return true;
    return std::any_of(world.stems.begin(), world.stems.end(), [&](const world::Stem& stem) {
      return distance({stem.x, stem.y}, axis.a, axis.b) < log.radius + stem.radius + kGridRoom;
    });
  }

  // Seen from above, and for logs at about the same height; bumps of the ground are left out.
  void check_room(TableReader& reader, const Key& position, const world::Log& log) {
    const world::WorldRecipe& world = exercise().world;
    const Axis axis = axis_of(log);
    for (const world::Log& other : world.logs) {
      const double apart = std::hypot(distance(axis, axis_of(other)),
                                      log.lift + log.radius - other.lift - other.radius);
      if (apart < log.radius + other.radius - kTouch)
        reader.error(position, fmt::format("{} lies in log '{}'; move one of them", reader.what(),
                                           other.name));
    }
    for (const world::Stem& stem : world.stems)
      if (log.lift < stem.height &&
          distance({stem.x, stem.y}, axis.a, axis.b) < log.radius + stem.radius - kTouch)
        reader.error(position, fmt::format("{} lies in the stem at [{:g}, {:g}] m; move one of "
                                           "them",
                                           reader.what(), stem.x, stem.y));
  }

  // Faults that only show once everything stands on the ground.
  void check_world() {
    try {
      const world::World world(exercise().world);
    } catch (const std::invalid_argument& error) {
      report_.error(root_.place, error.what());
    }
  }

  // --- What is asked ----------------------------------------------------------

  void read_task(TableReader& root) {
    const Node* node = root.subtable(exercise_keys::task);
    if (node == nullptr) return;
    out_.places.task = to_place(node->place);
    TableReader reader(report_, *node, keys::task::table, "'task'");
    task_known_ = reader.fill(exercise());
    if (task_known_ && exercise().task != TaskKind::kLogs && reader.has(keys::task::stand))
      reader.error(keys::task::stand,
                   "only a task of kind \"logs\" has 'stand'; remove it or change 'kind'");
    if (task_known_) reader.done();
  }

  void check_way(TableReader& root) {
    if (!task_known_ || exercise().task != TaskKind::kDrive) return;
    if (!root.has(exercise_keys::way))
      report_.error(root_.place, "the task is to drive; add the [way] to follow");
    else if (exercise().world.way.stops.empty())
      root.error(exercise_keys::way, "the task is to halt at the way's stops; add a [[way.stop]]");
  }

  bool asks_for_targets() {
    const TaskKind task = exercise().task;
    return task == TaskKind::kReach || task == TaskKind::kPath || task == TaskKind::kHead;
  }

  void read_targets(TableReader& root) {
    std::vector<training::Target>& targets = exercise().targets;
    std::set<std::string> names;
    namespace k = keys::target;
    for (const Node* node : root.tables(exercise_keys::targets)) {
      TableReader reader(report_, *node, k::table, called(*node, "target"));
      training::Target target;
      reader.fill(target);
      refuse_twin(reader, k::name, names, target.name);
      read_direction(reader, target);
      if (asks_for_targets() && exercise().task != TaskKind::kReach && reader.has(k::plumb))
        reader.error(k::plumb, "only a task of kind \"reach\" has 'plumb'; remove it");
      if (reader.has(k::dwell) && exercise().task == TaskKind::kPath && task_known_)
        reader.error(k::dwell, "a path is followed without stopping; remove 'dwell'");
      reader.done();
      constexpr std::size_t kTargets = 4000;  // after the falls
      for (std::size_t c = 0; c < 3; ++c)
        target.p_W(static_cast<int>(c)) +=
            variant_.targets_shift * draw(kTargets + targets.size(), c);
      if (exercise().task == TaskKind::kPath && !targets.empty() &&
          !((target.p_W - targets.back().p_W).norm() > kTouch))
        reader.error(k::position,
                     "the path does not go on from the target before; move one of them");
      targets.push_back(std::move(target));
    }
    if (!task_known_) return;
    const std::size_t least =
        exercise().task == TaskKind::kPath ? 2 : static_cast<std::size_t>(asks_for_targets());
    if (targets.size() < least && !root.has(exercise_keys::targets))
      report_.error(root_.place,
                    fmt::format("the task needs targets; add at least {} [[target]]", least));
    else if (targets.size() < least)
      root.error(exercise_keys::targets, fmt::format("a path needs at least {} targets", least));
    if (!targets.empty() && !asks_for_targets())
      root.error(exercise_keys::targets,
                 "this kind of task has no targets; remove them or change 'kind'");
  }

  void read_direction(TableReader& reader, training::Target& target) {
    namespace k = keys::target;
    const auto axis = reader.vector(k::axis);
    if (asks_for_targets() && exercise().task != TaskKind::kHead)
      for (const Key* key : {&k::axis, &k::angle})
        if (reader.has(*key))
          reader.error(*key,
                       fmt::format("only a task of kind \"head\" has '{}'; remove it", key->name));
    if (!axis) return;
    const double size = axis->stableNorm();
    if (size > 0.0 && std::isfinite(size))
      target.axis_W = *axis / size;
    else
      reader.error(k::axis, "the axis has no direction; give a vector that is not zero");
  }

  // none: the index if none of them is meant.
  template <typename T>
  int index_of(TableReader& reader, const Key& key, const std::vector<T>& things, int none = 0) {
    const std::string name = reader.text(key).value_or("");
    std::vector<std::string> names(things.size());
    std::transform(things.begin(), things.end(), names.begin(),
                   [](const T& thing) { return thing.name; });
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && !name.empty())
      reader.error(key,
                   fmt::format("there is no {} '{}'{}", key.name, name, alternatives(name, names)));
    return found == names.end() ? none : static_cast<int>(found - names.begin());
  }

  // A bunk, the load space or a side of it.
  int bunk_of(TableReader& reader, const Node& node, const Key& key) {
    for (const LoadPart& part : kLoadParts)
      if (text_at(node, key.name) == part.word) return reader.text(key) ? part.bunk : 0;
    return index_of(reader, key, exercise().world.bunks);
  }

  // Those of a log task: one, or all of a pile, the top one first.
  std::vector<int> logs_of(TableReader& reader) {
    namespace k = keys::log_task;
    if (reader.has(k::log) && reader.has(k::pile))
      reader.error(k::pile, "the log task has 'log' and 'pile'; remove one of them");
    if (!reader.has(k::pile) && !reader.has(k::log))
      reader.missing(k::log, "or 'pile'; without them it is not said what is carried");
    if (!reader.has(k::pile)) return {index_of(reader, k::log, exercise().world.logs)};
    std::vector<int> logs;
    const auto pile = static_cast<std::size_t>(index_of(reader, k::pile, piles_));
    if (pile < piles_.size())
      for (int i = piles_[pile].end; i-- > piles_[pile].begin;) logs.push_back(i);
    return logs;
  }

  // Where a log task brings its log, as the file calls it.
  std::string goal_of(const training::LogTask& task) {
    if (task.place >= 0) return exercise().places[static_cast<std::size_t>(task.place)].name;
    for (const LoadPart& part : kLoadParts)
      if (task.bunk == part.bunk) return part.word;
    const auto bunk = static_cast<std::size_t>(task.bunk);
    // A pile's bunk may be misspelled where there is none.
    return bunk < exercise().world.bunks.size() ? exercise().world.bunks[bunk].name : "?";
  }

  void read_log_tasks(TableReader& root) {
    std::map<int, std::string> last;  // where each log was brought last
    std::vector<training::LogTask>& tasks = exercise().log_tasks;
    for (const training::LogTask& task : tasks) last[task.log] = goal_of(task);
    namespace k = keys::log_task;
    for (const Node* node : root.tables(exercise_keys::log_tasks)) {
      TableReader reader(report_, *node, k::table, "the log task");
      const std::size_t before = report_.count();
      training::LogTask task;
      reader.fill(task);
      const std::vector<int> which = logs_of(reader);
      task.gathered = reader.has(k::pile);
      if (reader.has(k::bunk) == reader.has(k::place)) {
        reader.error(reader.has(k::bunk) ? k::place : k::log,
                     reader.has(k::bunk)
                         ? "a log goes to a bunk or to a place, not to both; remove one of them"
                         : "the log task does not say where the log goes; add 'bunk' or 'place'");
      }
      const bool place = reader.has(k::place);
      task.place = place ? place_of(reader) : -1;
      task.bunk = place ? -1 : bunk_of(reader, *node, k::bunk);
      reader.done();
      for (const int one : which) {
        task.log = one;
        tasks.push_back(task);
        if (report_.count() != before) continue;
        const std::string to = goal_of(task);
        const std::string& log = exercise().world.logs[static_cast<std::size_t>(task.log)].name;
        std::string& there = last[task.log];
        if (!there.empty() && exercise().stand_s > 0.0)
          reader.error(k::log, fmt::format("log '{}' is carried again, and could then not stand "
                                           "where it was first; remove this task or 'stand'",
                                           log));
        if (to == (there.empty() ? log : there))
          reader.error(k::log, there.empty()
                                   ? fmt::format("log '{}' lies in its place already; bring it "
                                                 "somewhere else first, or remove this task",
                                                 log)
                                   : fmt::format("log '{}' is carried twice to '{}'; remove one of "
                                                 "its tasks",
                                                 log, to));
        there = to;
      }
      // Not known: the next one has no fault.
      if (report_.count() != before)
        for (const int one : which) last[one].assign(1, '?');
    }
    if (!task_known_) return;
    const bool wanted = exercise().task == TaskKind::kLogs;
    if (!exercise().load_space &&
        std::any_of(tasks.begin(), tasks.end(), training::into_load_space))
      report_.error(root_.place,
                    "logs are to be loaded, but the load space is taken off; remove 'load_space'");
    if (wanted && tasks.empty() && !root.has(exercise_keys::log_tasks))
      report_.error(root_.place, "the task is to carry logs; add at least one [[log_task]]");
    else if (wanted && tasks.empty())
      root.error(exercise_keys::log_tasks,
                 "the task is to carry logs; add at least one [[log_task]]");
    if (!wanted && !tasks.empty())
      root.error(exercise_keys::log_tasks,
                 "this kind of task carries no logs; remove them or change 'kind'");
  }

  void read_fell_tasks(TableReader& root) {
    namespace k = keys::fell_task;
    std::vector<training::FellTask>& tasks = exercise().fell_tasks;
    for (const Node* node : root.tables(exercise_keys::fell_tasks)) {
      TableReader reader(report_, *node, k::table, "the tree to be felled");
      training::FellTask task;
      const std::size_t before = report_.count();
      reader.fill(task);
      task.stem = index_of(reader, k::stem, exercise().world.stems);
      constexpr std::size_t kFalls = 3000;  // after the trees
      task.towards += variant_.falls_turn * draw(kFalls + tasks.size(), 0);
      const auto stem = static_cast<std::size_t>(task.stem);
      if (report_.count() == before &&
          (stem >= exercise().trees.size() || exercise().trees[stem].species.empty()))
        reader.error(k::stem, fmt::format("stem '{}' is a post; give it 'species' and 'dbh'",
                                          exercise().world.stems[stem].name));
      for (const training::FellTask& other : tasks)
        if (report_.count() == before && other.stem == task.stem)
          reader.error(k::stem, fmt::format("stem '{}' is felled twice; remove one of its tables",
                                            exercise().world.stems[stem].name));
      reader.done();
      tasks.push_back(task);
    }
    if (!task_known_) return;
    const bool wanted = training::fells(exercise().task);
    if (wanted && tasks.empty())
      report_.error(root_.place, "the task is to fell trees; add at least one [[fell]]");
    if (!wanted && !tasks.empty())
      root.error(exercise_keys::fell_tasks,
                 "this kind of task fells no trees; remove them or change 'kind'");
  }

  void read_visitors(TableReader& root) {
    namespace k = keys::visitor;
    constexpr std::size_t kVisitors = 6000;  // after the piles
    std::set<std::string> names;
    std::vector<training::Visitor>& visitors = exercise().visitors;
    for (const Node* node : root.tables(exercise_keys::visitors)) {
      TableReader reader(report_, *node, k::table, called(*node, "visitor"));
      training::Visitor visitor;
      reader.fill(visitor);
      refuse_twin(reader, k::name, names, visitor.name);
      for (const Node* one : reader.tables(k::points)) {
        TableReader point(report_, *one, k::point_table, "the visitor's point");
        training::VisitorPoint at;
        point.fill(at);
        point.done();
        const std::vector<training::VisitorPoint>& before = visitor.points;
        if (!before.empty() && std::hypot(at.x - before.back().x, at.y - before.back().y) < kTouch)
          point.error(k::point_position,
                      "the way does not go on from the point before; move one of them");
        visitor.points.push_back(at);
      }
      reader.done();
      const double shift = variant_.visitors_shift * draw(kVisitors + visitors.size(), 0);
      visitor.from_s = std::max(0.0, visitor.from_s + shift);
      visitors.push_back(std::move(visitor));
    }
  }

  // An easier exercise is another one: to pass it is not to pass this one. A harder one passes this too.
  void widen(double tolerance) {
    training::Exercise& e = exercise();
    if (tolerance > 1.0) e.name += "_easier";
    e.title += tolerance > 1.0 ? ", easier" : ", harder";
    for (training::Target& target : e.targets) {
      target.radius *= tolerance;
      target.angle = std::min(target.angle * tolerance, kWidestAngle);
      target.plumb = std::min(target.plumb * tolerance, kWidestAngle);
    }
    for (training::Place& place : e.places) {
      place.radius *= tolerance;
      place.angle = std::min(place.angle * tolerance, kWidestAngle);
      place.tilt = std::min(place.tilt * tolerance, kWidestAngle);
    }
    for (training::Limit& limit : e.limits) {
      limit.most *= tolerance;
      limit.least /= tolerance;
    }
  }

  void add_spare_logs(TableReader& root) {
    const int count = root.whole(exercise_keys::spare_logs).value_or(0);
    std::vector<world::Log>& logs = exercise().world.logs;
    if (logs.size() + static_cast<std::size_t>(count) > static_cast<std::size_t>(world::kMaxLogs))
      root.error(exercise_keys::spare_logs,
                 fmt::format("with {} logs of its own the exercise has places for {} more at most",
                             logs.size(), world::kMaxLogs - static_cast<int>(logs.size())));
    for (int i = 0; i < count; ++i) {
      world::Log log;
      log.name = fmt::format("cut {}", i + 1);
      log.spare = true;
      logs.push_back(std::move(log));
    }
    if (!task_known_ || exercise().task != TaskKind::kBuck) return;
    if (exercise().prices.products.empty() || count == 0)
      report_.error(root_.place,
                    "the task is to cut logs; add at least one [[product]], and 'spare_logs'");
  }

  // A pass by points is limits like the others, unless the file has its own.
  void read_points(TableReader& root) {
    const Node* node = root.subtable(exercise_keys::points);
    if (node == nullptr) return;
    namespace k = keys::points;
    TableReader reader(report_, *node, k::table, "'points'");
    training::Points& points = exercise().points;
    reader.fill(points);
    if (!points.given() && reader.has(k::beginner) && reader.has(k::experienced))
      reader.error(k::beginner,
                   "the beginner's time must be longer than that of the experienced operator");
    if (task_known_ && exercise().task == TaskKind::kFree)
      report_.error(node->place, "free play asks for nothing, and has no points; remove 'points'");
    reader.done();
    const double share = training::kPassTimeShare;
    add_limit(
        {"counted_s", true, false, share * points.experienced_s + (1.0 - share) * points.beginner_s,
         0.0,
         fmt::format("{:g} of the way from the beginner's time to the experienced one's", share)});
    add_limit({"points", false, true, 0.0, training::kPassPoints, "estimate"});
  }
  void add_limit(training::Limit limit) {
    std::vector<training::Limit>& limits = exercise().limits;
    if (std::none_of(limits.begin(), limits.end(),
                     [&](const training::Limit& own) { return own.figure == limit.figure; }))
      limits.push_back(std::move(limit));
  }

  const Node& root_;
  Report& report_;
  std::filesystem::path file_;
  std::span<const NamedText> species_texts_;
  bool task_known_ = false;
  std::set<std::string> bunk_names_, log_names_, place_names_;
  std::vector<PileLogs> piles_;
  declare::keys::Variant variant_;
  ExerciseFile out_;
};

}  // namespace

ExerciseFile read_exercise_text(std::string_view text, const std::string& file_name,
                                std::span<const Override> overrides,
                                std::vector<Diagnostic>* unknown,
                                std::span<const NamedText> species) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "exercise file";
  options.keys = &exercise_keys::table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  ExerciseFile file = ExerciseReader(root, report, file_name, species).read();
  for (const NamedText& one : file.species) hash.add(one.text);
  file.hash = hash.result();
  file.files = report.files_read();
  file.remarks = report.remarks();
  return file;
}

std::vector<Override> variant_of_text(std::string_view text, const std::string& file_name,
                                      std::uint64_t seed) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "exercise file";
  options.keys = &exercise_keys::table;
  const Node root = read_document(text, file_name, {}, options, report, hash);
  std::vector<Override> out;
  for (const declare::Key& table :
       {exercise_keys::variant, exercise_keys::grid, exercise_keys::way, exercise_keys::fault_lot})
    if (std::any_of(root.entries.begin(), root.entries.end(),
                    [&table](const Entry& entry) { return entry.key == table.name; }))
      out.push_back({fmt::format("{}.seed", table.name), fmt::format("{}", seed)});
  return out;
}

std::vector<Override> variant_of(const std::filesystem::path& path, std::uint64_t seed) {
  return variant_of_text(read_text_file(path, kConfigurationLimit, "exercise file"), path.string(),
                         seed);
}

std::string with_tolerance(std::string_view text, const std::string& file_name, double tolerance) {
  std::string out = fmt::format("{} = {}\n", exercise_keys::tolerance.name, tolerance);
  out += text;
  read_exercise_text(out, file_name);
  return out;
}

ExerciseFile read_exercise(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_exercise_text(read_text_file(path, kConfigurationLimit, "exercise file"),
                            path.string(), overrides);
}

std::vector<Diagnostic> check_start(const training::Exercise& exercise,
                                    const machine::MachineModel& machine,
                                    const ExercisePlaces& places) {
  std::string fault = training::start_objection(machine, exercise);
  if (fault.empty()) return {};
  const ScenarioPlaces::Place& place =
      places.initial.empty() ? places.task : places.initial.front();
  return {{place.file.empty() ? exercise.name : place.file, place.line, place.column,
           std::move(fault)}};
}

std::vector<Diagnostic> check_tools(const training::Exercise& exercise,
                                    const machine::MachineModel& machine,
                                    const ExercisePlaces& places) {
  std::vector<Diagnostic> faults;
  const auto at_task = [&](std::string message) {
    faults.push_back({places.task.file.empty() ? exercise.name : places.task.file, places.task.line,
                      places.task.column, std::move(message)});
  };
  const bool grapple = exercise.task == TaskKind::kLogs || exercise.task == TaskKind::kHead;
  if (grapple && !machine.grapple.present)
    at_task(
        fmt::format("the task needs a grapple, which machine '{}' does not have", machine.name));
  const auto in_plumb = [](const training::Target& target) { return target.plumb > 0.0; };
  if (!machine.grapple.present && std::ranges::any_of(exercise.targets, in_plumb))
    at_task(fmt::format("a target asks for a head in plumb, and nothing hangs from machine '{}'",
                        machine.name));
  if (exercise.task == TaskKind::kFell && !machine.head.present)
    at_task(
        fmt::format("the task needs a harvester's head, which machine '{}' does not have; "
                    "'harvester_head' has",
                    machine.name));
  if (training::asks_to_drive(exercise) && machine.wheels.empty())
    at_task(fmt::format("the task is to drive, and machine '{}' has no wheels; 'forwarder_8w' has",
                        machine.name));
  if (!machine.load_space.present &&
      std::any_of(exercise.log_tasks.begin(), exercise.log_tasks.end(), training::into_load_space))
    at_task(
        fmt::format("the task needs a load space, which machine '{}' does not have", machine.name));
  return faults;
}

std::vector<Diagnostic> check_against(const training::Exercise& exercise,
                                      const machine::MachineModel& machine,
                                      const ExercisePlaces& places) {
  command::Scenario start;
  start.name = exercise.name;
  start.initial = exercise.initial;
  ScenarioPlaces start_places;
  start_places.initial = places.initial;
  start.faults = exercise.faults;
  start_places.faults = places.faults;
  std::vector<Diagnostic> faults = check_against(start, machine, start_places);
  const std::vector<command::Fault> usual = sim::usual_faults(machine);
  for (std::size_t i = 0; i < exercise.faults.size() && i < places.faults.size(); ++i) {
    const std::string& name = exercise.faults[i].name;
    if (std::any_of(usual.begin(), usual.end(),
                    [&name](const command::Fault& fault) { return fault.name == name; }))
      faults.push_back({places.faults[i].file, places.faults[i].line, places.faults[i].column,
                        fmt::format("fault '{}' has the name of a usual fault of machine '{}', "
                                    "which could then not be chosen; rename it",
                                    name, machine.name)});
  }
  const std::vector<Diagnostic> missing = check_tools(exercise, machine, places);
  faults.insert(faults.end(), missing.begin(), missing.end());
  if (faults.empty()) faults = check_start(exercise, machine, places);
  return faults;
}

}  // namespace knuckleboom::io
