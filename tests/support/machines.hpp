// The reference machine and its five scenarios, built in code so that tests of the core need no files.
// Numbers: those of the shipped harvester (representative of a 20 t class, not identified from one
// machine); only the end stops are other ones.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/command/scenario.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::hydraulics {
struct Valve;
struct Circuit;
}  // namespace knuckleboom::hydraulics

namespace knuckleboom::test {

// Actuators and links swing (0), boom (1), stick (2); the tip is the head.
// protection: relief, anti-cavitation and end stops. Without them, the paper's machine.
machine::MachineModel reference_machine(bool protection = true);

// The same with a load-sensing pump on an engine that droops, compensated valves and a counterbalance valve
// at the boom's head side.
machine::MachineModel pump_machine();

// The actuators of that machine, for tests of circuits alone.
hydraulics::Valve reference_valve();
hydraulics::Circuit reference_motor();
hydraulics::Circuit reference_cylinder(double bore_m, double rod_m, double C1, double C2);

// Terms of a signal.
command::Term constant(double value);
command::Term sine(double amplitude, double frequency_Hz, double fade_in_s);
command::Term pulse(double value, double start_s, double end_s);
command::Term smooth(double value, double start_s, double end_s);

// At rest in (0, 0.5, -1.3), every joint held there by its controller.
command::Scenario standstill(double duration_s);
// The same with all valves driven open loop, and shut.
command::Scenario locked(double duration_s);

command::Scenario stick_sine();  // the paper's figures 8-11
command::Scenario boom_sine();
command::Scenario boom_pulse();   // open loop
command::Scenario swing_pulse();  // open loop
command::Scenario tip_circle();   // tip control: a vertical circle, then a line
std::vector<command::Scenario> reference_scenarios();  // these five

}  // namespace knuckleboom::test
