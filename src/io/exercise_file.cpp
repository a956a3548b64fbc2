#include "knuckleboom/io/exercise_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "document.hpp"
#include "fault_tables.hpp"
#include "initial_joints.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using training::TaskKind;

constexpr std::size_t kMaxStems = 200;
constexpr std::size_t kMaxBunks = 16;
constexpr std::size_t kMaxTargets = 200;
constexpr std::size_t kMaxParagraphs = 40;
constexpr Range kPlaceRange{-1e3, 1e3};  // m
constexpr Range kHeadingRange{-1e3, 1e3};
constexpr double kTouch = 1e-3;  // m; parts that overlap by less only touch

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
  ExerciseReader(const Node& root, Report& report) : root_(root), report_(report) {}

  ExerciseFile read() {
    TableReader reader(report_, root_, "the exercise file");
    read_head(reader);
    read_initial(reader, "start", report_, out_.exercise.initial, out_.places.initial);
    read_ground(reader);
    read_stems(reader);
    read_bunks(reader);
    read_logs(reader);
    read_contact(reader);
    read_task(reader);
    read_targets(reader);
    read_log_tasks(reader);
    read_limits(reader);
    read_faults(reader, report_, out_.exercise.faults, out_.places.faults);
    read_fault_lot(reader, report_, out_.exercise.faults, out_.exercise.fault_lot);
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

  void read_head(TableReader& reader) {
    training::Exercise& e = exercise();
    e.name = reader.required_text("name");
    if (!e.name.empty() && !is_name(e.name))
      reader.error("name", fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       e.name));
    e.title = reader.required_text("title");
    read_briefing(reader);
    e.machine = reader.required_text("machine");
    e.levers = reader.required_text("levers");
    out_.places.machine = to_place(reader.place_of("machine"));
    out_.places.levers = to_place(reader.place_of("levers"));
    e.mode = reader
                 .choice<command::ControlMode>("control_mode",
                                               {{"valve", command::ControlMode::kValve},
                                                {"joint_rate", command::ControlMode::kJointRate},
                                                {"boom_tip", command::ControlMode::kBoomTip}})
                 .value_or(e.mode);
    e.fidelity =
        reader
            .choice<machine::Fidelity>("fidelity", {{"reduced", machine::Fidelity::kReduced},
                                                    {"full", machine::Fidelity::kFull}})
            .value_or(e.fidelity);
    e.rate_Hz =
        reader.quantity("rate", Dimension::kFrequency, Range{250.0, 2000.0}).value_or(e.rate_Hz);
    e.lesson = reader.integer("lesson", 1, 10000).value_or(0);
    e.time_limit_s =
        reader.quantity("time_limit", Dimension::kTime, Range{1.0, 1e5}).value_or(e.time_limit_s);
    e.grapple_opening = reader.quantity("grapple_opening", Dimension::kNone, Range{0.0, 1.0})
                            .value_or(e.grapple_opening);
  }

  void read_briefing(TableReader& reader) {
    const Node* node = reader.any("briefing");
    if (node == nullptr) return;
    const bool texts = node->is_array() && std::all_of(node->items.begin(), node->items.end(),
                                                       [](const Node& n) { return n.is_string(); });
    if (!texts || node->items.size() > kMaxParagraphs) {
      reader.error("briefing", fmt::format("'briefing' must be an array of at most {} strings, one "
                                           "for each paragraph",
                                           kMaxParagraphs));
      return;
    }
    for (const Node& paragraph : node->items) exercise().briefing.push_back(paragraph.text);
  }

  // --- The world --------------------------------------------------------------

  void read_ground(TableReader& root) {
    const Node* node = root.subtable("ground");
    if (node == nullptr) return;
    world::GroundRecipe& ground = exercise().world.ground;
    TableReader reader(report_, *node, "'ground'");
    if (const auto seed = reader.integer("seed", 0, std::numeric_limits<int>::max()))
      ground.seed = static_cast<std::uint32_t>(*seed);
    const auto length = [&](const char* stem, Range range, double& value) {
      value = reader.quantity(stem, Dimension::kLength, range).value_or(value);
    };
    length("size", {10.0, 200.0}, ground.size);
    length("spacing", {0.2, 5.0}, ground.spacing);
    length("bump_height", {0.0, 2.0}, ground.bump_height);
    length("bump_length", {0.5, 100.0}, ground.bump_length);
    if (ground.bump_length < 2.0 * ground.spacing)
      reader.error("bump_length", "bumps must be at least twice as long as the ground's 'spacing'");
    length("level_radius", {0.0, 100.0}, ground.level_radius);
    const Range slope{-1.0, 1.0};
    ground.slope_x = reader.quantity("slope_x", Dimension::kNone, slope).value_or(0.0);
    ground.slope_y = reader.quantity("slope_y", Dimension::kNone, slope).value_or(0.0);
    reader.done();
  }

  void read_position(TableReader& reader, double& x, double& y) {
    if (!reader.has("position")) reader.missing("position", {Dimension::kLength});
    const auto p = reader.numbers("position", Dimension::kLength, kPlaceRange, 2, 2);
    if (!p) return;
    x = (*p)[0];
    y = (*p)[1];
  }

  static double length(TableReader& reader, std::string_view stem, Range range, double fallback) {
    return reader.quantity(stem, Dimension::kLength, range).value_or(fallback);
  }

  double heading(TableReader& reader) {
    return reader.quantity("heading", Dimension::kAngle, kHeadingRange).value_or(0.0);
  }

  int colour(TableReader& reader) {
    return reader.choice<int>("colour", {{"bark", 0}, {"red", 1}, {"blue", 2}}).value_or(0);
  }

  // Names are how log tasks and overrides point at things.
  std::string unique_name(TableReader& reader, std::set<std::string>& names, bool needed) {
    std::string name = needed ? reader.required_text("name") : reader.text("name").value_or("");
    if (name.empty()) return name;
    if (!is_name(name))
      reader.error("name", fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       name));
    else if (!names.insert(name).second)
      reader.error("name", fmt::format("there are two '{}'; rename one of them", name));
    return name;
  }

  static std::string called(const Node& node, std::string_view kind) {
    const Node* name = node.find("name");
    return name != nullptr && name->is_string() ? fmt::format("{} '{}'", kind, name->text)
                                                : fmt::format("the {}", kind);
  }

  void read_stems(TableReader& root) {
    std::set<std::string> names;
    std::vector<world::Stem>& stems = exercise().world.stems;
    for (const Node* node : root.tables("stem", kMaxStems)) {
      TableReader reader(report_, *node, called(*node, "stem"));
      world::Stem stem;
      stem.name = unique_name(reader, names, false);
      read_position(reader, stem.x, stem.y);
      stem.height = length(reader, "height", {0.1, 100.0}, stem.height);
      stem.radius = length(reader, "radius", {0.01, 2.0}, stem.radius);
      reader.done();
      for (const world::Stem& other : stems)
        if (std::hypot(stem.x - other.x, stem.y - other.y) < stem.radius + other.radius)
          reader.error("position",
                       fmt::format("{} stands in another stem; move one of them", reader.what()));
      stems.push_back(std::move(stem));
    }
  }

  void read_bunks(TableReader& root) {
    for (const Node* node : root.tables("bunk", kMaxBunks)) {
      TableReader reader(report_, *node, called(*node, "bunk"));
      world::Bunk bunk;
      bunk.name = unique_name(reader, bunk_names_, true);
      read_position(reader, bunk.x, bunk.y);
      bunk.heading = heading(reader);
      bunk.length = length(reader, "length", {0.3, 20.0}, bunk.length);
      bunk.width = length(reader, "width", {0.3, 20.0}, bunk.width);
      bunk.height = length(reader, "height", {0.05, 10.0}, bunk.height);
      bunk.colour = colour(reader);
      reader.done();
      exercise().world.bunks.push_back(std::move(bunk));
    }
  }

  void read_logs(TableReader& root) {
    for (const Node* node : root.tables("log", static_cast<std::size_t>(world::kMaxLogs))) {
      TableReader reader(report_, *node, called(*node, "log"));
      world::Log log;
      log.name = unique_name(reader, log_names_, true);
      read_position(reader, log.x, log.y);
      log.heading = heading(reader);
      log.length = length(reader, "length", {0.1, 18.0}, log.length);
      log.radius = length(reader, "radius", {0.02, 1.0}, log.radius);
      log.density = reader.quantity("density", Dimension::kDensity, Range{100.0, 3000.0})
                        .value_or(log.density);
      log.colour = colour(reader);
      log.lift = reader.quantity("lift", Dimension::kLength, Range{0.0, 100.0}).value_or(log.lift);
      reader.done();
      if (log.length <= 2.5 * log.radius)
        reader.error("length",
                     fmt::format("{} must be longer than 2.5 times its radius", reader.what()));
      check_room(reader, log);
      exercise().world.logs.push_back(std::move(log));
    }
  }

  // Seen from above, and for logs at about the same height; bumps of the ground are left out.
  void check_room(TableReader& reader, const world::Log& log) {
    const world::WorldRecipe& world = exercise().world;
    const Axis axis = axis_of(log);
    for (const world::Log& other : world.logs) {
      const double apart = std::hypot(distance(axis, axis_of(other)),
                                      log.lift + log.radius - other.lift - other.radius);
      if (apart < log.radius + other.radius - kTouch)
        reader.error("position", fmt::format("{} lies in log '{}'; move one of them", reader.what(),
                                             other.name));
    }
    for (const world::Stem& stem : world.stems)
      if (log.lift < stem.height &&
          distance({stem.x, stem.y}, axis.a, axis.b) < log.radius + stem.radius - kTouch)
        reader.error("position", fmt::format("{} lies in the stem at [{:g}, {:g}] m; move one of "
                                             "them",
                                             reader.what(), stem.x, stem.y));
  }

  // What only shows once everything stands on the ground.
  void check_world() {
    try {
      const world::World world(exercise().world);
    } catch (const std::invalid_argument& error) {
      report_.error(root_.place, error.what());
    }
  }

  void read_contact(TableReader& root) {
    const Node* node = root.subtable("contact");
    if (node == nullptr) return;
    world::ContactLaw& law = exercise().world.contact;
    TableReader reader(report_, *node, "'contact'");
    law.stiffness = reader.quantity("stiffness", Dimension::kStiffness, Range{1e4, 1e7})
                        .value_or(law.stiffness);
    const auto share = [&](const char* key, double most, double& value) {
      value = reader.quantity(key, Dimension::kNone, Range{0.0, most}).value_or(value);
    };
    share("damping_ratio", 2.0, law.damping_ratio);
    share("friction", 2.0, law.friction);
    share("rolling_resistance", 1.0, law.rolling_resistance);
    reader.done();
  }

  // --- What is asked ----------------------------------------------------------

  void read_task(TableReader& root) {
    const Node* node = root.required_subtable("task");
    if (node == nullptr) return;
    out_.places.task = to_place(node->place);
    TableReader reader(report_, *node, "'task'");
    const auto kind = reader.choice<TaskKind>("kind", {{"free", TaskKind::kFree},
                                                       {"reach", TaskKind::kReach},
                                                       {"path", TaskKind::kPath},
                                                       {"logs", TaskKind::kLogs},
                                                       {"head", TaskKind::kHead}});
    if (!reader.has("kind"))
      report_.error(node->place,
                    "'task' lacks 'kind'; add kind = \"free\", \"reach\", \"path\", \"logs\" or "
                    "\"head\"");
    reader.done();
    if (!kind) return;
    exercise().task = *kind;
    task_known_ = true;
  }

  bool asks_for_targets() {
    const TaskKind task = exercise().task;
    return task == TaskKind::kReach || task == TaskKind::kPath || task == TaskKind::kHead;
  }

  void read_targets(TableReader& root) {
    std::vector<training::Target>& targets = exercise().targets;
    std::set<std::string> names;
    for (const Node* node : root.tables("target", kMaxTargets)) {
      TableReader reader(report_, *node, called(*node, "target"));
      training::Target target;
      target.name = unique_name(reader, names, false);
      if (!reader.has("position")) reader.missing("position", {Dimension::kLength});
      if (const auto p = reader.numbers("position", Dimension::kLength, kPlaceRange, 3, 3))
        target.p_W = Vec3((*p)[0], (*p)[1], (*p)[2]);
      target.radius = length(reader, "radius", {0.01, 100.0}, target.radius);
      read_direction(reader, target);
      if (reader.has("dwell") && exercise().task == TaskKind::kPath && task_known_)
        reader.error("dwell", "a path is followed without stopping; remove 'dwell'");
      target.dwell_s = reader.quantity("dwell", Dimension::kTime, Range{0.0, 60.0}).value_or(0.0);
      reader.done();
      if (exercise().task == TaskKind::kPath && !targets.empty() &&
          !((target.p_W - targets.back().p_W).norm() > kTouch))
        reader.error("position",
                     "the path does not go on from the target before; move one of them");
      targets.push_back(std::move(target));
    }
    if (!task_known_) return;
    const std::size_t least =
        exercise().task == TaskKind::kPath ? 2 : static_cast<std::size_t>(asks_for_targets());
    if (targets.size() < least && !root.has("target"))
      report_.error(root_.place,
                    fmt::format("the task needs targets; add at least {} [[target]]", least));
    else if (targets.size() < least)
      root.error("target", fmt::format("a path needs at least {} targets", least));
    if (!targets.empty() && !asks_for_targets())
      root.error("target", "this kind of task has no targets; remove them or change 'kind'");
  }

  void read_direction(TableReader& reader, training::Target& target) {
    const auto axis = reader.vector("axis", Dimension::kNone);
    const auto angle = reader.quantity("angle", Dimension::kAngle, Range{0.0, 1.6, true});
    target.angle = angle.value_or(target.angle);
    if (asks_for_targets() && exercise().task != TaskKind::kHead)
      for (const char* key : {"axis", "angle"})
        if (reader.has(key))
          reader.error(key, fmt::format("only a task of kind \"head\" has '{}'; remove it", key));
    if (!axis) return;
    const double size = axis->stableNorm();
    if (size > 0.0 && std::isfinite(size))
      target.axis_W = *axis / size;
    else
      reader.error("axis", "the axis has no direction; give a vector that is not zero");
  }

  template <typename T>
  int index_of(TableReader& reader, std::string_view key, const std::vector<T>& things) {
    const std::string name = reader.required_text(key);
    std::vector<std::string> names(things.size());
    std::transform(things.begin(), things.end(), names.begin(),
                   [](const T& thing) { return thing.name; });
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && !name.empty())
      reader.error(key, fmt::format("there is no {} '{}'{}", key, name, alternatives(name, names)));
    return found == names.end() ? 0 : static_cast<int>(found - names.begin());
  }

  void read_log_tasks(TableReader& root) {
    std::set<int> carried;
    std::vector<training::LogTask>& tasks = exercise().log_tasks;
    for (const Node* node : root.tables("log_task", static_cast<std::size_t>(world::kMaxLogs))) {
      TableReader reader(report_, *node, "the log task");
      const std::size_t before = report_.count();
      training::LogTask task;
      task.log = index_of(reader, "log", exercise().world.logs);
      task.bunk = index_of(reader, "bunk", exercise().world.bunks);
      reader.done();
      if (report_.count() == before && !carried.insert(task.log).second)
        reader.error("log",
                     fmt::format("log '{}' is carried twice; remove one of its tasks",
                                 exercise().world.logs[static_cast<std::size_t>(task.log)].name));
      tasks.push_back(task);
    }
    if (!task_known_) return;
    const bool wanted = exercise().task == TaskKind::kLogs;
    if (wanted && tasks.empty() && !root.has("log_task"))
      report_.error(root_.place, "the task is to carry logs; add at least one [[log_task]]");
    else if (wanted && tasks.empty())
      root.error("log_task", "the task is to carry logs; add at least one [[log_task]]");
    if (!wanted && !tasks.empty())
      root.error("log_task", "this kind of task carries no logs; remove them or change 'kind'");
  }

  void read_limits(TableReader& root) {
    const Node* node = root.subtable("limits");
    if (node == nullptr) return;
    std::vector<std::string> names;
    for (const training::Figure& figure : training::figures()) names.push_back(figure.name);
    for (const Entry& entry : node->entries) {
      if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
        report_.error(entry.place, fmt::format("'limits' has no figure '{}'{}", entry.key,
                                               alternatives(entry.key, names)));
        continue;
      }
      if (!entry.value.is_table()) {
        report_.error(
            entry.value.place,
            fmt::format("the limit of '{}' must be a table, such as {{ most = 3 }}, not {}",
                        entry.key, kind_name(entry.value.kind)));
        continue;
      }
      read_limit(entry);
    }
  }

  void read_limit(const Entry& entry) {
    TableReader reader(report_, entry.value, fmt::format("the limit of '{}'", entry.key));
    training::Limit limit;
    limit.figure = entry.key;
    const auto most = reader.quantity("most", Dimension::kNone);
    const auto least = reader.quantity("least", Dimension::kNone);
    limit.has_most = most.has_value();
    limit.has_least = least.has_value();
    limit.most = most.value_or(0.0);
    limit.least = least.value_or(0.0);
    if (!reader.has("most") && !reader.has("least"))
      report_.error(entry.value.place,
                    fmt::format("{} says nothing; add 'most' or 'least'", reader.what()));
    if (most && least && *most < *least)
      reader.error("most",
                   fmt::format("{} cannot be kept: 'most' is below 'least'", reader.what()));
    reader.done();
    exercise().limits.push_back(std::move(limit));
  }

  const Node& root_;
  Report& report_;
  bool task_known_ = false;
  std::set<std::string> bunk_names_, log_names_;
  ExerciseFile out_;
};

}  // namespace

ExerciseFile read_exercise_text(std::string_view text, const std::string& file_name,
                                std::span<const Override> overrides,
                                std::vector<Diagnostic>* unknown) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "exercise file";
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  ExerciseFile file = ExerciseReader(root, report).read();
  file.hash = hash.result();
  file.files = report.files_read();
  return file;
}

ExerciseFile read_exercise(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_exercise_text(read_text_file(path, kConfigurationLimit, "exercise file"),
                            path.string(), overrides);
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
  const bool grapple = exercise.task == TaskKind::kLogs || exercise.task == TaskKind::kHead;
  if (grapple && !machine.grapple.present)
    faults.push_back(
        {places.task.file.empty() ? exercise.name : places.task.file, places.task.line,
         places.task.column,
         fmt::format("the task needs a grapple, which machine '{}' does not have", machine.name)});
  return faults;
}

}  // namespace knuckleboom::io
