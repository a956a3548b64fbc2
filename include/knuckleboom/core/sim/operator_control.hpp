// From the operator's levers to the drives of the actuators: shaping by the lever pattern, then one
// of three control modes. Modes change bumplessly while the machine moves.
// docs/theory/operator_control.md
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/machine/metering.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::sim {

inline constexpr int kMaxLeverFunctions = 16;

struct OperatorState {
  std::int32_t mode;         // requested command::ControlMode
  std::int32_t driven_mode;  // that of the last tick, -1: none yet
  std::int32_t switches;     // that are on: bits by command::Switch
  std::int32_t buttons;      // held in the last tick: bits by command::LeverButton
  std::int32_t lever_mode;   // of the pattern
  std::int32_t waiting;      // axes, by bits, that count again once they have been in the middle
  double
      shaped[kMaxLeverFunctions];    // after the ramp, -1..1 times gain, by function of the pattern
  double reference[kMaxLinks];       // joint references of the rate and tip modes [rad, m]
  double reference_rate[kMaxLinks];  // rad/s, m/s
  // Remaining offsets of the last change of law, which fade to the new law.
  double rate_offset[kMaxLinks];      // rad/s, m/s
  double volt_offset[kMaxActuators];  // V
  double rate_fade_s[kMaxLinks];      // time left
  double volt_fade_s[kMaxActuators];
  std::int32_t
      following[kMaxActuators];  // 1: the joint follows its reference, 0: levers or neutral
  std::int64_t at_reach_limit;   // ticks in which the tip could not follow the command
};
constexpr auto state_fields(const OperatorState* /*type*/) {
  using namespace knuckleboom::state;
  using S = OperatorState;
  return state::fields_of<S>(
      KB_FIELD(mode, below(command::kControlModes)),
      KB_FIELD(driven_mode, none_or_below(command::kControlModes)),
      KB_FIELD(switches, bits(command::kSwitches)), KB_FIELD(buttons, bits(command::kLeverButtons)),
      KB_FIELD(lever_mode, below(command::kMaxLeverModes)),
      KB_FIELD(waiting, bits(command::kLeverAxes)),
      KB_FIELD(shaped, kNumber, Along::kLeverFunctions),
      KB_FIELD(reference, kPosition, Along::kJoints),
      KB_FIELD(reference_rate, kSpeed, Along::kJoints),
      KB_FIELD(rate_offset, kSpeed, Along::kJoints),
      KB_FIELD(volt_offset, kVoltage, Along::kActuators),
      KB_FIELD(rate_fade_s, kNumber, Along::kJoints),
      KB_FIELD(volt_fade_s, kNumber, Along::kActuators),
      KB_FIELD(following, kFlag, Along::kActuators), KB_FIELD(at_reach_limit, kCounter));
}

struct OperatorDemand {
  TickInput input;       // for Simulation::step
  double grapple = 0.0;  // -1 opens .. 1 closes, full speed
  double tilt = 0.0;     // of a harvester's head, -1 down .. 1 up
  bool saw = false;
  double feed = 0.0;        // -1 .. 1 towards a stem's tip
  bool butt_reset = false;  // of its measuring wheel
  int length = 0;  // to which it feeds: 1 to 6 of the products', 7 of highest value; 0: none
};

// Valve commands of a lever; [0] towards larger positions of the joint, [1] towards smaller ones [V].
struct ValveRange {
  double start_V[2] = {0.0, 0.0};  // where it leaves its dead zone
  double full_V[2] = {0.0, 0.0};   // at its end
};

class OperatorControl {
 public:
  // The simulation must outlive it. Functions whose joint the machine lacks are left out and named
  // in missing(); throws std::invalid_argument if none is left, or on an impossible function (a
  // speed in m/s for a revolute joint, more functions than kMaxLeverFunctions).
  OperatorControl(const Simulation& simulation, command::LeverPattern pattern);

  OperatorState initial_state(const SimState& sim, command::ControlMode mode) const;
  void set_mode(command::ControlMode mode, const SimState& sim, OperatorState& state) const;

  // One tick. No heap, no exception.
  OperatorDemand drive(const command::OperatorInput& input, const SimState& sim,
                       OperatorState& state) const;

  const command::LeverPattern& pattern() const { return pattern_; }
  // Tip velocity of function n of the pattern at full lever in boom-tip mode; zero: it drives its
  // joint.
  machine::TipVelocity tip_of(std::size_t n) const { return functions_[n].full_tip; }
  const std::vector<std::string>& missing() const { return missing_; }
  // Joint speed at full lever in joint rate mode, by function of the pattern [rad/s, m/s]; 0: moves no
  // joint.
  double full_rate(std::size_t function) const { return functions_[function].full_rate; }
  // Valve commands in valve mode, and joint that they move; kBase: the function has no valve.
  const ValveRange& valve_of(std::size_t function) const { return functions_[function].valve; }
  int joint_of(std::size_t function) const;
  // Actuator of jaws that are bodies; -1: none. The grapple's lever opens its valve in every mode.
  int jaw_actuator() const { return jaw_actuator_; }
  // Speed of its joint with the valve fully open, without load, as a mean over its range [rad/s, m/s];
  // whatever the lever file makes of it. The function must have an actuator.
  double top_rate(std::size_t function) const;
  // Position of every function of the pattern over its top_rate; of jaws that are no bodies from their
  // opening, 1 to 0, over the closing time. 0: it moves nothing.
  void travel(const double* q, double grapple_opening, double (&seconds)[kMaxLeverFunctions]) const;
  // Deflection of function n, after shaping, for a joint rate [rad/s, m/s] at joint positions q: in valve
  // mode what an unloaded joint needs, else that of joint rate mode. Beyond 1: out of reach. 0 without a
  // joint.
  double deflection(std::size_t function, command::ControlMode mode, double rate,
                    const double* q) const;
  // The point that the boom-tip mode moves: the tip without the hanging bodies.
  const machine::LinkPoint& tip() const { return tip_; }
  // A point on the machine's vertical axis, from which its reach counts; on wheels in the crane's frame.
  const Vec3& origin_W() const { return origin_W_; }
  // Whether the seat looks the way in which the wheels' drive is positive.
  bool looks_forwards(const OperatorState& state) const;

 private:
  // A function of the pattern on this machine.
  struct Function {
    int actuator = -1;  // that it moves in valve and joint rate mode; -1: none
    ValveRange valve;
    double full_rate = 0.0;
    // In boom-tip mode: share of a tip velocity, or the joint's own rate.
    machine::TipVelocity full_tip;
    bool rate_in_tip_mode = false;
    double full_grapple =
        0.0;  // not 0: of the grapple; jaws that are bodies have an actuator as well
    double full_drive = 0.0;
    double full_brake = 0.0;
    double full_tilt = 0.0;
    double full_feed = 0.0;
    bool steers = false;  // its sense turns with the seat
  };
  // Demands of the levers on every joint and actuator in this tick.
  struct Asked {
    double rate[kMaxLinks];
    double volts[kMaxActuators];
    bool moves[kMaxActuators];  // not neutral
  };

  machine::Load unloaded(const hydraulics::Circuit& circuit) const;
  double unloaded_speed(std::size_t actuator, double volts) const;
  bool moves_tip(int link, const double* start) const;
  int link_of(const Function& function) const;  // that it moves, the jaws' included; kBase: none
  carrier::CarrierCommand drive_wheels(const SimState& sim, const OperatorState& state) const;
  Function make_function(const command::LeverFunction& lever) const;
  int actuator_of(const std::string& joint) const;
  void assign_tip_functions(const double* start);  // start: pose at the start
  machine::Load load(int actuator, const SimState& sim, const double* torque) const;
  void press(const command::OperatorInput& input, OperatorState& state) const;
  void change_lever_mode(int mode, const command::OperatorInput& input, OperatorState& state) const;
  void shape(const command::OperatorInput& input, OperatorState& state) const;
  double demand(std::size_t function, const OperatorState& state) const;
  void to_crane_frame(double* q) const;
  void ask_valve(std::size_t function, double side, Asked& asked) const;
  void ask_valves(const OperatorState& state, Asked& asked) const;
  void ask_rates(const OperatorState& state, Asked& asked) const;
  void ask_tip(const SimState& sim, const machine::Load* loads, OperatorState& state,
               Asked& asked) const;
  void start_fades(const SimState& sim, OperatorState& state, const Asked& asked) const;
  ActuatorCommand follow(int actuator, const SimState& sim, const machine::Load& load, Asked& asked,
                         OperatorState& state) const;
  ActuatorCommand open_loop(int actuator, const SimState& sim, double volts,
                            OperatorState& state) const;
  double approach(int link, double position, double rate) const;

  const Simulation& simulation_;
  command::LeverPattern pattern_;
  std::vector<std::string> missing_;
  std::vector<Function> functions_;
  std::vector<machine::Metering> metering_;
  std::vector<machine::Load> unloaded_;             // of each actuator
  std::array<double, kMaxActuators> mean_lever_{};  // |dx/dq| over the joint's range
  std::array<double, kMaxLinks> scale_{};           // speed that counts as fast
  machine::LinkPoint tip_;
  Vec3 origin_W_ = Vec3::Zero();
  bool crane_ahead_ =
      true;  // the drive is positive towards the crane's side, to which the seat looks
  int jaw_actuator_ = -1;
  std::array<bool, kMaxLinks> tip_used_{};  // joints that the boom-tip mode moves
  std::array<int, kMaxLinks>
      own_lever_{};  // function that moves a joint in boom-tip mode, -1: none
};

}  // namespace knuckleboom::sim
