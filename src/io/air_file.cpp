#include "knuckleboom/io/air_file.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "document.hpp"
#include "friction_table.hpp"
#include "gains_table.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using machine::AirDrive;
using machine::AirMode;
using machine::AirRig;

constexpr std::size_t kMaxCases = 32;
constexpr double kLongest = 3600.0;  // s
constexpr double kLargest = 1e3;     // m, m^2, m^3
constexpr double kHighest = 1e8;     // Pa, absolute

class AirReader {
 public:
  AirReader(const Node& root, const machine::MachineModel& machine, const AirChoice& choice,
            Report& report)
      : root_(root), machine_(machine), choice_(choice), report_(report) {}

  AirFile read() {
    TableReader reader(report_, root_, "the air file");
    AirFile file;
    file.description = reader.text("description").value_or("");
    AirRig rig;
    rig.tree = machine_.tree;
    rig.exchange_ticks = choice_.exchange_ticks;
    rig.h = reader.required("tick", Dimension::kTime, Range{1e-5, 0.01});
    if (const Node* node = reader.required_subtable("air")) read_air(*node, rig.air);
    if (const Node* node = reader.required_subtable("valve")) read_valve(*node);
    const auto drives = reader.tables("drive", kMaxActuators);
    if (drives.empty()) reader.missing("drive", {Dimension::kNone});
    for (const Node* node : drives) read_drive(*node, rig);
    if (const Node* node = reader.subtable("foot")) read_foot(*node, rig.foot);
    const auto cases = reader.tables("case", kMaxCases);
    if (cases.empty()) reader.missing("case", {Dimension::kNone});
    for (const Node* node : cases) read_case(*node, rig, file);
    reader.done();
    report_.throw_if_any();
    return file;
  }

 private:
  int joint_named(TableReader& reader, const std::string& name) {
    std::vector<std::string> names;
    for (int i = 0; i < machine_.joint_count(); ++i) {
      if (machine_.joint_name(i) == name) return i;
      names.push_back(machine_.joint_name(i));
    }
    if (!name.empty())
      reader.error("joint", fmt::format("machine '{}' has no joint '{}'{}", machine_.name, name,
                                        alternatives(name, names)));
    return -1;
  }

  void read_air(const Node& node, pneumatics::Air& air) {
    TableReader reader(report_, node, "the air");
    const Range absolute{0.0, kHighest, true};
    air.P_supply = reader.required("supply", Dimension::kPressure, absolute);
    air.P_ambient =
        reader.quantity("ambient", Dimension::kPressure, absolute).value_or(air.P_ambient);
    reader.done();
  }

  void read_valve(const Node& node) {
    TableReader reader(report_, node, "the valve");
    valve_.dead_zone_V =
        reader.quantity("dead_zone", Dimension::kVoltage, Range{0.0, 4.9}).value_or(0.0);
    const double full = reader.required("full", Dimension::kVoltage, Range{0.0, 5.0, true});
    valve_.area_max = reader.required("area", Dimension::kArea, kPositive);
    valve_.leakage = reader.quantity("leakage", Dimension::kArea, kNonNegative).value_or(0.0);
    valve_.lag_s = reader.quantity("lag", Dimension::kTime, kNonNegative).value_or(0.0);
    if (full > 0.0 && full <= valve_.dead_zone_V)
      reader.error("full",
                   "the valve is fully open within its dead zone; 'full' counts from the middle");
    else if (full > 0.0)
      valve_.gain = valve_.area_max / (full - valve_.dead_zone_V);
    reader.done();
  }

  void read_drive(const Node& node, AirRig& rig) {
    const Node* joint = node.find("joint");
    TableReader reader(report_, node,
                       joint != nullptr && joint->is_string()
                           ? fmt::format("drive '{}'", joint->text)
                           : "the drive");
    AirDrive drive;
    drive.name = reader.required_text("joint");
    drive.valve = valve_;
    const int link = joint_named(reader, drive.name);
    drive.link = std::max(0, link);
    const bool turns = link >= 0 && machine_.tree.link(link).revolute;
    for (const AirDrive& other : rig.drives)
      if (link >= 0 && other.link == link)
        reader.error("joint", fmt::format("joint '{}' has two drives; remove one", drive.name));
    read_cylinder(reader, drive);
    if (turns) {
      drive.linkage.kind = machine::LinkageKind::kTriangle;
      drive.linkage.base_pin = reader.required_vector("base_pin", Dimension::kLength);
      drive.linkage.rod_pin = reader.required_vector("rod_pin", Dimension::kLength);
    }
    drive.displacement_in =
        reader.required("retracted", Dimension::kLength, Range{-kLargest, kLargest});
    const Range absolute{0.0, kHighest, true};
    drive.P_start[0] = reader.required("start_a", Dimension::kPressure, absolute);
    drive.P_start[1] = reader.required("start_b", Dimension::kPressure, absolute);
    read_drive_friction(reader, drive);
    if (const Node* stops = reader.required_subtable("end_stops")) {
      TableReader ends(report_, *stops, "the end stops");
      drive.stops.stiffness = ends.required("stiffness", Dimension::kStiffness, kPositive);
      drive.stops.damping =
          ends.quantity("damping", Dimension::kDamping, kNonNegative).value_or(0.0);
      ends.done();
    }
    if (const Node* gains = reader.required_subtable("controller")) {
      TableReader own(report_, *gains, fmt::format("the controller of drive '{}'", drive.name));
      drive.gains = read_gains(own, !turns);
    }
    reader.done();
    rig.drives.push_back(drive);
  }

  void read_cylinder(TableReader& reader, AirDrive& drive) {
    const Range size{0.0, kLargest, true};
    const double bore = reader.required("bore", Dimension::kLength, size);
    const double rod =
        reader.quantity("rod", Dimension::kLength, Range{0.0, kLargest}).value_or(0.0);
    if (rod >= bore && reader.has("rod"))
      reader.error("rod", "the rod must be thinner than the bore");
    constexpr double kQuarter = 0.25 * std::numbers::pi;
    drive.cylinder.area_cap = kQuarter * bore * bore;
    drive.cylinder.area_rod = kQuarter * (bore * bore - rod * rod);
    drive.cylinder.stroke = reader.required("stroke", Dimension::kLength, size);
    drive.cylinder.dead_cap = reader.required("dead_a", Dimension::kVolume, size);
    drive.cylinder.dead_rod = reader.required("dead_b", Dimension::kVolume, size);
  }

  void read_drive_friction(TableReader& reader, AirDrive& drive) {
    Node other;
    const Node* table = reader.table().find("friction");
    if (table != nullptr && table->is_table() && !choice_.friction.empty()) {
      other = reader.table();
      if (Node* model = other.find("friction")->find("model")) model->text = choice_.friction;
      TableReader with(report_, other, reader.what());
      drive.friction = read_friction(report_, with, false, "damping", false, drive.viscous);
      reader.any("friction");
      return;
    }
    drive.friction = read_friction(report_, reader, false, "damping", false, drive.viscous);
  }

  void read_foot(const Node& node, machine::Foot& foot) {
    TableReader reader(report_, node, "the foot");
    const std::string body = reader.required_text("body");
    foot.body = machine_.tree.find_body(body);
    if (!body.empty() && foot.body == multibody::kBase)
      reader.error("body", fmt::format("machine '{}' has no body '{}'", machine_.name, body));
    foot.p_B = reader.required_vector("position", Dimension::kLength);
    foot.full = reader.required("full", Dimension::kLength, kPositive);
    has_foot_ = true;
    reader.done();
  }

  // Plain numbers, in SI of what the signal is for.
  command::Signal read_sine(const Node& node, const std::string& what) {
    TableReader reader(report_, node, what);
    command::Signal signal;
    command::Term mean, wave;
    mean.value = reader.required("offset", Dimension::kNone);
    wave.kind = command::TermKind::kSine;
    wave.value = reader.required("amplitude", Dimension::kNone);
    wave.frequency_Hz = reader.required("frequency", Dimension::kFrequency, kPositive);
    wave.phase_rad = reader.quantity("phase", Dimension::kAngle).value_or(0.0);
    wave.fade_in_s = reader.quantity("fade_in", Dimension::kTime, kNonNegative).value_or(0.0);
    reader.done();
    signal.terms = {mean, wave};
    return signal;
  }

  command::Signal read_square(const Node& node, double duration_s) {
    TableReader reader(report_, node, "the square wave");
    command::Signal signal;
    command::Term low;
    low.value = reader.required("low", Dimension::kNone);
    const double high = reader.required("high", Dimension::kNone);
    const double frequency =
        reader.required("frequency", Dimension::kFrequency, Range{0.0, 100.0, true});
    reader.done();
    signal.terms.push_back(low);
    if (report_.any()) return signal;
    for (double t = 0.5 / frequency; t < duration_s; t += 1.0 / frequency) {
      command::Term pulse;
      pulse.kind = command::TermKind::kPulse;
      pulse.value = high - low.value;
      pulse.start_s = t;
      pulse.end_s = t + 0.5 / frequency;
      signal.terms.push_back(pulse);
    }
    return signal;
  }

  void read_start(TableReader& reader, AirRig& rig) {
    const Node* node = reader.required_subtable("start");
    if (node == nullptr) return;
    for (const Entry& entry : node->entries) {
      const int link = joint_named(reader, entry.key);
      if (link < 0) continue;
      if (!entry.value.is_number() || !std::isfinite(entry.value.number))
        report_.error(entry.place, fmt::format("'{}' needs a number [rad, m]", entry.key));
      else
        rig.q_start[link] = entry.value.number;
    }
  }

  void read_case(const Node& node, AirRig rig, AirFile& file) {
    const Node* called = node.find("name");
    TableReader reader(report_, node,
                       called != nullptr && called->is_string()
                           ? fmt::format("case '{}'", called->text)
                           : "the case");
    rig.name = reader.required_text("name");
    if (!rig.name.empty() && !is_name(rig.name))
      reader.error("name",
                   "a name begins with a letter and goes on with letters, digits, '_' or '-'");
    for (const AirRig& other : file.cases)
      if (other.name == rig.name)
        reader.error("name", fmt::format("there are two cases called '{}'; rename one", rig.name));
    rig.description = reader.text("description").value_or("");
    rig.duration_s = reader.required("duration", Dimension::kTime, Range{0.0, kLongest, true});
    const AirMode mode = reader
                             .choice<AirMode>("mode", {{"voltage", AirMode::kVoltage},
                                                       {"track", AirMode::kTrack},
                                                       {"foot", AirMode::kFoot}})
                             .value_or(AirMode::kFoot);
    if (!reader.has("mode")) reader.missing("mode", {Dimension::kNone});
    read_start(reader, rig);
    for (AirDrive& drive : rig.drives) {  // all that is not asked for holds its start
      drive.mode = mode == AirMode::kFoot ? AirMode::kFoot : AirMode::kTrack;
      command::Term hold;
      hold.value = rig.q_start[drive.link];
      drive.signal.terms = {hold};
    }
    if (mode == AirMode::kFoot)
      read_lever(reader, rig);
    else
      read_program(reader, mode, rig);
    reader.done();
    if (report_.any()) return;
    try {
      rig.finish();
    } catch (const std::invalid_argument& fault) {
      report_.error(node.place, fmt::format("{}: {}", reader.what(), fault.what()));
    }
    file.cases.push_back(std::move(rig));
  }

  void read_lever(TableReader& reader, AirRig& rig) {
    if (!has_foot_) reader.error("mode", "the file has no [foot] that a lever could lead");
    rig.foot.used = true;
    const auto levers = reader.tables("lever", 3);
    if (levers.size() != 3 && !report_.any())
      reader.error("lever", "the lever has three axes; give 'lever' three tables");
    for (std::size_t k = 0; k < levers.size(); ++k)
      rig.foot.lever[k] = read_sine(*levers[k], "the lever");
  }

  void read_program(TableReader& reader, AirMode mode, AirRig& rig) {
    const std::string joint = reader.required_text("joint");
    const int link = joint_named(reader, joint);
    const Node* sine = reader.subtable("sine");
    const Node* square = reader.subtable("square");
    if ((sine == nullptr) == (square == nullptr))
      reader.error("joint", fmt::format("{} needs either 'sine' or 'square'", reader.what()));
    bool found = false;
    for (AirDrive& drive : rig.drives) {
      if (drive.link != link || link < 0) continue;
      found = true;
      drive.mode = mode;
      if (sine != nullptr)
        drive.signal = read_sine(*sine, "the sine");
      else if (square != nullptr)
        drive.signal = read_square(*square, rig.duration_s);
    }
    if (!found && link >= 0) reader.error("joint", fmt::format("joint '{}' has no drive", joint));
  }

  const Node& root_;
  const machine::MachineModel& machine_;
  const AirChoice& choice_;
  Report& report_;
  pneumatics::Valve valve_;
  bool has_foot_ = false;
};

}  // namespace

AirFile read_air_text(std::string_view text, const std::string& file_name,
                      const machine::MachineModel& machine, const AirChoice& choice,
                      std::span<const Override> overrides) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "air file";
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  AirFile file = AirReader(root, machine, choice, report).read();
  file.files = report.files_read();
  return file;
}

AirFile read_air(const std::filesystem::path& path, const machine::MachineModel& machine,
                 const AirChoice& choice, std::span<const Override> overrides) {
  return read_air_text(read_text_file(path, kConfigurationLimit, "air file"), path.string(),
                       machine, choice, overrides);
}

}  // namespace knuckleboom::io
