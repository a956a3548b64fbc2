#include "app/workbench/bench_results.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/trace_header.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;
using machine::MachineModel;

// Runs that a scenario file has no words for.
void refuse_unsaid(const Workbench& bench) {
  const command::Scenario& scenario = bench.simulation().scenario();
  if (!scenario.pump_Pa.terms.empty() || !scenario.tank_Pa.terms.empty() ||
      !scenario.carrier.empty() || bench.bench_case().loaded.scenario.bench)
    throw UserError(
        "a run with a rig of its own, supply pressures over time or a carrier that drives cannot "
        "be saved as a "
        "scenario; save its trace (.csv)");
  if (!scenario.events.empty())
    throw UserError(
        "a run whose scenario has events of its own cannot be saved as another; save its trace "
        "(.csv)");
  if (bench.given_from() > 0)
    throw UserError(
        fmt::format("the machine became another one, or started anew, at {:g} s; a scenario begins "
                    "with its machine: rewind to "
                    "before that, or save the trace (.csv)",
                    static_cast<double>(bench.given_from()) * bench.simulation().tick_s()));
  if (bench.state().sim.tick == 0) throw UserError("nothing has run yet");
}

// Rows of a table that holds its values: one wherever a value changes.
void write_given(const Workbench& bench, const std::vector<std::string>& names,
                 const fs::path& file) {
  io::AtomicFile out(file);
  std::string line = "t_s";
  for (const std::string& name : names) line += "," + name;
  out.write(line + "\n");
  const std::size_t columns = names.size();
  const std::deque<double>& given = bench.given();
  const double h = bench.simulation().tick_s();
  for (std::size_t row = 0; (row + 1) * columns <= given.size(); ++row) {
    bool changed = row == 0;
    for (std::size_t i = 0; i < columns && !changed; ++i)
      changed = given[row * columns + i] != given[(row - 1) * columns + i];
    if (!changed) continue;
    line = fmt::format("{:.12g}", static_cast<double>(row) * h);
    for (std::size_t i = 0; i < columns; ++i)
      line += fmt::format(",{:.17g}", given[row * columns + i]);
    out.write(line + "\n");
  }
  out.close();
}

// The drives were made here: as the machine file has them.
std::string write_machine(const Workbench& bench, const fs::path& scenario) {
  const MachineModel& model = bench.model();
  const fs::path subject = fs::absolute(bench.request().subject).lexically_normal();
  if (subject.extension() != ".urdf")
    throw UserError(
        "its drives are the workbench's own; give the machine file [[drive]] tables to save runs "
        "as scenarios");
  const fs::path file = scenario.parent_path() / (scenario.stem().string() + "_machine.toml");
  std::string text = fmt::format(
      "# Drives as the workbench made them.\nname = {}\nurdf = {}\nsource = {}\ngravity_m_per_s2 = "
      "{:.17g}\n",
      io::toml_string(model.name), io::toml_string(subject.string()),
      io::toml_string(subject.filename().string()), -model.tree.gravity_W.z());
  for (const machine::JointDrive& drive : model.drives)
    text += fmt::format("\n[[drive]]\njoint = {}\nspeed_gain_{} = {:.17g}\nholds_load = {}\n",
                        io::toml_string(model.joint_name(drive.link)),
                        model.tree.link(drive.link).revolute ? "N_m_s_per_rad" : "N_s_per_m",
                        drive.speed_gain, drive.holds_load);
  io::write_file(file, text);
  return file.filename().string();
}

std::string start_text(const Workbench& bench) {
  std::string text;
  const MachineModel& model = bench.model();
  for (const command::InitialJoint& joint : bench.simulation().scenario().initial) {
    if (joint.turned)
      throw UserError(fmt::format(
          "joint '{}' starts by an orientation, which cannot be saved; save the trace (.csv)",
          joint.joint));
    const int link = model.tree.find_joint(joint.joint);
    text += fmt::format("\n[initial.{}]\nposition_{} = {:.17g}\n", joint.joint,
                        model.tree.link(link).revolute ? "rad" : "m", joint.position);
    if (joint.port_a_given) text += fmt::format("port_a_Pa = {:.17g}\n", joint.port_a_Pa);
    if (joint.port_b_given) text += fmt::format("port_b_Pa = {:.17g}\n", joint.port_b_Pa);
  }
  return text;
}

struct GivenColumn {
  std::string name, joint, mode, scale;
};

// A drive that followed a speed at one time and a torque at another has no single mode.
std::vector<GivenColumn> given_columns_of(const Workbench& bench) {
  std::vector<GivenColumn> out;
  const MachineModel& model = bench.model();
  for (const machine::Actuator& actuator : model.actuators) {
    const std::string& joint = model.joint_name(actuator.link);
    out.push_back({joint + "_valve_V", joint, "voltage", "V"});
  }
  for (const machine::JointDrive& drive : model.drives) {
    const std::string& joint = model.joint_name(drive.link);
    const bool turns = model.tree.link(drive.link).revolute;
    const bool speed =
        bench.state().sim.input.joint[drive.link].mode == sim::JointCommandMode::kSpeed;
    if (bench.state().sim.input.joint[drive.link].mode == sim::JointCommandMode::kNone)
      out.push_back({joint + "_none", joint, "", ""});
    else
      out.push_back({joint + (speed ? "_speed" : "_torque"), joint, speed ? "speed" : "torque",
                     speed ? (turns ? "rad_per_s" : "m_per_s") : (turns ? "N_m" : "N")});
  }
  return out;
}

}  // namespace

void save_bench_scenario(const Workbench& bench, const fs::path& file) {
  refuse_unsaid(bench);
  const std::vector<GivenColumn> columns = given_columns_of(bench);
  const fs::path table = file.parent_path() / (file.stem().string() + ".csv");
  std::string machine = bench.bench_case().has_scenario
                            ? bench.bench_case().loaded.machine_path.string()
                            : bench.request().subject;
  if (bench.bench_case().made_drives)
    machine = write_machine(bench, file);
  else if (machine.find('/') != std::string::npos || machine.ends_with(".toml"))
    machine = fs::absolute(machine).lexically_normal().string();
  std::vector<std::string> names;
  for (const GivenColumn& column : columns) names.push_back(column.name);
  write_given(bench, names, table);

  const double h = bench.simulation().tick_s();
  std::string text = fmt::format(
      "# What valves and drives were given on the workbench.\nname = {}\nmachine = {}\nduration_s "
      "= {:.12g}\n"
      "tick_ms = {:.12g}\n",
      io::toml_string(file.stem().string()), io::toml_string(machine), bench.time(), 1e3 * h);
  for (const std::string& assignment : bench.assignments())
    text += fmt::format("# Driven with --set {}\n", assignment);
  for (const BenchDeed& deed : bench.deeds())
    if (deed.event.empty())
      text += fmt::format("# {:g} s: {}, which a scenario cannot do\n",
                          static_cast<double>(deed.tick) * h, deed.sentence);
  text += start_text(bench);
  for (const GivenColumn& column : columns)
    if (!column.mode.empty())
      text += fmt::format(
          "\n[[joint]]\nname = {}\nmode = \"{}\"\nterms = [{{ kind = \"table\", csv = {}, "
          "value_column = {}, "
          "scale_{} = 1, held = true }}]\n",
          io::toml_string(column.joint), column.mode, io::toml_string(table.filename().string()),
          io::toml_string(column.name), column.scale);
  for (const BenchDeed& deed : bench.deeds())
    if (!deed.event.empty())
      text += fmt::format("\n[[event]]\nat_s = {:.12g}\n{}", static_cast<double>(deed.tick) * h,
                          deed.event);
  io::write_file(file, text);
}

void save_bench_trace(const Workbench& bench, const BenchHistory& history, const fs::path& file) {
  const analysis::Method method = analysis::find_method(machine::word_of(bench.request().fidelity));
  io::TraceHeader header =
      analysis::trace_header(bench.bench_case().loaded, bench.simulation(), method);
  for (const std::string& assignment : bench.assignments())
    header.remarks.push_back("Set: " + assignment);
  for (const BenchDeed& deed : bench.deeds())
    header.remarks.push_back(
        fmt::format("At {:g} s: {}", static_cast<double>(deed.tick) * bench.simulation().tick_s(),
                    deed.sentence));
  if (history.lost()) header.remarks.emplace_back("Its first rows are not kept");
  std::vector<int> columns;
  for (const std::string& name : header.columns) columns.push_back(history.find(name));
  io::TraceWriter writer(file, header);
  std::vector<double> row(columns.size());
  for (std::size_t r = 0; r < history.rows(); ++r) {
    for (std::size_t i = 0; i < columns.size(); ++i) row[i] = history.column(columns[i])[r];
    writer.write(row);
  }
  writer.close();
}

}  // namespace knuckleboom::app
