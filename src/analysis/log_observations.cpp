#include "knuckleboom/analysis/log_observations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/training/scorer.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::analysis {
namespace {

using training::Observation;

constexpr double kMostRows = 2e7;
constexpr double kMoved = 0.03;    // of a lever or a demand; it starts the attempt, as in a session
constexpr double kDenseHz = 24.9;  // below it the tip's jerk is lost between the rows
constexpr double kSampleHz = 50.0;     // of the scorer
constexpr double kWayHz = 1.0;         // faster motion in the tip's path is noise
constexpr double kSpeedHz = 5.0;       // as the scorer has it
constexpr double kClean = 0.002;       // m/s at rest; less is no noise
constexpr double kNoise = 0.05;        // m/s at rest; more is too noisy
constexpr double kMovingSpeed = 0.05;  // m/s
constexpr double kGap = 0.04;          // s, between rows with a tip position; more is a gap
constexpr double kScorerMemory = 0.2;  // s, that the scorer's low-pass remembers
constexpr double kDropOut = 0.2;       // s; shorter grips and releases are ignored
constexpr double kSpeedWindow = 0.1;   // s; over less a sensor's noise is a speed
constexpr const char* kTip[3] = {"tip_x_m", "tip_y_m", "tip_z_m"};

std::string lever_name(int axis) { return std::string("lever_") + command::kLeverAxisNames[axis]; }

std::string joint_column(const machine::MachineModel& machine, int joint) {
  return machine.joint_name(joint) + (machine.tree.link(joint).revolute ? "_rad" : "_m");
}

constexpr std::string_view kTravel = "_travel_s";
constexpr const char* kLegs = "score_legs";
constexpr const char* kHeldLog = "held_log";  // its number, -1: none
constexpr const char* kSpeed = "speed_m_s";
constexpr const char* kReach = "reach_m";

// Channels by which a session tells of its work, beside the tip and the held log.
constexpr const char* kWork[] = {"tip_vx_m_s", "tip_vy_m_s",    "tip_vz_m_s", "grapple_opening",
                                 "log_gap_m",  "held_tilt_rad", "load_logs",  "work_signals"};

// And a harvester's head beside them.
constexpr const char* kStem = "head_stem";
constexpr const char* kFeed = "feed_m_s";

bool is_travel(std::string_view name) { return name.ends_with(kTravel); }
bool is_demand(std::string_view name) {
  return name.ends_with("_demand") || name.ends_with("_valve_open");
}

// Those of a table that have a name of ours.
std::vector<io::LogColumn> own_names(const std::filesystem::path& path, const io::LogTable& table,
                                     const machine::MachineModel* machine) {
  const std::vector<std::string>& names = table.form().columns;
  const std::vector<io::KnownColumn> known = judged_columns(names, machine);
  std::vector<io::LogColumn> out;
  for (const std::string& name : names) {
    if (std::none_of(known.begin(), known.end(), [&](const auto& one) { return one.name == name; }))
      continue;
    io::LogColumn column;
    column.name = name;
    column.place.file = path.string();
    out.push_back(std::move(column));
  }
  if (out.empty())
    throw io::FileError(
        path.string(),
        fmt::format("no column has a name that can be judged ({}, {}, held, ...); say with --map "
                    "which is which{}",
                    kTip[0], lever_name(0),
                    machine == nullptr ? ", or name the --machine if it has joints" : ""));
  return out;
}

// A column over time, without its gaps; advances from call to call. The numbers stay in the log.
class Course {
 public:
  Course(const std::vector<double>& t, const std::vector<double>& y) : t_(t), y_(y) {
    row_ = from(0);
    next_ = from(row_ + 1);
    beyond_ = from(next_ + 1);
  }
  bool empty() const { return row_ == t_.size(); }
  double at(double t) {
    constexpr double kSame = 1e-9;  // s
    while (next_ < t_.size() && t_[next_] <= t + kSame) {
      before_ = row_;
      row_ = next_;
      next_ = beyond_;
      beyond_ = from(next_ + 1);
    }
    if (t <= t_[row_] + kSame || next_ == t_.size()) return y_[row_];
    const double share = (t - t_[row_]) / (t_[next_] - t_[row_]);
    return y_[row_] + share * (y_[next_] - y_[row_]);
  }
  // The same with a continuous slope (cubic Hermite), but straight over gaps and next to them:
  // straight lines have jerk at every row.
  double curved_at(double t, double gap_s) {
    const double straight = at(t);
    if (!before_ || beyond_ >= t_.size()) return straight;
    if (t_[row_] - t_[*before_] > gap_s || t_[next_] - t_[row_] > gap_s ||
        t_[beyond_] - t_[next_] > gap_s)
      return straight;
    const double h = t_[next_] - t_[row_], s = std::clamp((t - t_[row_]) / h, 0.0, 1.0);
    const double from = slope(*before_, next_), to = slope(row_, beyond_), r = 1.0 - s;
    return straight + s * r * h * (r * from - s * to + (s - r) * (y_[next_] - y_[row_]) / h);
  }
  // Whether t is in a gap.
  bool in_gap(double t, double gap_s) {
    at(t);
    if (next_ == t_.size()) return t - t_[row_] > gap_s;
    return t < t_[row_] ? t_[row_] - t > gap_s : t > t_[row_] && t_[next_] - t_[row_] > gap_s;
  }

 private:
  // The first row from there on that has a number.
  std::size_t from(std::size_t i) const {
    while (i < t_.size() && !std::isfinite(y_[i])) ++i;
    return std::min(i, t_.size());
  }
  double slope(std::size_t i, std::size_t k) const { return (y_[k] - y_[i]) / (t_[k] - t_[i]); }

  std::span<const double> t_, y_;
  std::optional<std::size_t> before_;  // rows with a number: before the one that t has passed,
  std::size_t row_ = 0, next_ = 0, beyond_ = 0;  // that one, and the two behind it
};

// Cylinders that none but the joints seen moves, with all joints where the state has them.
std::vector<int> pistons_of(const machine::MachineModel& machine, const machine::MachineState& at,
                            const std::vector<int>& seen) {
  std::vector<int> out;
  for (std::size_t k = 0; k < machine.watch_pressures.size(); ++k) {
    if (!machine.watch_pressures[k].cylinder) continue;
    double row[kMaxLinks] = {};
    machine::displacement_row(machine, static_cast<int>(k), at.q, row);
    bool known = true;
    for (int j = 0; j < machine.joint_count(); ++j)
      known &= row[j] == 0.0 || std::find(seen.begin(), seen.end(), j) != seen.end();
    if (known) out.push_back(static_cast<int>(k));
  }
  return out;
}

// Watches the joints that a log tells of, and the pistons that they move. The others stand in the middle of
// their ranges.
void watch(const io::Trace& log, const machine::MachineModel& machine, double dt,
           LogObservations& out) {
  const std::vector<double>& t = log.data.front();
  const auto state = std::make_unique<machine::MachineState>();
  struct Joint {
    int joint;
    Course before, now, after;
  };
  std::vector<Joint> joints;
  for (int i = 0; i < machine.joint_count(); ++i) {
    const multibody::Body& body = machine.tree.body(machine.tree.link(i).body);
    state->q[i] = 0.5 * (body.lower + body.upper);
    const int column = log.find(joint_column(machine, i));
    if (column < 0) continue;
    const Course q(t, log.data[static_cast<std::size_t>(column)]);
    if (q.empty()) continue;
    joints.push_back({i, q, q, q});
    out.watched_joints.push_back(i);
  }
  out.watched_pistons = pistons_of(machine, *state, out.watched_joints);
  const double half = std::max(0.5 * kSpeedWindow, dt), gap = 2.0 * half;
  const auto count = static_cast<std::size_t>(std::floor((t.back() - t.front()) / dt + 1e-6));
  for (std::size_t row = 0; row <= count; ++row) {
    const double now = t.front() + dt * static_cast<double>(row);
    for (Joint& j : joints) {
      state->q[j.joint] = j.now.at(now);
      const bool there = now - half >= t.front() && now + half <= t.back() &&
                         !j.before.in_gap(now - half, gap) && !j.now.in_gap(now, gap) &&
                         !j.after.in_gap(now + half, gap);
      state->v[j.joint] =
          there ? (j.after.at(now + half) - j.before.at(now - half)) / (2.0 * half) : 0.0;
    }
    machine::watch_joints(machine, now, dt, *state);
  }
  out.watch = state->watch;
}

using MaybeCourse = std::optional<Course>;

// Joints that the machine's valves drive, with their full speeds [rad/s, m/s].
std::vector<std::pair<int, double>> full_rates(const machine::MachineModel& machine) {
  command::LeverPattern pattern;
  for (int i = 0; i < machine.joint_count() && pattern.functions.size() < sim::kMaxLeverFunctions;
       ++i)
    if (!machine.passive(i)) pattern.functions.emplace_back().joint = machine.joint_name(i);
  if (pattern.functions.empty()) return {};
  const sim::Simulation simulation(machine, command::Scenario{});
  const sim::OperatorControl control(simulation, pattern);
  std::vector<std::pair<int, double>> out;
  for (std::size_t n = 0; n < pattern.functions.size(); ++n)
    if (control.joint_of(n) != multibody::kBase)
      out.emplace_back(control.joint_of(n), control.top_rate(n));
  return out;
}

// Makes observations of a log's columns, from its first time on.
class Observer {
 public:
  Observer(const io::Trace& log, const machine::MachineModel* machine)
      : log_(&log), machine_(machine), t_(&log.data.front()) {
    for (std::size_t c = 0; c < 3; ++c) tip_[c] = course(kTip[c]);
    for (int i = 0; i < command::kLeverAxes; ++i)
      levers_[static_cast<std::size_t>(i)] = course(lever_name(i));
    head_ = course("head_rad");
    power_ = course("pump_power_W");
    work_ = course("pump_work_J");
    held_ = course("held");
    if (!held_) held_log_ = course(kHeldLog);
    collisions_ = course("collisions");
    impulse_ = course("impulse_Ns");
    at_stop_ = course("at_stop");
    at_relief_ = course("at_relief");
    legs_ = course(kLegs);
    speed_ = course(kSpeed);
    for (std::size_t i = 0; i < signals_.size(); ++i) signals_[i] = course(kWork[i]);
    find_demands();
    find_travel();
    if (!tip_[0] || !tip_[1] || !tip_[2]) find_joints();
    step_ = usual_step();
  }

  double rate_Hz() const { return 1.0 / step_; }
  bool counts_legs() const { return bool(legs_); }
  bool has_tip() const { return crane_tip_ || (tip_[0] && tip_[1] && tip_[2]); }
  bool can_wait() const { return has_levers() || !demands_.empty(); }

  std::uint32_t observed() const {
    using namespace training;
    std::uint32_t out = 0;
    const auto add = [&out](bool there, std::uint32_t bit) { out |= there ? bit : 0u; };
    add(has_tip(), kObservedTip);
    add(has_tip() && rate_Hz() >= kDenseHz, kObservedDense);
    add(bool(head_), kObservedHead);
    add(has_levers(), kObservedLevers);
    add(!demands_.empty(), kObservedDemand);
    add(!travel_.empty(), kObservedTravel);
    add(bool(collisions_), kObservedContacts);
    add(bool(impulse_), kObservedImpulse);
    add(bool(at_stop_), kObservedStops);
    add(bool(speed_), kObservedDrive);
    add(bool(at_relief_), kObservedRelief);
    add(power_ || work_, kObservedPump);
    add(held_ || held_log_, kObservedGrip);
    return out;
  }

  // Rows at the scorer's samples, so that it need not interpolate; slow logs as they are.
  double row_step() const {
    const double rate_Hz = 1.0 / step_;
    const double dt =
        rate_Hz < kDenseHz ? step_ : 1.0 / (kSampleHz * std::ceil(rate_Hz / kSampleHz - 1e-3));
    const double seconds = t_->back() - t_->front();
    if (seconds / dt > kMostRows)
      throw io::FileError(log_->file,
                          fmt::format("rows {:g} s apart over {:g} s are too many to judge; take "
                                      "out the long gaps",
                                      step_, seconds));
    return dt;
  }

  // Times must increase from call to call.
  Observation row_at(double t, double dt) {
    Observation row{};
    row.dt = dt;
    if (has_tip()) {
      place_tip(t, row.tip_W);
      if (tip_in_gap(t)) gap_until_ = t + kScorerMemory;
      row.unmeasured = t <= gap_until_ ? 1 : 0;
    }
    if (head_) {
      const double angle = head_->at(t);
      row.hang_W[0] = std::sin(angle);
      row.hang_W[2] = -std::cos(angle);
    }
    for (std::size_t i = 0; i < levers_.size(); ++i)
      row.axis[i] = levers_[i] ? levers_[i]->at(t) : 0.0;
    for (std::size_t i = 0; i < demands_.size(); ++i) row.shaped[i] = demands_[i].at(t);
    for (std::size_t i = 0; i < travel_.size(); ++i)
      row.travel_s[i] = travel_[i].scale * travel_[i].position.at(t);
    if (legs_) row.legs = std::floor(legs_->at(t) + 1e-9);
    if (speed_) row.speed = speed_->at(t);
    if (collisions_) row.collisions = collisions_->at(t);
    if (impulse_) row.impulse_Ns = impulse_->at(t);
    row.at_stop = above_half(at_stop_, t) ? 1 : 0;
    if (above_half(at_relief_, t)) relief_ticks_ += 1.0;
    row.relief_ticks = relief_ticks_;
    if (power_) power_work_J_ += dt * power_->at(t);
    row.pump_work_J = work_ ? work_->at(t) : power_work_J_;
    row.held = above_half(held_, t) || (held_log_ && held_log_->at(t) > -0.5) ? 0 : -1;
    return row;
  }

  void read_functions(LogObservations& out) const {
    for (const Travel& one : travel_) out.functions.push_back(one.function);
    if (MaybeCourse reach = course(kReach))
      for (std::size_t i = 0; i < out.rows; ++i)
        out.reach_m.push_back(reach->at(out.start_s + out.dt * static_cast<double>(i)));
  }

  // From the first row on, whose time courses have already passed.
  void read_work(LogObservations& out) const {
    const bool told =
        std::all_of(signals_.begin(), signals_.end(), [](const auto& one) { return !!one; });
    if (!told || !held_log_ || !has_tip() || out.rate_Hz < kDenseHz) return;
    std::array<MaybeCourse, std::size(kWork)> work = signals_;
    MaybeCourse wheels = course(kSpeed), held = course(kHeldLog);
    MaybeCourse stem = course(kStem), feed = course(kFeed);
    out.head = stem && feed;
    const auto every = static_cast<std::size_t>(std::lround(training::kElementSample / out.dt));
    visit_rows(out, [&](std::size_t i, const Observation& row) {
      if (i == 0 || i % every != 0) return;
      const double t = out.start_s + out.dt * static_cast<double>(i);
      const auto value = [&](std::size_t n) { return work[n]->at(t); };
      training::ElementSample at;
      at.tick = static_cast<std::int64_t>(i);
      training::set_signals(std::lround(value(7)), at);
      for (std::size_t c = 0; c < 3; ++c) {
        at.tip_m[c] = row.tip_W[c];
        const double v = value(c);
        if (at.moves || !wheels) at.tip_m_s[c] = v;
      }
      at.opening = value(3);
      at.gap_m = value(4);
      at.tilt_rad = value(5);
      at.load = static_cast<std::int32_t>(std::lround(value(6)));
      at.held = static_cast<std::int32_t>(std::lround(held->at(t)));
      if (wheels) at.carrier_m_s = wheels->at(t);
      if (out.head) {
        at.stem = static_cast<std::int32_t>(std::lround(stem->at(t)));
        at.feed_m_s = feed->at(t);
      }
      out.work.push_back(at);
    });
  }

 private:
  MaybeCourse course(const std::string& name) const {
    const int at = log_->find(name);
    if (at < 0) return std::nullopt;
    const Course found(*t_, log_->data[static_cast<std::size_t>(at)]);
    return found.empty() ? MaybeCourse() : MaybeCourse(found);
  }

  void find_demands() {
    for (const char* ending : {"_demand", "_valve_open"}) {
      for (const std::string& name : log_->columns)
        if (name.ends_with(ending) && demands_.size() < sim::kMaxLeverFunctions)
          if (MaybeCourse found = course(name)) demands_.push_back(std::move(*found));
      if (!demands_.empty()) return;  // more reliable than the valves
    }
  }

  // Courses of the functions, as a session tells it, or of each joint that the machine drives.
  void find_travel() {
    for (const std::string& name : log_->columns)
      if (is_travel(name) && travel_.size() < sim::kMaxLeverFunctions)
        if (MaybeCourse found = course(name))
          travel_.push_back({name.substr(0, name.size() - kTravel.size()), std::move(*found), 1.0});
    if (!travel_.empty() || machine_ == nullptr) return;
    for (const auto& [joint, rate] : full_rates(*machine_))
      if (MaybeCourse found = course(joint_column(*machine_, joint)))
        travel_.push_back({machine_->joint_name(joint), std::move(*found), 1.0 / rate});
  }

  // The crane's tip. Where no actuator carries it, as on a machine that is only measured, joints that the
  // log has carry it.
  machine::LinkPoint measured_tip() const {
    machine::LinkPoint point = machine::crane_tip(*machine_);
    if (point.link != multibody::kBase) return point;
    point = machine::tip_point(*machine_);
    for (int i = point.link; i != multibody::kBase; i = machine_->tree.link(i).parent)
      if (log_->find(joint_column(*machine_, i)) < 0)
        point = {machine_->tree.link(i).parent, machine_->tree.link(i).in_parent.p};
    return point;
  }

  // All joints that carry the tip, without freely hanging ones.
  void find_joints() {
    if (machine_ == nullptr) return;
    const machine::LinkPoint tip = measured_tip();
    if (tip.link == multibody::kBase) return;
    for (int i = tip.link; i != multibody::kBase; i = machine_->tree.link(i).parent) {
      joints_[static_cast<std::size_t>(i)] = course(joint_column(*machine_, i));
      if (!joints_[static_cast<std::size_t>(i)]) return;
    }
    crane_tip_ = tip;
  }

  bool has_levers() const {
    return std::any_of(levers_.begin(), levers_.end(), [](const auto& one) { return bool(one); });
  }
  // The usual time between two rows, whatever gaps there are.
  double usual_step() const {
    if (t_->size() < 2)
      throw io::FileError(log_->file, "one row is no motion; a log needs two at least");
    const double middle = io::usual_step(*t_);
    // Times in the log are rounded: the mean of steps close to the median is better.
    double sum = 0.0, n = 0.0;
    for (std::size_t i = 1; i < t_->size(); ++i)
      if (const double step = (*t_)[i] - (*t_)[i - 1]; std::fabs(step - middle) <= 0.2 * middle) {
        sum += step;
        n += 1.0;
      }
    return sum / n;
  }

  static bool above_half(MaybeCourse& course, double t) { return course && course->at(t) > 0.5; }

  double gap_s() const { return std::max(kGap, 1.5 * step_); }

  bool tip_in_gap(double t) {
    const auto gap = [&](MaybeCourse& course) { return course && course->in_gap(t, gap_s()); };
    return crane_tip_ ? std::any_of(joints_.begin(), joints_.end(), gap)
                      : std::any_of(tip_.begin(), tip_.end(), gap);
  }

  void place_tip(double t, double (&tip_W)[3]) {
    if (!crane_tip_) {
      for (std::size_t c = 0; c < 3; ++c) tip_W[c] = tip_[c] ? tip_[c]->curved_at(t, gap_s()) : 0.0;
      return;
    }
    double q[kMaxLinks] = {};
    for (std::size_t i = 0; i < joints_.size(); ++i)
      if (joints_[i]) q[i] = joints_[i]->curved_at(t, gap_s());
    machine::PointPose pose;
    machine::locate(*machine_, *crane_tip_, q, pose);
    for (int c = 0; c < 3; ++c) tip_W[c] = pose.p_W(c);
  }

  const io::Trace* log_;
  const machine::MachineModel* machine_;
  const std::vector<double>* t_;
  std::array<MaybeCourse, 3> tip_;
  std::array<MaybeCourse, command::kLeverAxes> levers_;
  std::array<MaybeCourse, kMaxLinks> joints_;
  std::optional<machine::LinkPoint> crane_tip_;  // if the joints that carry it are there
  MaybeCourse head_, power_, work_, held_, collisions_, impulse_, at_stop_, at_relief_;
  MaybeCourse held_log_, legs_, speed_;
  std::array<MaybeCourse, std::size(kWork)> signals_;
  std::vector<Course> demands_;
  struct Travel {
    std::string function;
    Course position;
    double scale;  // seconds at full speed
  };
  std::vector<Travel> travel_;
  double step_ = 0.0;  // usual time between two rows [s]
  double gap_until_ = -1e300;
  double relief_ticks_ = 0.0, power_work_J_ = 0.0;
};

constexpr std::uint8_t kHeld = 1,
                       kActs = 2;  // bits of a row: the grapple is closed, a lever is deflected

bool moved(const Observation& row) {
  const auto beyond = [](double value) { return std::fabs(value) > kMoved; };
  return std::any_of(std::begin(row.axis), std::end(row.axis), beyond) ||
         std::any_of(std::begin(row.shaped), std::end(row.shaped), beyond);
}

// Removes contact bounce: short releases and short grips.
void skip_drop_outs(std::vector<std::uint8_t>& marks, double dt) {
  const auto most = static_cast<std::size_t>(std::ceil(kDropOut / dt - 1e-6));
  for (const bool held : {false, true}) {
    std::size_t since = 0;  // since this row the state is unchanged
    for (std::size_t i = 1; i < marks.size(); ++i) {
      if (((marks[i] ^ marks[i - 1]) & kHeld) == 0) continue;
      const bool was = (marks[i - 1] & kHeld) != 0;
      if (was == held && since > 0 && i - since < most)
        for (std::size_t k = since; k < i; ++k) marks[k] ^= kHeld;
      since = i;
    }
  }
}

// The row before the first lever movement, where the attempt begins.
std::size_t start_row(const std::vector<std::uint8_t>& marks) {
  const auto first = std::find_if(marks.begin(), marks.end(),
                                  [](std::uint8_t mark) { return (mark & kActs) != 0; });
  const auto at = static_cast<std::size_t>(first - marks.begin());
  return at > 0 ? at - 1 : 0;
}

// The last row with a deflected lever or, without levers in the log, with the tip in motion; not before the
// last grip or release.
std::size_t last_action(const std::vector<std::uint8_t>& marks, bool can_wait,
                        const TipMotion* tip) {
  if (!can_wait && tip == nullptr) return marks.size() - 1;
  for (std::size_t i = marks.size() - 1; i > 0; --i) {
    if (((marks[i] ^ marks[i - 1]) & kHeld) != 0) return i;
    if (can_wait ? (marks[i] & kActs) != 0 : tip->moves(i)) return i;
  }
  return 0;
}

}  // namespace

// A log, with what its rows do not tell one by one.
class LogRows {
 public:
  LogRows(io::Trace log, const machine::MachineModel* machine)
      : log_(std::move(log)), first_(log_, machine), dt_(first_.row_step()) {
    const std::vector<double>& t = log_.data.front();
    const auto count =
        static_cast<std::size_t>(std::floor((t.back() - t.front()) / dt_ + 1e-6)) + 1;
    marks_.reserve(count);
    std::optional<TipMotion> tip;
    if (first_.has_tip())
      tip.emplace(count, dt_, TipMotion::Settings{kWayHz, kSpeedHz, kMovingSpeed});
    Observer observer = first_;
    for (std::size_t i = 0; i < count; ++i) {
      const Observation row = observer.row_at(time(i), dt_);
      marks_.push_back(
          static_cast<std::uint8_t>((row.held >= 0 ? kHeld : 0) | (moved(row) ? kActs : 0)));
      if (tip) tip->add({row.tip_W[0], row.tip_W[1], row.tip_W[2]});
    }
    skip_drop_outs(marks_, dt_);
    start_ = first_.can_wait() ? start_row(marks_) : 0;
    last_ = last_action(marks_, first_.can_wait(), tip ? &*tip : nullptr);
    if (!tip) return;
    noise_ = tip->noise();
    // Smoothing costs corners and adds to ends: not where there is nothing to smooth.
    if (noise_.speed >= kClean) steps_m_ = tip->take_steps();
    // A lever and the tip that it moves need not start in one row.
    const auto shortly = static_cast<std::size_t>(kScorerMemory / dt_);
    if (tip->moves(start_ - std::min(start_, shortly)))
      unmeasured_ = start_ + static_cast<std::size_t>(std::ceil(kScorerMemory / dt_)) + 1;
  }

  void tell(LogObservations& out) const {
    out.columns.assign(log_.columns.begin() + 1, log_.columns.end());
    out.notes = log_.notes;
    out.rate_Hz = first_.rate_Hz();
    out.observed = first_.observed();
    if (first_.has_tip() && noise_.way <= kNoise) out.observed |= training::kObservedWay;
    if (first_.has_tip() && noise_.speed <= kNoise) out.observed |= training::kObservedCalm;
    out.noise = noise_;
    out.free = !first_.counts_legs();
    out.dt = dt_;
    out.rows = marks_.size() - start_;
    out.start_s = time(start_);
    out.end_s = last_ > start_ ? dt_ * static_cast<double>(last_ - start_) : 0.0;
    first_.read_functions(out);
    first_.read_work(out);
  }

  void visit(const std::function<void(std::size_t, const Observation&)>& visit) const {
    Observer observer = first_;
    Observation before{};
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      Observation row = observer.row_at(time(i), dt_);
      row.held = (marks_[i] & kHeld) != 0 ? 0 : -1;
      if (i >= start_ && i < unmeasured_) row.unmeasured = 1;
      if (!steps_m_.empty())
        row.step_m = steps_m_[i];
      else if (i > 0)
        row.step_m = (Vec3(row.tip_W[0], row.tip_W[1], row.tip_W[2]) -
                      Vec3(before.tip_W[0], before.tip_W[1], before.tip_W[2]))
                         .norm();
      before = row;
      if (i < start_) continue;
      row.ticks = static_cast<std::int64_t>(i - start_);
      visit(i - start_, row);
    }
  }

  const io::Trace& log() const { return log_; }
  double dt() const { return dt_; }

 private:
  double time(std::size_t row) const {
    return log_.data.front().front() + dt_ * static_cast<double>(row);
  }

  io::Trace log_;
  Observer first_;  // before the first row
  double dt_;       // between two rows
  std::vector<std::uint8_t> marks_;
  std::vector<double> steps_m_;  // of the smoothed tip; empty: as it is
  TipNoise noise_{};
  std::size_t start_ = 0, last_ = 0;
  std::size_t unmeasured_ = 0;  // until that row the beginning of the movement is unknown
};

void visit_rows(const LogObservations& log,
                const std::function<void(std::size_t, const training::Observation&)>& visit) {
  log.log->visit(visit);
}

std::vector<io::KnownColumn> judged_columns(const std::vector<std::string>& names,
                                            const machine::MachineModel* machine) {
  std::vector<io::KnownColumn> out;
  for (const char* name : kTip) out.push_back({name, "m"});
  for (int i = 0; i < command::kLeverAxes; ++i) out.push_back({lever_name(i), "", 1.0});
  out.push_back({"head_rad", "rad"});
  out.push_back({"pump_power_W", "W"});
  out.push_back({"pump_work_J", "J"});
  for (const char* name : {"held", kHeldLog, "collisions", "impulse_Ns", "at_stop", "at_relief"})
    out.push_back({name, ""});
  out.push_back({kLegs, ""});
  out.push_back({kSpeed, "m/s"});
  out.push_back({kReach, "m"});
  out.push_back({kStem, ""});
  out.push_back({kFeed, "m/s"});
  constexpr const char* kWorkUnits[] = {"m/s", "m/s", "m/s", "", "m", "rad", "", ""};
  for (std::size_t i = 0; i < std::size(kWork); ++i) out.push_back({kWork[i], kWorkUnits[i]});
  for (const std::string& name : names) {
    if (is_demand(name)) out.push_back({name, "", 1.0});
    if (is_travel(name)) out.push_back({name, "s"});
  }
  if (machine != nullptr)
    for (int i = 0; i < machine->joint_count(); ++i)
      if (machine->ball_of(i) == nullptr)
        out.push_back({joint_column(*machine, i), machine->tree.link(i).revolute ? "rad" : "m"});
  return out;
}

LogObservations read_observations(const std::filesystem::path& path, const io::LogMap& map,
                                  const machine::MachineModel* machine) {
  const io::LogTable table = io::open_log(path, map);
  const std::vector<io::LogColumn> columns =
      map.columns.empty() ? own_names(path, table, machine) : map.columns;
  std::vector<std::string> names;
  for (const io::LogColumn& column : columns) names.push_back(column.name);
  const auto log =
      std::make_shared<LogRows>(table.read(columns, judged_columns(names, machine)), machine);
  LogObservations out;
  out.log = log;
  log->tell(out);
  if (machine != nullptr) watch(log->log(), *machine, out.dt, out);
  return out;
}

training::ScoreState judge(const LogObservations& log) {
  training::ScoreState state{};
  visit_rows(log, [&](std::size_t i, const Observation& row) {
    if (i == 0) return training::set_start(row, state);
    training::gather(log.free, row, state);
    while (state.score.legs < row.legs) training::end_leg(state);
  });
  training::finish(log.free, log.end_s, state);
  return state;
}

LogWork judge_work(const LogObservations& log) {
  const bool loads = std::any_of(log.work.begin(), log.work.end(),
                                 [](const auto& at) { return at.in_box || at.load > 0; });
  LogWork out{training::start_elements(log.head, !loads), {}};
  const double dt = log.dt;
  const std::int64_t end = std::llround(log.end_s / dt);
  for (const training::ElementSample& at : log.work)
    if (at.tick <= end) training::follow_elements(dt, at, out.state, &out.pieces);
  training::finish_elements(dt, end, out.state, &out.pieces);
  return out;
}

}  // namespace knuckleboom::analysis
