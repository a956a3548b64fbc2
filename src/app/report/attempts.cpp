#include "app/report/attempts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "app/session/coaching.hpp"
#include "app/session/comparison_key.hpp"
#include "app/session/drive_request.hpp"
#include "app/session/notes.hpp"
#include "app/session/session_texts.hpp"
#include "app/session/work_times.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using report::Event;
using report::EventKind;
using report::Outcome;
using training::TaskKind;
using training::TaskPhase;

constexpr double kLeadIn = 1.0;            // s, shown before the first lever movement
constexpr double kMoved = 0.02;            // a lever that stays within it was not used
constexpr double kTogether = 1.0;          // s
constexpr int kAtRelief = 1, kAtStop = 4;  // of the channel JOINT_limits

Outcome outcome_of(TaskPhase phase, const training::Exercise* exercise) {
  switch (phase) {
    case TaskPhase::kReady:
      return Outcome::kNotBegun;
    case TaskPhase::kRunning:
      return exercise != nullptr && exercise->task == TaskKind::kFree ? Outcome::kFree
                                                                      : Outcome::kBrokenOff;
    case TaskPhase::kPassed:
      return Outcome::kPassed;
    case TaskPhase::kFailed:
      return Outcome::kFailed;
  }
  return Outcome::kNotBegun;
}

// Kinds of docs/reference/session_file.md. Unknown kinds are shown as they are.
EventKind kind_of(const std::string& kind) {
  struct Word {
    const char* word;
    EventKind kind;
  };
  constexpr Word kWords[] = {
      {"phase", EventKind::kTask},          {"step", EventKind::kTask},
      {"grip", EventKind::kGrip},           {"release", EventKind::kGrip},
      {"collision", EventKind::kCollision}, {"end_stop", EventKind::kEndStop},
      {"danger", EventKind::kTask},         {"bookmark", EventKind::kBookmark},
      {"message", EventKind::kMessage},     {kNoteEvent, EventKind::kMessage}};
  for (const Word& word : kWords)
    if (kind == word.word) return word.kind;
  return EventKind::kOther;
}

std::string text_of(const io::SessionEvent& event) {
  if (event.kind == "phase" && event.text == "running") return tr("begun");
  if (event.kind == "danger") return danger_text(event.value);
  if (event.kind == "step") return tr_format("{:g} of {:g} done", event.value[0], event.value[1]);
  if (event.kind == "phase" || event.kind == "collision") return tr(event.text);
  if (event.kind == "grip") return tr(spoken(event.text));
  if (event.kind == "release") return tr_format("let go {}", tr(spoken(event.text)));
  if (event.kind == kNoteEvent) return tr_format("note: {}", event.text);
  if (event.kind == "bookmark" && event.text == event.kind)
    return {};  // already the name of its
                // row
  if (kind_of(event.kind) == EventKind::kOther) {
    const std::string words = spoken(event.kind);
    return event.text.empty() ? words : words + ": " + event.text;
  }
  return event.text;
}

std::string text_of(const training::Command& command) {
  switch (command.kind) {
    case training::CommandKind::kControlMode:
      return tr(label_of(static_cast<command::ControlMode>(command.value)));
    case training::CommandKind::kFidelity:
      return tr(label_of(static_cast<machine::Fidelity>(command.value)));
    case training::CommandKind::kRestart:
    case training::CommandKind::kFault:  // also reported by an event
    case training::CommandKind::kClearFault:
    case training::CommandKind::kDiagnose:  // named by who knows the session
      break;
  }
  return {};
}

bool has(double limits, int bit) {
  return std::isfinite(limits) && (static_cast<int>(limits) & bit) != 0;
}

// Intervals in which a bit is set.
void add_stretches(const std::vector<double>& t_s, const std::vector<double>& limits, int bit,
                   const std::string& label, std::vector<Event>& out) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (!has(limits[i], bit)) continue;
    const std::size_t first = i;
    while (i + 1 < limits.size() && has(limits[i + 1], bit)) ++i;
    const double end = i + 1 < limits.size() ? t_s[i + 1] : t_s[i];
    if (!out.empty() && out.back().text == label &&
        t_s[first] - out.back().t_s - out.back().lasts_s < kTogether)
      out.back().lasts_s = end - out.back().t_s;
    else
      out.push_back({t_s[first], EventKind::kRelief, label, end - t_s[first]});
  }
}

// Combines rapid repetitions, with their number.
std::vector<Event> gathered(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.t_s < b.t_s; });
  std::vector<Event> out;
  std::vector<int> times;
  std::vector<double> last;
  for (Event& event : events) {
    const bool rattles = event.kind == EventKind::kContact || event.kind == EventKind::kCollision ||
                         event.kind == EventKind::kEndStop;
    std::size_t same = out.size();
    for (std::size_t i = out.size(); rattles && i-- > 0 && event.t_s - out[i].t_s < 60.0;)
      if (out[i].kind == event.kind && out[i].text == event.text) {
        same = i;
        break;
      }
    if (same < out.size() && event.t_s - last[same] < kTogether) {
      ++times[same];
      last[same] = event.t_s;
      continue;
    }
    last.push_back(event.t_s);
    times.push_back(1);
    out.push_back(std::move(event));
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (times[i] > 1) out[i].text += " " + tr_format("({} times)", times[i]);
  return out;
}

std::vector<report::Point> points(const std::vector<double>& x, const std::vector<double>& y,
                                  const std::vector<double>& z) {
  std::vector<report::Point> out;
  const std::size_t n = std::min({x.size(), y.size(), z.size()});
  for (std::size_t i = 0; i < n; ++i) out.push_back({x[i], y[i], z[i]});
  return out;
}

report::Point point(const Vec3& p) { return {p.x(), p.y(), p.z()}; }

// First row at or after a time.
std::size_t row_at(const std::vector<double>& t_s, double wanted) {
  const auto found = std::lower_bound(t_s.begin(), t_s.end(), wanted);
  return static_cast<std::size_t>(found - t_s.begin());
}

// Corners of the tip's reference path: docs/reference/figures.md, "Legs".
void add_ideal(const training::Exercise& exercise, report::Attempt& out) {
  if (out.tip.empty() || out.outcome == Outcome::kNotBegun) return;
  const std::size_t first = std::min(row_at(out.t_s, 0.0), out.tip.size() - 1);
  switch (exercise.task) {
    case TaskKind::kFree:
    case TaskKind::kDrive:
    case TaskKind::kFell:
    case TaskKind::kBuck:
      return;
    case TaskKind::kPath:
      out.ideal_label = tr("the path to follow");
      for (const training::Target& target : exercise.targets)
        out.ideal.push_back(point(target.p_W));
      return;
    case TaskKind::kReach:
    case TaskKind::kHead:
      out.ideal_label = tr("straight from target to target");
      out.ideal.push_back(out.tip[first]);
      for (const training::Target& target : exercise.targets)
        out.ideal.push_back(point(target.p_W));
      return;
    case TaskKind::kLogs:
      out.ideal_label = tr("straight from grip to release");
      out.ideal.push_back(out.tip[first]);
      for (const Event& event : out.events)
        if (event.kind == EventKind::kGrip && event.t_s >= 0.0)
          out.ideal.push_back(out.tip[std::min(row_at(out.t_s, event.t_s), out.tip.size() - 1)]);
      return;
  }
}

}  // namespace

RecordedAttempts::RecordedAttempts(io::SessionRecord record) : record_(std::move(record)) {
  try {
    session_ = io::make_session(record_.header, &record_.remarks);
  } catch (const io::FileError& error) {
    remark_ = tr_format("limits and targets are not known: {}", error.what());
  } catch (const std::invalid_argument& error) {
    remark_ = tr_format("limits and targets are not known: {}", error.what());
  }
  find_attempts();
}

double RecordedAttempts::seconds(std::int64_t tick, const Span& span) const {
  return static_cast<double>(tick - span.start) * record_.tick_s();
}

std::vector<double> RecordedAttempts::channel(const std::string& name) const {
  const std::vector<float> values = record_.channel_if_known(name);
  return {values.begin(), values.end()};
}

void RecordedAttempts::find_attempts() {
  for (const io::SessionAttempt& attempt : record_.attempts) {
    Span span{attempt.begin_tick, attempt.end_tick, attempt.begin_tick};
    // Counted as for the figures: the tick before the movement.
    if (const auto moved = first_movement(record_, attempt)) span.start = *moved - 1;
    spans_.push_back(span);
    attempts_.push_back(describe(attempt, span));
    attempts_.back().number = static_cast<int>(attempts_.size());
  }
  for (report::Attempt& attempt : attempts_) attempt.of = static_cast<int>(attempts_.size());
}

std::vector<report::Figure> RecordedAttempts::figures(const io::SessionAttempt& recorded) const {
  std::vector<report::Figure> out;
  const std::size_t n = std::min(recorded.figures.size(), record_.header.figures.size());
  for (std::size_t i = 0; i < n; ++i) {
    const io::ChannelInfo& info = record_.header.figures[i];
    report::Figure figure{info.name, info.name, info.unit, 0.0, {}, {}};
    figure.value = figure_value(info.name, recorded.figures[i]);
    if (const training::Figure* known = training::find_figure(info.name); known != nullptr) {
      figure.label = tr(known->label);
      figure.passes = known->elapsed;
      figure.detail = known->in_detail;
      figure.followed = known->curve;
      figure.heads = known->clock;
      if (known->better != training::Better::kNeither)
        figure.better =
            known->better == training::Better::kLess ? tr("less is better") : tr("more is better");
    }
    if (session_)
      for (const training::Limit& limit : session_->exercise().limits) {
        if (limit.figure != info.name) continue;
        if (limit.has_least) figure.least = limit.least;
        if (limit.has_most) figure.most = limit.most;
      }
    out.push_back(std::move(figure));
  }
  return out;
}

report::Attempt RecordedAttempts::describe(const io::SessionAttempt& recorded,
                                           const Span& span) const {
  const io::SessionHeader& header = record_.header;
  const training::Exercise* exercise = session_ ? &session_->exercise() : nullptr;
  report::Attempt out;
  out.title = exercise != nullptr ? tr(exercise->title) : std::string();
  out.learner = header.learner;
  out.started = header.start_utc;
  out.exercise = exercise != nullptr ? exercise->name : header.exercise;
  out.machine = header.machine;
  out.levers = header.levers;
  out.build = header.program;
  out.source = record_.path.filename().string();
  out.outcome = outcome_of(recorded.phase, exercise);
  out.duration_s = static_cast<double>(span.end - span.begin) * record_.tick_s();
  out.figures = figures(recorded);
  if (exercise != nullptr && (out.outcome == Outcome::kPassed || out.outcome == Outcome::kFailed))
    for (const report::Figure& figure : out.figures)
      if (const training::Figure* known = training::find_figure(figure.name);
          known != nullptr && known->member == &training::Score::points)
        out.points = points_text(*exercise, figure.value);
  return out;
}

void RecordedAttempts::set_learner(const std::string& name) {
  for (report::Attempt& attempt : attempts_) attempt.learner = name;
}

void RecordedAttempts::set_examined(Examined examined) {
  examined_ = std::move(examined);
  for (report::Attempt& attempt : attempts_) attempt.trust = trust_text(examined_.trust);
}

int RecordedAttempts::usual() const {
  int begun = static_cast<int>(attempts_.size()), ended = 0;
  for (const report::Attempt& attempt : attempts_) {
    if (attempt.outcome != Outcome::kNotBegun) begun = attempt.number;
    if (attempt.outcome == Outcome::kPassed || attempt.outcome == Outcome::kFailed)
      ended = attempt.number;
  }
  return ended > 0 ? ended : begun;
}

std::size_t RecordedAttempts::row_after(std::int64_t tick) const {
  const auto& ticks = record_.channel_ticks;
  return static_cast<std::size_t>(std::lower_bound(ticks.begin(), ticks.end(), tick) -
                                  ticks.begin());
}

std::string RecordedAttempts::at_stop(std::size_t row) const {
  std::string joints;
  if (!session_) return joints;
  const view::panels::InstrumentFaces faces = faces_of(*session_);
  const std::vector<machine::Actuator>& actuators = session_->machine().actuators;
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    if (static_cast<int>(i) == session_->control().jaw_actuator()) continue;
    const std::vector<double> limits =
        channel(session_->machine().joint_name(actuators[i].link) + "_limits");
    if (row >= limits.size() || !has(limits[row], kAtStop)) continue;
    joints += (joints.empty() ? "" : ", ") + faces.actuators[i].name;
  }
  return joints;
}

// Faults present at the start of a taken-over session.
std::vector<std::string> RecordedAttempts::standing_faults() const {
  std::vector<std::string> names;
  if (!session_ || record_.header.parent_id.empty() || record_.state_ticks.empty()) return names;
  try {
    for (const int fault : faults_there(*session_, session_->snapshot(record_.state(0, *session_))))
      names.push_back(session_->faults()[static_cast<std::size_t>(fault)].name);
  } catch (const io::UnknownStates&) {
    // Only those that began later are known.
  }
  return names;
}

// A fault lasts until it is cleared, or to the end.
void RecordedAttempts::add_faults(const Span& span, report::Attempt& out) const {
  const auto add = [&](const std::string& name, std::int64_t from, std::int64_t to) {
    if (to < span.begin || from > span.end) return;
    const double begin = seconds(std::max(from, span.begin), span);
    out.events.push_back({begin, EventKind::kFault, tr(spoken(name)),
                          seconds(std::min(to, span.end), span) - begin});
  };
  std::map<std::string, std::int64_t> since;
  for (const std::string& name : standing_faults()) since.emplace(name, record_.header.first_tick);
  for (const io::SessionEvent& event : record_.events) {
    if (event.kind != "fault") continue;
    if (event.value[1] != 0.0) {
      since.try_emplace(event.text, event.tick);
    } else if (const auto begun = since.find(event.text); begun != since.end()) {
      add(event.text, begun->second, event.tick);
      since.erase(begun);
    }
  }
  for (const auto& [name, tick] : since) add(name, tick, span.end);
}

void RecordedAttempts::add_events(const Span& span, report::Attempt& out) const {
  const bool first = out.number == 1;
  const std::vector<double> counted = channel("score_collisions");
  for (const io::SessionEvent& event : record_.events) {
    if (event.kind == "fault" || event.kind == "aid") continue;
    // Events before the first tick of a later attempt belong to the previous one.
    if (event.tick < span.begin || (event.tick == span.begin && !first) || event.tick > span.end)
      continue;
    Event shown{seconds(event.tick, span), kind_of(event.kind), text_of(event), 0.0};
    const std::size_t row = row_after(event.tick);
    if (shown.kind == EventKind::kCollision && row > 0 && row < counted.size() &&
        counted[row] <= counted[row - 1])
      shown.kind = EventKind::kContact;
    if (shown.kind == EventKind::kEndStop && shown.text.empty()) shown.text = at_stop(row);
    out.events.push_back(std::move(shown));
  }
}

void RecordedAttempts::add_commands(const Span& span, report::Attempt& out) const {
  for (const training::InputEvent& input : record_.inputs) {
    if (input.kind != training::InputEventKind::kCommand || input.tick < span.begin ||
        input.tick > span.end)
      continue;
    if (std::string text = text_of(input.command); !text.empty())
      out.events.push_back({seconds(input.tick, span), EventKind::kControl, std::move(text), 0.0});
    if (input.command.kind == training::CommandKind::kDiagnose && session_)
      out.events.push_back({seconds(input.tick, span), EventKind::kFault,
                            tr_format("said to be: {}", fault_text(*session_, input.command.value)),
                            0.0});
  }
}

void RecordedAttempts::add_work(std::size_t index, report::Attempt& out) const {
  if (!session_) return;
  const auto end = RecordedWork(record_, *session_).at_end_of(index);
  if (!end) return;
  const auto add = [&out](const char* part, std::string_view name, double seconds,
                          std::int64_t times) {
    if (seconds > 0.0) out.work.push_back({part, std::string(name), seconds, times});
  };
  for (std::size_t t = 0; t < training::kTracks; ++t)
    for (std::size_t e = 0; e < training::kElements; ++e)
      if (t == 0 || end->sim.wheel_count > 0)
        add(t == 0 ? msgid("Crane") : msgid("Carrier"), training::kElementNames[e],
            end->element_s[t][e], end->element_pieces[t][e]);
  if (tells_phases(*end))
    for (std::size_t p = 0; p < training::kLoadPhases; ++p)
      add(msgid("Load"), training::kLoadPhaseNames[p], end->load_phase_s[p], 0);
}

void RecordedAttempts::add_advice(std::size_t index, const Span& span, report::Attempt& out) const {
  out.advice_remark = tr_format(
      "From the coach's rules, which are {}; they change no figure and no result. Times as in the "
      "events.",
      tr(coach::kUnchecked));
  const double offset_s =
      static_cast<double>(span.start - record_.header.first_tick) * record_.tick_s();
  Coaching coaching = coach_attempt(record_, index);
  for (CoachLine& line : coaching.lines) {
    for (double& at_s : line.marks_s) at_s = std::max(0.0, at_s - offset_s);
    out.advice.push_back(coach_sentence(line));
  }
}

void RecordedAttempts::add_work_and_advice(int number, report::Attempt& out) const {
  const auto index = static_cast<std::size_t>(number - 1);
  add_work(index, out);
  add_advice(index, spans_.at(index), out);
}

report::Attempt RecordedAttempts::complete(int number) const {
  const auto index = static_cast<std::size_t>(number - 1);
  report::Attempt out = attempts_.at(index);
  const Span& span = spans_.at(index);
  const io::SessionEndMark& end = record_.end;
  const auto lead_in = static_cast<std::int64_t>(kLeadIn * record_.header.rate_Hz);
  const std::int64_t from = std::max(span.begin, span.start - lead_in);
  const auto& ticks = record_.channel_ticks;
  const auto begin = static_cast<std::ptrdiff_t>(row_after(from));
  const auto stop = std::upper_bound(ticks.begin(), ticks.end(), span.end) - ticks.begin();
  for (auto i = begin; i < stop; ++i)
    out.t_s.push_back(seconds(ticks[static_cast<std::size_t>(i)], span));
  const auto rows = [&](const std::string& name) {
    const std::vector<double> all = channel(name);
    if (static_cast<std::ptrdiff_t>(all.size()) < stop) return std::vector<double>();
    return std::vector<double>(all.begin() + begin, all.begin() + stop);
  };

  add_events(span, out);
  add_commands(span, out);
  add_faults(span, out);
  const bool head = session_ && session_->exercise().task == TaskKind::kHead;
  const std::string tip = head ? "grip_" : "tip_";
  if (head) out.tip_label = "grapple";
  out.tip = points(rows(tip + "x_m"), rows(tip + "y_m"), rows(tip + "z_m"));
  out.pump_Pa = rows("pump_Pa");
  std::vector<Event> relief;
  if (session_) {
    const machine::MachineModel& model = session_->machine();
    const view::panels::InstrumentFaces faces = faces_of(*session_);
    for (std::size_t i = 0; i < model.actuators.size(); ++i) {
      const std::string& joint = model.joint_name(model.actuators[i].link);
      const std::string& name = faces.actuators[i].name;
      out.pressures.push_back({name, rows(joint + "_port_a_Pa"), rows(joint + "_port_b_Pa"),
                               faces.actuators[i].relief_Pa});
      add_stretches(out.t_s, rows(joint + "_limits"), kAtRelief, name, relief);
    }
    for (int i = 0; i < model.joint_count(); ++i) {
      if (model.ball_of(i) != nullptr) continue;
      const std::string unit = model.tree.link(i).revolute ? "rad" : "m";
      std::vector<double> values = rows(model.joint_name(i) + "_" + unit);
      if (!values.empty())
        out.joints.push_back(
            {faces.joints[static_cast<std::size_t>(i)].name, unit, std::move(values)});
    }
    for (int i = 0; i < command::kLeverAxes; ++i) {
      std::vector<double> values = rows(std::string("lever_") + command::kLeverAxisNames[i]);
      if (std::none_of(values.begin(), values.end(),
                       [](double value) { return std::abs(value) > kMoved; }))
        continue;
      const std::string& does = faces.lever_function[static_cast<std::size_t>(i)];
      const std::string label = tr(spoken(command::kLeverAxisNames[i]));
      out.levers_moved.push_back(
          {does.empty() ? label : label + ": " + does, "", std::move(values)});
    }
  }
  out.events.insert(out.events.end(), relief.begin(), relief.end());
  out.events = gathered(std::move(out.events));
  if (session_) {
    for (const training::Target& target : session_->exercise().targets)
      if (session_->exercise().task != TaskKind::kPath)
        out.targets.push_back({target.name, point(target.p_W), target.radius});
    for (const world::Stem& stem : session_->exercise().world.stems)
      out.stems.push_back({stem.name, {stem.x, stem.y, 0.0}, stem.radius});
    add_ideal(session_->exercise(), out);
  }

  if (!remark_.empty()) out.remarks.push_back(remark_);
  if (!end.complete)
    out.remarks.emplace_back(tr(
        "The recording was cut off, so up to its last second is missing; what is shown is sound."));
  if (end.lost > 0)
    out.remarks.emplace_back(tr("The recording has gaps because the disk did not keep up."));
  if (!record_.header.parent_id.empty())
    out.remarks.push_back(tr_format("Taken over from session {} at its tick {}.",
                                    record_.header.parent_id, record_.header.parent_tick));
  out.health.emplace_back(tr("Session"), record_.header.id);
  out.health.emplace_back(tr("Ticks a second"), fmt::format("{:g}", record_.header.rate_Hz));
  for (const auto& [name, value] : end.health) {
    if (name == "overruns") out.health.emplace_back(tr("Late ticks"), fmt::format("{:g}", value));
    if (name == "lost_s") out.health.emplace_back(tr("Time lost"), fmt::format("{:.3g} s", value));
    if (name == "non_finite" && value > 0.0)
      out.remarks.emplace_back(
          tr("The simulation left the real numbers; the figures mean nothing."));
  }
  return out;
}

}  // namespace knuckleboom::app
