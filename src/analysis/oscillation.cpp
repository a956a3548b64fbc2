#include "knuckleboom/analysis/oscillation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::analysis {
namespace {

constexpr double kCornerHz = 0.5;
constexpr double kWindow = 4.0;  // s

// Limits; docs/reference/command_line.md.
constexpr double kDifference = 0.05;  // V rms
constexpr double kRateFactor = 3.0;
constexpr double kOwn = 0.3;            // V rms
constexpr double kSlowReference = 0.3;  // share of the position's fast part

// Second-order section of a Butterworth high-pass by the bilinear transform.
class HighPass {
 public:
  HighPass(double corner_Hz, double dt, double damping) {
    const double w = std::tan(std::numbers::pi * corner_Hz * dt);
    b_ = 1.0 / (1.0 + 2.0 * damping * w + w * w);
    a1_ = 2.0 * (w * w - 1.0) * b_;
    a2_ = (1.0 - 2.0 * damping * w + w * w) * b_;
  }
  // As if x had always been applied, so that the start does not ring through the data.
  void start(double x) { x1_ = x2_ = x; }
  double operator()(double x) {
    const double y = b_ * (x - 2.0 * x1_ + x2_) - a1_ * y1_ - a2_ * y2_;
    x2_ = x1_;
    x1_ = x;
    y2_ = y1_;
    y1_ = y;
    return y;
  }

 private:
  double b_, a1_, a2_;
  double x1_ = 0.0, x2_ = 0.0, y1_ = 0.0, y2_ = 0.0;
};

double rms(const std::vector<double>& samples, std::size_t begin, std::size_t end) {
  double sum = 0.0;
  for (std::size_t i = begin; i < end; ++i) sum += samples[i] * samples[i];
  return end > begin ? std::sqrt(sum / static_cast<double>(end - begin)) : 0.0;
}

// From zero crossings.
double frequency(const std::vector<double>& samples, std::size_t begin, std::size_t end,
                 double dt) {
  int crossings = 0;
  for (std::size_t i = begin + 1; i < end; ++i)
    if ((samples[i] > 0.0) != (samples[i - 1] > 0.0)) ++crossings;
  return end > begin ? 0.5 * crossings / (static_cast<double>(end - begin) * dt) : 0.0;
}

double spacing(const Recording& run) {
  const std::vector<double>& t = run.time();
  return t.size() > 1 ? (t.back() - t.front()) / static_cast<double>(t.size() - 1) : 0.0;
}

int switches_in_last_half(const Recording& run, const std::string& joint) {
  const std::vector<double>& open = run.column(joint + "_valve_open");
  int count = 0;
  for (std::size_t i = open.size() / 2 + 1; i < open.size(); ++i)
    if (open[i] != open[i - 1]) ++count;
  return count;
}

struct JointColumns {
  std::string joint, valve, open, rate, position, reference;
};

std::vector<JointColumns> actuated_joints(const machine::MachineModel& model) {
  std::vector<JointColumns> out;
  for (const machine::Actuator& actuator : model.actuators) {
    const std::string& joint = model.joint_name(actuator.link);
    const std::string unit = model.tree.link(actuator.link).revolute ? "rad" : "m";
    out.push_back({joint, joint + "_valve_V", joint + "_valve_open",
                   fmt::format("{}_{}_s", joint, unit), fmt::format("{}_{}", joint, unit),
                   fmt::format("{}_ref_{}", joint, unit)});
  }
  return out;
}

std::string times(double ratio) {
  return ratio < 100.0 ? fmt::format("{:.1f} times", ratio) : std::string("more than 100 times");
}

// joints: those unstable in the shaky model, which is run a or run b.
std::string sentence(const std::string& shaky, const std::string& calm,
                     const std::vector<JointOscillation>& joints, bool a) {
  const JointOscillation& worst =
      *std::max_element(joints.begin(), joints.end(),
                        [](const auto& x, const auto& y) { return x.valve_V < y.valve_V; });
  std::vector<std::string> others;
  for (const JointOscillation& joint : joints)
    if (joint.joint != worst.joint) others.push_back("'" + joint.joint + "'");
  const double rate = a ? worst.rate_a : worst.rate_b;
  const double calm_rate = a ? worst.rate_b : worst.rate_a;
  return fmt::format(
      "The {} model is unstable where the {} model is not: the controller of joint '{}' drives its "
      "valve in a limit cycle of {:.1f} Hz (valve command {:.2g} V rms at {:.0f} to {:.0f} s, "
      "joint "
      "rate {} that of the {} model, {} in the last half of the run against {}){}. Gains chosen on "
      "the {} model alone would shake this machine.",
      shaky, calm, worst.joint, worst.frequency_Hz, worst.valve_V, worst.window_start_s,
      worst.window_start_s + worst.window_s, times(rate / std::max(calm_rate, 1e-12)), calm,
      io::counted(a ? worst.switches_a : worst.switches_b, "valve switch", "valve switches"),
      a ? worst.switches_b : worst.switches_a,
      others.empty() ? std::string() : fmt::format("; so does that of {}", io::listing(others)),
      calm);
}

bool any(const std::vector<double>& flags, std::size_t begin, std::size_t end) {
  return std::any_of(flags.begin() + static_cast<std::ptrdiff_t>(begin),
                     flags.begin() + static_cast<std::ptrdiff_t>(end),
                     [](double flag) { return flag != 0.0; });
}

}  // namespace

std::vector<double> fast_part(const std::vector<double>& samples, double dt, double corner_Hz) {
  // Too coarse a sampling cannot show the fast part.
  if (samples.empty() || !(dt > 0.0) || corner_Hz * dt > 0.2)
    return std::vector<double>(samples.size(), 0.0);
  HighPass first(corner_Hz, dt, std::sin(std::numbers::pi / 8.0));
  HighPass second(corner_Hz, dt, std::sin(3.0 * std::numbers::pi / 8.0));
  first.start(samples.front());
  std::vector<double> out(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) out[i] = second(first(samples[i]));
  return out;
}

std::vector<JointOscillation> compare_oscillation(const machine::MachineModel& model,
                                                  const Recording& a, const Recording& b) {
  std::vector<JointOscillation> out;
  const std::size_t n = std::min(a.rows(), b.rows());
  const double dt = spacing(a.rows() <= b.rows() ? a : b);
  for (const JointColumns& columns : actuated_joints(model)) {
    JointOscillation joint;
    joint.joint = columns.joint;
    std::vector<double> apart(n);
    for (std::size_t i = 0; i < n; ++i)
      apart[i] = a.column(columns.valve)[i] - b.column(columns.valve)[i];
    apart = fast_part(apart, dt, kCornerHz);

    const std::size_t half = n / 2;
    const std::size_t length =
        dt > 0.0 ? std::min(n - half, static_cast<std::size_t>(std::lround(kWindow / dt))) : 0;
    std::size_t worst = half;
    for (std::size_t begin = half; length > 0 && begin + length <= n;
         begin += std::max<std::size_t>(1, length / 8)) {
      const double size = rms(apart, begin, begin + length);
      if (size <= joint.valve_V) continue;
      joint.valve_V = size;
      worst = begin;
    }
    if (joint.valve_V > 0.0) {
      joint.window_start_s = a.time()[worst];
      joint.window_s = static_cast<double>(length) * dt;
      joint.frequency_Hz = frequency(apart, worst, worst + length, dt);
      joint.open_a = any(a.column(columns.open), worst, worst + length);
      joint.open_b = any(b.column(columns.open), worst, worst + length);
      joint.rate_a = rms(fast_part(a.column(columns.rate), dt, kCornerHz), worst, worst + length);
      joint.rate_b = rms(fast_part(b.column(columns.rate), dt, kCornerHz), worst, worst + length);
    }
    joint.switches_a = switches_in_last_half(a, columns.joint);
    joint.switches_b = switches_in_last_half(b, columns.joint);
    out.push_back(joint);
  }
  return out;
}

std::vector<OwnOscillation> own_oscillation(const machine::MachineModel& model,
                                            const Recording& run) {
  std::vector<OwnOscillation> out;
  const std::size_t n = run.rows();
  const double dt = spacing(run);
  const auto size = [&](const std::string& column) {
    return rms(fast_part(run.column(column), dt, kCornerHz), n / 2, n);
  };
  for (const JointColumns& columns : actuated_joints(model)) {
    OwnOscillation joint;
    joint.joint = columns.joint;
    const std::vector<double> valve = fast_part(run.column(columns.valve), dt, kCornerHz);
    joint.valve_V = rms(valve, n / 2, n);
    joint.frequency_Hz = frequency(valve, n / 2, n, dt);
    joint.switches = switches_in_last_half(run, columns.joint);
    joint.reference_is_slow = size(columns.reference) < kSlowReference * size(columns.position);
    out.push_back(joint);
  }
  return out;
}

bool a_is_unstable(const JointOscillation& joint) {
  return joint.valve_V > kDifference && joint.open_a && joint.rate_a > kRateFactor * joint.rate_b;
}

bool b_is_unstable(const JointOscillation& joint) {
  return joint.valve_V > kDifference && joint.open_b && joint.rate_b > kRateFactor * joint.rate_a;
}

bool is_unstable(const OwnOscillation& joint) {
  return joint.valve_V > kOwn && joint.reference_is_slow;
}

std::vector<std::string> stability_sentences(const machine::MachineModel& model,
                                             const std::vector<ModelStability>& runs) {
  std::vector<std::string> out;
  std::vector<const ModelStability*> finite;
  for (const ModelStability& run : runs) {
    if (!run.non_finite)
      finite.push_back(&run);
    else
      out.push_back(fmt::format("The {} model is unstable: it leaves the real numbers at {:g} s.",
                                run.name, run.end_s));
  }
  std::vector<std::string> told;  // joints
  for (std::size_t i = 0; i < finite.size(); ++i)
    for (std::size_t k = i + 1; k < finite.size(); ++k) {
      std::vector<JointOscillation> in_a, in_b;
      for (const JointOscillation& joint :
           compare_oscillation(model, *finite[i]->recording, *finite[k]->recording)) {
        if (a_is_unstable(joint)) in_a.push_back(joint);
        if (b_is_unstable(joint)) in_b.push_back(joint);
        if (a_is_unstable(joint) || b_is_unstable(joint)) told.push_back(joint.joint);
      }
      if (!in_a.empty()) out.push_back(sentence(finite[i]->name, finite[k]->name, in_a, true));
      if (!in_b.empty()) out.push_back(sentence(finite[k]->name, finite[i]->name, in_b, false));
    }
  if (finite.empty()) return out;
  for (const OwnOscillation& joint : own_oscillation(model, *finite.front()->recording)) {
    if (!is_unstable(joint) || std::find(told.begin(), told.end(), joint.joint) != told.end())
      continue;
    out.push_back(
        fmt::format("Joint '{}' oscillates by its own controller in every model: {:.2g} V "
                    "rms at {:.1f} Hz ({} model, last half of the run).",
                    joint.joint, joint.valve_V, joint.frequency_Hz, finite.front()->name));
  }
  return out;
}

}  // namespace knuckleboom::analysis
