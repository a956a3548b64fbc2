// Several machines of one structure side by side: what they are and the state they are in, a lane for each. Plain
// numbers of one type, so that who fills them in needs no wide registers. docs/theory/batch.md
#pragma once

#include "knuckleboom/core/command/signal.hpp"
#include "knuckleboom/core/control/pid.hpp"
#include "knuckleboom/core/hydraulics/stage_constants.hpp"
#include "knuckleboom/core/machine/actuator_numbers.hpp"
#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::batch {

inline constexpr int kJoints = 3;     // of a machine in lanes, each with an actuator
inline constexpr int kTerms = 4;      // of a signal in lanes
inline constexpr int kWidest = 8;     // lanes
inline constexpr int kOwnTerms = -1;  // signals that do not fit: each lane's by itself
inline constexpr int kBlock = 32;     // ticks at most in one go

template <class T>
struct LaneVector {
  T x[3];
  T operator()(int i) const { return x[i]; }
};
template <class T>
struct LaneMatrix {
  T x[3][3];
  T operator()(int i, int j) const { return x[i][j]; }
};

// As multibody::Link, Tree and LinkInertia.
template <class T>
struct LaneLink {
  static constexpr bool revolute = true;
  int parent;
  bool aligned;
  struct {
    LaneMatrix<T> R;
    LaneVector<T> p;
  } in_parent;
};
template <class T>
struct LaneTree {
  LaneVector<T> gravity_W;
  LaneLink<T> links[kJoints];
  const LaneLink<T>& link(int i) const { return links[i]; }
  static constexpr int link_count() { return kJoints; }
};
template <class T>
struct LaneInertia {
  T mass, mc[3], I[6];
};

// As machine::EndStops.
template <class T>
struct LaneStops {
  bool enabled;
  T x_min, x_max, cushion, cushion_damping, stiffness, damping;
};

template <class T>
struct LaneEdge {
  T scale, c[3], least;
};

template <class T>
struct LaneActuator {
  int link;
  bool direct;   // displacement is the joint's position
  T k0, kc, ks;  // of a triangle
  T sign;
  hydraulics::BasicStageConstants<T> sdirk, half;
  LaneStops<T> stops;
  T area[2], hose_I[2];
  T overlap_V, full_V, spool_left;
  bool tables;  // of any edge
  LaneEdge<T> edge[4];
  const hydraulics::Valve* valve[kWidest];
  T relief_Pa, anti_cavitation_Pa, protected_;  // 1: it has these valves
  T watch_low, watch_high;
};

// As control::PidGains and PidState.
template <class T>
struct LaneGains {
  T Kp, Ki, Kd, derivative_filter_s, feed_forward, overlap_compensation_V, compensation_width_V,
      output_limit_V, tracking_time_s, period_ticks;
  control::AntiWindup anti_windup;
};
template <class T>
struct LanePid {
  T integral, derivative, last_reference, last_position, output_V, primed;
};

// Where a drive's command comes from: a number, or a signal of time.
template <class T>
struct LaneTerm {
  command::TermKind kind;
  T value, start_s, end_s, frequency_Hz, phase_rad, fade_in_s;
};
template <class T>
struct LaneCommand {
  T voltage;    // 1: to the valve; 0: the controller's reference
  T number;     // the command where no signal is
  T by_signal;  // 1
  T by_tip;     // 1: from the tip's path
  int terms;    // or kOwnTerms
  LaneTerm<T> term[kTerms];
  const command::Signal* signal[kWidest];
};

template <class T>
struct LaneModel {
  bool full;  // or reduced
  double h, residual_decay;
  LaneTree<T> tree;
  LaneActuator<T> actuator[kJoints];
  LaneGains<T> gains[kJoints];
  LaneCommand<T> command[kJoints];
  LaneInertia<T> inertia[kJoints];
  bool any_tip;
  T path[kBlock]
        [kJoints];  // of each actuator's joint, tick by tick of a block, where the tip has a path
  bool any_faulty;
  T faulty;                                            // 1: machine with a fault
  T offset_V[kJoints];                                 // of its spools
  T shift[kJoints];                                    // of the positions that its controllers see
  T watch_lower[kJoints][2], watch_upper[kJoints][2];  // position and speed
};

template <class T>
struct LaneActuatorState {
  T P_C[2], Q[2], p[2], C[2];
  T command_V, spool_V;
  T x_hold, F_hold, P_hold[2];
  T open, relief_active[2], cavitation_active[2], stop_active, held_dynamic, hand_over;
};
// As machine::EnergyLedger and Health, as far as lanes change them.
template <class T>
struct LaneLedger {
  T pump, valve, line, relief, leakage, friction, stops, switching, model;
};
template <class T>
struct LaneHealth {
  T ticks, valve_switches, relief_events, cavitation_events, stop_hits, relief_ticks,
      cavitation_ticks, newton_iterations, newton_worst;
};

template <class T>
struct LaneState {
  T tick;
  T q[kJoints], v[kJoints], a[kJoints];
  LaneActuatorState<T> actuator[kJoints];
  T pump_Pa, tank_Pa;
  LaneLedger<T> energy;
  LaneHealth<T> health;
  LanePid<T> pid[kJoints];
  T reference[kJoints];      // of the joints
  T command_value[kJoints];  // of the last tick
};

// Steps these lanes (a bit each) some ticks. Returns the lanes that are where the machine alone would be; the others
// met what only the single machine's step does, and what is in them is of no use.
template <int N>
using LaneStep = unsigned(const LaneModel<Lanes<N>>& model, LaneState<Lanes<N>>& state, int ticks,
                          unsigned lanes);
LaneStep<2> step_lanes_2;
LaneStep<4> step_lanes_4;
LaneStep<8> step_lanes_8;

}  // namespace knuckleboom::batch
