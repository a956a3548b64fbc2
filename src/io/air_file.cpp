#include "knuckleboom/io/air_file.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "declare/air_keys.hpp"
#include "document.hpp"
#include "friction_table.hpp"
#include "gains_table.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using machine::AirDrive;
using machine::AirMode;
using machine::AirRig;

namespace keys = declare::keys;
namespace air_keys = keys::air_file;

class AirReader {
 public:
  AirReader(const Node& root, const machine::MachineModel& machine, const AirChoice& choice,
            Report& report)
      : root_(root), machine_(machine), choice_(choice), report_(report) {}

  AirFile read() {
    TableReader reader(report_, root_, air_keys::table, "the air file");
    AirFile file;
    file.description = reader.text(air_keys::description).value_or("");
    AirRig rig;
    rig.tree = machine_.tree;
    rig.exchange_ticks = choice_.exchange_ticks;
    reader.fill(rig);
    if (const Node* node = reader.subtable(air_keys::air))
      fill(*node, keys::air::table, "the air", rig.air);
    if (const Node* node = reader.subtable(air_keys::valve)) read_valve(*node);
    for (const Node* node : reader.tables(air_keys::drives)) read_drive(*node, rig);
    if (const Node* node = reader.subtable(air_keys::foot)) read_foot(*node, rig.foot);
    for (const Node* node : reader.tables(air_keys::cases)) read_case(*node, rig, file);
    reader.done();
    report_.throw_if_any();
    return file;
  }

 private:
  template <class T>
  void fill(const Node& node, const KeyTable& keys, const char* what, T& object) {
    TableReader reader(report_, node, keys, what);
    reader.fill(object);
    reader.done();
  }

  int joint_named(const Place& place, const std::string& name) {
    std::vector<std::string> names;
    for (int i = 0; i < machine_.joint_count(); ++i) {
      if (machine_.joint_name(i) == name) return i;
      names.push_back(machine_.joint_name(i));
    }
    if (!name.empty())
      report_.error(place, fmt::format("machine '{}' has no joint '{}'{}", machine_.name, name,
                                       alternatives(name, names)));
    return -1;
  }

  void read_valve(const Node& node) {
    namespace k = keys::air_valve;
    TableReader reader(report_, node, k::table, "the valve");
    reader.fill(valve_);
    const double full = reader.value(k::full);
    if (full > 0.0 && full <= valve_.dead_zone_V)
      reader.error(k::full,
                   "the valve is fully open within its dead zone; 'full' counts from the middle");
    else if (full > 0.0)
      valve_.gain = valve_.area_max / (full - valve_.dead_zone_V);
    reader.done();
  }

  void read_drive(const Node& node, AirRig& rig) {
    namespace k = keys::air_drive;
    const Node* joint = node.find(k::joint.name);
    TableReader reader(report_, node, k::table,
                       joint != nullptr && joint->is_string()
                           ? fmt::format("drive '{}'", joint->text)
                           : "the drive");
    AirDrive drive;
    drive.valve = valve_;
    reader.fill(drive);
    const int link = joint_named(reader.place_of(k::joint), drive.name);
    drive.link = std::max(0, link);
    const bool turns = link >= 0 && machine_.tree.link(link).revolute;
    for (const AirDrive& other : rig.drives)
      if (link >= 0 && other.link == link)
        reader.error(k::joint, fmt::format("joint '{}' has two drives; remove one", drive.name));
    read_cylinder(reader, drive);
    if (turns) {
      reader.choose("revolute");
      drive.linkage.kind = machine::LinkageKind::kTriangle;
      drive.linkage.base_pin = reader.vector(k::base_pin).value_or(Vec3::Zero());
      drive.linkage.rod_pin = reader.vector(k::rod_pin).value_or(Vec3::Zero());
    }
    read_drive_friction(reader, drive);
    if (const Node* stops = reader.subtable(k::end_stops))
      fill(*stops, keys::air_stops::table, "the end stops", drive.stops);
    if (const Node* gains = reader.subtable(k::controller)) {
      TableReader own(report_, *gains, keys::controller::bare,
                      fmt::format("the controller of drive '{}'", drive.name));
      drive.gains = read_gains(own, !turns);
    }
    reader.done();
    rig.drives.push_back(drive);
  }

  void read_cylinder(TableReader& reader, AirDrive& drive) {
    namespace k = keys::air_drive;
    const double bore = reader.value(k::bore);
    const double rod = reader.value(k::rod);
    if (rod >= bore && reader.has(k::rod))
      reader.error(k::rod, "the rod must be thinner than the bore");
    constexpr double kQuarter = 0.25 * std::numbers::pi;
    drive.cylinder.area_cap = kQuarter * bore * bore;
    drive.cylinder.area_rod = kQuarter * (bore * bore - rod * rod);
    reader.fill(drive.cylinder);
  }

  void read_drive_friction(TableReader& reader, AirDrive& drive) {
    namespace k = keys::air_drive;
    reader.slides(true);  // the piston
    const Node* table = reader.table().find(k::friction.name);
    if (table == nullptr || !table->is_table() || choice_.friction.empty()) {
      drive.friction = read_friction(report_, reader, k::friction, k::damping, drive.viscous);
      return;
    }
    Node other = reader.table();
    Node* model = other.find(k::friction.name)->find(keys::friction_law::model.name);
    if (model != nullptr) model->text = choice_.friction;
    TableReader with(report_, other, k::table, reader.what());
    with.slides(true);
    drive.friction = read_friction(report_, with, k::friction, k::damping, drive.viscous);
    reader.any(k::friction);
    reader.quantity(k::damping);
  }

  void read_foot(const Node& node, machine::Foot& foot) {
    namespace k = keys::foot;
    TableReader reader(report_, node, k::table, "the foot");
    const std::string body = reader.text(k::body).value_or("");
    foot.body = machine_.tree.find_body(body);
    if (!body.empty() && foot.body == multibody::kBase)
      reader.error(k::body, fmt::format("machine '{}' has no body '{}'", machine_.name, body));
    reader.fill(foot);
    has_foot_ = true;
    reader.done();
  }

  // Plain numbers, in SI of what the signal is for.
  command::Signal read_sine(const Node& node, const std::string& what) {
    TableReader reader(report_, node, keys::air_sine::table, what);
    command::Signal signal;
    command::Term mean, wave;
    mean.value = reader.value(keys::air_sine::offset);
    wave.kind = command::TermKind::kSine;
    reader.fill(wave);
    reader.done();
    signal.terms = {mean, wave};
    return signal;
  }

  command::Signal read_square(const Node& node, double duration_s) {
    namespace k = keys::air_square;
    TableReader reader(report_, node, k::table, "the square wave");
    command::Signal signal;
    command::Term low;
    low.value = reader.value(k::low);
    const double high = reader.value(k::high);
    const double frequency = reader.value(k::frequency);
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
    const Node* node = reader.subtable(keys::air_case::start);
    if (node == nullptr) return;
    for (const Entry& entry : node->entries) {
      const int link = joint_named(entry.place, entry.key);
      if (link < 0) continue;
      if (!entry.value.is_number() || !std::isfinite(entry.value.number))
        report_.error(entry.place, fmt::format("'{}' needs a number [rad, m]", entry.key));
      else
        rig.q_start[link] = entry.value.number;
    }
  }

  void read_case(const Node& node, AirRig rig, AirFile& file) {
    namespace k = keys::air_case;
    const Node* called = node.find(k::name.name);
    TableReader reader(report_, node, k::table,
                       called != nullptr && called->is_string()
                           ? fmt::format("case '{}'", called->text)
                           : "the case");
    reader.fill(rig);
    for (const AirRig& other : file.cases)
      if (other.name == rig.name)
        reader.error(k::name, fmt::format("there are two cases called '{}'; rename one", rig.name));
    const AirMode mode = reader.word<AirMode>(k::mode).value_or(AirMode::kFoot);
    reader.choose(k::kModes[static_cast<std::size_t>(mode)].word);
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
    if (!has_foot_)
      reader.error(keys::air_case::mode, "the file has no [foot] that a lever could lead");
    rig.foot.used = true;
    const auto levers = reader.tables(keys::air_case::lever);
    if (levers.size() != 3 && !report_.any())
      reader.error(keys::air_case::lever, "the lever has three axes; give 'lever' three tables");
    for (std::size_t k = 0; k < levers.size(); ++k)
      rig.foot.lever[k] = read_sine(*levers[k], "the lever");
  }

  void read_program(TableReader& reader, AirMode mode, AirRig& rig) {
    namespace k = keys::air_case;
    const std::string joint = reader.text(k::joint).value_or("");
    const int link = joint_named(reader.place_of(k::joint), joint);
    const Node* sine = reader.subtable(k::sine);
    const Node* square = reader.subtable(k::square);
    if ((sine == nullptr) == (square == nullptr))
      reader.error(k::joint, fmt::format("{} needs either 'sine' or 'square'", reader.what()));
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
    if (!found && link >= 0) reader.error(k::joint, fmt::format("joint '{}' has no drive", joint));
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
  options.keys = &air_keys::table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  AirFile file = AirReader(root, machine, choice, report).read();
  file.files = report.files_read();
  file.remarks = report.remarks();
  return file;
}

AirFile read_air(const std::filesystem::path& path, const machine::MachineModel& machine,
                 const AirChoice& choice, std::span<const Override> overrides) {
  return read_air_text(read_text_file(path, kConfigurationLimit, "air file"), path.string(),
                       machine, choice, overrides);
}

}  // namespace knuckleboom::io
