// Every parameter of a machine does something: changed a little, it changes some run.
//
// The structured bindings below name every field. One more or less does not compile: whoever adds a
// field adds the change that shows it.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "support/machines.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using control::AntiWindup;
using control::PidGains;
using hydraulics::Circuit;
using hydraulics::Protection;
using hydraulics::Valve;
using machine::EndStops;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

// --- Runs that between them use everything ----------------------------------------------------------

command::Scenario driven(const std::vector<command::Signal>& volts, double duration_s) {
  command::Scenario scenario = test::locked(duration_s);
  for (std::size_t i = 0; i < 3; ++i) scenario.programs[i].signal = volts[i];
  return scenario;
}

std::vector<command::Scenario> runs() {
  using test::pulse;
  const command::Signal shut;
  std::vector<command::Scenario> out;
  // Half open both ways, with closures at speed: valve edges, lines, relief, cavitation.
  const command::Signal half{{pulse(6.0, 0.1, 0.9), pulse(-6.0, 1.3, 2.1)}};
  out.push_back(driven({half, half, half}, 2.6));
  // Into the end stops at full speed, from both sides.
  const command::Signal up{{pulse(10.0, 0.0, 3.2), pulse(-10.0, 3.5, 7.5)}};
  out.push_back(driven({shut, up, shut}, 7.5));
  // Shut, with a jolt by a payload: residual flow, leakage, the closed valve's model.
  command::Scenario jolt = test::locked(1.5);
  command::Event log;
  log.at_s = 0.2;
  log.name = "log";
  log.target = "head";
  log.mass_kg = 500.0;
  jolt.events = {log};
  out.push_back(jolt);
  // Controllers: a sine, and steps that go far into the limits.
  command::Scenario sine = test::stick_sine();
  sine.duration_s = 4.0;
  out.push_back(sine);
  command::Scenario steps = test::standstill(4.0);
  steps.programs = {
      {"swing", command::JointMode::kTrack, {{pulse(0.6, 0.2, 2.0)}}},
      {"boom", command::JointMode::kTrack, {{test::constant(0.5), pulse(0.4, 0.2, 2.0)}}}};
  out.push_back(steps);
  return out;
}

// Every snapshot of a run, as one number.
std::uint64_t mix(std::uint64_t hash, double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (hash ^ bits) * 0x100000001b3u;
}

std::uint64_t watch(const MachineModel& model, const command::Scenario& scenario,
                    machine::Fidelity fidelity) {
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(fidelity);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::int64_t k = 0; k < simulation.tick_count(); ++k) {
    simulation.step(state);
    if (k % 20 != 0) continue;
    const sim::Snapshot s = sim::take_snapshot(simulation, state);
    for (int i = 0; i < 3; ++i) {
      hash = mix(hash, s.joint[i].position);
      hash = mix(hash, s.actuator[i].port_a_Pa);
      hash = mix(hash, s.actuator[i].port_b_Pa);
      hash = mix(hash, s.tip_W[i]);
    }
  }
  return hash;
}

struct Change {
  std::string name;
  std::function<void(MachineModel&)> change;
  std::function<void(MachineModel&)> ground = [](MachineModel&) {};  // what it needs to matter
};

bool differs(const Change& change) {
  MachineModel before = test::reference_machine();
  change.ground(before);
  EXPECT_TRUE(machine::finish(before).empty()) << change.name;
  MachineModel after = test::reference_machine();
  change.ground(after);
  change.change(after);
  EXPECT_TRUE(machine::finish(after).empty()) << change.name;
  for (const machine::Fidelity fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper})
    for (const command::Scenario& scenario : runs())
      if (watch(before, scenario, fidelity) != watch(after, scenario, fidelity)) return true;
  return false;
}

void expect_all_matter(const std::vector<Change>& changes, int fields) {
  EXPECT_GE(static_cast<int>(changes.size()), fields);
  for (const Change& change : changes) EXPECT_TRUE(differs(change)) << change.name;
}

// A field scaled, of actuator k.
template <class Part>
Change scaled(const std::string& name, int k, Part part, double factor = 1.05) {
  return {name, [=](MachineModel& m) {
            part(m.actuators[static_cast<std::size_t>(k)].circuit) *= factor;
          }};
}

// --- The parts --------------------------------------------------------------------------------------

TEST(Parameters, OfACircuit) {
  const Circuit any;
  const auto& [kind, line1, line2, volumes, chamber, fluid, A1, A2, D_m, N, B, leak_internal,
               leak_external1, leak_external2, protection, valve, holding] = any;
  const auto& [I, C, R] = line1;
  (void)holding;                              // OfAValveSection
  (void)volumes, (void)chamber, (void)fluid;  // chamber_test.cpp
  (void)kind, (void)line2, (void)A1, (void)A2, (void)D_m, (void)N, (void)B, (void)leak_internal;
  (void)leak_external1, (void)leak_external2, (void)protection, (void)valve, (void)I, (void)C;
  (void)R;
  std::vector<Change> changes;
  for (const int k : {0, 1}) {  // motor and cylinder
    const std::string who = k == 0 ? "motor " : "cylinder ";
    changes.push_back(scaled(who + "line1.I", k, [](Circuit& c) -> double& { return c.line1.I; }));
    changes.push_back(scaled(who + "line1.C", k, [](Circuit& c) -> double& { return c.line1.C; }));
    changes.push_back(scaled(who + "line1.R", k, [](Circuit& c) -> double& { return c.line1.R; }));
    changes.push_back(scaled(who + "line2.I", k, [](Circuit& c) -> double& { return c.line2.I; }));
    changes.push_back(scaled(who + "line2.C", k, [](Circuit& c) -> double& { return c.line2.C; }));
    changes.push_back(scaled(who + "line2.R", k, [](Circuit& c) -> double& { return c.line2.R; }));
    changes.push_back(scaled(who + "B", k, [](Circuit& c) -> double& { return c.B; }));
    const auto leak = [&](const char* name, double Circuit::*field) {
      changes.push_back({who + name, [k, field](MachineModel& m) {
                           m.actuators[static_cast<std::size_t>(k)].circuit.*field += 1e-13;
                         }});
    };
    leak("leak_internal", &Circuit::leak_internal);
    leak("leak_external1", &Circuit::leak_external1);
    leak("leak_external2", &Circuit::leak_external2);
  }
  changes.push_back(scaled("A1", 1, [](Circuit& c) -> double& { return c.A1; }));
  changes.push_back(scaled("A2", 1, [](Circuit& c) -> double& { return c.A2; }));
  changes.push_back(scaled("D_m", 0, [](Circuit& c) -> double& { return c.D_m; }));
  changes.push_back(scaled("N", 0, [](Circuit& c) -> double& { return c.N; }));
  changes.push_back({"kind", [](MachineModel& m) {
                       Circuit& c = m.actuators[1].circuit;
                       c.kind = hydraulics::ActuatorKind::kMotor;
                       c.D_m = 3.0 * c.A1;  // or the level of the start would not carry the boom
                     }});
  expect_all_matter(changes, 24);
}

TEST(Parameters, OfTheProtection) {
  const Protection any;
  const auto& [enabled, relief_Pa, relief_conductance, anti_cavitation_Pa,
               anti_cavitation_conductance] = any;
  (void)enabled, (void)relief_Pa, (void)relief_conductance, (void)anti_cavitation_Pa;
  (void)anti_cavitation_conductance;
  std::vector<Change> changes;
  for (const std::size_t k : {0u, 1u}) {
    const auto add = [&](const char* name, const std::function<void(Protection&)>& set) {
      changes.push_back({std::string(k == 0 ? "motor " : "cylinder ") + name,
                         [=](MachineModel& m) { set(m.actuators[k].circuit.protection); }});
    };
    add("enabled", [](Protection& p) { p.enabled = false; });
    add("relief_Pa", [](Protection& p) { p.relief_Pa *= 0.98; });
    add("relief_conductance", [](Protection& p) { p.relief_conductance *= 1.1; });
    add("anti_cavitation_Pa", [](Protection& p) { p.anti_cavitation_Pa *= 1.1; });
    add("anti_cavitation_conductance", [](Protection& p) { p.anti_cavitation_conductance *= 1.1; });
  }
  expect_all_matter(changes, 10);
}

TEST(Parameters, OfAValve) {
  const Valve any;
  const auto& [overlap_V, full_V, edge, min_conductance_ratio, spool_time_constant_s, compensator,
               load_check, load_check_lag_s] = any;
  (void)compensator, (void)load_check, (void)load_check_lag_s;  // OfAValveSection
  const auto& [scale, polynomial, table] = edge[0];
  (void)overlap_V, (void)full_V, (void)min_conductance_ratio, (void)spool_time_constant_s;
  (void)scale, (void)polynomial, (void)table;
  std::vector<Change> changes;
  const auto add = [&](const std::string& name, const std::function<void(Valve&)>& set) {
    changes.push_back({name, [=](MachineModel& m) { set(m.actuators[1].circuit.valve); }});
  };
  add("overlap_V", [](Valve& v) { v.overlap_V *= 1.1; });
  add("full_V", [](Valve& v) { v.full_V *= 1.1; });
  add("min_conductance_ratio", [](Valve& v) { v.min_conductance_ratio *= 2.0; });
  add("spool_time_constant_s", [](Valve& v) { v.spool_time_constant_s = 0.02; });
  for (std::size_t e = 0; e < 4; ++e) {
    const std::string who = "edge " + std::to_string(e) + " ";
    add(who + "scale", [=](Valve& v) { v.edge[e].scale *= 1.05; });
    for (std::size_t n = 0; n < 3; ++n)
      add(who + "polynomial " + std::to_string(n),
          [=](Valve& v) { v.edge[e].polynomial[n] += 0.05; });
    add(who + "table", [=](Valve& v) { v.edge[e].table = {{0.0, 1.0}, {0.0, 1.0}}; });
  }
  expect_all_matter(changes, 24);
}

TEST(Parameters, OfTheEndStops) {
  const EndStops any;
  const auto& [enabled, x_min, x_max, cushion, cushion_damping, stiffness, damping] = any;
  (void)enabled, (void)x_min, (void)x_max, (void)cushion, (void)cushion_damping, (void)stiffness;
  (void)damping;
  std::vector<Change> changes;
  const auto add = [&](const char* name, const std::function<void(EndStops&)>& set) {
    changes.push_back({name, [=](MachineModel& m) { set(m.actuators[1].stops); }});
  };
  add("enabled", [](EndStops& s) { s.enabled = false; });
  add("x_min", [](EndStops& s) { s.x_min += 0.02; });
  add("x_max", [](EndStops& s) { s.x_max -= 0.02; });
  add("cushion", [](EndStops& s) { s.cushion *= 1.1; });
  add("cushion_damping", [](EndStops& s) { s.cushion_damping *= 1.1; });
  add("stiffness", [](EndStops& s) { s.stiffness *= 1.1; });
  add("damping", [](EndStops& s) { s.damping *= 1.1; });
  expect_all_matter(changes, 7);
}

TEST(Parameters, OfAController) {
  const PidGains any;
  const auto& [Kp, Ki, Kd, derivative_filter_s, feed_forward, overlap_compensation_V,
               compensation_width_V, output_limit_V, anti_windup, tracking_time_s, period_ticks] =
      any;
  (void)Kp, (void)Ki, (void)Kd, (void)derivative_filter_s, (void)feed_forward;
  (void)overlap_compensation_V, (void)compensation_width_V, (void)output_limit_V;
  (void)anti_windup, (void)tracking_time_s, (void)period_ticks;
  std::vector<Change> changes;
  using Set = std::function<void(PidGains&)>;
  const auto add = [&](
                       const char* name, const Set& set, const Set& ground = [](PidGains&) {}) {
    changes.push_back({name,
                       [=](MachineModel& m) {
                         for (PidGains& gains : m.controllers) set(gains);
                       },
                       [=](MachineModel& m) {
                         for (PidGains& gains : m.controllers) ground(gains);
                       }});
  };
  add("Kp", [](PidGains& g) { g.Kp *= 1.1; });
  add("Ki", [](PidGains& g) { g.Ki *= 1.1; });
  add("Kd", [](PidGains& g) { g.Kd = 1.0; });
  add(
      "derivative_filter_s", [](PidGains& g) { g.derivative_filter_s *= 2.0; },
      [](PidGains& g) { g.Kd = 1.0; });
  add("feed_forward", [](PidGains& g) { g.feed_forward = 1.0; });
  add("overlap_compensation_V", [](PidGains& g) { g.overlap_compensation_V = 0.3; });
  add(
      "compensation_width_V", [](PidGains& g) { g.compensation_width_V *= 2.0; },
      [](PidGains& g) { g.overlap_compensation_V = 0.5; });
  add("output_limit_V", [](PidGains& g) { g.output_limit_V = 5.0; });
  add("anti_windup none", [](PidGains& g) { g.anti_windup = AntiWindup::kNone; });
  add("anti_windup back calculation",
      [](PidGains& g) { g.anti_windup = AntiWindup::kBackCalculation; });
  add(
      "tracking_time_s", [](PidGains& g) { g.tracking_time_s = 0.3; },
      [](PidGains& g) { g.anti_windup = AntiWindup::kBackCalculation; });
  add("period_ticks", [](PidGains& g) { g.period_ticks = 5; });
  expect_all_matter(changes, 12);
}

TEST(Parameters, OfTheMachine) {
  const machine::Supply any;
  const auto& [pump_Pa, tank_Pa, kind, pump] = any;
  (void)pump_Pa, (void)tank_Pa, (void)kind, (void)pump;  // the last: OfAPump
  const auto body = [](const char* name, const std::function<void(multibody::Body&)>& set) {
    return [=](MachineModel& m) {
      const multibody::Tree before = m.tree;
      m.tree = multibody::Tree{};
      m.tree.gravity_W = before.gravity_W;
      for (int b = 0; b < before.body_count(); ++b) {
        multibody::Body copy = before.body(b);
        if (copy.name == name) set(copy);
        m.tree.add_body(copy);
      }
      for (machine::Actuator& actuator : m.actuators)
        if (actuator.name == name) actuator.stops.x_min = actuator.stops.x_max = 0.0;
    };
  };
  using multibody::Body;
  const std::vector<Change> changes = {
      {"pump_Pa", [](MachineModel& m) { m.supply.pump_Pa *= 0.99; }},
      {"kind",
       [](MachineModel& m) {
         m = test::pump_machine();
         m.actuators = test::reference_machine().actuators;
       }},
      {"tank_Pa", [](MachineModel& m) { m.supply.tank_Pa = 2e5; }},
      {"closed_valve",
       [](MachineModel& m) { m.closed_valve = machine::ClosedValveModel::kQuasiStatic; }},
      {"tau_Q", [](MachineModel& m) { m.tau_Q *= 1.2; },
       [](MachineModel& m) { m.closed_valve = machine::ClosedValveModel::kQuasiStatic; }},
      {"tip_body", [](MachineModel& m) { m.tip_body = 1; }},
      {"tip_B", [](MachineModel& m) { m.tip_B.x() += 0.1; }},
      {"base_pin", [](MachineModel& m) { m.actuators[1].linkage.base_pin.x() += 0.01; }},
      {"rod_pin", [](MachineModel& m) { m.actuators[1].linkage.rod_pin.z() += 0.01; }},
      {"gravity", [](MachineModel& m) { m.tree.gravity_W.z() *= 1.01; }},
      {"mass", body("boom", [](Body& b) { b.inertia.mass *= 1.01; })},
      {"com", body("boom", [](Body& b) { b.inertia.com.x() *= 1.01; })},
      {"inertia", body("boom", [](Body& b) { b.inertia.about_com *= 1.01; })},
      {"position", body("stick", [](Body& b) { b.in_parent.p.x() *= 1.01; })},
      {"axis", body("stick", [](Body& b) { b.axis_B = Vec3(0.0, -1.0, 0.01); })},
      {"damping", body("boom", [](Body& b) { b.damping = 100.0; })},
      {"lower", body("boom", [](Body& b) { b.lower += 0.02; })},
      {"upper", body("boom", [](Body& b) { b.upper -= 0.02; })},
  };
  expect_all_matter(changes, 17);
}

TEST(Parameters, OfAJointsOwnStops) {
  const auto stops = [](const std::function<void(multibody::Body&)>& set) {
    return [=](MachineModel& m) {
      const multibody::Tree before = m.tree;
      m.tree = multibody::Tree{};
      m.tree.gravity_W = before.gravity_W;
      for (int b = 0; b < before.body_count(); ++b) {
        multibody::Body copy = before.body(b);
        if (copy.name == "boom") set(copy);
        m.tree.add_body(copy);
      }
      for (machine::Actuator& actuator : m.actuators) actuator.stops.enabled = false;
    };
  };
  const std::function<void(MachineModel&)> ground = stops([](multibody::Body& b) {
    b.stop_stiffness = 1e7;
    b.stop_damping = 1e5;
  });
  expect_all_matter({{"stop_stiffness", stops([](multibody::Body& b) {
                        b.stop_stiffness = 1.1e7;
                        b.stop_damping = 1e5;
                      }),
                      ground},
                     {"stop_damping", stops([](multibody::Body& b) {
                        b.stop_stiffness = 1e7;
                        b.stop_damping = 1.1e5;
                      }),
                      ground}},
                    2);
}

TEST(Parameters, OfAPump) {
  const hydraulics::PumpSupply any;
  const auto& [control, displacement, speed_ratio, margin_Pa, standby_Pa, load_line_s,
               stroke_time_s, regulator_band_Pa, regulator_damping_s, power_limit_W, leak,
               drag_torque, pistons, ripple, gallery_volume, gallery_bulk_modulus, relief_Pa,
               relief_conductance, engine, accumulators] = any;
  (void)control, (void)displacement, (void)speed_ratio, (void)margin_Pa, (void)standby_Pa;
  (void)load_line_s, (void)stroke_time_s, (void)regulator_band_Pa, (void)regulator_damping_s;
  (void)power_limit_W, (void)leak, (void)drag_torque, (void)pistons, (void)ripple;
  (void)gallery_volume, (void)gallery_bulk_modulus, (void)relief_Pa, (void)relief_conductance;
  const auto& [speed, droop, torque_max, inertia, governor_s] = engine;
  (void)speed, (void)droop, (void)torque_max, (void)inertia, (void)governor_s, (void)accumulators;
  const hydraulics::Accumulator one;
  const auto& [precharge_Pa, gas_volume, exponent] = one;
  (void)precharge_Pa, (void)gas_volume, (void)exponent;
  using hydraulics::PumpSupply;
  std::vector<Change> changes;
  const auto add = [&](
                       const char* name, const std::function<void(PumpSupply&)>& set,
                       const std::function<void(PumpSupply&)>& ground = [](PumpSupply&) {}) {
    const auto base = [=](MachineModel& m) {
      m = test::pump_machine();
      ground(m.supply.pump);
    };
    changes.push_back({name, [=](MachineModel& m) { set(m.supply.pump); }, base});
  };
  add("control", [](PumpSupply& s) { s.control = hydraulics::PumpControl::kPressure; });
  add("displacement", [](PumpSupply& s) { s.displacement *= 0.9; });
  add("speed_ratio", [](PumpSupply& s) { s.speed_ratio = 1.1; });
  add("margin_Pa", [](PumpSupply& s) { s.margin_Pa *= 1.1; });
  add("standby_Pa", [](PumpSupply& s) { s.standby_Pa *= 1.1; });
  add("load_line_s", [](PumpSupply& s) { s.load_line_s *= 2.0; });
  add("stroke_time_s", [](PumpSupply& s) { s.stroke_time_s *= 1.1; });
  add("regulator_band_Pa", [](PumpSupply& s) { s.regulator_band_Pa *= 1.1; });
  add("regulator_damping_s", [](PumpSupply& s) { s.regulator_damping_s *= 1.1; });
  add("power_limit_W", [](PumpSupply& s) { s.power_limit_W = 20e3; });
  add("leak", [](PumpSupply& s) { s.leak *= 10.0; });
  add("drag_torque", [](PumpSupply& s) { s.drag_torque *= 2.0; });
  const auto rippling = [](PumpSupply& s) {
    s.pistons = 9;
    s.ripple = 0.05;
  };
  add(
      "pistons", [](PumpSupply& s) { s.pistons = 7; }, rippling);
  add(
      "ripple", [](PumpSupply& s) { s.ripple = 0.1; }, rippling);
  add("gallery_volume", [](PumpSupply& s) { s.gallery_volume *= 1.1; });
  add("gallery_bulk_modulus", [](PumpSupply& s) { s.gallery_bulk_modulus *= 1.1; });
  const auto fixed = [](PumpSupply& s) { s.control = hydraulics::PumpControl::kFixed; };
  add(
      "relief_Pa", [](PumpSupply& s) { s.relief_Pa *= 0.95; }, fixed);
  add(
      "relief_conductance", [](PumpSupply& s) { s.relief_conductance *= 1.1; }, fixed);
  add("engine speed", [](PumpSupply& s) { s.engine.speed *= 0.95; });
  add("engine droop", [](PumpSupply& s) { s.engine.droop *= 1.5; });
  add("engine torque", [](PumpSupply& s) { s.engine.torque_max *= 0.9; });
  add("engine inertia", [](PumpSupply& s) { s.engine.inertia *= 1.5; });
  add("engine governor", [](PumpSupply& s) { s.engine.governor_s *= 1.5; });
  const auto charged = [](PumpSupply& s) { s.accumulators = {{5e6, 1e-3, 1.3}}; };
  add("accumulators", charged);
  add(
      "precharge", [](PumpSupply& s) { s.accumulators[0].precharge_Pa *= 1.1; }, charged);
  add(
      "gas volume", [](PumpSupply& s) { s.accumulators[0].gas_volume *= 1.1; }, charged);
  add(
      "exponent", [](PumpSupply& s) { s.accumulators[0].exponent = 1.4; }, charged);
  expect_all_matter(changes, 27);
}

TEST(Parameters, OfAValveSection) {
  const hydraulics::Compensator any;
  const auto& [compensator_kind, compensator_margin, compensator_lag] = any;
  (void)compensator_kind, (void)compensator_margin, (void)compensator_lag;
  const hydraulics::LoadHolding one;
  const auto& [holding_kind, set_Pa, pilot_ratio, range_Pa, conductance, lag_s] = one;
  (void)holding_kind, (void)set_Pa, (void)pilot_ratio, (void)range_Pa, (void)conductance;
  (void)lag_s;
  using hydraulics::LoadHolding;
  std::vector<Change> changes;
  const auto pump = [](MachineModel& m) { m = test::pump_machine(); };
  const auto valve = [&](const char* name, const std::function<void(Valve&)>& set) {
    changes.push_back({name,
                       [=](MachineModel& m) {
                         for (machine::Actuator& a : m.actuators) set(a.circuit.valve);
                       },
                       pump});
  };
  const auto holding = [&](const char* name, const std::function<void(LoadHolding&)>& set) {
    changes.push_back(
        {name, [=](MachineModel& m) { set(m.actuators[1].circuit.holding[0]); }, pump});
  };
  valve("compensator",
        [](Valve& v) { v.compensator.kind = hydraulics::CompensatorKind::kFlowSharing; });
  valve("compensator margin", [](Valve& v) { v.compensator.margin_Pa *= 0.9; });
  valve("compensator lag", [](Valve& v) { v.compensator.lag_s *= 1.2; });
  valve("load check lag", [](Valve& v) { v.load_check_lag_s *= 2.0; });
  holding("holding kind", [](LoadHolding& l) { l.kind = hydraulics::HoldingKind::kPilotCheck; });
  holding("set", [](LoadHolding& l) { l.set_Pa *= 1.1; });
  holding("pilot ratio", [](LoadHolding& l) { l.pilot_ratio *= 1.2; });
  holding("range", [](LoadHolding& l) { l.range_Pa *= 1.2; });
  holding("holding conductance", [](LoadHolding& l) { l.conductance *= 1.1; });
  holding("holding lag", [](LoadHolding& l) { l.lag_s *= 1.2; });
  changes.push_back({"load check", [](MachineModel& m) {
                       for (machine::Actuator& a : m.actuators) {
                         a.circuit.valve.load_check = true;
                       }
                     }});
  expect_all_matter(changes, 11);
}

// The counter-check: what is no parameter changes nothing.
TEST(Parameters, NamesAndSourcesChangeNothing) {
  EXPECT_FALSE(differs({"names", [](MachineModel& m) {
                          m.name = "other";
                          m.description = "other";
                          m.actuators[1].name = "other";
                          m.sources.push_back({"key", "value", "source"});
                        }}));
}

}  // namespace
}  // namespace knuckleboom
