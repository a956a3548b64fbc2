// Keys of machine files.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/declare/key.hpp"

namespace knuckleboom::declare::keys {

// --- Supply -------------------------------------------------------------------

namespace accumulator {
inline constexpr Key name = name_of("name", "makes it one that a file with a base can change");
inline constexpr Key all[] = {
    name,
    number("precharge", D::kPressure, kNonNegative, "of the gas")
        .must()
        .to<&hydraulics::Accumulator::precharge_Pa>(),
    number("volume", D::kVolume, {1e-6, 10.0}, "of the gas at the precharge")
        .must()
        .to<&hydraulics::Accumulator::gas_volume>(),
    plain("exponent", {1.05, 2.0}, "of the polytropic gas")
        .to<&hydraulics::Accumulator::exponent>(),
};
inline constexpr KeyTable table{"machine.supply.accumulator", "[[supply.accumulator]]", all};
}  // namespace accumulator

namespace engine {
inline constexpr Key inertia =
    number("inertia", D::kInertia, kPositive,
           "with the pump's, at the crankshaft; give it with `torque_max` and `droop`, or none of "
           "them for a speed that never changes")
        .to<&hydraulics::Engine::inertia>()
        .must_with("torque_max")
        .otherwise("the speed never changes");
inline constexpr Key droop =
    plain("droop", {0.001, 0.5}, "share of the speed that full torque costs")
        .to<&hydraulics::Engine::droop>()
        .must_with("torque_max")
        .otherwise("none");
inline constexpr Key torque_max = number("torque_max", D::kTorque, kPositive, "of the engine")
                                      .to<&hydraulics::Engine::torque_max>()
                                      .must_with("torque_max")
                                      .otherwise("none");
inline constexpr Key all[] = {
    number("speed", D::kAngularSpeed, {1.0, 1e4}, "without load")
        .must()
        .to<&hydraulics::Engine::speed>(),
    inertia,
    droop,
    torque_max,
    number("governor_lag", D::kTime, kNonNegative, "of the torque behind the governor")
        .just("torque_max")
        .to<&hydraulics::Engine::governor_s>(),
};
inline constexpr KeyTable table{"machine.supply.engine", "engine", all};
}  // namespace engine

namespace gallery {
// Smaller ones would swing with the actuators within a tick.
inline constexpr Key all[] = {
    number("volume", D::kVolume, {1e-4, 10.0}, "of the gallery")
        .must()
        .to<&hydraulics::PumpSupply::gallery_volume>(),
    number("bulk_modulus", D::kPressure, {1e7, 1e10}, "with the hoses' give")
        .must()
        .usually(1e7, 2e9, "oil has 1.4 GPa, hoses make it softer")
        .to<&hydraulics::PumpSupply::gallery_bulk_modulus>(),
};
inline constexpr KeyTable table{"machine.supply.gallery", "gallery", all};
}  // namespace gallery

namespace main_relief {
inline constexpr Key all[] = {
    number("set", D::kPressure, kPositive, "above `pump` unless the pump is fixed")
        .must()
        .to<&hydraulics::PumpSupply::relief_Pa>(),
    number("conductance", D::kFlowPerPressure, kPositive, "flow per pressure beyond")
        .must()
        .to<&hydraulics::PumpSupply::relief_conductance>(),
};
inline constexpr KeyTable table{"machine.supply.relief", "relief", all};
}  // namespace main_relief

namespace supply {
using hydraulics::PumpControl;
using hydraulics::PumpSupply;
using hydraulics::SupplyKind;
inline constexpr std::string_view kPump = "pump", kRegulated = "load_sensing pressure";
inline constexpr Word kKinds[] = {
    word("constant", SupplyKind::kConstant, "an ideal source"),
    word("pump", SupplyKind::kPump,
         "a pump on an engine, shared by all functions ([theory](../theory/power.md))")};
inline constexpr Word kControls[] = {
    word("load_sensing", PumpControl::kLoadSensing, "the highest load plus the margin"),
    word("pressure", PumpControl::kPressure, "held at `pump`"),
    word("fixed", PumpControl::kFixed,
         "full displacement, the main relief makes the pressure (`pump` is without effect)")};
inline constexpr Key pump =
    number("pump", D::kPressure, {0.0, 1e8, true},
           "of the constant source; of a pump the cut-off, the highest pressure it is regulated "
           "to. Above the tank")
        .must()
        .usually(1e5, 1e8, "from an air line to the highest pressures of mobile hydraulics")
        .to<&machine::Supply::pump_Pa>();
inline constexpr Key tank = number("tank", D::kPressure, kNonNegative,
                                   "at the valves' return side. Leakage and protective valves "
                                   "drain to 0 Pa gauge, as through a case drain of their own")
                                .usually(1.0, 5e6, "a return line holds a few bar")
                                .to<&machine::Supply::tank_Pa>();
inline constexpr Key ripple =
    plain("ripple", {0.0, 1.0}, "amplitude of the delivery's first harmonic as a share of its mean")
        .just(kPump)
        .to<&PumpSupply::ripple>();
inline constexpr Key gallery =
    declare::table("gallery", keys::gallery::table, "below").just(kPump).must();
inline constexpr Key relief =
    declare::table("relief", main_relief::table, "main relief, below").just(kPump).must();
inline constexpr Key engine =
    declare::table("engine", keys::engine::table, "below").just(kPump).must();
inline constexpr Key accumulators =
    tables("accumulator", accumulator::table, 8, "below").just(kPump);
inline constexpr Key all[] = {
    word_of("kind", kKinds, "").selecting().to<&machine::Supply::kind>(),
    pump,
    tank,
    word_of("control", kControls, "").just(kPump).must().selecting().to<&PumpSupply::control>(),
    number("displacement", D::kMotorDisplacement, kPositive, "at full stroke")
        .just(kPump)
        .must()
        .to<&PumpSupply::displacement>(),
    plain("speed_ratio", {0.01, 100.0}, "pump over engine")
        .just(kPump)
        .to<&PumpSupply::speed_ratio>(),
    number("margin", D::kPressure, kPositive, "above the load signal")
        .just("load_sensing")
        .must()
        .to<&PumpSupply::margin_Pa>(),
    number("standby", D::kPressure, kPositive, "the least")
        .just("load_sensing")
        .must()
        .to<&PumpSupply::standby_Pa>(),
    number("load_line", D::kTime, kNonNegative, "lag of the load signal")
        .just("load_sensing")
        .to<&PumpSupply::load_line_s>(),
    number("stroke_time", D::kTime, {1e-3, 10.0},
           "from none to full displacement at the regulator's full speed")
        .just(kRegulated)
        .must()
        .to<&PumpSupply::stroke_time_s>(),
    number("regulator_band", D::kPressure, {1e4, 1e8},
           "error of pressure at which it moves at full speed")
        .just(kRegulated)
        .must()
        .to<&PumpSupply::regulator_band_Pa>(),
    number("regulator_damping", D::kTime, {0.0, 1.0}, "weight of the pressure's rate in that error")
        .just(kRegulated)
        .to<&PumpSupply::regulator_damping_s>(),
    number("power_limit", D::kPower, kPositive, "of the pump")
        .just(kRegulated)
        .to<&PumpSupply::power_limit_W>()
        .otherwise("none"),
    number("leak", D::kFlowPerPressure, kNonNegative, "to the case")
        .just(kPump)
        .to<&PumpSupply::leak>(),
    number("drag_torque", D::kTorque, kNonNegative, "at the pump's shaft")
        .just(kPump)
        .to<&PumpSupply::drag_torque>(),
    whole("pistons", 1, 99, "their number")
        .just(kPump)
        .to<&PumpSupply::pistons>()
        .otherwise("no ripple"),
    ripple,
    gallery,
    relief,
    engine,
    accumulators,
};
inline constexpr KeyTable table{"machine.supply", "[supply]", all};
}  // namespace supply

namespace closed_valve {
using machine::ClosedValveModel;
inline constexpr Word kModels[] = {word("dynamic", ClosedValveModel::kDynamic,
                                        "holds the force at closing and springs on the oil (eq. 21 "
                                        "of [the paper](../conventions.md))"),
                                   word("quasi_static", ClosedValveModel::kQuasiStatic,
                                        "follows the load without springing (eq. 25 and 26)"),
                                   word("orifice", ClosedValveModel::kOrifice,
                                        "stays an orifice of maximum resistance, so that a load "
                                        "drifts (the paper's section 3, before its remedy)")};
inline constexpr Key all[] = {
    word_of("model", kModels, "").must().to<&machine::MachineModel::closed_valve>(),
    number("tau_Q", D::kTime, {1e-4, 1.0}, "time constant of the residual flow (eq. 15)")
        .must()
        .to<&machine::MachineModel::tau_Q>(),
};
inline constexpr KeyTable table{"machine.closed_valve", "[closed_valve]", all};
}  // namespace closed_valve

// --- Valves -------------------------------------------------------------------

// The opening of a valve, and of one edge of it.
namespace opening {
inline constexpr Key conductance =
    number("conductance", D::kOrificeConductance, kPositive,
           "K_Q, the conductance when fully open with a curve that ends at 1")
        .must()
        .replaces("flow flow_by_volt");
inline constexpr Key polynomial = numbers("polynomial", D::kNone, kAny, 1, 3,
                                          "`[c1]`, `[c1, c2]` or `[c1, c2, c3]`: g = K_Q (c1 s + "
                                          "c2 s² + c3 s³), s the relative opening 0 to 1")
                                      .replaces("table flow flow_by_volt");
inline constexpr Key table = curve("table", D::kNone, {0.0, 1.0}, kNonNegative,
                                   "`[[s, share], ...]`: g = K_Q times the share, linear between "
                                   "points, s from 0 to 1; instead of `polynomial`")
                                 .replaces("flow flow_by_volt");
inline constexpr Key flow = curve("flow", D::kFlow, {0.0, 1.0}, kNonNegative,
                                  "instead of `conductance` and its curve: `[[s, flow], ...]` over "
                                  "the opening at `rated_drop`, as data sheets give it")
                                .replaces("flow_by_volt");
inline constexpr Key flow_by_volt =
    curve("flow_by_volt", D::kFlow, kNonNegative, kNonNegative,
          "the same over \\|u\\| in volts, from the overlap to `full`");
inline constexpr Key rated_drop =
    number("rated_drop", D::kPressure, kPositive, "pressure drop of these flows");
inline constexpr Key all[] = {conductance, polynomial, table, flow, flow_by_volt, rated_drop};
}  // namespace opening

namespace edge {
inline constexpr Key own[] = {
    number(
        "overlap", D::kVoltage, kNonNegative,
        "where this edge begins to open, if not at the valve's overlap; its curve runs from here "
        "to `full`"),
};
inline constexpr const Key& overlap = own[0];
inline constexpr auto all = join(own, opening::all);
inline constexpr KeyTable table{"machine.valve.edge", "pump_to_a, ...", all};
}  // namespace edge

namespace compensator {
using hydraulics::Compensator;
using hydraulics::CompensatorKind;
inline constexpr Word kKinds[] = {
    word("none", CompensatorKind::kNone),
    word("upstream", CompensatorKind::kUpstream, "keeps the margin over the edge from the pump"),
    word("flow_sharing", CompensatorKind::kFlowSharing,
         "all edges get what the pump leaves over the highest load")};
inline constexpr Key all[] = {
    kind_of(kKinds, "").to<&Compensator::kind>(),
    number("margin", D::kPressure, kPositive, "")
        .just("upstream")
        .must()
        .to<&Compensator::margin_Pa>(),
    number("lag", D::kTime, {1e-3, 1.0}, "")
        .just("upstream flow_sharing")
        .must()
        .to<&Compensator::lag_s>(),
};
inline constexpr KeyTable table{"machine.valve.compensator", "compensator", all};
}  // namespace compensator

namespace valve {
using hydraulics::Valve;
inline constexpr Key overlap =
    number("overlap", D::kVoltage, kNonNegative, "closed while \\|u\\| is not larger")
        .must()
        .to<&Valve::overlap_V>();
inline constexpr Key full =
    number("full", D::kVoltage, kPositive, "fully open from here on; above the overlap")
        .must()
        .to<&Valve::full_V>();
inline constexpr Key compensator = declare::table("compensator", keys::compensator::table, "below");
constexpr Key edge(std::string_view key) {
  return declare::table(key, keys::edge::table,
                        "one metering edge with its own `overlap`, `conductance`, `polynomial`, "
                        "`table` or `flow`; what it leaves out it shares with the others");
}
inline constexpr Key edges[] = {edge("pump_to_a"), edge("b_to_tank"), edge("pump_to_b"),
                                edge("a_to_tank")};  // by hydraulics::Edge
inline constexpr Key own[] = {
    overlap,
    full,
    plain("min_conductance_ratio", {0.0, 0.1, true},
          "least share of K_Q: a closed edge's maximum resistance")
        .must()
        .to<&Valve::min_conductance_ratio>(),
    number("spool_time_constant", D::kTime, kNonNegative, "lag of the spool behind the command")
        .to<&Valve::spool_time_constant_s>(),
    edges[0],
    edges[1],
    edges[2],
    edges[3],
    compensator,
    flag("load_check", "`true`: no oil from a port back to the pump; always so with a compensator")
        .to<&Valve::load_check>(),
    number("load_check_lag", D::kTime, kNonNegative, "").to<&Valve::load_check_lag_s>(),
};
inline constexpr auto all = join(own, opening::all);
inline constexpr KeyTable table{"machine.valve", "[valve.NAME]", all};
}  // namespace valve

// --- Watch ----------------------------------------------------------------------

namespace watch {
using machine::WatchLimits;
inline constexpr Key all[] = {
    number("vapour", D::kPressure, {-1e9, 0.0},
           "below it there is no oil but vapour: absolute zero against the atmosphere")
        .to<&WatchLimits::vapour_Pa>(),
    number("hose", D::kPressure, kPositive,
           "beyond it hoses are outside their test: 1.33 times the 420 bar at which EN 856 has a "
           "3/4 inch 4SH work, as in its impulse test")
        .to<&WatchLimits::hose_Pa>(),
    number("piston", D::kSpeed, kPositive,
           "of a cylinder; seals of mobile cylinders are made for 0.5 to 1 m/s")
        .to<&WatchLimits::piston_m_per_s>(),
    number("driven_turn", D::kAngularSpeed, kPositive,
           "of a joint with an actuator; rotators, the fastest, turn at 3 rad/s")
        .to<&WatchLimits::driven_rad_per_s>(),
    number("driven_slide", D::kSpeed, kPositive, "of a sliding one; telescopes go at 1 m/s")
        .to<&WatchLimits::driven_m_per_s>(),
    number("free_turn", D::kAngularSpeed, kPositive, "of a joint without actuator")
        .to<&WatchLimits::free_rad_per_s>(),
    number("free_slide", D::kSpeed, kPositive, "of a sliding one").to<&WatchLimits::free_m_per_s>(),
    number("beyond_turn", D::kAngle, kNonNegative,
           "outside a joint's limits; a stop yields by some of it")
        .to<&WatchLimits::beyond_rad>(),
    number("beyond_slide", D::kLength, kNonNegative, "the same of a sliding joint")
        .to<&WatchLimits::beyond_m>(),
    plain("energy_share", {0.0, 1.0},
          "energy from nothing, as a share of that turned over; sound steps keep 0.001")
        .to<&WatchLimits::energy_share>(),
};
inline constexpr KeyTable table{"machine.watch", "[watch]", all};
}  // namespace watch

// --- Air ------------------------------------------------------------------------

inline constexpr Range kAbsolute{0.0, 1e8, true};   // Pa
inline constexpr Range kAirVolume{0.0, 1e3, true};  // m^3

namespace air_valve {
inline constexpr Key dead_zone =
    number("dead_zone", D::kVoltage, {0.0, 4.9}, "closed while \\|u\\| is smaller").otherwise(0.0);
inline constexpr Key full =
    number("full", D::kVoltage, {0.0, 5.0, true}, "fully open from here on").must();
inline constexpr Key area = number("area", D::kArea, kPositive, "$C_d A_0$ fully open").must();
inline constexpr Key leakage =
    number("leakage", D::kArea, kNonNegative, "$C_d A_0$ of every edge at all times")
        .otherwise(0.0);
inline constexpr Key lag = number("lag", D::kTime, kNonNegative, "of the spool").otherwise(0.0);
inline constexpr Key all[] = {dead_zone, full, area, leakage, lag};
inline constexpr KeyTable table{"machine.air.valve", "[air.valve]", all};
}  // namespace air_valve

namespace air {
using pneumatics::Air;
inline constexpr Key valve =
    declare::table("valve", air_valve::table, "of every cylinder, below").must();
inline constexpr Key all[] = {
    number("supply", D::kPressure, kAbsolute, "absolute").must().to<&Air::P_supply>(),
    number("ambient", D::kPressure, kAbsolute, "absolute").to<&Air::P_ambient>(),
    valve,
};
inline constexpr KeyTable table{"machine.air", "[air]", all};
}  // namespace air

// --- Actuators ----------------------------------------------------------------

namespace protection {
using hydraulics::Protection;
inline constexpr Key all[] = {
    flag("enabled", "with `false` the others may be left out")
        .selecting()
        .to<&Protection::enabled>(),
    number("relief", D::kPressure, kPositive, "opens above")
        .must_with("true")
        .to<&Protection::relief_Pa>()
        .otherwise("none"),
    number("relief_conductance", D::kFlowPerPressure, kPositive, "flow per pressure beyond")
        .must_with("true")
        .to<&Protection::relief_conductance>()
        .otherwise("none"),
    // Below the tank, or oil would flow all the time; above vacuum, or it would never open.
    number("anti_cavitation", D::kPressure, {-1.0e5, 0.0}, "opens below")
        .must_with("true")
        .to<&Protection::anti_cavitation_Pa>()
        .otherwise("none"),
    number("anti_cavitation_conductance", D::kFlowPerPressure, kPositive,
           "flow per pressure beyond")
        .must_with("true")
        .to<&Protection::anti_cavitation_conductance>()
        .otherwise("none"),
};
inline constexpr KeyTable table{"machine.protection", "[protection]", all};
constexpr Key own(std::string_view says) { return declare::table("protection", table, says); }
}  // namespace protection

namespace oil {
using hydraulics::Fluid;
inline constexpr Key all[] = {
    number("bulk_modulus", D::kPressure, kPositive, "without air")
        .must()
        .usually(1e7, 1e11, "oil has 1.4 GPa, with hoses and air down to a hundredth")
        .to<&Fluid::bulk_Pa>(),
    number("density", D::kDensity, kPositive, "").to<&Fluid::density>(),
    plain("air_share", {0.0, 0.5}, "free air in the oil, by volume at 1 bar")
        .to<&Fluid::air_share>(),
    plain("polytropic", {1.0, 1.67}, "exponent of the air: 1 isothermal to 1.4 adiabatic")
        .to<&Fluid::polytropic>(),
};
inline constexpr KeyTable table{"machine.oil", "[oil]", all};
constexpr Key own(std::string_view says) { return declare::table("oil", table, says); }
}  // namespace oil

namespace line {
using hydraulics::Chamber;
using hydraulics::Line;
inline constexpr std::string_view kOil = "[oil]";
inline constexpr Key inertance =
    number("inertance", D::kInertance, kNonNegative,
           "I; 0: the oil in the hose starts at once, which is computed with 1e-3 kg/m^4, a ten "
           "thousand millionth of a usual hose's");
inline constexpr Key capacitance = number("capacitance", D::kCapacitance, kPositive, "C").must();
inline constexpr Key resistance =
    turning("resistance", D::kLinearResistance, D::kQuadraticResistance, kNonNegative,
            "R of a cylinder's line, quadratic; a motor's line is linear")
        .must()
        .to<&Line::R>();
inline constexpr Key hose_length =
    number("hose_length", D::kLength, kPositive,
           "`hose_length` and `hose_bore` give the hose's volume and inertance")
        .just(kOil);
inline constexpr Key hose_bore = number("hose_bore", D::kLength, kPositive, "see there").just(kOil);
inline constexpr Key hose_volume =
    number("hose_volume", D::kVolume, kPositive, "with `inertance` instead of these two")
        .just(kOil);
inline constexpr Key all[] = {
    inertance,
    capacitance,
    resistance,
    hose_length,
    hose_bore,
    hose_volume,
    number("hose_bulk_modulus", D::kPressure, kPositive, "of the hose")
        .usually(1e6, 1e15, "rubber gives way at some 10 MPa")
        .just(kOil)
        .to<&Chamber::hose_bulk_Pa>()
        .otherwise("rigid"),
    number("wall_bulk_modulus", D::kPressure, kPositive, "of the cylinder's wall")
        .usually(1e7, 1e15, "steel walls have some GPa")
        .just(kOil)
        .to<&Chamber::wall_bulk_Pa>()
        .otherwise("rigid"),
    number("dead_volume", D::kVolume, kNonNegative, "of the chamber with the piston at its end")
        .just(kOil)
        .to<&Chamber::dead_m3>(),
    number("trapped_air", D::kVolume, kNonNegative,
           "a bubble that stays in this side, its volume at 1 bar")
        .just(kOil)
        .to<&Chamber::trapped_air_m3>(),
};
inline constexpr KeyTable table{"machine.line", "line_a, line_b", all};
}  // namespace line

namespace holding {
using hydraulics::HoldingKind;
using hydraulics::LoadHolding;
inline constexpr std::string_view kAny = "counterbalance pilot_check";
inline constexpr Word kKinds[] = {
    word("none", HoldingKind::kNone),
    word("counterbalance", HoldingKind::kCounterbalance,
         "begins to open when the port's pressure plus `pilot_ratio` times the other line's "
         "reaches `set`"),
    word("pilot_check", HoldingKind::kPilotCheck,
         "when `pilot_ratio` times the other line's exceeds the port's")};
inline constexpr Key conductance = number("conductance", D::kOrificeConductance, kPositive,
                                          "fully open, or `flow` at `rated_drop`")
                                       .just(kAny)
                                       .must();
inline constexpr Key flow =
    number("flow", D::kFlow, kPositive, "fully open at `rated_drop`").just(kAny);
inline constexpr Key rated_drop = number("rated_drop", D::kPressure, kPositive, "").just(kAny);
inline constexpr Key all[] = {
    kind_of(kKinds, "").to<&LoadHolding::kind>(),
    number("set", D::kPressure, kPositive, "makers ask for 1.3 times the load's highest pressure")
        .just("counterbalance")
        .must()
        .to<&LoadHolding::set_Pa>(),
    plain("pilot_ratio", kPositive, "").just(kAny).must().to<&LoadHolding::pilot_ratio>(),
    number("range", D::kPressure, {1e4, 1e8}, "from beginning to fully open")
        .just(kAny)
        .must()
        .to<&LoadHolding::range_Pa>(),
    number("lag", D::kTime, {1e-3, 1.0}, "of the opening")
        .just(kAny)
        .must()
        .to<&LoadHolding::lag_s>(),
    conductance,
    flow,
    rated_drop,
};
inline constexpr KeyTable table{"machine.holding", "holding_a, holding_b", all};
}  // namespace holding

namespace end_stops {
using machine::EndStops;
inline constexpr Key min = turning("min", D::kAngle, D::kLength, kAny,
                                   "both, or neither to take them from the joint's limits")
                               .to<&EndStops::x_min>()
                               .otherwise("the joint's limits");
inline constexpr Key max = turning("max", D::kAngle, D::kLength, kAny, "see there")
                               .to<&EndStops::x_max>()
                               .otherwise("the joint's limits");
inline constexpr Key all[] = {
    flag("enabled", "").to<&EndStops::enabled>().otherwise(1.0),
    min,
    max,
    turning("cushion", D::kAngle, D::kLength, kNonNegative, "length of the cushion")
        .must()
        .to<&EndStops::cushion>(),
    turning("cushion_damping", D::kRotaryDamping, D::kDamping, kNonNegative, "at the stop")
        .must()
        .to<&EndStops::cushion_damping>(),
    turning("stiffness", D::kRotaryStiffness, D::kStiffness, kPositive, "of the stop")
        .must()
        .to<&EndStops::stiffness>(),
    turning("damping", D::kRotaryDamping, D::kDamping, kNonNegative, "of the stop")
        .must()
        .to<&EndStops::damping>(),
};
inline constexpr KeyTable table{"machine.end_stops", "[actuator.end_stops]", all};
}  // namespace end_stops

// The machine's computer, between a lever and its spool.
namespace driver {
using machine::ValveDriver;
template <double (ValveDriver::*Member)[2]>
inline void both_ways(ValveDriver& driver, std::span<const double> values) {
  std::ranges::copy(values, driver.*Member);
}
inline constexpr Key start =
    numbers("start", D::kVoltage, kNonNegative, 2, 2,
            "command where the lever leaves its dead zone, `[towards larger positions of the "
            "joint, towards smaller ones]`: a little below the one that begins to move it")
        .to<&both_ways<&ValveDriver::start_V>>()
        .otherwise("0");
inline constexpr Key largest =
    numbers("largest", D::kVoltage, {0.0, 1e3, true}, 2, 2,
            "command at full lever, likewise; a lever file's `full` counts where it is smaller")
        .to<&both_ways<&ValveDriver::largest_V>>()
        .otherwise("the lever file's");
inline constexpr Key all[] = {start, largest};
inline constexpr KeyTable table{"machine.driver", "driver", all};
}  // namespace driver

namespace actuator {
using hydraulics::ActuatorKind;
using hydraulics::Circuit;
using machine::Actuator;
inline constexpr std::string_view kCylinder = "cylinder", kMotor = "motor", kAir = "air_cylinder",
                                  kOil = "cylinder motor", kPiston = "cylinder air_cylinder";
enum class Kind { kCylinder, kMotor, kAirCylinder };
inline constexpr Word kKinds[] = {
    word("cylinder", Kind::kCylinder), word("motor", Kind::kMotor),
    word("air_cylinder", Kind::kAirCylinder,
         "a pneumatic one ([theory](../theory/pneumatics.md)); all actuators of a machine are, or "
         "none")};
inline void choose_kind(Actuator& actuator, double word) {
  const Kind kind = static_cast<Kind>(static_cast<int>(word));
  actuator.circuit.kind = kind == Kind::kMotor ? ActuatorKind::kMotor : ActuatorKind::kCylinder;
  if (kind == Kind::kAirCylinder) actuator.air.emplace();
}
inline constexpr Key joint = keys::joint("the joint it moves");
inline constexpr Key name =
    name_of("name", "").to<&Actuator::name>().otherwise("that of the joint");
inline constexpr Key kind = kind_of(kKinds, "").to<&choose_kind>();
inline constexpr Key valve =
    other("valve", "name of a valve, or a table of its own with the keys of `[valve.NAME]`")
        .just(kOil)
        .must();
inline constexpr Key lines[] = {
    declare::table("line_a", line::table, "hose between valve and port A (head side, motor inlet)")
        .just(kOil)
        .must(),
    declare::table("line_b", line::table, "hose between valve and port B").just(kOil).must()};
inline constexpr Key protection =
    keys::protection::own("in place of single keys of the machine's `[protection]`").just(kOil);
inline constexpr Key oil =
    keys::oil::own("in place of single keys of the machine's `[oil]`, or alone").just(kOil);
inline constexpr Key holdings[] = {
    declare::table("holding_a", holding::table, "a valve that holds the load at port A")
        .just(kOil)
        .otherwise("none"),
    declare::table("holding_b", holding::table, "the same at port B").just(kOil).otherwise("none")};
inline constexpr Key driver = declare::table(
    "driver", keys::driver::table, "what the machine's computer makes of a lever in valve mode");
inline constexpr Key end_stops =
    declare::table("end_stops", keys::end_stops::table,
                   "below; a pneumatic cylinder needs them, without `min` and `max`: its ends are "
                   "those of the stroke")
        .must_with(kAir)
        .otherwise("none");
inline constexpr Key viscous =
    friction_law::beside("friction",
                         "viscous, a motor's at the joint; or a [table](#friction) in its place")
        .must();
inline constexpr Key friction = friction_law::own("table of a law");
// Cylinder.
inline constexpr Key bore = rod_length_usual(number("bore", D::kLength, kPositive, "diameter")
                                                 .just(kPiston)
                                                 .must()
                                                 .replaces("area_a area_b"));
inline constexpr Key rod =
    rod_length_usual(number("rod", D::kLength, kNonNegative, "diameter, thinner than the bore")
                         .just(kPiston)
                         .must()
                         .replaces("area_a area_b"));
inline constexpr Key area_a =
    number("area_a", D::kArea, kPositive, "head side, with `area_b` instead of bore and rod")
        .just(kCylinder)
        .to<&Circuit::A1>()
        .otherwise("from the bore");
inline constexpr Key area_b = number("area_b", D::kArea, kPositive, "rod side")
                                  .just(kCylinder)
                                  .to<&Circuit::A2>()
                                  .otherwise("from bore and rod");
inline constexpr Key base_pin =
    vector("base_pin", D::kLength,
           "on a revolute joint needed: the pin on the parent, in the joint's frame at position 0 "
           "(origin at the joint, turned by `rpy`). On a sliding joint none: the cylinder lies "
           "along it")
        .just(kPiston);
inline constexpr Key rod_pin =
    vector("rod_pin", D::kLength, "likewise the pin on the moving body, in its frame")
        .just(kPiston);
inline constexpr Key base_body =
    text("base_body",
         "with `rod_body`: the cylinder lies between a pin on each, `base_pin` and `rod_pin` in "
         "their frames, whatever joints are between them (`\"base\"`: the ground). `joint` then is "
         "the one that its controller looks at. With `end_stops`, their ends come from the lengths "
         "over that joint's range, the other driven joints in the middle of theirs")
        .just(kPiston);
inline constexpr Key rod_body = text("rod_body", "see there").just(kPiston);
inline constexpr Key closed_length =
    number("closed_length", D::kLength, kAny,
           "needed with [`[oil]`](#oil) and on air: between the pins with the rod in; on a sliding "
           "joint its position there")
        .just(kPiston)
        .must_with(kAir);
inline constexpr Key stroke =
    number("stroke", D::kLength, kPositive,
           "needed with [`[oil]`](#oil) and on air: how far the rod comes "
           "out")
        .just(kPiston)
        .must_with(kAir);
// Pneumatic cylinder.
using machine::AirCylinder;
template <int Side>
inline void start(AirCylinder& own, double pressure) {
  own.P_start[Side] = pressure;
}
template <double pneumatics::Cylinder::*Member>
inline void dead(AirCylinder& own, double volume) {
  own.cylinder.*Member = volume;
}
inline constexpr Key on_air[] = {
    number("dead_a", D::kVolume, kAirVolume, "remaining volume at the cap's end")
        .just(kAir)
        .must()
        .to<&dead<&pneumatics::Cylinder::dead_cap>>(),
    number("dead_b", D::kVolume, kAirVolume, "remaining volume at the rod's end")
        .just(kAir)
        .must()
        .to<&dead<&pneumatics::Cylinder::dead_rod>>(),
    number("start_a", D::kPressure, kAbsolute,
           "absolute pressure at the start unless the scenario gives `port_a`; the air there is at "
           "20 °C")
        .just(kAir)
        .must()
        .to<&start<0>>(),
    number("start_b", D::kPressure, kAbsolute, "likewise").just(kAir).must().to<&start<1>>(),
};
// Motor.
constexpr Key leak(std::string_view key, std::string_view says) {
  return number(key, D::kLinearResistance, kPositive, says).just(kMotor).otherwise("no leakage");
}
// A resistance in the file, a conductance in the circuit.
template <double Circuit::*Member>
inline void invert(Circuit& circuit, double resistance) {
  circuit.*Member = 1.0 / resistance;
}
inline constexpr Key own[] = {
    joint,
    name,
    kind,
    valve,
    lines[0],
    lines[1],
    protection,
    oil,
    holdings[0],
    holdings[1],
    driver,
    end_stops,
    viscous,
    friction,
    bore,
    rod,
    area_a,
    area_b,
    base_pin,
    rod_pin,
    base_body,
    rod_body,
    closed_length,
    stroke,
    number("displacement", D::kMotorDisplacement, kPositive, "of the motor")
        .just(kMotor)
        .must()
        .to<&Circuit::D_m>(),
    plain("gear_ratio", kPositive, "turns of the motor for one of the joint")
        .just(kMotor)
        .must()
        .usually(1e-3, 1e5, "no gearbox has a wider ratio")
        .to<&Circuit::N>(),
    leak("leak_internal", "resistance between the ports").to<&invert<&Circuit::leak_internal>>(),
    leak("leak_a", "resistance from port A to tank").to<&invert<&Circuit::leak_external1>>(),
    leak("leak_b", "resistance from port B to tank").to<&invert<&Circuit::leak_external2>>(),
};
inline constexpr auto all = join(own, on_air);
inline constexpr KeyTable table{"machine.actuator", "[[actuator]]", all};
}  // namespace actuator

// --- The file -----------------------------------------------------------------

namespace machine_file {
using machine::MachineModel;
inline constexpr Key gravity =
    number("gravity", D::kAcceleration, {0.0, 100.0}, "pulls along -z").must();
inline constexpr Key supply = table("supply", keys::supply::table, "needed with actuators on oil");
inline constexpr Key closed_valve =
    table("closed_valve", keys::closed_valve::table,
          "of actuators on oil; without it `dynamic` with 10 ms, the paper's");
inline constexpr Key air =
    table("air", keys::air::table, "supply and valve of pneumatic cylinders, needed with them");
inline constexpr Key bodies =
    tables("body", body_table::table, kMaxBodies, "one for each rigid body").must();
inline constexpr Key loops =
    tables("loop", loop::table, kMaxBodies, "constraints that close loops of bodies");
inline constexpr Key couplings = tables("coupling", coupling::table, multibody::kMaxCouplings,
                                        "joints that follow others: gears, chains, racks");
inline constexpr Key drives =
    tables("drive", drive::table, kMaxBodies, "torques and speeds for joints without actuator");
inline constexpr Key valves = named("valve", valve::table, "proportional spool valves");
inline constexpr Key protection =
    keys::protection::own("relief and anti-cavitation valves of all actuators");
inline constexpr Key oil = keys::oil::own("with it lines give volumes");
inline constexpr Key watch =
    table("watch", keys::watch::table, "from where on a run says that no real machine does that");
inline constexpr Key actuators =
    tables("actuator", actuator::table, kMaxActuators, "at most one on a joint");
inline constexpr Key controllers =
    tables("controller", controller::table, kMaxActuators,
           "one for each actuator that is to follow a position; without it only logs, levers and "
           "voltages move it");
inline constexpr Key tip =
    table("tip", keys::tip::table,
          "the point that tip control moves and traces record; without it the origin of the last "
          "body");
inline constexpr Key shapes = tables("shape", shape::table, kMaxBodies, "what can touch the world");
inline constexpr Key load_space =
    table("load_space", keys::load_space::table,
          "stakes and a headboard for logs; an exercise may do without");
inline constexpr Key grapple =
    table("grapple", keys::grapple::table, "two jaws that close around a log");
inline constexpr Key head =
    table("head", keys::head::table,
          "makes the grapple a harvester's head, for standing trees; its jaws must be no bodies");
inline constexpr Key wheels =
    tables("wheel", wheel::table, kMaxWheels, "discs that roll on the ground");
inline constexpr Key driveline =
    table("driveline", keys::driveline::table, "hydrostatic drive of the wheels");
inline constexpr Key joint_lock =
    table("joint_lock", keys::joint_lock::table, "holds a joint that else moves freely");
inline constexpr Key visuals = tables("visual", visual::table, kMaxBodies, "how a body looks");
inline constexpr Key purpose =
    text("purpose",
         "what the machine is for, beginning with \"for\"; told to whoever chooses it. Its line "
         "does not "
         "count in the machine's hash, so that recordings and states stay valid");
inline constexpr Key base =
    text("base", "path of another machine file, from this file's folder; see [Base](#base)");
inline constexpr Key urdf = text("urdf",
                                 "path of a URDF file, from this file's folder, that brings "
                                 "bodies, shapes and looks; see [URDF](#urdf)");
inline constexpr Key all[] = {
    keys::name("of the machine").to<&MachineModel::name>(),
    description().to<&MachineModel::description>(),
    text("caution", "a sentence that every result of this machine bears: what it is not good for")
        .to<&MachineModel::caution>(),
    purpose,
    base,
    urdf,
    gravity,
    number("danger_zone", D::kLength, {0.0, 1000.0},
           "nobody may come nearer to the machine's place on the map while it works; see "
           "[danger zones](../theory/judging.md#danger-zones)")
        .to<&MachineModel::danger_zone>()
        .otherwise("none"),
    supply,
    closed_valve,
    air,
    bodies,
    loops,
    couplings,
    drives,
    valves,
    protection,
    oil,
    watch,
    actuators,
    controllers,
    tip,
    shapes,
    load_space,
    grapple,
    head,
    wheels,
    driveline,
    joint_lock,
    visuals,
};
inline constexpr KeyTable table{"machine", "", all};
}  // namespace machine_file

}  // namespace knuckleboom::declare::keys
