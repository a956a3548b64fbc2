// Cost of a tick by way of an FMU, over a tick of the engine itself: alternating in one process.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "fmi/export.hpp"
#include "fmi/import.hpp"
#include "knuckleboom/core/sim/held.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/scratch_folder.hpp"
#include "support/thread_time.hpp"

namespace knuckleboom::fmi {
namespace {

// Work of an importer at each communication point.
enum class Exchange { kNothing, kInputs, kInputsAndPositions, kAll };

struct Importer {
  io::ScratchFolder folder;
  Foreign foreign;
  std::vector<unsigned> inputs, outputs;
  std::vector<double> in, out;
  std::unique_ptr<ForeignSlave> slave;

  Importer(const std::string& machine, Version version, Exchange exchange) {
    ExportRequest request;
    request.machine = machine;
    request.fidelity = "reduced";
    request.inputs = Inputs::kVolts;
    request.version = version;
    const std::filesystem::path file = folder.path() / "machine.fmu";
    export_fmu(request, file);
    foreign = unpack(file);
    for (const ForeignVariable& one : foreign.variables) {
      if (one.input && exchange != Exchange::kNothing) inputs.push_back(one.reference);
      const bool position =
          one.name.ends_with("_rad") && one.name.find("_ref_") == std::string::npos;
      if (one.output &&
          (exchange == Exchange::kAll || (exchange == Exchange::kInputsAndPositions && position)))
        outputs.push_back(one.reference);
    }
    in.resize(inputs.size());
    out.resize(outputs.size());
    slave = run_foreign(foreign);
    slave->begin();
  }
};

// args: version of FMI, exchange.
void fmu_tick(benchmark::State& state, const char* machine) {
  constexpr std::int64_t kStretch = 1000, kStretches = 200;
  const auto exchange = static_cast<Exchange>(state.range(1));
  for (auto _ : state) {
    Importer fmu(machine, state.range(0) == 2 ? Version::k2 : Version::k3, exchange);
    const io::LoadedCase loaded = io::load_case(
        (fmu.foreign.folder->path() / "resources" / kScenarioFile).string(), machine, {});
    const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    sim::SimState native = simulation.initial_state(machine::Fidelity::kReduced);
    const auto actuators =
        static_cast<std::size_t>(sim::take_snapshot(simulation, native).actuator_count);
    sim::Held held{};
    for (std::size_t k = 0; k < actuators; ++k) {
      held.input.actuator[k] = {0.0, sim::ActuatorMode::kVoltage, 0, 0.0};
      held.drive[k] = true;
    }
    std::int64_t done = 0;
    const double tick_s = simulation.tick_s();
    const auto volts = [](std::int64_t tick) { return tick / 700 % 2 == 0 ? 2.0 : -2.0; };
    const auto by_itself = [&] {
      const double begin = test::thread_seconds();
      for (std::int64_t i = 0; i < kStretch; ++i) {
        if (exchange != Exchange::kNothing)
          for (std::size_t k = 0; k < actuators; ++k)
            held.input.actuator[k].value = volts(done + i);
        sim::step_held(simulation, held, native);
      }
      return test::thread_seconds() - begin;
    };
    const auto by_fmu = [&] {
      const double begin = test::thread_seconds();
      for (std::int64_t i = 0; i < kStretch; ++i) {
        if (!fmu.inputs.empty()) {
          std::fill(fmu.in.begin(), fmu.in.end(), volts(done + i));
          fmu.slave->set(fmu.inputs, fmu.in);
        }
        fmu.slave->step(static_cast<double>(done + i) * tick_s, tick_s);
        if (!fmu.outputs.empty()) fmu.slave->get(fmu.outputs, fmu.out);
      }
      return test::thread_seconds() - begin;
    };
    std::vector<double> ratios;
    double sum = 0.0;
    for (std::int64_t i = 0; i < kStretches; ++i) {
      const double first = i % 2 == 0 ? by_itself() : by_fmu();
      const double second = i % 2 == 0 ? by_fmu() : by_itself();
      ratios.push_back(i % 2 == 0 ? second / first : first / second);
      sum += i % 2 == 0 ? first : second;
      done += kStretch;
    }
    std::nth_element(ratios.begin(), ratios.begin() + kStretches / 2, ratios.end());
    state.counters["native_us"] = sum * 1e6 / (kStretch * kStretches);
    state.counters["outputs"] = static_cast<double>(fmu.outputs.size());
    state.counters["median_ratio"] = ratios[kStretches / 2];
  }
}
void every_exchange(benchmark::internal::Benchmark* bench) {
  for (const int version : {3, 2})
    for (const int exchange : {0, 1, 2, 3}) bench->Args({version, exchange});
  bench->Iterations(1)->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(fmu_tick, harvester, "harvester")->Apply(every_exchange);
BENCHMARK_CAPTURE(fmu_tick, harvester_wheeled, "harvester_wheeled")->Apply(every_exchange);

}  // namespace
}  // namespace knuckleboom::fmi
