// State and inputs of a machine on wheels, beside its bodies. Plain data.
#pragma once

#include <cstdint>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::carrier {

// All zero: it stands, parked.
struct CarrierCommand {
  double drive;           // stroke of the drive's pump, -1 backwards to 1 forwards
  double brake;           // service brake, 0 to 1
  double inching;         // share of the stroke taken back, 0 to 1
  std::int32_t released;  // the parking brake is
  std::int32_t high_gear;
  std::int32_t differential_lock;
  std::int32_t joint_lock;
};
constexpr auto state_fields(const CarrierCommand* /*type*/) {
  using namespace knuckleboom::state;
  using S = CarrierCommand;
  return state::fields_of<S>(KB_FIELD(drive, kSignedShare), KB_FIELD(brake, kShare),
                             KB_FIELD(inching, kShare), KB_FIELD(released, kFlag),
                             KB_FIELD(high_gear, kFlag), KB_FIELD(differential_lock, kFlag),
                             KB_FIELD(joint_lock, kFlag));
}

struct WheelState {
  double spin;        // against the body that carries it [rad/s], forwards positive
  double turned;      // within one turn [rad]
  double bristle[3];  // deflection of the tread along the ground, world frame [m]
  double load;        // of the ground on it in the last tick, across the ground [N]
  double slip;        // in the last tick
};
constexpr auto state_fields(const WheelState* /*type*/) {
  using namespace knuckleboom::state;
  using S = WheelState;
  return state::fields_of<S>(KB_FIELD(spin, kSpeed), KB_FIELD(turned, kPosition),
                             KB_FIELD(bristle, kPosition), KB_FIELD(load, kForce),
                             KB_FIELD(slip, kPositive));
}

struct CarrierState {
  WheelState wheel[kMaxWheels];
  double pressure;      // of the drive: its forward side less the other [Pa]
  double stroke;        // of its pump, -1 to 1
  double motor_back;    // share of its displacement that its motor has given up
  double engine_speed;  // that turns it [rad/s]
  double locked_at;     // position of the joint that is locked [rad]
  std::int32_t gear;    // in use, 0 or 1
  std::int32_t locked;  // the joint is
};
constexpr auto state_fields(const CarrierState* /*type*/) {
  using namespace knuckleboom::state;
  using S = CarrierState;
  return state::fields_of<S>(KB_FIELD(wheel, Along::kWheels), KB_FIELD(pressure, kPressure),
                             KB_FIELD(stroke, kSignedShare), KB_FIELD(motor_back, kShare),
                             KB_FIELD(engine_speed, kSpeed), KB_FIELD(locked_at, kPosition),
                             KB_FIELD(gear, kFlag), KB_FIELD(locked, kFlag));
}

}  // namespace knuckleboom::carrier
