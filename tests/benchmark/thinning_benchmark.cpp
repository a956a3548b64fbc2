// The trainer's tick of a harvester among 220 standing stems: the demonstrator fells and cuts up the first trees. Times of
// single ticks, which the row in docs/validation.md names.
#include <algorithm>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "support/thread_time.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::training {
namespace {

void thinning(benchmark::State& bench) {
  Exercise exercise = test::shipped_exercise("thinning");
  exercise.fidelity = bench.range(0) != 0 ? machine::Fidelity::kFull : machine::Fidelity::kReduced;
  const Session session(test::shipped_machine(exercise.machine),
                        test::shipped_levers(exercise.levers), exercise);
  const Demonstrator driver(session);
  const auto state = std::make_unique<SessionState>(session.initial_state());
  session.apply(
      {CommandKind::kControlMode, static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
      *state);
  DemonstratorState hands = driver.initial_state();
  const auto snapshot = std::make_unique<SessionSnapshot>(session.snapshot(*state));
  std::vector<double> us;
  for (auto _ : bench) {
    const command::OperatorInput input = driver.drive(*snapshot, session.tick_s(), hands);
    const double begin = test::thread_seconds();
    session.step(input, *state, *snapshot);
    us.push_back(1e6 * (test::thread_seconds() - begin));
  }
  std::sort(us.begin(), us.end());
  const auto at = [&us](double share) {
    return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
  };
  bench.counters["p50_us"] = at(0.5);
  bench.counters["p99_us"] = at(0.99);
  bench.counters["trees"] = static_cast<double>(snapshot->task.step);
}
BENCHMARK(thinning)->Arg(0)->Arg(1)->Iterations(80000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace knuckleboom::training
