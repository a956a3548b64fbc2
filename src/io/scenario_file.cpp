#include "knuckleboom/io/scenario_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bench_table.hpp"
#include "csv.hpp"
#include "declare/scenario_keys.hpp"
#include "document.hpp"
#include "fault_tables.hpp"
#include "ground_table.hpp"
#include "initial_joints.hpp"
#include "knuckleboom/core/control/no_controller.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/state.hpp"
#include "moments.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using command::EventKind;
using command::JointMode;
using command::SegmentKind;
using command::TermKind;

namespace keys = declare::keys;
namespace scenario_keys = keys::scenario_file;

class ScenarioReader {
 public:
  ScenarioReader(const Node& root, const std::string& file, Report& report, Hasher& hash)
      : root_(root), file_(file), report_(report), hash_(hash) {}

  ScenarioFile read() {
    TableReader reader(report_, root_, scenario_keys::table, "the scenario file");
    command::Scenario& scenario = out_.scenario;
    reader.fill(scenario);
    if (const Node* bench = reader.subtable(scenario_keys::bench)) {
      out_.bench = read_bench(report_, *bench);
      out_.places.bench = to_place(bench->place);
    }
    // Without an actuator the bench needs no machine.
    if (reader.has(scenario_keys::machine) || !out_.bench || !out_.bench->actuator.empty())
      scenario.machine = reader.text(scenario_keys::machine).value_or("");
    out_.places.machine = to_place(reader.place_of(scenario_keys::machine));
    if (scenario.duration_s > 0.0 && scenario.duration_s < scenario.tick_s)
      reader.error(scenario_keys::duration,
                   "the scenario is shorter than one tick; make 'duration' longer");
    read_initial(reader, scenario_keys::initial, report_, scenario.initial, out_.places.initial);
    read_joints(reader);
    read_carrier(reader);
    read_ground(reader, scenario_keys::ground, report_, scenario.ground);
    read_tip_path(reader);
    read_events(reader);
    read_faults(reader, scenario_keys::faults, report_, scenario.faults, out_.places.faults);
    reader.done();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  ScenarioPlaces::Place to_place(const Place& place,
                                 ScenarioPlaces::Unit unit = ScenarioPlaces::Unit::kNone) const {
    return place_in(report_, place, unit);
  }

  // --- Joint programs -------------------------------------------------------------------------

  void read_joints(TableReader& root) {
    namespace k = keys::program;
    std::set<std::string> seen;
    for (const Node* node : root.tables(scenario_keys::joints)) {
      const Node* named = node->find("name");
      const std::string called =
          named != nullptr && named->is_string() ? named->text : std::string();
      TableReader reader(report_, *node, k::table,
                         called.empty() ? "the joint" : fmt::format("joint '{}'", called));
      command::JointProgram program;
      const bool known = reader.fill(program);
      if (!called.empty() && !seen.insert(called).second)
        report_.error(node->place,
                      fmt::format("joint '{}' has two programs; put all terms into one", called));
      Dimension unit = Dimension::kNone;
      if (known) {
        const auto terms = reader.tables(k::terms);
        if (program.mode == JointMode::kTip) {
          if (reader.has(k::terms))
            reader.error(k::terms,
                         fmt::format("{} follows the tip path and has no terms of its own; "
                                     "remove 'terms' or change 'mode'",
                                     reader.what()));
        } else if (const Node* list = reader.table().find(k::terms.name); list == nullptr) {
          // A key such as terms_mm is told as unknown; the list itself is missing all the same.
          reader.missing(k::terms);
        } else if (terms.empty() && list->items.empty()) {
          reader.error(k::terms, fmt::format("{} has no terms; add at least {{kind = \"hold\"}}",
                                             reader.what()));
        }
        if (program.mode != JointMode::kTip)
          for (const Node* term : terms)
            program.signal.terms.push_back(read_term(*term, program.mode, called, unit));
        reader.done();
      }
      out_.scenario.programs.push_back(std::move(program));
      out_.places.programs.push_back(to_place(node->place, to_unit(unit)));
    }
  }

  void read_carrier(TableReader& root) {
    namespace k = keys::carrier;
    std::set<command::CarrierInput> seen;
    for (const Node* node : root.tables(scenario_keys::carrier)) {
      TableReader reader(report_, *node, k::table, "the input of the carrier");
      command::CarrierProgram program;
      if (reader.fill(program) && !seen.insert(program.input).second)
        report_.error(node->place,
                      "this input of the carrier has two programs; put all terms into one");
      Dimension unit = Dimension::kNone;
      for (const Node* term : reader.tables(k::terms))
        program.signal.terms.push_back(read_term(*term, JointMode::kShare, "", unit));
      reader.done();
      out_.scenario.carrier.push_back(std::move(program));
      out_.places.carrier.push_back(to_place(node->place));
    }
  }

  // All terms of a joint are angles, or all are lengths; `unit` remembers which.
  std::optional<double> amount(TableReader& reader, Key key, JointMode mode, Dimension& unit) {
    if (mode == JointMode::kShare) {
      key.dimension = key.other = Dimension::kNone;
    } else if (mode == JointMode::kVoltage) {
      key.dimension = key.other = Dimension::kVoltage;
    } else if (mode == JointMode::kTorque) {
      key.dimension = Dimension::kTorque;
      key.other = Dimension::kForce;
    } else if (mode == JointMode::kSpeed) {
      key.dimension = Dimension::kAngularSpeed;
      key.other = Dimension::kSpeed;
    }
    Dimension which = Dimension::kNone;
    const auto value = reader.either(key, which);
    if (!value || mode == JointMode::kVoltage || mode == JointMode::kShare) return value;
    if (unit != Dimension::kNone && unit != which)
      reader.error(key,
                   "the terms of this joint mix those of a turning and of a sliding joint; use "
                   "one kind of unit");
    if (unit == Dimension::kNone) unit = which;
    return value;
  }

  command::Term read_term(const Node& node, JointMode mode, const std::string& joint,
                          Dimension& unit) {
    namespace k = keys::term;
    command::Term term;
    TableReader reader(report_, node, k::table, "the term");
    if (!reader.fill(term)) return term;  // without its kind the rest cannot be judged
    switch (term.kind) {
      case TermKind::kConstant:
        term.value = hold_value(reader, mode, joint, unit);
        break;
      case TermKind::kSine:
        term.value = amount(reader, k::amplitude, mode, unit).value_or(0.0);
        break;
      case TermKind::kRamp:
      case TermKind::kSmooth:
      case TermKind::kPulse:
        term.value = amount(reader, k::value, mode, unit).value_or(0.0);
        if (reader.has(k::start) && reader.has(k::end) && term.end_s <= term.start_s)
          reader.error(k::end, "the term ends before it starts; 'end' must come after 'start'");
        break;
      case TermKind::kTable:
        term.value = amount(reader, k::scale, mode, unit).value_or(0.0);
        read_csv_table(reader, term);
        break;
    }
    if (term.kind == TermKind::kPulse || term.kind == TermKind::kTable) repeat(reader, term);
    reader.done();
    return term;
  }

  // A term that comes again and again is written out as a table as long as the scenario.
  void repeat(TableReader& reader, command::Term& term) {
    namespace k = keys::term;
    const double period = reader.value(k::repeat);
    if (!(period > 0.0) || report_.any()) return;
    if (term.kind == TermKind::kPulse) {
      term.kind = TermKind::kTable;
      term.held = true;
      term.table.x = {term.start_s, term.end_s};
      term.table.y = {1.0, 0.0};
    }
    const Table once = term.table;
    constexpr double kMostRows = 1e6;
    constexpr double kSame = 1e-9;  // s
    const double first = once.x.front(), length = once.x.back() - first;
    const double times = std::ceil((out_.scenario.duration_s - first) / period);
    if (length > period + kSame)
      return reader.error(k::repeat,
                          fmt::format("'repeat' is {:g} s, but one time takes {:g} s; make "
                                      "it at least as long",
                                      period, length));
    const bool touches = length > period - kSame;  // the last row is the next time's first
    if (touches && !term.held && once.y.back() != once.y.front())
      return reader.error(k::repeat,
                          "the table ends with another value than it begins with, at one "
                          "time; make 'repeat' longer than the table");
    if (times * static_cast<double>(once.x.size()) > kMostRows)
      return reader.error(k::repeat,
                          fmt::format("the term comes {:g} times; that is too often, make "
                                      "'repeat' longer",
                                      times));
    const std::size_t rows = once.x.size() - (touches ? 1 : 0);
    term.table = {};
    // A pulse is not there before its first time.
    if (term.held && reader.has(k::end)) {
      term.table.x.push_back(first - 1.0);
      term.table.y.push_back(0.0);
    }
    for (double n = 0.0; n <= times; ++n)
      for (std::size_t i = 0; i < rows; ++i) {
        term.table.x.push_back(once.x[i] + n * period);
        term.table.y.push_back(once.y[i]);
      }
  }

  double hold_value(TableReader& reader, JointMode mode, const std::string& joint,
                    Dimension& unit) {
    Key key = keys::term::value;
    key.needed = mode != JointMode::kTrack;
    const auto value = amount(reader, key, mode, unit);
    if (value || reader.has(key) || key.needed) return value.value_or(0.0);
    for (const command::InitialJoint& initial : out_.scenario.initial)
      if (initial.joint == joint) return initial.position;
    report_.error(
        reader.place(),
        fmt::format("a hold without 'value' keeps the initial position, but '{}' has none; "
                    "add [initial.{}] or a value",
                    joint, joint));
    return 0.0;
  }

  void read_csv_table(TableReader& reader, command::Term& term) {
    namespace k = keys::term;
    const std::string name = reader.text(k::csv).value_or("");
    const std::string time_column = reader.text(k::time_column).value_or("t_s");
    const std::string value_column = reader.text(k::value_column).value_or("");
    if (name.empty() || value_column.empty()) return;
    const std::filesystem::path path = std::filesystem::path(file_).parent_path() / name;
    Csv csv;
    try {
      const std::string text = read_text_file(path, kConfigurationLimit, "CSV table");
      hash_.add(text);
      report_.was_read(path.string());
      csv = parse_csv(text, path.string(), false);
    } catch (const FileError& error) {
      reader.error(k::csv, fmt::format("the table cannot be used: {}", error.what()));
      return;
    }
    const auto column = [&](const std::string& wanted, const Key& key) -> std::ptrdiff_t {
      const auto found = std::find(csv.columns.begin(), csv.columns.end(), wanted);
      if (found != csv.columns.end()) return found - csv.columns.begin();
      reader.error(key, fmt::format("{} has no column '{}'{}", path.string(), wanted,
                                    alternatives(wanted, csv.columns)));
      return -1;
    };
    const std::ptrdiff_t time = column(time_column, k::time_column);
    const std::ptrdiff_t value = column(value_column, k::value_column);
    if (time < 0 || value < 0) return;
    term.table.x = csv.data[static_cast<std::size_t>(time)];
    term.table.y = csv.data[static_cast<std::size_t>(value)];
    if (term.table.x.empty()) reader.error(k::csv, fmt::format("{} has no rows", path.string()));
    for (std::size_t i = 1; i < term.table.x.size(); ++i) {
      if (term.table.x[i] > term.table.x[i - 1]) continue;
      reader.error(k::csv,
                   fmt::format("{}:{}: the time {} s does not come after {} s; times must "
                               "increase",
                               path.string(), csv.lines[i], term.table.x[i], term.table.x[i - 1]));
      break;
    }
  }

  // --- Tip path -------------------------------------------------------------------------------

  void read_tip_path(TableReader& root) {
    const bool wanted =
        std::any_of(out_.scenario.programs.begin(), out_.scenario.programs.end(),
                    [](const command::JointProgram& p) { return p.mode == JointMode::kTip; });
    const Node* node = root.subtable(scenario_keys::tip_path);
    if (node == nullptr) {
      if (wanted && !root.has(scenario_keys::tip_path))
        report_.error(root_.place,
                      "a joint has mode = \"tip\", but there is no tip path; add "
                      "[[tip_path.segment]]");
      return;
    }
    out_.places.tip_path = to_place(node->place);
    namespace k = keys::tip_path;
    TableReader reader(report_, *node, k::table, "'tip_path'");
    reader.fill(out_.scenario);
    for (const Node* segment : reader.tables(k::segments))
      out_.scenario.tip_path.segments.push_back(read_segment(*segment));
    if (!wanted)
      report_.error(node->place,
                    "no joint follows the tip path; give joints mode = \"tip\" or remove "
                    "'tip_path'");
    reader.done();
  }

  command::Segment read_segment(const Node& node) {
    command::Segment segment;
    namespace k = keys::segment;
    TableReader reader(report_, node, k::table, "the segment");
    if (!reader.fill(segment)) return segment;
    if (segment.kind == SegmentKind::kCircle) {
      const Vec3 axis = reader.vector(k::axis).value_or(Vec3::Zero());
      const double length = axis.stableNorm();
      if (length > 0.0 && std::isfinite(length)) {
        segment.axis_W = axis / length;
        const Vec3 across =
            segment.center_W - segment.axis_W.dot(segment.center_W) * segment.axis_W;
        if (reader.has(k::center) && !(across.norm() > 0.0))
          reader.error(k::center,
                       "the centre lies on the axis through the first point, so the circle "
                       "has no radius; move it sideways");
      } else if (reader.has(k::axis)) {
        reader.error(k::axis, "the axis has no direction; give a vector that is not zero");
      }
    }
    reader.done();
    return segment;
  }

  // --- Events ---------------------------------------------------------------------------------

  void read_events(TableReader& root) {
    struct Draft {
      command::Event event;
      ScenarioPlaces::Place place, target, name;
    };
    std::vector<Draft> drafts;
    for (const Node* node : root.tables(scenario_keys::events)) {
      Dimension unit = Dimension::kNone;
      TableReader reader(report_, *node, keys::event::table, "the event");
      command::Event event = read_event(reader, unit);
      const ScenarioPlaces::Unit kind = to_unit(unit);
      drafts.push_back({std::move(event), to_place(node->place, kind),
                        to_place(target_place(reader), kind),
                        to_place(reader.place_of(keys::event::name))});
    }
    std::stable_sort(drafts.begin(), drafts.end(),
                     [](const Draft& a, const Draft& b) { return a.event.at_s < b.event.at_s; });
    for (Draft& draft : drafts) {
      out_.scenario.events.push_back(std::move(draft.event));
      out_.places.events.push_back(std::move(draft.place));
      out_.places.event_targets.push_back(std::move(draft.target));
      out_.places.event_names.push_back(std::move(draft.name));
    }
    check_payloads();
  }

  // The place of what names the thing that an event acts on.
  static Place target_place(const TableReader& reader) {
    namespace k = keys::event;
    for (const Key* key : {&k::body, &k::joint, &k::name, &k::pressure})
      if (reader.has(*key)) return reader.place_of(*key);
    return reader.place();
  }

  command::Event read_event(TableReader& reader, Dimension& unit) {
    namespace k = keys::event;
    command::Event event;
    const std::size_t before = report_.count();
    if (!reader.fill(event)) return event;
    if (out_.scenario.duration_s > 0.0 && event.at_s > out_.scenario.duration_s)
      reader.error(k::at, fmt::format("the event comes at {} s, after the scenario's end at {} s",
                                      event.at_s, out_.scenario.duration_s));
    if (event.kind == EventKind::kAttach) read_payload(reader, event, before);
    if (event.kind == EventKind::kJointMode && event.mode == JointMode::kTrack &&
        reader.has(k::value))
      reader.error(k::value, "a joint that goes back to tracking takes no 'value'; remove it");
    if (event.kind == EventKind::kGain) read_gain(reader, event, unit);
    reader.done();
    return event;
  }

  // Without moments it is a point mass.
  void read_payload(TableReader& reader, command::Event& event, std::size_t before) {
    const Key& inertia = keys::event::inertia;
    if (read_moments(reader, inertia, event.about_com) && report_.count() == before &&
        !multibody::is_physical({event.mass_kg, event.com_B, event.about_com}))
      reader.error(inertia,
                   "the payload has an inertia no body can have: each principal moment "
                   "must be at least zero and at most the sum of the other two");
  }

  void read_gain(TableReader& reader, command::Event& event, Dimension& unit) {
    const std::size_t before = report_.count();
    for (const Key& gain : keys::event::gains) {
      const bool of_a_joint = gain.other != Dimension::kNone;
      Dimension which = gain.dimension;
      const auto value = of_a_joint ? reader.either(gain, which) : reader.quantity(gain);
      if (!value) continue;
      if (!event.key.empty())
        reader.error(gain, "the event changes two gains; write one event for each");
      event.key = gain.name;
      event.value = *value;
      if (of_a_joint) unit = which == gain.dimension ? Dimension::kAngle : Dimension::kLength;
    }
    if (event.key.empty() && report_.count() == before)
      report_.error(
          reader.place(),
          "the event changes no gain; add one of kp_V_per_rad, "
          "ki_V_per_rad_s, kd_V_s_per_rad, feed_forward_V_s_per_rad (or the same per m) or "
          "overlap_compensation_V");
  }

  // A payload must be attached before it is released.
  void check_payloads() {
    std::set<std::string> held;
    for (std::size_t i = 0; i < out_.scenario.events.size(); ++i) {
      const command::Event& event = out_.scenario.events[i];
      if (event.name.empty()) continue;
      const bool attach = event.kind == EventKind::kAttach;
      const ScenarioPlaces::Place& at = out_.places.event_names[i];
      if (attach && held.size() == static_cast<std::size_t>(sim::kMaxPayloads))
        report_.error({file_index(at.file), at.line, at.column},
                      fmt::format("more than {} payloads are attached at the same time; detach one "
                                  "before this event",
                                  sim::kMaxPayloads));
      const bool good = attach ? held.insert(event.name).second : held.erase(event.name) > 0;
      if (good) continue;
      report_.error({file_index(at.file), at.line, at.column},
                    attach ? fmt::format("payload '{}' is attached already; detach it first or "
                                         "rename this one",
                                         event.name)
                           : fmt::format("payload '{}' is not attached at {} s, so it cannot be "
                                         "detached",
                                         event.name, event.at_s));
    }
  }

  int file_index(const std::string& name) const {
    int index = 0;
    while (report_.file(index) != name) ++index;
    return index;
  }

  const Node& root_;
  const std::string& file_;
  Report& report_;
  Hasher& hash_;
  ScenarioFile out_;
};

// --- Against a machine ------------------------------------------------------------------------

class FitCheck {
 public:
  FitCheck(const command::Scenario& scenario, const machine::MachineModel& machine,
           const ScenarioPlaces& places)
      : scenario_(scenario), machine_(machine), places_(places) {
    for (int i = 0; i < machine.joint_count(); ++i)
      if (machine.ball_of(i) == nullptr) joints_.push_back(machine.joint_name(i));
    for (const machine::Actuator& actuator : machine.actuators)
      actuated_.insert(machine.joint_name(actuator.link));
  }

  std::vector<Diagnostic> run() {
    for (std::size_t i = 0; i < scenario_.initial.size(); ++i)
      check_initial(scenario_.initial[i], at(places_.initial, i));
    for (std::size_t i = 0; i < scenario_.programs.size(); ++i)
      check_program(scenario_.programs[i], at(places_.programs, i));
    for (std::size_t i = 0; i < scenario_.events.size(); ++i)
      check_event(scenario_.events[i], at(places_.event_targets, i));
    check_carrier();
    check_assembly();
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i)
      check_fault(scenario_.faults[i], at(places_.faults, i));
    return std::move(out_);
  }

 private:
  using Places = std::vector<ScenarioPlaces::Place>;

  ScenarioPlaces::Place at(const Places& places, std::size_t i) const {
    if (i < places.size()) return places[i];
    return {scenario_.name, 0, 0, ScenarioPlaces::Unit::kNone};
  }

  void error(const ScenarioPlaces::Place& place, std::string message) {
    out_.push_back({place.file, place.line, place.column, std::move(message)});
  }

  // The body moved by a joint; refuses a joint the machine does not have.
  const multibody::Body* body_of(const std::string& joint, const ScenarioPlaces::Place& place) {
    const int link = machine_.tree.find_joint(joint);
    if (is_ball(joint)) {
      error(place, fmt::format("joint '{}' turns in any direction and has no coordinate; nothing "
                               "drives it, and its start is an orientation: 'rpy'",
                               joint));
      return nullptr;
    }
    if (link != multibody::kBase && machine_.ball_of(link) == nullptr)
      return &machine_.tree.body(machine_.tree.link(link).body);
    error(place, fmt::format("machine '{}' has no joint '{}'{}", machine_.name, joint,
                             alternatives(joint, joints_)));
    return nullptr;
  }

  void check_carrier() {
    for (std::size_t i = 0; i < scenario_.carrier.size(); ++i) {
      const command::CarrierInput input = scenario_.carrier[i].input;
      const ScenarioPlaces::Place place = at(places_.carrier, i);
      if (machine_.wheels.empty())
        error(place, fmt::format("machine '{}' has no wheels; remove [[carrier]]", machine_.name));
      else if (input == command::CarrierInput::kJointLock && machine_.joint_lock.link < 0)
        error(place,
              fmt::format("machine '{}' has no joint lock; remove this input", machine_.name));
    }
  }

  bool is_ball(const std::string& joint) const {
    return std::any_of(machine_.balls.begin(), machine_.balls.end(),
                       [&joint](const multibody::Ball& ball) { return ball.name == joint; });
  }

  void check_fault(const command::Fault& fault, const ScenarioPlaces::Place& place) {
    if (fault.function.empty()) return;
    const multibody::Body* body = body_of(fault.function, place);
    if (body == nullptr) return;
    if (actuated_.count(fault.function) == 0)
      error(place, fmt::format("fault '{}' is one of joint '{}', which no actuator moves",
                               fault.name, fault.function));
    if (fault.kind == command::FaultKind::kSensorBias ||
        fault.kind == command::FaultKind::kSensorNoise)
      check_unit(*body, place);
  }

  void check_unit(const multibody::Body& body, const ScenarioPlaces::Place& place) {
    const bool revolute = body.type == multibody::JointType::kRevolute;
    if (place.unit == ScenarioPlaces::Unit::kAngle && !revolute)
      error(place,
            fmt::format("joint '{}' slides, but its values are angles; write them in m or mm",
                        body.joint_name));
    if (place.unit == ScenarioPlaces::Unit::kLength && revolute)
      error(place, fmt::format("joint '{}' turns, but its values are lengths; write them in rad or "
                               "deg",
                               body.joint_name));
  }

  void check_actuated(const multibody::Body& body, const ScenarioPlaces::Place& place) {
    if (!actuated_.contains(body.joint_name))
      error(place,
            fmt::format("joint '{}' has no actuator, so it cannot be driven", body.joint_name));
  }

  static bool outside(const multibody::Body& body, double q) {
    constexpr double kSlack = 1e-9;
    return body.lower < body.upper && (q < body.lower - kSlack || q > body.upper + kSlack);
  }

  static std::string_view unit_of(const multibody::Body& body) {
    return body.type == multibody::JointType::kRevolute ? "rad" : "m";
  }

  void check_initial(const command::InitialJoint& initial, const ScenarioPlaces::Place& place) {
    if (initial.turned && is_ball(initial.joint)) return;
    const multibody::Body* body = body_of(initial.joint, place);
    if (body == nullptr) return;
    if (initial.turned)
      return error(place,
                   fmt::format("joint '{}' has one coordinate; start it by 'position', not by "
                               "an orientation",
                               initial.joint));
    check_unit(*body, place);
    if (outside(*body, initial.position))
      error(place,
            fmt::format("joint '{}' starts at {} {}, outside its limits {} to {}", initial.joint,
                        initial.position, unit_of(*body), body->lower, body->upper));
    if (initial.port_a_given || initial.port_b_given) check_actuated(*body, place);
  }

  void check_program(const command::JointProgram& program, const ScenarioPlaces::Place& place) {
    const multibody::Body* body = body_of(program.joint, place);
    if (body == nullptr) return;
    if (program.mode == JointMode::kSpring) {
      check_unit(*body, place);
      if (body->stiffness == 0.0)
        error(place, fmt::format("joint '{}' has no spring whose end could be moved; give it a "
                                 "'spring'",
                                 program.joint));
      return;
    }
    if (program.mode == JointMode::kTorque || program.mode == JointMode::kSpeed) {
      check_joint_drive(program, *body, place);
      return;
    }
    check_actuated(*body, place);
    if (program.mode == JointMode::kTrack || program.mode == JointMode::kTip)
      check_gains(program, place);
    if (program.mode != JointMode::kTrack) return;
    check_unit(*body, place);
    constexpr int kMaxSamples = 20000;
    const double n = std::clamp(scenario_.duration_s / scenario_.tick_s, 1.0, double{kMaxSamples});
    const int samples = static_cast<int>(n);
    for (int i = 0; i <= samples; ++i) {
      const double t = scenario_.duration_s * i / samples;
      const double q = command::value(program.signal, t);
      if (!outside(*body, q)) continue;
      error(place, fmt::format("the reference of joint '{}' is {:.4g} {} at {:.4g} s, outside its "
                               "limits {} to {}",
                               program.joint, q, unit_of(*body), t, body->lower, body->upper));
      break;
    }
  }

  void check_joint_drive(const command::JointProgram& program, const multibody::Body& body,
                         const ScenarioPlaces::Place& place) {
    const bool revolute = body.type == multibody::JointType::kRevolute;
    const bool torque = program.mode == JointMode::kTorque;
    if (place.unit == ScenarioPlaces::Unit::kAngle && !revolute)
      error(place, fmt::format("joint '{}' slides; give its {} in {}", body.joint_name,
                               torque ? "force" : "speed", torque ? "N" : "m_per_s"));
    if (place.unit == ScenarioPlaces::Unit::kLength && revolute)
      error(place, fmt::format("joint '{}' turns; give its {} in {}", body.joint_name,
                               torque ? "torque" : "speed", torque ? "N_m" : "rad_per_s"));
    if (torque) return;
    const int link = body.link;
    if (std::any_of(
            machine_.drives.begin(), machine_.drives.end(),
            [link](const machine::JointDrive& d) { return d.link == link && d.speed_gain > 0.0; }))
      return;
    error(place,
          fmt::format("joint '{}' has no drive that could follow a speed; give the machine a "
                      "[[drive]] with joint = \"{}\" and a speed_gain, or use mode = "
                      "\"torque\"",
                      body.joint_name, body.joint_name));
  }

  // Bodies that join the machine while it runs: each once, after its parent, and none of a loop.
  void check_assembly() {
    const multibody::Tree& tree = machine_.tree;
    std::map<int, double> joins;  // by body
    for (std::size_t i = 0; i < scenario_.events.size(); ++i) {
      const command::Event& event = scenario_.events[i];
      if (event.kind != EventKind::kAssemble) continue;
      const int index = tree.find_body(event.target);
      const ScenarioPlaces::Place& place = at(places_.event_targets, i);
      if (index == multibody::kBase) {
        std::vector<std::string> names;
        for (int b = 0; b < tree.body_count(); ++b) names.push_back(tree.body(b).name);
        error(place, fmt::format("machine '{}' has no body '{}'{}", machine_.name, event.target,
                                 alternatives(event.target, names)));
        continue;
      }
      const multibody::Body& body = tree.body(index);
      if (body.type == multibody::JointType::kFixed)
        error(place, fmt::format("body '{}' has no joint of its own; it joins with the body it is "
                                 "fixed to",
                                 event.target));
      else if (machine_.loop_system.has(body.link))
        error(place,
              fmt::format(
                  "body '{}' is part of a loop or coupling, which cannot be closed later; only "
                  "bodies of open chains can join",
                  event.target));
      else if (machine_.closed_valve == machine::ClosedValveModel::kQuasiStatic)
        error(place,
              "bodies cannot join a machine with the quasi-static closed valve; use the dynamic "
              "one (closed_valve.model)");
      if (!joins.emplace(index, event.at_s).second)
        error(place, fmt::format("body '{}' joins twice; remove one of the events", event.target));
    }
    for (std::size_t i = 0; i < scenario_.events.size() && !joins.empty(); ++i) {
      const command::Event& event = scenario_.events[i];
      if (event.kind != EventKind::kAssemble && event.kind != EventKind::kAttach) continue;
      const bool itself = event.kind == EventKind::kAttach;
      const int index = tree.find_body(event.target);
      if (index == multibody::kBase) continue;
      for (int b = itself ? index : tree.body(index).parent; b != multibody::kBase;
           b = tree.body(b).parent) {
        const auto join = joins.find(b);
        if (join == joins.end() || join->second <= event.at_s) continue;
        error(at(places_.event_targets, i),
              fmt::format("at {} s there is nothing to fix it to: body '{}' joins at {} s",
                          event.at_s, tree.body(b).name, join->second));
        break;
      }
    }
    // The descendants of a missing body must be missing too.
    for (const auto& [missing, since] : joins)
      for (int b = 0; b < tree.body_count(); ++b) {
        const multibody::Body& body = tree.body(b);
        if (body.parent != missing || body.type == multibody::JointType::kFixed ||
            joins.contains(b))
          continue;
        for (std::size_t i = 0; i < scenario_.events.size(); ++i)
          if (scenario_.events[i].kind == EventKind::kAssemble &&
              scenario_.events[i].target == tree.body(missing).name)
            error(at(places_.event_targets, i),
                  fmt::format("body '{}' is attached to '{}', which joins at {} s only; give it an "
                              "'assemble' event of its own, later",
                              body.name, tree.body(missing).name, since));
      }
  }

  // Machines may have no controllers, and on a bench a cylinder's displacement is another position than its
  // joint's was.
  void check_gains(const command::JointProgram& program, const ScenarioPlaces::Place& place) {
    const bool bench = places_.bench.line != 0;
    for (std::size_t k = 0; k < machine_.actuators.size(); ++k) {
      const control::PidGains& gains = machine_.controllers[k];
      if (machine_.joint_name(machine_.actuators[k].link) != program.joint) continue;
      if (bench && gains.Kp == 0.0 && gains.Ki == 0.0 && gains.feed_forward == 0.0)
        error(place, fmt::format("the controller of joint '{}' has no gain to track with; a "
                                 "bench needs [bench.controller] for that",
                                 program.joint));
      else if (control::is_none(gains))
        error(place, fmt::format("joint '{0}' of machine '{1}' has no controller to follow this "
                                 "with; give the machine a [[controller]] with joint = \"{0}\"",
                                 program.joint, machine_.name));
    }
  }

  void check_event(const command::Event& event, const ScenarioPlaces::Place& place) {
    switch (event.kind) {
      case EventKind::kAttach: {
        const int index = machine_.tree.find_body(event.target);
        if (index == multibody::kBase) {
          std::vector<std::string> names;
          names.reserve(static_cast<std::size_t>(machine_.tree.body_count()));
          for (int i = 0; i < machine_.tree.body_count(); ++i)
            names.push_back(machine_.tree.body(i).name);
          error(place, fmt::format("machine '{}' has no body '{}'{}", machine_.name, event.target,
                                   alternatives(event.target, names)));
        } else if (machine_.tree.body(index).link == multibody::kBase) {
          error(place, fmt::format("body '{}' does not move; attach the payload to one that does",
                                   event.target));
        }
        break;
      }
      case EventKind::kJointMode:
      case EventKind::kGain: {
        const multibody::Body* body = body_of(event.target, place);
        if (body == nullptr) break;
        check_actuated(*body, place);
        check_unit(*body, place);
        break;
      }
      case EventKind::kPumpPressure:
        if (event.value <= machine_.supply.tank_Pa)
          error(place, "the pump pressure would not be above that of the tank");
        break;
      case EventKind::kDetach:
      case EventKind::kAssemble:
        break;
    }
  }

  const command::Scenario& scenario_;
  const machine::MachineModel& machine_;
  const ScenarioPlaces& places_;
  std::vector<std::string> joints_;
  std::set<std::string> actuated_;
  std::vector<Diagnostic> out_;
};

}  // namespace

ScenarioFile read_scenario_text(std::string_view text, const std::string& file_name,
                                std::span<const Override> overrides) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "scenario file";
  options.keys = &scenario_keys::table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  ScenarioFile file = ScenarioReader(root, file_name, report, hash).read();
  file.hash = hash.result();
  file.files = report.files_read();
  file.remarks = report.remarks();
  return file;
}

ScenarioFile read_scenario(const std::filesystem::path& path, std::span<const Override> overrides) {
  return read_scenario_text(read_text_file(path, kConfigurationLimit, "scenario file"),
                            path.string(), overrides);
}

std::vector<Diagnostic> put_on_bench(ScenarioFile& file, machine::MachineModel& model) {
  if (!file.bench) return {};
  std::vector<std::string> faults;
  machine::MachineModel rig = machine::make_bench(model, *file.bench, faults);
  std::vector<Diagnostic> out;
  const ScenarioPlaces::Place& at = file.places.bench;
  for (std::string& fault : faults) out.push_back({at.file, at.line, at.column, std::move(fault)});
  if (!out.empty()) return out;
  model = std::move(rig);
  std::vector<command::InitialJoint>& initial = file.scenario.initial;
  if (std::none_of(initial.begin(), initial.end(),
                   [](const auto& joint) { return joint.joint == machine::kBenchJoint; })) {
    command::InitialJoint start;
    start.joint = machine::kBenchJoint;
    if (!model.actuators.empty() && model.actuators[0].stops.enabled)
      start.position = 0.5 * (model.actuators[0].stops.x_min + model.actuators[0].stops.x_max);
    initial.push_back(std::move(start));
    file.places.initial.push_back(at);
  }
  return {};
}

std::vector<Diagnostic> check_against(const command::Scenario& scenario,
                                      const machine::MachineModel& machine,
                                      const ScenarioPlaces& places) {
  return FitCheck(scenario, machine, places).run();
}

}  // namespace knuckleboom::io
