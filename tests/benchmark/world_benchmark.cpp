// Cost of the forest in a tick of 1 ms, with a machine of 15 parts near it.
#include <algorithm>
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include "knuckleboom/core/world/grapple.hpp"
#include "knuckleboom/core/world/world.hpp"
#include "support/thread_time.hpp"

namespace knuckleboom::world {
namespace {

constexpr double kDt = 1e-3;

WorldRecipe forest(double lift) {
  WorldRecipe recipe;
  recipe.ground.bump_height = 0.1;
  for (int i = 0; i < 30; ++i)
    recipe.stems.push_back(
        {"stem", 9.0 * std::cos(0.5 * i) + 0.1 * i, 9.0 * std::sin(0.5 * i), 12.0, 0.15});
  recipe.bunks.push_back({"red", 5.0, -2.0, 0.3, 2.0, 1.4, 1.2, 1});
  recipe.bunks.push_back({"blue", 5.0, 3.0, 0.3, 2.0, 1.4, 1.2, 2});
  for (int i = 0; i < 8; ++i) {
    Log log;
    log.name = "log";
    log.x = 5.0;
    log.y = -2.0 + 0.05 * (i % 2);
    log.heading = 0.3;
    log.lift = lift + 0.35 * i;
    recipe.logs.push_back(log);
  }
  return recipe;
}

// A carrier, boom, stick, head and a grapple; high above everything or with the jaws at a height.
std::vector<MachinePart> machine(double jaws) {
  std::vector<MachinePart> parts(7 + kGrappleParts);
  const auto set = [&parts](int i, PartRole role, const Vec3& a, const Vec3& b, double radius) {
    MachinePart& part = parts[static_cast<std::size_t>(i)];
    part.shape = {a, b, radius};
    part.p_W = a;
    part.v_W = Vec3(0.3, 0.1, 0.0);
    part.omega_W = Vec3(0.0, 0.0, 0.1);
    part.role = role;
    part.id = i;
  };
  set(0, PartRole::kCarrier, Vec3(-2.0, 0.0, 1.0), Vec3(2.0, 0.0, 1.0), 0.8);
  set(1, PartRole::kCarrier, Vec3(-2.0, 0.9, 0.6), Vec3(2.0, 0.9, 0.6), 0.5);
  set(2, PartRole::kCarrier, Vec3(-2.0, -0.9, 0.6), Vec3(2.0, -0.9, 0.6), 0.5);
  for (int i = 0; i < 2; ++i) {
    parts[static_cast<std::size_t>(i)].v_W = Vec3::Zero();
    parts[static_cast<std::size_t>(i)].omega_W = Vec3::Zero();
  }
  set(3, PartRole::kBoom, Vec3(0.5, 0.0, 2.0), Vec3(3.0, -1.0, 5.0), 0.2);
  set(4, PartRole::kBoom, Vec3(3.0, -1.0, 5.0), Vec3(4.0, -1.5, 4.5), 0.15);
  set(5, PartRole::kStick, Vec3(4.0, -1.5, 4.5), Vec3(5.0, -2.0, jaws + 1.0), 0.12);
  set(6, PartRole::kHead, Vec3(5.0, -2.0, jaws + 0.6), Vec3(5.0, -2.0, jaws + 0.2), 0.12);
  GrappleFrame frame;
  frame.pin_W = Vec3(5.0, -2.0, jaws);
  frame.v_W = Vec3(0.3, 0.1, 0.0);
  grapple_parts(frame, 0.5, 0.2, 100, parts.data() + 7);
  return parts;
}

void run(const World& world, const std::vector<MachinePart>& parts, WorldState& state, int ticks,
         PartForces& forces) {
  for (int k = 0; k < ticks; ++k) world.step(parts, kDt, state, forces);
}

// Eight logs at rest in the bunk, the machine above them.
void world_resting(benchmark::State& bench) {
  const World world(forest(0.4));
  WorldState state = world.initial_state();
  PartForces forces;
  run(world, {}, state, 10000, forces);
  const std::vector<MachinePart> parts = machine(2.5);
  for (auto _ : bench) world.step(parts, kDt, state, forces);
}
BENCHMARK(world_resting)->Unit(benchmark::kMicrosecond);

// The same, kept from resting.
void world_pile_awake(benchmark::State& bench) {
  const World world(forest(0.4));
  WorldState state = world.initial_state();
  PartForces forces;
  run(world, {}, state, 10000, forces);
  for (int i = 0; i < 8; ++i) state.log[i].status = LogStatus::kFree;
  const std::vector<MachinePart> parts = machine(2.5);
  for (auto _ : bench) {
    for (int i = 0; i < 8; ++i) state.log[i].calm_ticks = 0;
    world.step(parts, kDt, state, forces);
  }
  int contacts = 0;
  for (const ContactState& c : state.contact) contacts += c.key_a != 0 ? 1 : 0;
  bench.counters["contacts"] = contacts;
}
BENCHMARK(world_pile_awake)->Unit(benchmark::kMicrosecond);

// Eight logs tumbling into the bunk, and the jaws among them.
void world_tumbling(benchmark::State& bench) {
  const World world(forest(0.4));
  const std::vector<MachinePart> parts = machine(0.9);
  WorldState start = world.initial_state();
  PartForces forces;
  run(world, parts, start, 300, forces);
  WorldState state = start;
  int k = 0;
  for (auto _ : bench) {
    if (++k % 1000 == 0) state = start;
    world.step(parts, kDt, state, forces);
  }
}
BENCHMARK(world_tumbling)->Unit(benchmark::kMicrosecond);

// Sixty logs fall between the stakes of a bunk as wide as a load space; then the same at rest. Times of single
// ticks, which the row in docs/validation.md names.
void world_load(benchmark::State& bench) {
  const bool awake = bench.range(0) != 0;
  WorldRecipe recipe;
  recipe.bunks.push_back({"load", 20.0, 0.0, 0.0, 3.6, 2.75, 2.0, 0});
  for (int i = 0; i < kMaxMoving; ++i) {
    Log log;
    log.name = "log";
    log.radius = 0.11 + 0.003 * (i % 9);
    log.x = 20.0 + 0.02 * (i % 8);
    log.y = 0.36 * (i % 7 - 3);
    log.heading = 0.002 * (i % 5);
    log.lift = 0.6 + 0.34 * (i / 7);
    recipe.logs.push_back(log);
  }
  const World world(recipe);
  WorldState state = world.initial_state();
  PartForces forces;
  const std::vector<MachinePart> parts = machine(9.0);
  if (!awake) run(world, parts, state, 12000, forces);
  std::vector<double> us;
  for (auto _ : bench) {
    const double begin = test::thread_seconds();
    world.step(parts, kDt, state, forces);
    us.push_back(1e6 * (test::thread_seconds() - begin));
    for (int i = 0; awake && i < kMaxMoving; ++i) state.log[i].calm_ticks = 0;
  }
  std::sort(us.begin(), us.end());
  const auto at = [&us](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  bench.counters["p50_us"] = at(0.5);
  bench.counters["p99_us"] = at(0.99);
  bench.counters["contacts"] = static_cast<double>(state.contacts.end);
}
BENCHMARK(world_load)->Arg(1)->Arg(0)->Iterations(5000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace knuckleboom::world
