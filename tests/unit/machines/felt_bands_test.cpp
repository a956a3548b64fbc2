// The feel of the two machines that are sized on published figures: every band of
// docs/theory/machines.md, in both models, from the pose of tests/data/feel/pose.toml with full levers.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "felt_run.hpp"

namespace knuckleboom::felt {
namespace {

constexpr double kRad = 57.29577951308232;  // degrees

struct Band {
  double low, high;
};

// Units: rad, s, m; degrees where they say so.
struct Bands {
  const char* machine;
  Band slew_speed, slew_t63, slew_coast_deg, slew_coast_time, slew_ring_m, slew_ring_time;
  Band boom_up, boom_down, boom_t63;
  double boom_coast;
  Band boom_ring_m, boom_ring_time, vertical_Hz;
  Band stick, telescope_out, telescope_in, rotator;
  double first_movement, two_functions;
  Band droop_mm_per_kg;
  double droop_load_kg;
  Band calm_time;  // until the grapple hangs within 5 degrees
};

constexpr Bands kForwarder = {
    .machine = "forwarder",
    .slew_speed = {0.65, 0.90},
    .slew_t63 = {0.4, 0.7},
    .slew_coast_deg = {12, 20},
    .slew_coast_time = {0.3, 0.5},
    .slew_ring_m = {0, 0.6},
    .slew_ring_time = {2, 4.5},
    .boom_up = {0.28, 0.40},
    .boom_down = {0.35, 0.50},
    .boom_t63 = {0.15, 0.35},
    .boom_coast = 0.03,
    .boom_ring_m = {0.25, 0.45},
    .boom_ring_time = {2, 5},
    .vertical_Hz = {1.2, 2.0},
    .stick = {0.45, 0.60},
    .telescope_out = {0.8, 1.2},
    .telescope_in = {0.9, 1.3},
    .rotator = {1.9, 2.8},
    .first_movement = 0.15,
    .two_functions = 0.85,
    .droop_mm_per_kg = {0.25, 0.35},
    .droop_load_kg = 600,
    .calm_time = {3, 5},
};

constexpr Bands kHarvester = {
    .machine = "harvester_wheeled",
    .slew_speed = {0.55, 0.85},
    .slew_t63 = {0.6, 1.1},
    .slew_coast_deg = {15, 25},
    .slew_coast_time = {0.5, 0.7},
    .slew_ring_m = {0, 0.35},
    .slew_ring_time = {2, 4},
    .boom_up = {0.25, 0.35},
    .boom_down = {0.30, 0.42},
    .boom_t63 = {0.2, 0.4},
    .boom_coast = 0.02,
    .boom_ring_m = {0.2, 0.35},
    .boom_ring_time = {2, 4},
    .vertical_Hz = {1.2, 1.8},
    .stick = {0.30, 0.45},
    .telescope_out = {0.6, 1.0},
    .telescope_in = {0.6, 1.0},
    .rotator = {1.6, 2.5},
    .first_movement = 0.12,
    .two_functions = 0.85,
    .droop_mm_per_kg = {0.12, 0.20},
    .droop_load_kg = 900,
    .calm_time = {2.5, 4},
};

void expect_inside(double value, Band band, const char* name) {
  std::printf("  %-18s %.3f (%g to %g)\n", name, value, band.low, band.high);
  EXPECT_GE(value, band.low) << name;
  EXPECT_LE(value, band.high) << name;
}

void expect_sound(const Drive& run) {
  EXPECT_EQ(run.health.non_finite, 0);
  EXPECT_EQ(run.health.newton_unconverged, 0);
  EXPECT_LT(run.out_of_balance, 10.0);  // of some 50 kJ
}

class FeltBands : public testing::TestWithParam<std::tuple<const Bands*, machine::Fidelity>> {
 protected:
  const Bands& bands() const { return *std::get<0>(GetParam()); }
  Drive full_levers(const std::vector<Lever>& levers, double held, double after = 0.1,
                    double load_kg = 0.0) const {
    const Loaded setup{bands().machine, std::get<1>(GetParam()), load_kg, {}};
    Drive run = drive(setup, levers, held, after);
    expect_sound(run);
    return run;
  }
};

TEST_P(FeltBands, Slew) {
  const Drive run = full_levers({{"swing", 5}}, 1.8, 9.0);
  const double radius = run.tip_x.at(0);
  const double speed = full_speed(run, "swing");
  const double coasted = std::fabs(rest(run, "swing") - run.position.at("swing").at(run.neutral));
  const Ring swung = ring(run.position.at("swing"), run.neutral);
  expect_inside(speed, bands().slew_speed, "speed");
  expect_inside(time_to(run, "swing", 0.632), bands().slew_t63, "t63");
  expect_inside(time_to(run, "swing", 0.01), {0, bands().first_movement}, "first movement");
  expect_inside(kRad * coasted, bands().slew_coast_deg, "coast, deg");
  const double at_neutral = std::fabs(run.rate.at("swing").at(run.neutral));
  expect_inside(coasted / at_neutral, bands().slew_coast_time, "coast at speed");
  expect_inside(swung.first * radius, bands().slew_ring_m, "ring");
  expect_inside(swung.time, bands().slew_ring_time, "ring, to 10 %");
  // The grapple.
  expect_inside(below(run.off_plumb, run.neutral, 5 / kRad), bands().calm_time, "within 5 deg");
  expect_inside(kRad * run.off_plumb.value.back(), {0, 5}, "at rest, deg");
}

TEST_P(FeltBands, BoomUp) {
  const Drive run = full_levers({{"boom", 10}}, 1.2, 8.0);
  const Ring swung = ring(run.tip_z, run.neutral);
  expect_inside(full_speed(run, "boom"), bands().boom_up, "speed");
  expect_inside(time_to(run, "boom", 0.632), bands().boom_t63, "t63");
  expect_inside(time_to(run, "boom", 0.01), {0, bands().first_movement}, "first movement");
  expect_inside(std::fabs(rest(run, "boom") - run.position.at("boom").at(run.neutral)),
                {0, bands().boom_coast}, "coast");
  expect_inside(swung.first, bands().boom_ring_m, "ring");
  expect_inside(swung.time, bands().boom_ring_time, "ring, to 10 %");
  expect_inside(swung.frequency, bands().vertical_Hz, "vertical mode, Hz");
}

TEST_P(FeltBands, BoomDown) {
  const Drive run = full_levers({{"boom", -10}}, 1.2, 8.0);
  expect_inside(full_speed(run, "boom"), bands().boom_down, "speed");
  expect_inside(time_to(run, "boom", 0.632), {0.15, bands().boom_t63.high}, "t63");
  expect_inside(std::fabs(rest(run, "boom") - run.position.at("boom").at(run.neutral)),
                {0, bands().boom_coast}, "coast");
}

TEST_P(FeltBands, StickTelescopeAndRotator) {
  for (const double volts : {10.0, -10.0}) {
    const Drive stick = full_levers({{"stick", volts}}, 1.2);
    expect_inside(full_speed(stick, "stick"), bands().stick, "stick");
    expect_inside(time_to(stick, "stick", 0.01), {0, bands().first_movement}, "first movement");
    const Drive slide = full_levers({{"extension", volts}}, 1.2);
    expect_inside(full_speed(slide, "extension") + full_speed(slide, "extension_2"),
                  volts > 0 ? bands().telescope_out : bands().telescope_in, "telescope");
    expect_inside(time_to(slide, "extension", 0.01), {0, bands().first_movement}, "first movement");
  }
  const Drive rotator = full_levers({{"rotator", 8}}, 1.8);
  expect_inside(full_speed(rotator, "rotator"), bands().rotator, "rotator");
  expect_inside(time_to(rotator, "rotator", 0.01), {0, bands().first_movement}, "first movement");
}

// The overlap of the spools, 6 % of the levers' travel.
TEST_P(FeltBands, LeversAreDeadForFourToEightPercent) {
  for (const Lever lever : {Lever{"swing", 5}, Lever{"boom", 10}, Lever{"stick", 10},
                            Lever{"extension", 10}, Lever{"rotator", 8}}) {
    SCOPED_TRACE(lever.joint);
    const auto speed_at = [&](double share, double held) {
      return full_speed(full_levers({{lever.joint, share * lever.volts}}, held), lever.joint);
    };
    const double full = speed_at(1.0, 1.2);
    EXPECT_LT(speed_at(0.04, 2.0), 1e-4 * full);
    EXPECT_GT(speed_at(0.08, 2.0), 5e-4 * full);
  }
}

// Boom up and stick out together; then with the slew; then with the telescope as well.
TEST_P(FeltBands, SeveralFunctionsShareThePump) {
  const double boom = full_speed(full_levers({{"boom", 10}}, 1.2), "boom");
  const double stick = full_speed(full_levers({{"stick", -10}}, 1.2), "stick");
  const double swing = full_speed(full_levers({{"swing", 5}}, 1.2), "swing");
  const Drive two = full_levers({{"boom", 10}, {"stick", -10}}, 1.2);
  expect_inside(full_speed(two, "boom") / boom, {bands().two_functions, 1.3}, "two, boom");
  expect_inside(full_speed(two, "stick") / stick, {bands().two_functions, 1.3}, "two, stick");
  const Drive three = full_levers({{"boom", 10}, {"stick", -10}, {"swing", 5}}, 1.2);
  const double slowed_swing = full_speed(three, "swing") / swing;
  const double slowed_boom = full_speed(three, "boom") / boom;
  const double slowed_stick = full_speed(three, "stick") / stick;
  // The slew accelerates the crane and has the highest pressure.
  expect_inside(slowed_swing, {0.6, 0.9}, "three, swing");
  EXPECT_LT(slowed_swing, slowed_boom);
  EXPECT_LT(slowed_swing, slowed_stick);
  EXPECT_GE(slowed_boom, 0.6);
  EXPECT_GE(slowed_stick, 0.6);
  const Drive four =
      full_levers({{"boom", 10}, {"stick", -10}, {"swing", 5}, {"extension", 10}}, 1.2);
  expect_inside(full_speed(four, "boom") / boom, {0, 0.3}, "four, boom");
}

TEST_P(FeltBands, ALoadSagsTheTipAndDoesNotSink) {
  const Drive empty = full_levers({{"boom", 0}}, 0.1, 0.2);
  const Drive held = full_levers({{"boom", 0}}, 0.1, 10.0, bands().droop_load_kg);
  const double droop = empty.tip_z.at(0) - held.tip_z.at(0);
  expect_inside(1e3 * droop / bands().droop_load_kg, bands().droop_mm_per_kg, "droop, mm/kg");
  const Drive load = full_levers({{"boom", 0}}, 0.1, 10.0, 600);
  expect_inside(1e3 * (load.tip_z.at(0.1) - load.tip_z.at(10)) / 9.9, {-0.1, 2}, "sinks, mm/s");
  const double up = full_speed(full_levers({{"boom", 10}}, 1.5), "boom");
  const double up_loaded = full_speed(full_levers({{"boom", 10}}, 1.5, 0.1, 600), "boom");
  EXPECT_GE(up_loaded, 0.9 * up);
}

INSTANTIATE_TEST_SUITE_P(Machines, FeltBands,
                         testing::Combine(testing::Values(&kForwarder, &kHarvester),
                                          testing::Values(machine::Fidelity::kReduced,
                                                          machine::Fidelity::kFull)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)->machine) + "_" +
                                  machine::word_of(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace knuckleboom::felt
