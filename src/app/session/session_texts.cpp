#include "app/session/session_texts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "app/session/lever_texts.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/training/load_part.hpp"
#include "language/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using training::Exercise;
using training::Session;
using training::SessionSnapshot;
using training::TaskKind;
using training::TaskPhase;
using view::panels::FigureRow;

// The adjective depends on its noun in other languages: whole phrases.
const char* log_of(int colour) {
  return colour == 1 ? tr("red log") : colour == 2 ? tr("blue log") : tr("log");
}

std::string log_wish(const Exercise& exercise, const SessionSnapshot& now,
                     const training::LogTask& wanted, const world::Log& log) {
  constexpr double kFar = 12.0;  // m from what is next; no crane gets there
  if (training::asks_to_drive(exercise) && now.held_log < 0 && now.task.distance > kFar)
    return tr("drive nearer");
  if (now.held_log == wanted.log && wanted.place >= 0) {
    const training::Place& place = exercise.places[static_cast<std::size_t>(wanted.place)];
    return place.name == log.name ? tr("bring it back")
                                  : tr_format("bring it to '{}'", tr(spoken(place.name)));
  }
  if (now.held_log == wanted.log) {
    if (training::into_load_space(wanted))
      return wanted.bunk == training::kLoadLeft    ? tr("bring it to the left of the load space")
             : wanted.bunk == training::kLoadRight ? tr("bring it to the right of the load space")
                                                   : tr("bring it into the load space");
    const int colour = exercise.world.bunks[static_cast<std::size_t>(wanted.bunk)].colour;
    return colour == 1   ? tr("bring it to the red bunk")
           : colour == 2 ? tr("bring it to the blue bunk")
                         : tr("bring it to the bunk");
  }
  if (now.held_log >= 0) return tr("that is another one, put it down");
  return log.colour == 1   ? tr("pick up the marked red log")
         : log.colour == 2 ? tr("pick up the marked blue log")
                           : tr("pick up the marked log");
}

std::string log_line(const Exercise& exercise, const SessionSnapshot& now) {
  const auto task = static_cast<std::size_t>(now.task.target);
  if (task >= exercise.log_tasks.size()) return tr("Carry the logs");
  const training::LogTask& wanted = exercise.log_tasks[task];
  const world::Log& log = exercise.world.logs[static_cast<std::size_t>(wanted.log)];
  return tr_format("Log {} of {}: {}", now.task.step + 1, now.task.steps,
                   log_wish(exercise, now, wanted, log));
}

std::string with_name(const Exercise& exercise, const SessionSnapshot& now) {
  const auto target = static_cast<std::size_t>(now.task.target);
  if (target >= exercise.targets.size() || exercise.targets[target].name.empty()) return {};
  return fmt::format(" ({})", tr(spoken(exercise.targets[target].name)));
}

std::string reach_line(const Exercise& exercise, const SessionSnapshot& now) {
  const training::Target& target = exercise.targets[static_cast<std::size_t>(now.task.target)];
  const int number = now.task.step + 1, of = now.task.steps;
  const std::string name = with_name(exercise, now);
  if (target.plumb == 0.0 || now.task.distance > target.radius)
    return tr_format("Target {} of {}{}: touch it with the tip", number, of, name);
  if (now.task.angle > target.plumb)
    return tr_format("Target {} of {}{}: wait until the head hangs still", number, of, name);
  return tr_format("Target {} of {}{}: stay", number, of, name);
}

std::string drive_line(const Exercise& exercise, const SessionSnapshot& now) {
  const int number = now.task.step + 1, of = now.task.steps;
  if (now.task.dwell > 0.0) return tr_format("Stop {} of {}: stay", number, of);
  if (now.task.distance <= exercise.world.way.stop_within)
    return tr_format("Stop {} of {}: halt here", number, of);
  return tr_format("Stop {} of {} in {:.{}f} m: the crane beside its poles", number, of,
                   now.task.distance, now.task.distance < 10.0 ? 1 : 0);
}

// Why knives that close about a standing tree take none; null: they would, or are not near to one.
const char* knives_take_none(const SessionSnapshot& now) {
  constexpr double kNear = 0.5;  // m
  if (now.gap_m > kNear) return nullptr;
  int move = 0;
  for (std::int64_t k = 0; k < now.tree_count; ++k) {
    const training::TreeSnapshot& tree = now.tree[k];
    if (tree.gripped != 0) return nullptr;
    if (tree.cut > 0.0) ++move;
  }
  if (move >= worksite::kMaxMovingTrees)
    return tr("two other trees are cut and not down: wait, or fell one of them first");
  return now.tree_count < worksite::kMaxFelled
             ? nullptr
             : tr("too many trees lie uncut; cut one up to fell another");
}

std::string fell_line(const Exercise& exercise, const SessionSnapshot& now) {
  const int stem = exercise.fell_tasks[static_cast<std::size_t>(now.task.target)].stem;
  const training::TreeSnapshot* tree = training::tree_of(stem, now);
  const char* none = tree == nullptr ? knives_take_none(now) : nullptr;
  const char* what = none != nullptr                    ? none
                     : tree == nullptr                  ? tr("turn to the arrow, grip low")
                     : tree->attached == 0              ? tr("it falls")
                     : tree->gripped == 0               ? tr("it is cut, and stands")
                     : now.saw > 0.0 || tree->cut > 0.0 ? tr("saw")
                                                        : tr("gripped; saw it");
  return tr_format("Tree {} of {}: {}", now.task.step + 1, now.task.steps, what);
}

std::string buck_line(const Exercise& exercise, const SessionSnapshot& now) {
  const int stem = exercise.fell_tasks[static_cast<std::size_t>(now.task.target)].stem;
  const training::TreeSnapshot* tree = training::tree_of(stem, now);
  if (tree == nullptr || tree->attached != 0) return fell_line(exercise, now);
  const std::string product =
      now.product < 0 ? tr("offcut")
                      : tr(exercise.prices.products[static_cast<std::size_t>(now.product)].name);
  const std::string what = tree->gripped == 0 ? tr("it is down; grip it again")
                           : now.no_room != 0 ? tr("no room for more logs; the saw cuts none")
                           : now.wanted_m <= 0.0
                               ? tr("no log is left in it; drop the top")
                               : fmt::format("{} {:.2f} m", product, now.wanted_m);
  return tr_format("Tree {} of {}: {}", now.task.step + 1, now.task.steps, what);
}

// Full scale of the pump's power: its largest output; for a constant source that of the largest
// function alone, with half of the pressure lost in its open valve.
double pump_scale(const machine::MachineModel& machine) {
  const machine::Supply& supply = machine.supply;
  if (supply.kind == hydraulics::SupplyKind::kPump) {
    const hydraulics::PumpSupply& pump = supply.pump;
    const double most = pump.displacement * pump.speed_ratio * pump.engine.speed * supply.pump_Pa;
    return pump.power_limit_W > 0.0 ? std::min(most, pump.power_limit_W) : most;
  }
  double most = 0.0;
  for (const machine::Actuator& a : machine.actuators) {
    const double flow = hydraulics::conductance(a.circuit.valve.edge[hydraulics::kPumpToA], 1.0) *
                        std::sqrt(0.5 * machine.supply.pump_Pa);
    most = std::max(most, flow * machine.supply.pump_Pa);
  }
  return most > 0.0 ? most : 1.0;
}

// Somebody who is inside the danger zone, or comes near to it; empty: nobody does.
std::string visitor_line(const Session& session, const SessionSnapshot& now) {
  constexpr double kNear = 10.0;  // m
  const training::VisitorSnapshot* nearest = training::nearest_visitor(now);
  const double zone = session.machine().danger_zone;
  if (nearest == nullptr || zone == 0.0 || nearest->away_m >= zone + kNear) return {};
  const bool person = nearest->kind == training::VisitorKind::kPerson;
  const double away_m = nearest->away_m;
  if (nearest->inside != 0)
    return person ? tr_format("Stop! A person is {:.0f} m away", away_m)
                  : tr_format("Stop! A vehicle is {:.0f} m away", away_m);
  return person ? tr_format("A person is near: {:.0f} m, limit {:.0f} m", away_m, zone)
                : tr_format("A vehicle is near: {:.0f} m, limit {:.0f} m", away_m, zone);
}

bool is_there(const training::SessionSnapshot& now, int fault) {
  return (now.sim.faults[fault / 32] >> (fault % 32) & 1U) != 0;
}

// For a limit: "3:00" for "3:00.0", "60 s" for "60.0 s".
std::string without_tenths(std::string text) {
  const std::size_t at = text.find(".0");
  if (at != std::string::npos && (at + 2 == text.size() || text[at + 2] == ' ')) text.erase(at, 2);
  return text;
}

}  // namespace

std::string points_text(const Exercise& exercise, double points) {
  if (!exercise.points.given() || std::isnan(points)) return {};
  const std::string_view grade = training::grade(points);
  return tr_format("{:.1f} of 100 points", points) + (grade.empty() ? "" : ", " + tr(grade));
}

std::string value_text(const training::Figure& figure, double value) {
  if (training::is_undefined(figure, value)) return "-";
  if (figure.clock) return view::panels::clock_text(value);
  if (figure.unit == "J") return with_prefix(value, "J");
  if (figure.unit == "rad")
    return fmt::format("{:.{}f}\u00b0", value * 180.0 / std::numbers::pi, figure.decimals);
  // A limit may lie between two counts.
  const bool between = figure.unit.empty() && figure.decimals == 0 && value != std::round(value);
  return fmt::format("{:.{}f}{}{}", value, between ? 2 : figure.decimals,
                     figure.unit.empty() ? "" : " ", figure.unit);
}

std::string limit_text(const training::Figure& figure, const training::Limit& limit) {
  const auto told = [&](double value) { return without_tenths(value_text(figure, value)); };
  // Both in words would not fit beside a value.
  if (limit.has_least && limit.has_most) return told(limit.least) + " \u2013 " + told(limit.most);
  if (limit.has_least) return tr_format("at least {}", told(limit.least));
  if (limit.has_most) return tr_format("at most {}", told(limit.most));
  return "";
}

bool is_beyond(const training::Figure& figure, const training::Limit& limit, double value,
               bool ended) {
  if (training::is_undefined(figure, value)) return ended;
  return (limit.has_most && value > limit.most) ||
         (ended && limit.has_least && value < limit.least);
}

double figure_value(const std::string& name, double recorded) {
  const training::Figure* figure = training::find_figure(name);
  return figure != nullptr && training::is_undefined(*figure, recorded) ? std::nan("") : recorded;
}

const training::Limit* limit_of(const Exercise& exercise, std::string_view figure) {
  const auto found =
      std::find_if(exercise.limits.begin(), exercise.limits.end(),
                   [figure](const training::Limit& limit) { return limit.figure == figure; });
  return found == exercise.limits.end() ? nullptr : &*found;
}

bool has_ended(const SessionSnapshot& now) { return training::has_ended(now.task.phase); }

std::string danger_text(const double (&event)[4]) {
  const bool person = event[0] == static_cast<double>(training::VisitorKind::kPerson);
  const double away_m = event[1];
  if (event[2] == static_cast<double>(training::DangerKind::kChain))
    return person ? tr_format("The saw ran with a person {:.0f} m away in the plane of its chain.",
                              away_m)
                  : tr_format("The saw ran with a vehicle {:.0f} m away in the plane of its chain.",
                              away_m);
  return person
             ? tr_format("The work went on with a person {:.0f} m away, inside the danger zone.",
                         away_m)
             : tr_format("The work went on with a vehicle {:.0f} m away, inside the danger zone.",
                         away_m);
}

std::string danger_text(const SessionSnapshot& now) {
  if (now.task.danger < 1) return {};
  const training::VisitorSnapshot& visitor = now.visitor[now.task.danger - 1];
  return danger_text({static_cast<double>(visitor.kind), now.task.danger_m,
                      static_cast<double>(now.task.danger_kind), 0.0});
}

std::string task_line(const Session& session, const SessionSnapshot& now) {
  const Exercise& exercise = session.exercise();
  if (now.task.phase == TaskPhase::kPassed) {
    const std::string points = points_text(exercise, now.score.points);
    return points.empty() ? tr("Passed") : tr_format("Passed: {}", points);
  }
  if (now.task.phase == TaskPhase::kFailed)
    return now.task.danger > 0 ? tr("Not passed: somebody was in danger") : tr("Not passed");
  if (std::string line = visitor_line(session, now); !line.empty()) return line;
  if (exercise.task == TaskKind::kFree)
    return exercise.title.empty() ? tr("Free play") : tr(exercise.title);
  if (now.task.target < 0 && exercise.stand_s > 0.0)
    return tr_format("Take the grapple away: it must stand for {:g} s", exercise.stand_s);
  if (now.task.target < 0 && training::asks_diagnosis(exercise) && !(now.score.diagnosis_s > 0.0))
    return tr("Say what is wrong: Esc, then \"Something is wrong\"");
  if (now.task.target < 0) return tr(exercise.title);
  switch (exercise.task) {
    case TaskKind::kReach:
      return reach_line(exercise, now);
    case TaskKind::kPath:
      return now.task.step == 0 ? tr("Bring the tip to the start of the line")
                                : tr("Follow the line with the tip");
    case TaskKind::kLogs:
      return log_line(exercise, now);
    case TaskKind::kHead:
      return tr_format("Stem {} of {}{}: bring the head to it", now.task.step + 1, now.task.steps,
                       with_name(exercise, now));
    case TaskKind::kDrive:
      return drive_line(exercise, now);
    case TaskKind::kFell:
      return fell_line(exercise, now);
    case TaskKind::kBuck:
      return buck_line(exercise, now);
    case TaskKind::kFree:
      break;
  }
  return exercise.title;
}

// The tree in the head; empty: none.
std::string held_tree(const Exercise& exercise, const SessionSnapshot& now) {
  const training::TreeSnapshot* tree = training::tree_in_head(now);
  if (tree == nullptr || static_cast<std::size_t>(tree->stem) >= exercise.trees.size()) return {};
  const std::string species = tr(exercise.trees[static_cast<std::size_t>(tree->stem)].species);
  return tree->attached != 0 ? tr_format("{}, rooted", species)
                             : fmt::format("{} {:.2f} m, {:.0f} mm", species, now.stem_length_m,
                                           1e3 * now.stem_diameter_m);
}

std::string held_text(const Session& session, const SessionSnapshot& now) {
  if (std::string tree = held_tree(session.exercise(), now); !tree.empty()) return tree;
  const auto& logs = session.exercise().world.logs;
  const auto held = static_cast<std::size_t>(now.held_log);
  if (now.held_log < 0 || held >= logs.size()) return {};
  if (const int count = now.carried.count(); count > 1)
    return tr_count(count, "{} log, {:.0f} kg", "{} logs, {:.0f} kg", count, now.carried_kg);
  return fmt::format("{}, {:.0f} kg", log_of(logs[held].colour), now.carried_kg);
}

std::vector<FigureRow> figure_rows(const Exercise& exercise, const training::Score& score,
                                   bool ended, bool details) {
  std::vector<FigureRow> rows;
  for (const training::Figure& figure : training::figures()) {
    const bool limited = limit_of(exercise, figure.name) != nullptr;
    const bool makes_points = ended && exercise.points.given() &&
                              (figure.member == &training::Score::technique ||
                               figure.member == &training::Score::faultless);
    if (figure.in_detail && !details && !limited && !makes_points) continue;
    const double value = figure.read(score);
    // Not measured here; at the end, nothing to average.
    if (!limited && (std::isnan(value) || training::tells_nothing(exercise.task, figure, value) ||
                     (ended && training::is_undefined(figure, value))))
      continue;
    FigureRow row;
    row.label = tr(figure.label);
    row.value = value_text(figure, value);
    if (const training::Limit* limit = limit_of(exercise, figure.name); limit != nullptr) {
      row.limit = limit_text(figure, *limit);
      row.verdict = is_beyond(figure, *limit, value, ended) ? FigureRow::Verdict::kBeyond
                                                            : FigureRow::Verdict::kWithin;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<FigureRow> element_rows(const WorkTimes& work) {
  std::vector<FigureRow> rows;
  const auto add = [&rows](const char* label, const auto& names, std::span<const double> seconds) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    FigureRow row;
    row.label = tr(label);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      if (seconds[i] > 0.0)
        row.value += fmt::format("{}{} {:.1f} s ({:.0f} %)", row.value.empty() ? "" : ", ",
                                 tr(names[i]), seconds[i], 100.0 * seconds[i] / sum);
    if (!row.value.empty()) rows.push_back(std::move(row));
  };
  add(msgid("Work of the crane"), training::kElementNames, work.crane_s);
  if (work.wheels) add(msgid("Work of the carrier"), training::kElementNames, work.drive_s);
  if (work.phases) add(msgid("Phases of the load"), training::kLoadPhaseNames, work.phase_s);
  return rows;
}

std::vector<FigureRow> element_rows(const SessionSnapshot& now) {
  return element_rows({now.element_s[0], now.element_s[1], now.load_phase_s,
                       now.sim.wheel_count > 0, tells_phases(now)});
}

bool tells_phases(const SessionSnapshot& now) {
  const bool room = now.load.half_m[0] > 0.0;
  return now.element_load > 0 || (room && now.load_phase != training::LoadPhase::kEmpty);
}

std::string failure_reason(const Exercise& exercise, const SessionSnapshot& now) {
  if (now.task.phase != TaskPhase::kFailed) return {};
  if (now.task.danger > 0) return danger_text(now);
  if (now.task.steps > 0 && now.task.step < now.task.steps)
    return tr_format("The time is over: {} of {} done.", now.task.step, now.task.steps);
  const int broken = training::broken_limit(exercise, now.score);
  if (broken < 0) return tr("The time is over.");
  const training::Limit& limit = exercise.limits[static_cast<std::size_t>(broken)];
  const training::Figure& figure = *training::find_figure(limit.figure);
  return tr_format("{}: {}; to pass, {}.", tr(figure.label),
                   value_text(figure, figure.read(now.score)), limit_text(figure, limit));
}

std::vector<int> faults_there(const training::Session& session,
                              const training::SessionSnapshot& now) {
  std::vector<int> list;
  for (int i = 0; i < static_cast<int>(session.faults().size()); ++i)
    if (is_there(now, i)) list.push_back(i);
  return list;
}

std::string own_name(const command::Fault& fault) {
  const std::string of = fault.function + "_";
  return !fault.function.empty() && fault.name.starts_with(of) ? fault.name.substr(of.size())
                                                               : fault.name;
}

std::string fault_name(const command::Fault& fault) {
  const std::string own = own_name(fault);
  if (own.size() == fault.name.size()) return tr(spoken(own));
  return tr_format("{0} {1}", tr(spoken(fault.function)), tr(spoken(own)));
}

std::string fault_text(const Session& session, int fault) {
  if (fault < 0 || fault >= static_cast<int>(session.faults().size())) return {};
  const command::Fault& is = session.faults()[static_cast<std::size_t>(fault)];
  const std::string kind = tr(spoken(command::name_of(is.kind)));
  return is.function.empty() ? kind : tr_format("{} of the {}", kind, tr(spoken(is.function)));
}

std::vector<int> suspected_faults(const Session& session, const SessionSnapshot& now) {
  std::vector<int> out;
  if (!training::asks_diagnosis(session.exercise()) || now.task.phase != TaskPhase::kRunning ||
      now.score.diagnosis_s > 0.0)
    return out;
  const auto& lot = session.exercise().fault_lot.candidates;
  for (int i = 0; i < static_cast<int>(session.faults().size()); ++i)
    if (std::find(lot.begin(), lot.end(), session.faults()[static_cast<std::size_t>(i)].name) !=
        lot.end())
      out.push_back(i);
  return out;
}

std::string diagnosis_text(const Session& session, const SessionSnapshot& now) {
  if (!training::asks_diagnosis(session.exercise()) || !has_ended(now)) return {};
  const std::string is = fault_text(session, session.drawn_fault());
  if (is.empty()) return {};
  const training::Score& score = now.score;
  if (!(score.diagnosis_s > 0.0)) return tr_format("It was the {}; nobody said so.", is);
  return score.diagnosis_right > 0.0
             ? tr_format("It was the {}, and you said so after {:.1f} s.", is, score.diagnosis_s)
             : tr_format("It was the {}; something else was said, or too early.", is);
}

view::panels::Briefing briefing_of(const Exercise& exercise) {
  view::panels::Briefing briefing;
  briefing.title = exercise.title.empty() ? exercise.name : tr(exercise.title);
  for (const std::string& paragraph : exercise.briefing)
    briefing.paragraphs.push_back(tr(paragraph));
  if (exercise.time_limit_s > 0.0)
    briefing.limits.push_back(tr_format(
        "Done within {}", without_tenths(view::panels::clock_text(exercise.time_limit_s))));
  for (const training::Figure& figure : training::figures())
    if (const training::Limit* limit = limit_of(exercise, figure.name); limit != nullptr)
      briefing.limits.push_back(
          fmt::format("{}: {}", tr(figure.label), limit_text(figure, *limit)));
  briefing.begin = tr("Move a lever to begin.   F1: keys and levers   Shift: keys go slowly");
  return briefing;
}

view::panels::InstrumentFaces faces_of(const Session& session) {
  const machine::MachineModel& machine = session.machine();
  view::panels::InstrumentFaces faces;
  faces.machine = tr(spoken(machine.name));
  faces.exercise = tr(session.exercise().title);
  faces.pump_full_W = pump_scale(machine);
  faces.grapple = machine.grapple.present;
  faces.load_space = machine.load_space.present;
  faces.wheels = !machine.wheels.empty();
  for (int i = 0; i < session.control().pattern().mode_count(); ++i)
    faces.lever_modes.push_back(tr(mode_name(session.control().pattern(), i)));
  faces.swing = machine.tree.find_joint("swing");
  for (const machine::Actuator& actuator : machine.actuators)
    faces.actuators.push_back({tr(spoken(actuator.name)), actuator.circuit.protection.relief_Pa,
                               actuator.circuit.valve.full_V});
  for (int i = 0; i < machine.joint_count(); ++i) {
    const multibody::Body& body = machine.tree.body(machine.tree.link(i).body);
    // A ball has no coordinate to show; on wheels there are too many joints to show those of the axles.
    const bool shown =
        machine.ball_of(i) == nullptr && (machine.wheels.empty() || !machine.passive(i));
    faces.joints.push_back({shown ? tr(spoken(body.joint_name)) : std::string(),
                            machine.tree.link(i).revolute, body.lower, body.upper});
  }
  // A telescope is as far out as all of its sections.
  for (const multibody::Coupling& chain : machine.couplings) {
    auto& drawn = faces.joints[static_cast<std::size_t>(chain.joint)];
    auto& draws = faces.joints[static_cast<std::size_t>(chain.follows)];
    if (drawn.revolute || draws.revolute || chain.offset != 0.0) continue;
    draws.shown += chain.ratio * drawn.shown;
    drawn.name.clear();
  }
  for (const command::LeverFunction& function : session.control().pattern().functions) {
    if (function.target == command::LeverTarget::kGrapple && !machine.grapple.present) continue;
    if (function.target == command::LeverTarget::kDrive && !machine.driveline.present) continue;
    if (function.target == command::LeverTarget::kBrake && machine.wheels.empty()) continue;
    if ((function.target == command::LeverTarget::kTilt ||
         function.target == command::LeverTarget::kFeed) &&
        !machine.head.present)
      continue;
    if (function.target == command::LeverTarget::kJoint &&
        machine.tree.find_joint(function.joint) == multibody::kBase)
      continue;
    faces.lever_function[static_cast<std::size_t>(function.axis)] = function_name(function);
  }
  return faces;
}

}  // namespace knuckleboom::app
