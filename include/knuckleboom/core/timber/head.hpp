// A harvester head on a stem: saw, feed, knives, and how it measures. docs/theory/timber.md.
#pragma once

#include <cstdint>

#include "knuckleboom/core/timber/tree.hpp"

namespace knuckleboom::timber {

// --- Saw ------------------------------------------------------------------------

struct SawLaw {
  double chain_speed = 38.0;  // m/s
  double power = 45e3;        // of its motor [W]
  double energy = 0.6e6;      // for an area of wood [J/m^2]
  double feed_force = 350.0;  // that presses the bar into the wood [N]
  double press_ratio = 0.3;   // of that force over the one along the chain
  double tip_speed = 0.5;     // of the bar without wood [m/s]
  double out_and_in = 0.4;    // beside the wood [s]
};
// Area cut in a second where the wood is so wide: as power, feed force and speed of the bar allow [m^2/s].
double cutting_rate(const SawLaw& law, double width);
double cutting_time(const SawLaw& law, double diameter);  // through a round stem [s]

// --- Feed -----------------------------------------------------------------------

struct FeedLaw {
  int rollers = 2;
  double force = 12.5e3;      // of each, stalled: 2.5 kN m at a radius of 0.2 m [N]
  double speed = 5.0;         // of the stem [m/s]
  double power = 124e3;       // 285 l/min at 260 bar [W]
  double grip = 0.8;          // friction of spikes on wood
  double least_press = 10e3;  // of each roller, at least_diameter [N]
  double most_press = 15e3;   // at most_diameter
  double least_diameter = 0.1, most_diameter = 0.4;  // m
  double knife_force = 40e3;  // of all knives together on the thickest stem [N]
  double knife_friction = 0.2;
  double branch_strength = 20e6;  // force for an area of branches [Pa]
  double branch_length = 0.06;    // over which a whorl is cut through [m]
  double inertia = 60.0;          // of the rollers, at the stem [kg]
  double knives_ahead = 0.7;      // of the saw, towards the tip [m]
  double slow_speed = 1.2;        // in the last slow_length [m/s, m]
  double slow_length = 0.3;
  double braking = 8.0;    // m/s^2
  double patience = 0.15;  // with branches that hold the stem [s]
  double run_up = 0.6;     // m
  double window = 0.008;   // how close to its length a log is cut [m]
};
double roller_press(const FeedLaw& law, double diameter);  // of each [N]
double slip_limit(const FeedLaw& law, double diameter);    // of all together [N]
double drive_force(const FeedLaw& law, double speed);      // of all, as their motors can [N]
double branch_force(const FeedLaw& law, const Whorl& whorl);
double knife_drag(const FeedLaw& law, double diameter);

struct FeedState {
  double at = 0.0;       // height of the stem at the saw [m]
  double speed = 0.0;    // of the stem, positive towards its tip [m/s]
  double roller = 0.0;   // of the rollers' rims [m/s]
  double slipped = 0.0;  // of the rims on the stem, since the start [m]
  int whorl = 0;         // first one that is not cut off
  double cut_off = 0.0;  // how far it is cut through [m]
  double stalled_s = 0.0;
  bool runs_up = false;                  // goes back to take a run-up at branches
  bool rams = false;                     // and then at them
  double back_to = 0.0, clear_at = 0.0;  // where it turns, and where the whorl is through [m]
};
// The stem moves by a tick with the rollers told to turn at a speed. mass: what is fed [kg].
void feed(const FeedLaw& law, const Tree& tree, double mass, double wanted, double dt,
          FeedState& state);
// Speed that brings the saw to a height as fast as it can be stopped there, with a run-up at branches that
// hold the stem.
double wanted_speed(const FeedLaw& law, double target, FeedState& state);

// --- Measuring --------------------------------------------------------------------

struct MeasureLaw {
  double reset_error = 0.010;      // of the wheel's zero at a cut, standard deviation [m]
  double drift = 0.0080;           // after a metre, growing with the root of the length [m]
  double diameter_error = 0.0043;  // m
};
// Reading of the wheel after a length of the log of that number, and the knives at a diameter.
double measured_length(const MeasureLaw& law, double length, std::uint64_t log);
double measured_diameter(const MeasureLaw& law, double diameter, std::uint64_t log);

}  // namespace knuckleboom::timber
