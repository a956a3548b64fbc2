// The supply alone, against closed forms.
#include "knuckleboom/core/hydraulics/supply.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom::hydraulics {
namespace {

constexpr double kTick = 1e-3;
constexpr double kCutOff = 21e6;
constexpr double kAtmosphere = 101325.0;

PumpSupply load_sensing() {
  PumpSupply s;
  s.control = PumpControl::kLoadSensing;
  s.displacement = 100e-6 / (2.0 * std::numbers::pi);
  s.margin_Pa = 2e6;
  s.standby_Pa = 2.5e6;
  s.load_line_s = 0.01;
  s.stroke_time_s = 0.06;
  s.regulator_band_Pa = 1e6;
  s.regulator_damping_s = 0.015;
  s.leak = 5e-13;
  s.gallery_volume = 3e-3;
  s.gallery_bulk_modulus = 1e9;
  s.relief_Pa = 24e6;
  s.relief_conductance = 1e-9;
  s.engine.speed = 1800.0 * std::numbers::pi / 30.0;
  return s;
}

// A supply and what is drawn from it.
struct Bench {
  explicit Bench(PumpSupply s, double tick = kTick) : supply(std::move(s)), h(tick) {
    state = settled_supply(supply, kCutOff, 0.0, p);
    ledger.start = stored_energy(supply, state, p);
  }
  void step(const SupplyDemand& demand) {
    const double before = stored_volume(supply, p) + state.owed;
    advance_supply(supply, h, demand, p, state, ledger);
    const double moved = h * (state.flow - state.relief_flow) - demand.volume;
    lost = std::max(lost, std::fabs(stored_volume(supply, p) + state.owed - before - moved));
  }
  // Through an orifice to a load.
  void orifice(double g, double load_Pa) {
    const double drop = p - load_Pa;
    flow = std::copysign(g * std::sqrt(std::fabs(drop)), drop);
    step({h * flow, 0.5 * g / std::sqrt(std::max(1e3, std::fabs(drop))), load_Pa});
  }
  double residual() const {
    return ledger.engine - ledger.delivered - ledger.pump_loss - ledger.relief - ledger.coupling -
           (stored_energy(supply, state, p) - ledger.start);
  }

  PumpSupply supply;
  double h;
  double p = 0.0;
  double flow = 0.0;
  double lost = 0.0;  // volume in no book
  SupplyState state{};
  SupplyLedger ledger{};
};

double full_flow(const PumpSupply& s) { return s.displacement * s.speed_ratio * s.engine.speed; }

TEST(Supply, StandsByWhereItIsSettled) {
  Bench bench(load_sensing());
  for (int i = 0; i < 2000; ++i) bench.step({0.0, 0.0, 0.0});
  EXPECT_NEAR(bench.p, bench.supply.standby_Pa, 1.0);
  EXPECT_NEAR(bench.state.stroke * full_flow(bench.supply), bench.supply.leak * bench.p, 1e-9);
}

TEST(Supply, KeepsItsMarginOverTheLoad) {
  for (const double load : {3e6, 8e6, 15e6}) {
    Bench bench(load_sensing());
    for (int i = 0; i < 2000; ++i) bench.orifice(1e-6, load);
    EXPECT_NEAR(bench.p, load + bench.supply.margin_Pa, 10.0);
    EXPECT_NEAR(bench.flow, 1e-6 * std::sqrt(bench.supply.margin_Pa), 1e-8);
    EXPECT_LT(std::fabs(bench.state.owed), 1e-12);
  }
}

TEST(Supply, IsCutOffAboveItsHighestPressure) {
  Bench bench(load_sensing());
  for (int i = 0; i < 3000; ++i) bench.step({0.0, 0.0, 30e6});
  EXPECT_NEAR(bench.p, kCutOff, 10.0);
  EXPECT_NEAR(bench.state.flow, 0.0, 1e-8);
}

TEST(Supply, GivesNoMoreThanItsDisplacementTimesItsSpeed) {
  Bench bench(load_sensing());
  const double g = 5e-6;
  const double load = 5e6;
  for (int i = 0; i < 2000; ++i) bench.orifice(g, load);
  const double most = full_flow(bench.supply) - bench.supply.leak * bench.p;
  EXPECT_NEAR(bench.flow, most, 1e-6 * most);
  EXPECT_NEAR(bench.p - load, (most / g) * (most / g), 1e-3 * (bench.p - load));
  EXPECT_NEAR(flow_limit(bench.supply, bench.state, bench.p), most, 1e-6 * most);
}

TEST(Supply, PowerLimitHoldsThePowerWhereThePressureRises) {
  PumpSupply s = load_sensing();
  s.power_limit_W = 30e3;
  Bench bench(s);
  for (int i = 0; i < 4000; ++i) bench.orifice(5e-6, 14e6);
  EXPECT_NEAR(bench.p * bench.state.stroke * full_flow(s), s.power_limit_W, 0.01 * s.power_limit_W);
  EXPECT_LT(bench.state.stroke, 0.9);
}

TEST(Supply, AFixedPumpGoesOverItsRelief) {
  PumpSupply s = load_sensing();
  s.control = PumpControl::kFixed;
  s.leak = 0.0;
  Bench bench(s);
  const double settled = s.relief_Pa + full_flow(s) / s.relief_conductance;
  EXPECT_NEAR(bench.p, settled, 1.0);
  for (int i = 0; i < 500; ++i) bench.step({0.0, 0.0, 0.0});
  EXPECT_NEAR(bench.p, settled, 1.0);
  EXPECT_NEAR(bench.state.relief_flow, full_flow(s), 1e-9);
  bench.state.relief_Pa = 12e6;  // a fault
  for (int i = 0; i < 500; ++i) bench.step({0.0, 0.0, 0.0});
  EXPECT_NEAR(bench.p, 12e6 + full_flow(s) / s.relief_conductance, 1.0);
}

// p_abs V^n = const, the gallery itself as stiff as nothing.
TEST(Supply, AnAccumulatorIsChargedAndDischargedAsThePolytropeSays) {
  PumpSupply s = load_sensing();
  s.control = PumpControl::kFixed;
  s.leak = 0.0;
  s.relief_Pa = 1e9;
  s.gallery_volume = 1e-4;
  s.gallery_bulk_modulus = 1e10;
  s.displacement *= 0.05;
  s.accumulators = {{8e6, 5e-3, 1.25}};
  Bench bench(s);
  bench.p = 8e6;
  bench.ledger.start = stored_energy(s, bench.state, bench.p);
  const double Q = full_flow(s);
  const auto closed_form = [](double in) {
    return (8e6 + kAtmosphere) * std::pow(1.0 - in / 5e-3, -1.25) - kAtmosphere;
  };
  double in = 0.0;
  for (int i = 0; i < 12000; ++i) {
    bench.step({0.0, 0.0, 0.0});
    in += kTick * Q;
  }
  EXPECT_NEAR(bench.p, closed_form(in), 2e-4 * bench.p);
  // The gas takes the work of the oil: (p V - p0 V0) / (n - 1), less the atmosphere's.
  const double p_abs = bench.p + kAtmosphere;
  const double V = 5e-3 - in;
  const double work = (p_abs * V - (8e6 + kAtmosphere) * 5e-3) / 0.25 - kAtmosphere * in;
  EXPECT_NEAR(stored_energy(s, bench.state, bench.p) - bench.ledger.start, work, 1e-3 * work);
  EXPECT_NEAR(bench.ledger.engine, work, 1e-3 * work);
  for (int i = 0; i < 6000; ++i) {
    bench.step({kTick * 2.0 * Q, 0.0, 0.0});
    in -= kTick * Q;
  }
  EXPECT_NEAR(bench.p, closed_form(in), 2e-4 * bench.p);
  EXPECT_LT(std::fabs(bench.residual()), 1e-9 * bench.ledger.engine);
}

TEST(Supply, TheEngineDroopsInProportionToItsTorque) {
  PumpSupply s = load_sensing();
  s.engine.inertia = 2.0;
  s.engine.droop = 0.08;
  s.engine.torque_max = 400.0;
  s.engine.governor_s = 0.1;
  s.drag_torque = 10.0;
  Bench bench(s);
  for (int i = 0; i < 10000; ++i) bench.orifice(1.5e-6, 12e6);
  const double torque = s.displacement * bench.state.stroke * bench.p + s.drag_torque;
  EXPECT_NEAR(bench.state.engine_torque, torque, 1e-6 * torque);
  EXPECT_NEAR(bench.state.engine_speed, s.engine.speed * (1.0 - 0.08 * torque / 400.0), 1e-4);
  EXPECT_GT(torque, 150.0);
}

TEST(Supply, AnEngineAskedForTooMuchStallsAndComesBack) {
  PumpSupply s = load_sensing();
  s.engine.inertia = 1.0;
  s.engine.droop = 0.08;
  s.engine.torque_max = 100.0;
  Bench bench(s);
  double slowest = s.engine.speed;
  for (int i = 0; i < 5000; ++i) {
    bench.orifice(2e-6, 18e6);
    slowest = std::min(slowest, bench.state.engine_speed);
  }
  EXPECT_LT(slowest, 0.5 * s.engine.speed);
  for (int i = 0; i < 60000; ++i) bench.step({0.0, 0.0, 0.0});  // only leakage empties the gallery
  EXPECT_GT(bench.state.engine_speed, 0.98 * s.engine.speed);
  EXPECT_NEAR(bench.p, s.standby_Pa, 1e3);
}

// Mean over ticks of 1 + a cos(z theta), z theta = z omega t.
TEST(Supply, DeliveryRipplesWithThePistons) {
  PumpSupply s = load_sensing();
  s.control = PumpControl::kFixed;
  s.leak = 0.0;
  s.relief_Pa = 1e9;
  s.pistons = 9;
  s.ripple = 0.05;
  Bench bench(s);
  bench.p = 1e6;
  const double w = 9.0 * s.engine.speed;
  double worst = 0.0;
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double from = w * i * kTick;
    bench.step({kTick * full_flow(s), 0.0, 0.0});
    const double exact =
        full_flow(s) * (1.0 + 0.05 * (std::sin(from + w * kTick) - std::sin(from)) / (w * kTick));
    worst = std::max(worst, std::fabs(bench.state.flow - exact));
    sum += bench.state.flow;
  }
  EXPECT_LT(worst, 1e-9 * full_flow(s));
  EXPECT_NEAR(sum / 1000.0, full_flow(s), 1e-4 * full_flow(s));
}

TEST(Supply, WearTakesFlowAndPressure) {
  Bench bench(load_sensing());
  bench.state.wear = 0.25;
  bench.state.drop_Pa = 1e6;
  for (int i = 0; i < 3000; ++i) bench.step({0.0, 0.0, 30e6});
  EXPECT_NEAR(bench.p, 0.75 * kCutOff - 1e6, 100.0);
  for (int i = 0; i < 3000; ++i) bench.orifice(5e-6, 0.0);
  EXPECT_NEAR(bench.flow, 0.75 * full_flow(bench.supply) - bench.supply.leak * bench.p, 1e-7);
}

// Every volume and every joule is in some book, whatever is drawn.
TEST(Supply, LosesNeitherOilNorEnergy) {
  test::Random random(7);
  for (int machine = 0; machine < 20; ++machine) {
    PumpSupply s = load_sensing();
    s.engine.inertia = machine % 2 == 0 ? random.log_uniform(0.1, 10.0) : 0.0;
    s.engine.droop = 0.06;
    s.engine.torque_max = 600.0;
    s.engine.governor_s = 0.05;
    s.gallery_volume = random.log_uniform(1e-4, 1e-1);
    s.power_limit_W = 60e3;
    s.drag_torque = 5.0;
    s.ripple = 0.02;
    s.pistons = 9;
    if (machine % 3 == 0) s.accumulators = {{5e6, 1e-3, 1.3}, {15e6, 2e-3, 1.4}};
    Bench bench(s);
    double g = 0.0;
    double load = 0.0;
    double turnover = 0.0;
    for (int i = 0; i < 5000; ++i) {
      if (random.chance(0.01)) g = random.chance(0.3) ? 0.0 : random.log_uniform(1e-8, 3e-6);
      if (random.chance(0.01)) load = random.uniform(0.0, 20e6);
      bench.orifice(g, load);
      ASSERT_TRUE(std::isfinite(bench.p));
      ASSERT_LT(std::fabs(bench.p), 60e6);
      turnover = bench.ledger.engine;
    }
    EXPECT_LT(bench.lost, 1e-17);
    EXPECT_LT(std::fabs(bench.residual()), 1e-9 * turnover);
    EXPECT_LT(std::fabs(bench.ledger.coupling), 2e-2 * turnover) << machine;
  }
}

// A gallery that any flow fills within a small part of a tick: what keeps it from swinging is that the
// step knows how the flow answers.
TEST(Supply, StaysCalmWithAnySmallGallery) {
  for (const double volume : {1e-6, 1e-5, 1e-4, 1e-3}) {
    PumpSupply s = load_sensing();
    s.control = PumpControl::kFixed;
    s.relief_Pa = 1e9;
    s.gallery_volume = volume;
    Bench bench(s);
    bench.p = 1e6;
    const double g = 2e-6;
    const double settled = (full_flow(s) / g) * (full_flow(s) / g);
    for (int i = 0; i < 400; ++i) bench.orifice(g, 0.0);
    EXPECT_NEAR(bench.p, settled, 1e-3 * settled) << volume;
    EXPECT_NEAR(bench.state.owed, 0.0, 1e-9) << volume;
  }
}

// The step is of first order: half the tick, half the error.
TEST(Supply, ConvergesInFirstOrder) {
  const auto run = [](double h) {
    Bench bench(load_sensing(), h);
    const int ticks = static_cast<int>(std::lround(0.3 / h));
    for (int i = 0; i < ticks; ++i) {
      const double t = i * h;
      bench.orifice(1e-6 * (1.0 + 0.5 * std::sin(20.0 * t)), 8e6 + 2e6 * std::sin(13.0 * t));
    }
    return bench.p;
  };
  const double exact = run(1e-5);
  const double coarse = std::fabs(run(1e-3) - exact);
  const double fine = std::fabs(run(0.5e-3) - exact);
  std::printf("pressure after 0.3 s off by %.3g bar with 1 ms, %.3g bar with 0.5 ms\n",
              1e-5 * coarse, 1e-5 * fine);
  EXPECT_LT(coarse, 2e5);
  EXPECT_LT(fine, 0.7 * coarse);
}

}  // namespace
}  // namespace knuckleboom::hydraulics
