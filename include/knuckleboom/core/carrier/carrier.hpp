// A machine on wheels: tyres on the ground, their spin, brakes and drive. Once a tick, before the bodies move:
//
//   bodies, spins -> tyres on the ground -> forces on the joints, held over the tick -> machine::Stepper
//
// docs/theory/wheels.md. Constant; what changes is in CarrierState.
#pragma once

#include <array>

#include "knuckleboom/core/carrier/state.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/world/ground.hpp"

namespace knuckleboom::carrier {

class Carrier {
 public:
  // The model must outlive it. h: the tick [s].
  Carrier(const machine::MachineModel& model, const world::GroundRecipe& ground, double h);

  bool present() const { return !tyres_.empty(); }

  // Adds the forces of this tick to those on the joints (joint_count() of them) [N m, N], and moves the state to
  // the tick's end. machine: at its start. No heap, no exception.
  void step(const machine::MachineState& machine, const CarrierCommand& command,
            CarrierState& state, double* tau) const;
  // After the machine's tick: the load on the engine; its speed and the stroke for the next one.
  void load_engine(const CarrierCommand& command, machine::MachineState& machine,
                   CarrierState& state) const;

  // Parked at rest at positions q: adds the forces on the joints. Each wheel takes its share, by load, of what the
  // weight asks along the ground.
  void add_rest_forces(const double* q, CarrierState& state, double* tau) const;
  // Moves the joints with free[i] true to where weight, springs, stops and tyres balance, and the root near the
  // ground before. start: the root may stand anywhere.
  void settle(const bool* free, double* q) const;
  // Whether a joint moves any wheel.
  bool carries(int link) const { return (carried_ >> link & 1) != 0; }
  // Whether it is a freedom of the root in which no place is better than another: along the ground, and its heading.
  bool stays(int link) const {
    return root_ >= 0 && (link == root_ || link == root_ + 1 || link == root_ + 4);
  }

  // Mean of the driven wheels' treads, without any of all wheels', forwards positive [m/s].
  double speed(const CarrierState& state) const;

  // Held by spins, bristles and the drive's oil [J]; not the tyres, whose energy is not computed.
  double stored_energy(const CarrierState& state) const;

 private:
  struct Tyre {
    int link;
    Vec3 centre_L, axis_L;  // in the link's frame
    double scale;           // pressure by the root of the depth [N/m^2.5]
    double first_slope;     // of grip over slip
    double peak_slip, peak;
    std::array<double, 17> x;  // ends of the cells along the wheel [m]
  };
  struct Hub {
    Vec3 p_W, v_W, omega_W, axis_W;  // of what carries it
  };
  // Pressure of the ground on a tyre.
  struct Pressure {
    Vec3 f_W = Vec3::Zero();       // N
    Vec3 at_W = Vec3::Zero();      // its middle [m]
    Vec3 moment_W = Vec3::Zero();  // about that, without what turns the wheel [N m]
    Vec3 normal_W = Vec3::UnitZ();
    double N = 0.0;
  };
  struct Wrenches {  // forces and moments about the world's origin, by link
    Vec3 f[kMaxLinks], n[kMaxLinks];

    explicit Wrenches(int links);
    void push(int link, const Vec3& p_W, const Vec3& f_W);
    void twist(int link, const Vec3& n_W);
  };

  double height(double x, double y) const;
  Hub hub(const multibody::Kinematics& kinematics, const Tyre& tyre) const;
  Pressure pressure(const Tyre& tyre, const machine::Wheel& wheel, const Hub& hub) const;
  Vec3 tread(const Tyre& tyre, const machine::Wheel& wheel, const Hub& hub,
             const Pressure& pressure, WheelState& state) const;
  void turn(const CarrierCommand& command, const double* ground_torque, const Hub* hubs,
            CarrierState& state, Wrenches& wrenches) const;
  double drive(const CarrierCommand& command, CarrierState& state) const;
  void spread(const multibody::Kinematics& kinematics, const Wrenches& wrenches, double* tau) const;
  void residual(const double* q, double* out) const;
  void place_root(const bool* free, double* q) const;

  const machine::MachineModel& model_;
  double h_;
  world::Ground ground_;
  std::vector<world::Stump> stumps_;
  std::vector<double> stump_top_;  // m
  std::vector<Tyre> tyres_;
  std::int64_t carried_ = 0;
  int root_ =
      -1;  // first slide of the free joint that carries the wheels; its ball is three links on
};

}  // namespace knuckleboom::carrier
