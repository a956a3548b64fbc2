// Cost of a tick, compared with a bare rigid-body step of MuJoCo and with converged solutions.
//
// Times on a shared computer vary by a factor of two. Only ratios of times taken alternately within
// one process can be compared: the last benchmark does that and prints a table.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <mujoco/mujoco.h>

#include "knuckleboom/core/batch/batch.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "reference/converged.hpp"
#include "support/machines.hpp"
#include "support/mechanisms.hpp"
#include "support/paths.hpp"
#include "support/thread_time.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using sim::SimState;
using sim::Simulation;

// The reference crane's three links without hydraulics; the head counts with the stick.
constexpr char kBareTree[] = R"(
<mujoco>
  <compiler angle="radian" inertiafromgeom="false"/>
  <option timestep="0.001" integrator="Euler" gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <body>
      <inertial pos="0 0 0.1" mass="7000" diaginertia="9000 9000 15000"/>
      <joint type="hinge" axis="0 0 1"/>
      <body pos="0.35 0 1.9">
        <inertial pos="2.3 0 0.25" mass="1400" diaginertia="90 3200 3200"/>
        <joint type="hinge" axis="0 -1 0"/>
        <body pos="5 0 0">
          <inertial pos="2.348 0 0.0224" mass="1450" diaginertia="31 1995 1995"/>
          <joint type="hinge" axis="0 -1 0"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>)";

class BareTree {
 public:
  BareTree() {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", sizeof kBareTree - 1);
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "tree.xml")], kBareTree,
                sizeof kBareTree - 1);
    char error[500] = "";
    model_ = mj_loadXML("tree.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    reset();
  }
  ~BareTree() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  BareTree(const BareTree&) = delete;
  BareTree& operator=(const BareTree&) = delete;

  void reset() {
    mj_resetData(model_, data_);
    data_->qpos[1] = 0.5;
    data_->qpos[2] = -1.3;
  }
  void step() { mj_step(model_, data_); }

 private:
  mjModel* model_;
  mjData* data_;
};

// Steps through a scenario, over and over.
class Run {
 public:
  Run(const command::Scenario& scenario, Fidelity fidelity,
      machine::MachineModel model = test::reference_machine())
      : simulation_(std::move(model), scenario),
        start_(simulation_.initial_state(fidelity)),
        state_(start_) {}

  void step() {
    rewind_at_end();
    simulation_.step(state_);
  }
  void step(reference::ConvergedSolver& solver) {
    rewind_at_end();
    solver.step(state_);
  }
  const Simulation& simulation() const { return simulation_; }
  const SimState& state() const { return state_; }

 private:
  void rewind_at_end() {
    if (state_.tick == simulation_.tick_count()) state_ = start_;
  }

  Simulation simulation_;
  SimState start_, state_;
};

// --- One by one -------------------------------------------------------------------------------------

void mujoco_bare_tree(benchmark::State& bench) {
  BareTree tree;
  for (auto _ : bench) tree.step();
}
BENCHMARK(mujoco_bare_tree);

void mass_and_bias(benchmark::State& bench) {
  const machine::MachineModel model = test::reference_machine();
  double q[kMaxLinks] = {0.1, 0.5, -1.3};
  const double v[kMaxLinks] = {0.1, 0.2, 0.3};
  multibody::MassAndBias out;
  for (auto _ : bench) {
    q[1] += 1e-9;
    multibody::mass_and_bias(model.tree, model.tree.link_inertias().data(), q, v, out);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(mass_and_bias);

void tick(benchmark::State& bench, const command::Scenario& scenario, Fidelity fidelity) {
  Run run(scenario, fidelity);
  for (auto _ : bench) run.step();
}
BENCHMARK_CAPTURE(tick, full_stick_sine, test::stick_sine(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick, full_tip_circle, test::tip_circle(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick, reduced_stick_sine, test::stick_sine(), Fidelity::kReduced);
BENCHMARK_CAPTURE(tick, reduced_tip_circle, test::tip_circle(), Fidelity::kReduced);

// Six joints: the head hangs and the rotator holds.
void tick_with_grapple(benchmark::State& bench, const command::Scenario& scenario,
                       Fidelity fidelity) {
  Run run(scenario, fidelity,
          io::read_machine(std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) /
                           "config/machines/harvester_grapple/machine.toml")
              .model);
  for (auto _ : bench) run.step();
}
BENCHMARK_CAPTURE(tick_with_grapple, full_stick_sine, test::stick_sine(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick_with_grapple, full_tip_circle, test::tip_circle(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick_with_grapple, reduced_stick_sine, test::stick_sine(), Fidelity::kReduced);
BENCHMARK_CAPTURE(tick_with_grapple, reduced_tip_circle, test::tip_circle(), Fidelity::kReduced);

void tick_and_snapshot(benchmark::State& bench, const command::Scenario& scenario,
                       Fidelity fidelity) {
  Run run(scenario, fidelity);
  for (auto _ : bench) {
    run.step();
    sim::Snapshot snapshot = sim::take_snapshot(run.simulation(), run.state());
    benchmark::DoNotOptimize(snapshot);
  }
}
BENCHMARK_CAPTURE(tick_and_snapshot, full_stick_sine, test::stick_sine(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick_and_snapshot, full_tip_circle, test::tip_circle(), Fidelity::kFull);
BENCHMARK_CAPTURE(tick_and_snapshot, reduced_stick_sine, test::stick_sine(), Fidelity::kReduced);
BENCHMARK_CAPTURE(tick_and_snapshot, reduced_tip_circle, test::tip_circle(), Fidelity::kReduced);

// CVODE, restarted at each tick as the held commands change there; nothing but the solution.
constexpr reference::ConvergedOptions kConverged{1e-6, false};

void converged_tick(benchmark::State& bench, const command::Scenario& scenario, Fidelity fidelity) {
  Run run(scenario, fidelity);
  reference::ConvergedSolver solver(run.simulation(), kConverged);
  for (auto _ : bench) run.step(solver);
}
BENCHMARK_CAPTURE(converged_tick, full_stick_sine, test::stick_sine(), Fidelity::kFull);
BENCHMARK_CAPTURE(converged_tick, reduced_stick_sine, test::stick_sine(), Fidelity::kReduced);

// --- Loops ------------------------------------------------------------------------------------------
// One four-bar, then more of them beside each other: what each adds over the first.

double microseconds_each(int count, const Simulation& simulation, SimState& state) {
  const auto now = [] { return 1e6 * test::thread_seconds(); };
  const double start = now();
  for (int k = 0; k < count; ++k) simulation.step(state);
  return (now() - start) / count;
}

void loops(benchmark::State& bench) {
  constexpr int kMost = 5;
  constexpr int kRounds = 21;
  std::vector<double> each[kMost];
  for (auto _ : bench) {
    std::vector<std::unique_ptr<Simulation>> simulations;
    std::vector<SimState> states;
    for (int n = 1; n <= kMost; ++n) {
      machine::MachineModel model = test::four_bar_machine({}, n);
      model.drives.clear();
      command::Scenario scenario = test::four_bar_start(0.5, 1e3, n);
      simulations.push_back(std::make_unique<Simulation>(model, scenario));
      states.push_back(simulations.back()->initial_state(Fidelity::kReduced));
    }
    for (int round = 0; round < kRounds; ++round)
      for (int n = 0; n < kMost; ++n)
        each[n].push_back(microseconds_each(500, *simulations[static_cast<std::size_t>(n)],
                                            states[static_cast<std::size_t>(n)]));
  }
  for (int n = 0; n < kMost; ++n) {
    std::sort(each[n].begin(), each[n].end());
    const double median = each[n][each[n].size() / 2];
    std::fprintf(stderr, "%d loops: %.2f us a tick, %.2f times one loop\n", n + 1, median,
                 median / each[0][each[0].size() / 2]);
    bench.counters[std::to_string(n + 1) + " loops"] = median;
  }
}
BENCHMARK(loops)->Iterations(1)->Unit(benchmark::kMillisecond);

// --- Side by side -----------------------------------------------------------------------------------

template <class Step>
double microseconds_each(int count, Step step) {
  // The thread's own time: what else the machine does is in no round then.
  const auto now = [] { return 1e6 * test::thread_seconds(); };
  const double start = now();
  for (int k = 0; k < count; ++k) step();
  return (now() - start) / count;
}

struct Ratio {
  const char* name;
  std::vector<double> rounds;

  double least() const { return *std::min_element(rounds.begin(), rounds.end()); }
  double median() const {
    std::vector<double> sorted = rounds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

// Rounds of two seconds of the scenario: everyone steps through the same ticks before the next round.
void ratios(benchmark::State& bench, const command::Scenario& scenario) {
  constexpr int kTicks = 2000;
  constexpr int kRounds = 20;
  std::array<Ratio, 4> table = {{{"full / mujoco", {}},
                                 {"reduced / mujoco", {}},
                                 {"converged full / full", {}},
                                 {"converged full / reduced", {}}}};
  for (auto _ : bench) {
    BareTree tree;
    Run full(scenario, Fidelity::kFull), reduced(scenario, Fidelity::kReduced);
    Run converged_full(scenario, Fidelity::kFull);
    reference::ConvergedSolver full_solver(converged_full.simulation(), kConverged);
    for (int round = 0; round < kRounds; ++round) {
      tree.reset();
      const double mj = microseconds_each(kTicks, [&] { tree.step(); });
      const double f = microseconds_each(kTicks, [&] { full.step(); });
      const double r = microseconds_each(kTicks, [&] { reduced.step(); });
      const double cf = microseconds_each(kTicks, [&] { converged_full.step(full_solver); });
      table[0].rounds.push_back(f / mj);
      table[1].rounds.push_back(r / mj);
      table[2].rounds.push_back(cf / f);
      table[3].rounds.push_back(cf / r);
    }
  }
  // To the error stream: the other one may be read as JSON.
  std::fprintf(stderr, "%s, %d rounds of %d ticks\n%-28s %8s %8s\n", scenario.name.c_str(), kRounds,
               kTicks, "", "least", "median");
  for (const Ratio& ratio : table) {
    std::fprintf(stderr, "%-28s %8.2f %8.2f\n", ratio.name, ratio.least(), ratio.median());
    bench.counters[ratio.name] = ratio.median();
  }
}
BENCHMARK_CAPTURE(ratios, stick_sine, test::stick_sine())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ratios, tip_circle, test::tip_circle())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The trainer's crane with all functions moving: on a pump of its own against a constant source, and in
// between what the valve sections alone cost.
void supply_ratios(benchmark::State& bench, Fidelity fidelity) {
  constexpr int kTicks = 2000;
  constexpr int kRounds = 20;
  command::Scenario scenario = test::stick_sine();
  scenario.duration_s = 0.001 * kTicks;
  for (const char* joint : {"swing", "boom", "stick"}) {
    command::JointProgram program;
    program.joint = joint;
    program.mode = command::JointMode::kVoltage;
    program.signal = {{test::sine(4.0, 0.9, 0.1)}};
    scenario.programs.push_back(program);
  }
  scenario.programs.erase(scenario.programs.begin());
  const auto load = [](const std::string& name) {
    return io::read_machine(std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config/machines" /
                            name / "machine.toml")
        .model;
  };
  machine::MachineModel constant = load("harvester_ls");
  constant.supply.kind = hydraulics::SupplyKind::kConstant;
  std::array<Ratio, 3> table = {{{"pump / constant, same valves", {}},
                                 {"load sensing / grapple", {}},
                                 {"valve sections / grapple", {}}}};
  for (auto _ : bench) {
    Run grapple(scenario, fidelity, load("harvester_grapple"));
    Run sections(scenario, fidelity, constant);
    Run pump(scenario, fidelity, load("harvester_ls"));
    for (int round = 0; round < kRounds; ++round) {
      const double g = microseconds_each(kTicks, [&] { grapple.step(); });
      const double s = microseconds_each(kTicks, [&] { sections.step(); });
      const double p = microseconds_each(kTicks, [&] { pump.step(); });
      table[0].rounds.push_back(p / s);
      table[1].rounds.push_back(p / g);
      table[2].rounds.push_back(s / g);
    }
  }
  std::fprintf(stderr, "supply, %s model, %d rounds of %d ticks\n%-30s %8s %8s\n",
               machine::word_of(fidelity), kRounds, kTicks, "", "least", "median");
  for (const Ratio& ratio : table) {
    std::fprintf(stderr, "%-30s %8.2f %8.2f\n", ratio.name, ratio.least(), ratio.median());
    bench.counters[ratio.name] = ratio.median();
  }
}
BENCHMARK_CAPTURE(supply_ratios, full, Fidelity::kFull)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(supply_ratios, reduced, Fidelity::kReduced)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// --- Many machines ----------------------------------------------------------------------------------------

// The machine of `ratios`, 256 times: the reference case, or other levers for each with all valves moving.
command::Scenario one_of_many(int i, bool moving) {
  command::Scenario scenario = test::stick_sine();
  if (!moving) return scenario;
  scenario.programs.clear();
  int k = 0;
  for (const char* joint : {"swing", "boom", "stick"}) {
    command::JointProgram program;
    program.joint = joint;
    program.mode = command::JointMode::kVoltage;
    program.signal = {{test::sine(2.0 + 0.01 * i, 0.3 + 0.002 * i + 0.1 * k, 0.1)}};
    scenario.programs.push_back(program);
    ++k;
  }
  return scenario;
}

// Time of one machine's tick alone over that in lanes, and simulated seconds in a second of one core.
void batch_ratios(benchmark::State& bench, Fidelity fidelity, bool moving) {
  constexpr int kMachines = 256;
  constexpr int kTicks = 100;
  constexpr int kRounds = 20;
  std::vector<std::unique_ptr<Simulation>> simulations;
  for (int i = 0; i < kMachines; ++i)
    simulations.push_back(
        std::make_unique<Simulation>(test::reference_machine(), one_of_many(i, moving)));
  std::vector<batch::Batch> batches;
  for (int lanes = 1; lanes <= batch::widest(); lanes *= 2) {
    batch::Batch& batch = batches.emplace_back(lanes);
    for (const auto& simulation : simulations)
      batch.add(*simulation, simulation->initial_state(fidelity));
  }
  std::vector<std::vector<double>> us(batches.size() + 1);
  for (auto _ : bench) {
    BareTree tree;
    for (batch::Batch& batch : batches) batch.step(500);
    for (int round = 0; round < kRounds; ++round) {
      tree.reset();
      us.back().push_back(microseconds_each(2000, [&] { tree.step(); }));
      for (std::size_t i = 0; i < batches.size(); ++i)
        us[i].push_back(microseconds_each(1, [&] { batches[i].step(kTicks); }) /
                        (kTicks * kMachines));
    }
  }
  std::fprintf(stderr, "%d machines, %s model, %s\n%-8s %12s %12s %14s %14s %10s\n", kMachines,
               machine::word_of(fidelity), moving ? "all valves moving" : "stick_sine", "lanes",
               "least ratio", "median", "machine-s/s", "over MuJoCo", "in lanes");
  for (std::size_t i = 0; i < batches.size(); ++i) {
    Ratio ratio{"", {}}, seconds{"", {}}, mujoco{"", {}};
    for (std::size_t round = 0; round < us[i].size(); ++round) {
      ratio.rounds.push_back(us[0][round] / us[i][round]);
      seconds.rounds.push_back(1e3 / us[i][round]);
      mujoco.rounds.push_back(us.back()[round] / us[i][round]);
    }
    std::fprintf(stderr, "%-8d %12.2f %12.2f %14.0f %14.2f %10d\n", batches[i].lanes(),
                 ratio.least(), ratio.median(), seconds.median(), mujoco.median(),
                 batches[i].in_lanes());
    bench.counters[std::to_string(batches[i].lanes()) + " lanes"] = ratio.median();
  }
}
BENCHMARK_CAPTURE(batch_ratios, reduced, Fidelity::kReduced, false)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch_ratios, full, Fidelity::kFull, false)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch_ratios, reduced_moving, Fidelity::kReduced, true)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch_ratios, full_moving, Fidelity::kFull, true)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace knuckleboom
