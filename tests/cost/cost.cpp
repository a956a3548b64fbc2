// Instructions of a tick, counted by valgrind and held against budgets.toml: unlike times they come out
// the same on every processor, however busy it is.
//
// Called without --counted the program starts itself under callgrind, reads the counts and judges them.
// Status 0: within budget; 1: beyond, or something went wrong; 77: not comparable here, with a sentence.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"
#include "support/paths.hpp"
#include "support/trainer.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(label) static_cast<void>(label)
#endif

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;
using machine::Fidelity;

constexpr double kRoom = 0.02;   // a budget may be exceeded by this share of it
constexpr double kSpare = 0.02;  // with more than this to spare it is worth lowering
constexpr int kSkipped = 77;
// Every processor runs these, and valgrind knows them.
constexpr sim::Instructions kInstructions = sim::Instructions::kBaseline;
// The C library picks its copying by the processor unless told otherwise.
constexpr char kTunables[] =
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-ERMS,-FSRM,"
    "-AVX_Fast_Unaligned_Load";

// --- Cases ----------------------------------------------------------------------------------

// Counts while it lives.
class Counted {
 public:
  Counted() { CALLGRIND_TOGGLE_COLLECT; }
  ~Counted() { CALLGRIND_TOGGLE_COLLECT; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

// Steps through a scenario, counting from one time to another. Returns the ticks counted.
int run(machine::MachineModel model, const command::Scenario& scenario, Fidelity fidelity,
        double from_s, double to_s) {
  const sim::Simulation simulation(std::move(model), scenario, kInstructions);
  sim::SimState state = simulation.initial_state(fidelity);
  while (simulation.time(state) < from_s) simulation.step(state);
  CALLGRIND_START_INSTRUMENTATION;
  int ticks = 0;
  for (; simulation.time(state) < to_s; ++ticks) {
    const Counted counted;
    simulation.step(state);
  }
  return ticks;
}

// Every valve to and fro, neighbours apart in frequency so that they do not all reverse at once.
int all_valves(machine::MachineModel model, Fidelity fidelity, double to_s) {
  command::Scenario scenario;
  scenario.name = "all_valves";
  scenario.duration_s = to_s;
  for (const machine::Actuator& actuator : model.actuators) {
    const double Hz = 0.9 + 0.05 * static_cast<double>(scenario.programs.size());
    scenario.programs.push_back({model.joint_name(actuator.link),
                                 command::JointMode::kVoltage,
                                 {{test::sine(4.0, Hz, 0.1)}}});
  }
  if (model.name == "reference") scenario.initial = test::standstill(to_s).initial;
  return run(std::move(model), scenario, fidelity, 0.0, to_s);
}

// Many joints in a chain, and actuators along it, at the first joint and at equal distances.
machine::MachineModel chain(int joints, int valves, bool weightless = false) {
  machine::MachineModel model;
  model.name = "chain";
  if (weightless) model.tree.gravity_W.setZero();
  for (int i = 0; i < joints; ++i) {
    multibody::Body body;
    body.name = body.joint_name = "part" + std::to_string(i);
    body.parent = i == 0 ? multibody::kBase : i - 1;
    body.type = multibody::JointType::kRevolute;
    body.in_parent.p = Vec3(i == 0 ? 0.0 : 0.5, 0.0, 0.0);
    body.axis_B = i % 2 == 0 ? Vec3::UnitZ().eval() : (-Vec3::UnitY()).eval();
    body.inertia.mass = 200.0 - 10.0 * i;
    body.inertia.com = Vec3(0.25, 0.0, 0.0);
    body.inertia.about_com = Vec3(2.0, 6.0, 6.0).asDiagonal();
    model.tree.add_body(body);
  }
  for (int k = 0; k < valves; ++k) {
    machine::Actuator actuator;
    actuator.link = joints / valves * k;
    actuator.name = "part" + std::to_string(actuator.link);
    actuator.circuit = test::reference_motor();
    model.actuators.push_back(actuator);
    model.controllers.push_back({});
  }
  model.tip_body = joints - 1;
  if (const std::vector<std::string> faults = machine::finish(model); !faults.empty())
    throw std::logic_error(faults.front());
  return model;
}

// A shipped exercise as the trainer runs it, with the demonstrator at the levers.
struct Demonstrated {
  training::Session session;
  training::Demonstrator driver{session};
  training::SessionState state{};
  training::DemonstratorState hands{};
  training::SessionSnapshot snapshot{};

  Demonstrated(const char* name, Fidelity fidelity) : session(made(name, fidelity)) { begin(); }
  void begin() {
    state = session.initial_state();
    session.apply({training::CommandKind::kControlMode,
                   static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
                  state);
    hands = driver.initial_state();
    snapshot = session.snapshot(state);
  }
  command::OperatorInput levers() { return driver.drive(snapshot, session.tick_s(), hands); }
  void step(const command::OperatorInput& input) { session.step(input, state, snapshot); }

 private:
  static training::Session made(const char* name, Fidelity fidelity) {
    training::Exercise exercise = test::shipped_exercise(name);
    exercise.fidelity = fidelity;
    return training::Session(test::shipped_machine(exercise.machine),
                             test::shipped_levers(exercise.levers), exercise, kInstructions);
  }
};

// The trainer's tick: the demonstrator grips the first log and lifts it out of its place.
int logs(Fidelity fidelity) {
  constexpr double kBefore = 1.0, kAfter = 1.0;  // s, of the grip
  // Once to learn when that is, with the levers kept; then again, counted.
  const auto run = std::make_unique<Demonstrated>("logs", fidelity);
  std::vector<command::OperatorInput> levers;
  const double h = run->session.tick_s();
  for (double since_grip = -1.0; since_grip < kAfter; since_grip += since_grip < 0.0 ? 0.0 : h) {
    if (since_grip < 0.0 && run->snapshot.held_log >= 0) since_grip = 0.0;
    levers.push_back(run->levers());
    run->step(levers.back());
  }
  run->begin();
  const auto counted_ticks = static_cast<std::size_t>((kBefore + kAfter) / h);
  const std::size_t first = levers.size() - std::min(levers.size(), counted_ticks);
  for (std::size_t k = 0; k < first; ++k) run->step(levers[k]);
  CALLGRIND_START_INSTRUMENTATION;
  for (std::size_t k = first; k < levers.size(); ++k) {
    const Counted counted;
    run->step(levers[k]);
  }
  return static_cast<int>(levers.size() - first);
}

// The trainer's tick of a harvester among 220 stems, while the crane sets off to the first one.
int thinning(Fidelity fidelity) {
  constexpr int kTicks = 300;
  const auto run = std::make_unique<Demonstrated>("thinning", fidelity);
  CALLGRIND_START_INSTRUMENTATION;
  for (int k = 0; k < kTicks; ++k) {
    const command::OperatorInput levers = run->levers();
    const Counted counted;
    run->step(levers);
  }
  return kTicks;
}

struct Case {
  const char* name;
  const char* what;
  std::function<int(Fidelity)> run;  // returns the ticks counted
};

constexpr char kFewer[] = "6_actuators", kMore[] = "16_actuators";

std::vector<Case> cases() {
  const auto reference = [] { return test::reference_machine(); };
  return {
      {"stick_sine", "one valve moves",
       [=](Fidelity f) { return run(reference(), test::stick_sine(), f, 10.0, 14.0); }},
      {"tip_circle", "tip path",
       [=](Fidelity f) { return run(reference(), test::tip_circle(), f, 5.0, 8.0); }},
      {"all_valves", "3 joints, 3 valves move",
       [=](Fidelity f) { return all_valves(reference(), f, 2.0); }},
      {"long_chain", "16 joints, 8 valves move",
       [](Fidelity f) { return all_valves(chain(16, 8), f, 0.5); }},
      {kFewer, "6 joints, 6 valves move",
       [](Fidelity f) { return all_valves(chain(6, 6, true), f, 0.3); }},
      {kMore, "16 joints, 16 valves move",
       [](Fidelity f) { return all_valves(chain(16, 16, true), f, 0.2); }},
      {"logs", "the trainer's tick, with contact", logs},
      {"thinning", "the trainer's tick among 220 stems", thinning},
  };
}

constexpr Fidelity kModels[] = {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper};
const char* name_of(Fidelity f) { return machine::word_of(f); }

// Under callgrind: one dump for each case and model, with its ticks in the label.
int count_all() {
  for (const Case& c : cases())
    for (const Fidelity f : kModels) {
      const int ticks = c.run(f);
      const std::string label =
          std::string(c.name) + " " + name_of(f) + " " + std::to_string(ticks);
      CALLGRIND_DUMP_STATS_AT(label.c_str());
      CALLGRIND_STOP_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
    }
  return 0;
}

// --- Judging ------------------------------------------------------------------------------------------

using Key = std::pair<std::string, std::string>;  // case, model
using Counts = std::map<Key, double>;             // instructions a tick

// From callgrind's dumps in a folder.
Counts read_counts(const fs::path& folder) {
  Counts out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    constexpr char kLabel[] = "desc: Trigger: Client Request: ";
    constexpr char kTotals[] = "totals: ";
    std::ifstream file(entry.path());
    std::string line, name, model;
    double ticks = 0.0;
    double total = 0.0;
    while (std::getline(file, line)) {
      if (line.starts_with(kLabel))
        std::istringstream(line.substr(sizeof kLabel - 1)) >> name >> model >> ticks;
      if (line.starts_with(kTotals))
        total = std::strtod(line.c_str() + sizeof kTotals - 1, nullptr);
    }
    if (ticks > 0.0) out[{name, model}] = total / ticks;
  }
  return out;
}

int skipped(const std::string& reason) {
  std::printf("cost: skipped; %s\n", reason.c_str());
  return kSkipped;
}

// Why counts would not compare with the budgets; empty if they do.
std::string not_comparable(const std::string& compiler) {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "this is no release build, and the budgets are for one";
#endif
#ifdef __clang__
  const std::string own = "clang " __clang_version__;
#else
  const std::string own = "g++ " __VERSION__;
#endif
  if (own != compiler)
    return "the budgets are for the code of " + compiler + ", and this program is that of " + own;
  if (std::system("valgrind --version >/dev/null 2>&1") != 0)
    return "valgrind is not installed (Debian: valgrind)";
#if !__has_include(<valgrind/callgrind.h>)
  return "this program was built without valgrind's headers (Debian: valgrind); build it again";
#endif
  return {};
}

Counts count_under_valgrind(const fs::path& program, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string out = "--callgrind-out-file=" + (folder / "callgrind.out").string();
  const std::string log = "--log-file=" + (folder / "valgrind.log").string();
  const pid_t child = fork();
  if (child == 0) {
    setenv("GLIBC_TUNABLES", kTunables, 1);
    execlp("valgrind", "valgrind", "--tool=callgrind", "--collect-atstart=no", "--instr-atstart=no",
           out.c_str(), log.c_str(), program.c_str(), "--counted", nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("valgrind failed; see " + (folder / "valgrind.log").string());
  return read_counts(folder);
}

void store(const Counts& counts, const std::string& compiler, const fs::path& path) {
  std::ofstream file(path);
  file << "# Instructions of a tick: the most that each case may cost, give or take 2 %.\n"
          "# `./dev cost --store` writes what it has just counted. Lower a budget with each gain; "
          "raise one\n"
          "# only together with its reason in the commit.\n"
       << "compiler = \"" << compiler << "\"\n";
  for (const Case& c : cases()) {
    file << "\n[" << c.name << "]  # " << c.what << "\n";
    for (const Fidelity f : kModels)
      file << name_of(f) << " = " << std::llround(counts.at({c.name, name_of(f)})) << "\n";
  }
}

int judge(const Counts& counts, const toml::table& budgets) {
  int beyond = 0;
  bool spare = false;
  std::printf("instructions a tick          count   budget   ratio\n");
  for (const Case& c : cases())
    for (const Fidelity f : kModels) {
      const auto count = counts.find({c.name, name_of(f)});
      const double budget = budgets[c.name][name_of(f)].value_or(0.0);
      if (count == counts.end() || budget <= 0.0) {
        std::printf("%-12s %-10s %s\n", c.name, name_of(f),
                    count == counts.end() ? "was not counted" : "has no budget");
        ++beyond;
        continue;
      }
      const double ratio = count->second / budget;
      std::printf("%-12s %-10s %10.0f %8.0f %7.3f%s\n", c.name, name_of(f), count->second, budget,
                  ratio, ratio > 1.0 + kRoom ? "  beyond" : "");
      beyond += ratio > 1.0 + kRoom ? 1 : 0;
      spare = spare || ratio < 1.0 - kSpare;
    }
  std::printf("\nreduced over full\n");
  for (const Case& c : cases())
    if (counts.contains({c.name, "full"}) && counts.contains({c.name, "reduced"}))
      std::printf("%-12s %.2f  %s\n", c.name,
                  counts.at({c.name, "reduced"}) / counts.at({c.name, "full"}), c.what);
  std::printf("\nexponent of the cost from 6 to 16 actuators, each on a joint of its own\n");
  for (const Fidelity f : kModels)
    if (counts.contains({kFewer, name_of(f)}) && counts.contains({kMore, name_of(f)}))
      std::printf("%-11s %.2f\n", name_of(f),
                  std::log(counts.at({kMore, name_of(f)}) / counts.at({kFewer, name_of(f)})) /
                      std::log(16.0 / 6.0));
  if (beyond > 0)
    std::printf(
        "\n%d beyond the budget by more than %.0f %%: find what costs, or store the new budget "
        "with its reason.\n",
        beyond, 100.0 * kRoom);
  else if (spare)
    std::printf("\nCheaper than budgeted: `./dev cost --store` lowers the budgets.\n");
  return beyond > 0 ? 1 : 0;
}

}  // namespace
}  // namespace knuckleboom

int main(int argc, char** argv) {
  using namespace knuckleboom;
  const std::string option = argc > 1 ? argv[1] : "";
  try {
    if (option == "--counted") return count_all();
    if (argc > 2 || (!option.empty() && option != "--store")) {
      std::fprintf(stderr, "usage: ./dev cost [--store]\n");
      return 2;
    }
    const fs::path path = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "tests/cost/budgets.toml";
    const toml::table budgets = toml::parse_file(path.string());
    const std::string compiler = budgets["compiler"].value_or(std::string());
    if (const std::string reason = not_comparable(compiler); !reason.empty())
      return skipped(reason);
    const fs::path program = fs::read_symlink("/proc/self/exe");
    const fs::path folder = program.parent_path().parent_path() / "cost";
    const Counts counts = count_under_valgrind(program, folder);
    if (option == "--store") store(counts, compiler, path);
    const int status =
        judge(counts, option == "--store" ? toml::parse_file(path.string()) : budgets);
    std::printf("By function: callgrind_annotate %s.1 (or .2, ... in the order above)\n",
                (folder / "callgrind.out").c_str());
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cost: %s\n", error.what());
    return 1;
  }
}
