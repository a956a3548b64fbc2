#include "fmi/controller_part.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "capi/controllers.hpp"
#include "fmi/machine_part.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::fmi {
namespace {

using control::PidGains;
using control::PidState;

constexpr const char *kTick = "tick_s", *kDirection = "direction", *kUnit = "unit",
                     *kWindup = "windup_way", *kPeriod = "control_ticks";

// Units with # in place of the joint's.
constexpr struct {
  const char *name, *unit, *says;
  double PidGains::*value;
} kGains[] = {
    {"kp", "V/#", "proportional gain", &PidGains::Kp},
    {"ki", "V/(# s)", "integral gain", &PidGains::Ki},
    {"kd", "V s/#", "derivative gain, on the measured rate", &PidGains::Kd},
    {"derivative_filter_s", "s", "time constant of the rate", &PidGains::derivative_filter_s},
    {"feed_forward", "V s/#", "on the rate of the reference", &PidGains::feed_forward},
    {"overlap_compensation_V", "V", "added in the direction of the output",
     &PidGains::overlap_compensation_V},
    {"compensation_width_V", "V", "output over which the compensation fades in",
     &PidGains::compensation_width_V},
    {"output_limit_V", "V", "largest output", &PidGains::output_limit_V},
    {"tracking_time_s", "s", "of the back calculation", &PidGains::tracking_time_s},
};

std::string in_unit(const char* pattern, const std::string& unit) {
  std::string out;
  for (const char c : std::string_view(pattern)) c == '#' ? out += unit : out += c;
  return out;
}

double number_of(const std::string& text, const std::filesystem::path& file) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw io::FileError(file.string(), fmt::format("'{}' is no number", text));
  return value;
}

class ControllerPart : public Part {
 public:
  explicit ControllerPart(const std::filesystem::path& resources) {
    read(resources / kControllerFile);
    variables_.push_back({Causality::kIndependent, "time", "s", "simulated time"});
    for (const JointController& one : joints_) {
      const auto input = [this](std::string name, std::string unit, const char* says,
                                double start) {
        variables_.push_back({Causality::kInput, std::move(name), std::move(unit), says, start});
      };
      input(reference_name(one.joint, one.unit), one.unit, "position that is asked for", 0.0);
      input(measured_name(one.joint, one.unit), one.unit, "position that is measured", 0.0);
      input(active_name(one.joint), "", "1: the joint has a reference; 0: its valve is driven",
            1.0);
      input(last_name(one.joint), "V", "command of the tick before", 0.0);
    }
    outputs_ = variables_.size();
    for (const JointController& one : joints_)
      variables_.push_back(
          {Causality::kOutput, command_name(one.joint), "V", "command to the valve"});
    gains_ = variables_.size();
    for (const JointController& one : joints_)
      for (const auto& gain : kGains)
        variables_.push_back({Causality::kParameter, one.joint + '.' + gain.name,
                              in_unit(gain.unit, one.unit), gain.says, one.gains.*gain.value});
    begin({});
  }

  double tick_s() const override { return tick_s_; }
  double duration_s() const override { return 0.0; }

  void begin(const Parameters& parameters) override {
    used_ = joints_;
    for (const auto& [number, value] : parameters) {
      const std::size_t at = number - gains_;
      used_[at / std::size(kGains)].gains.*kGains[at % std::size(kGains)].value = value;
    }
    inputs_.assign(outputs_, 0.0);
    for (std::size_t i = 1; i < outputs_; ++i) inputs_[i] = *variables_[i].start;
    now_ = {};
    now_.joints.resize(joints_.size());
  }

  void set(std::size_t input, double value) override { inputs_[input] = value; }
  double get(std::size_t variable) override { return now_.joints[variable - outputs_].output_V; }
  std::string text(std::size_t /*variable*/) override { return {}; }

  // As Simulation::control.
  void step(std::int64_t ticks) override {
    for (; ticks > 0; --ticks, ++now_.tick)
      for (std::size_t k = 0; k < used_.size(); ++k)
        sample(used_[k], &inputs_[1 + 4 * k], now_.joints[k]);
    for (const Joint& joint : now_.joints)
      if (!std::isfinite(joint.output_V)) throw RunFailure("an output is not finite");
  }

  std::shared_ptr<const State> save() const override { return std::make_shared<Moment>(now_); }
  void restore(const State& state) override { now_ = dynamic_cast<const Moment&>(state); }
  bool has_bytes() const override { return true; }
  std::string bytes(const State& state) const override {
    const auto& moment = dynamic_cast<const Moment&>(state);
    std::string out(reinterpret_cast<const char*>(&moment.tick), sizeof moment.tick);
    return out.append(reinterpret_cast<const char*>(moment.joints.data()),
                      moment.joints.size() * sizeof(Joint));
  }
  std::shared_ptr<const State> from_bytes(const std::string& bytes) override {
    auto moment = std::make_shared<Moment>(now_);
    const std::size_t size = moment->joints.size() * sizeof(Joint);
    if (bytes.size() != sizeof moment->tick + size)
      throw UserError("the bytes of the state are damaged");
    std::memcpy(&moment->tick, bytes.data(), sizeof moment->tick);
    if (size > 0) std::memcpy(moment->joints.data(), bytes.data() + sizeof moment->tick, size);
    return moment;
  }

 private:
  struct Joint {
    PidState pid{};
    double output_V = 0.0;
    std::int64_t active = 1;
  };
  static_assert(std::is_trivially_copyable_v<Joint>);
  struct Moment : State {
    std::int64_t tick = 0;
    std::vector<Joint> joints;
  };

  // in: reference, position, active, command of the tick before.
  void sample(const JointController& one, const double* in, Joint& joint) const {
    const PidGains& gains = one.gains;
    const bool active = in[2] > 0.5;
    if (active) {
      if (joint.active == 0) {
        control::start_bumpless(gains, one.direction, in[0], in[1], in[3], joint.pid);
        joint.output_V = in[3];
      }
      if (gains.period_ticks <= 1 || now_.tick % gains.period_ticks == 0)
        joint.output_V = control::sample(gains, tick_s_ * gains.period_ticks, one.direction, in[0],
                                         in[1], joint.pid);
    }
    joint.active = active ? 1 : 0;
  }

  void read(const std::filesystem::path& file) {
    std::map<std::string, std::size_t> known;
    for (const io::ContentKey& line : io::read_content_keys(file).keys) {
      const std::size_t dot = line.key.rfind('.');
      if (dot == std::string::npos) {
        if (line.key == kTick) tick_s_ = number_of(line.value, file);
        continue;
      }
      const std::string joint = line.key.substr(0, dot), field = line.key.substr(dot + 1);
      const auto [at, is_new] = known.emplace(joint, joints_.size());
      if (is_new) joints_.push_back({joint, {}, 1.0, {}});
      JointController& one = joints_[at->second];
      if (field == kUnit) {
        one.unit = line.value;
        continue;
      }
      const double value = number_of(line.value, file);
      if (field == kDirection) one.direction = value;
      if (field == kWindup) one.gains.anti_windup = static_cast<control::AntiWindup>(value);
      if (field == kPeriod) one.gains.period_ticks = static_cast<int>(value);
      for (const auto& gain : kGains)
        if (field == gain.name) one.gains.*gain.value = value;
    }
  }

  double tick_s_ = 0.001;
  std::vector<JointController> joints_, used_;
  std::vector<double> inputs_;
  std::size_t outputs_ = 0, gains_ = 0;
  Moment now_;
};

}  // namespace

std::string reference_name(const std::string& joint, const std::string& unit) {
  return joint + "_ref_" + unit;
}
std::string measured_name(const std::string& joint, const std::string& unit) {
  return joint + '_' + unit;
}
std::string active_name(const std::string& joint) { return joint + "_active"; }
std::string last_name(const std::string& joint) { return joint + "_last_V"; }
std::string command_name(const std::string& joint) { return joint + "_valve_V"; }

std::unique_ptr<Part> open_controller(const std::filesystem::path& resources) {
  return std::make_unique<ControllerPart>(resources);
}

std::string controllers_in(const std::filesystem::path& resources) {
  double tick_s = 0.0;
  const std::vector<JointController> joints = machine_controllers(resources, tick_s);
  if (joints.empty())
    throw UserError("the machine has no controller with gains, so there is none to export");
  std::vector<io::ContentKey> lines;
  const auto add = [&lines](std::string key, std::string value) {
    lines.push_back({std::move(key), std::move(value), {}, 0});
  };
  add(kTick, fmt::format("{}", tick_s));
  for (const JointController& one : joints) {
    const std::string before = one.joint + '.';
    add(before + kUnit, one.unit);
    add(before + kDirection, fmt::format("{}", one.direction));
    add(before + kWindup, fmt::format("{}", static_cast<int>(one.gains.anti_windup)));
    add(before + kPeriod, fmt::format("{}", one.gains.period_ticks));
    for (const auto& gain : kGains)
      add(before + gain.name, fmt::format("{}", one.gains.*gain.value));
  }
  return io::content_keys_text(std::string(kProgram) + ' ' + kVersion, lines);
}

}  // namespace knuckleboom::fmi
