#include "knuckleboom/io/device_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "declare/lever_keys.hpp"
#include "document.hpp"
#include "hasher.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/utf8.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using command::AxisBinding;
using command::AxisCalibration;
using command::ControlKind;
using command::DeviceSlot;
using command::LeverSetup;

namespace keys = declare::keys;

constexpr int kLeastTravel = 256;  // raw values; less is no lever
constexpr std::size_t kGuidDigits = 32;

bool is_guid(std::string_view text) {
  return text.size() == kGuidDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

class DeviceReader {
 public:
  DeviceReader(const Node& root, Report& report) : root_(root), report_(report) {}

  LeverSetup read() {
    namespace k = keys::device_file;
    TableReader reader(report_, root_, k::table, "the device file");
    if (!reader.has(k::devices))
      report_.error(root_.place,
                    "the device file has no devices; add at least one [[device]], or let "
                    "'knuckleboom levers bind' write it");
    else
      for (const Node* node : reader.tables(k::devices)) read_device(*node);
    for (const Node* node : reader.tables(k::axes)) read_axis(*node);
    for (const Node* node : reader.tables(k::buttons)) read_button(*node);
    reader.done();
    report_.throw_if_any();
    return std::move(setup_);
  }

 private:
  void read_device(const Node& node) {
    namespace k = keys::device;
    TableReader reader(report_, node, k::table, "the device");
    DeviceSlot device;
    reader.fill(device);
    reader.fill(device.identity);
    if (std::find(names_.begin(), names_.end(), device.name) != names_.end())
      reader.error(k::slot, fmt::format("two devices are called '{}'; rename one", device.name));
    const std::string& guid = device.identity.guid;
    if (!guid.empty() && !is_guid(guid))
      reader.error(k::guid, fmt::format("'guid' is \"{}\"; it has {} digits from 0 to f, as "
                                        "'knuckleboom levers --list' shows",
                                        guid, kGuidDigits));
    reader.done();
    names_.push_back(device.name);
    setup_.devices.push_back(std::move(device));
  }

  void read_axis(const Node& node) {
    namespace k = keys::device_axis;
    const Node* lever = node.find(k::lever.name);
    TableReader reader(report_, node, k::table,
                       lever != nullptr && lever->is_string()
                           ? fmt::format("the axis of '{}'", lever->text)
                           : "the axis");
    AxisBinding binding;
    reader.fill(binding);
    read_slot(reader, k::device, binding.slot);
    read_control(reader, binding);
    if (binding.kind == ControlKind::kAxis) read_calibration(reader, binding.calibration);
    reader.done();
    setup_.axes.push_back(binding);
  }

  void read_button(const Node& node) {
    namespace k = keys::device_button;
    TableReader reader(report_, node, k::table, "the button");
    command::ButtonBinding binding;
    reader.fill(binding);
    read_slot(reader, k::device, binding.slot);
    if (reader.has(k::button) == reader.has(k::hat))
      report_.error(reader.place(),
                    "a lever button is pressed by a 'button' or by a 'hat' and its "
                    "'side'; give it one of them");
    const auto moves = [&](const AxisBinding& b) { return command::same_part(b, binding); };
    const auto presses = [&](const command::ButtonBinding& b) {
      return b.slot == binding.slot && b.button == binding.button && b.hat == binding.hat &&
             (b.hat < 0 || b.side == binding.side);
    };
    if (std::any_of(setup_.axes.begin(), setup_.axes.end(), moves) ||
        std::any_of(setup_.buttons.begin(), setup_.buttons.end(), presses))
      reader.error(binding.button >= 0 ? k::button : k::hat,
                   "this part of the device has another meaning already; give one of the two "
                   "another part");
    reader.done();
    setup_.buttons.push_back(binding);
  }

  void read_slot(TableReader& reader, const Key& device, int& slot) {
    const std::string name = reader.text(device).value_or("");
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end())
      slot = static_cast<int>(found - names_.begin());
    else if (!name.empty())
      reader.error(device,
                   fmt::format("there is no device '{}'{}", name, alternatives(name, names_)));
  }

  void read_control(TableReader& reader, AxisBinding& binding) {
    namespace k = keys::device_axis;
    const bool axis = reader.has(k::axis), hat_x = reader.has(k::hat_x),
               hat_y = reader.has(k::hat_y);
    const bool buttons = reader.has(k::negative_button) || reader.has(k::positive_button);
    if (axis + hat_x + hat_y + buttons != 1)
      report_.error(reader.place(),
                    fmt::format("{} needs one of 'axis', 'hat_x', 'hat_y' or buttons "
                                "('negative_button', 'positive_button' or both)",
                                reader.what()));
    binding.kind = hat_x     ? ControlKind::kHatX
                   : hat_y   ? ControlKind::kHatY
                   : buttons ? ControlKind::kButtons
                             : ControlKind::kAxis;
    for (const Key* key : {&k::axis, &k::hat_x, &k::hat_y})
      if (const auto number = reader.whole(*key)) binding.number = *number;
  }

  void read_calibration(TableReader& reader, AxisCalibration& c) {
    namespace k = keys::device_axis;
    reader.choose(k::axis.name);
    reader.fill(c);
    if (c.min > c.centre || c.centre > c.max)
      reader.error(k::centre, fmt::format("the centre {} must lie between min {} and max {}",
                                          c.centre, c.min, c.max));
    else if (c.max - c.min < kLeastTravel)
      reader.error(k::max, fmt::format("there are only {} raw values from min to max; calibrate "
                                       "again over the whole travel",
                                       c.max - c.min));
    else if (c.noise >= std::max(c.max - c.centre, c.centre - c.min))
      reader.error(k::noise,
                   fmt::format("'noise' is {}, which leaves nothing of the travel", c.noise));
  }

  const Node& root_;
  Report& report_;
  LeverSetup setup_;
  std::vector<std::string> names_;
};

// --- Writing ------------------------------------------------------------------

// Names come from devices and may hold anything.
std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = decode_utf8(text, i).length;
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0 || c < 0x20 || c == 0x7F)
      quoted += '?';
    else if (c == '"' || c == '\\')
      quoted.append("\\").append(text.substr(i, 1));
    else
      quoted += text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return quoted + "\"";
}

std::string line(const Key& key, std::string_view value) {
  return fmt::format("{} = {}\n", key.name, value);
}
std::string line(const Key& key, int value) { return line(key, fmt::format("{}", value)); }

std::string device_text(const DeviceSlot& device) {
  namespace k = keys::device;
  const command::DeviceIdentity& identity = device.identity;
  std::string text =
      fmt::format("\n{}\n", k::table.header) + line(k::slot, in_quotes(device.name)) +
      line(k::name, in_quotes(identity.name)) + line(k::guid, in_quotes(identity.guid));
  if (!identity.port.empty()) text += line(k::port, in_quotes(identity.port));
  if (!identity.serial.empty()) text += line(k::serial, in_quotes(identity.serial));
  return text;
}

std::string axis_text(const AxisBinding& b, const LeverSetup& setup) {
  namespace k = keys::device_axis;
  std::string text =
      fmt::format("\n{}\n", k::table.header) +
      line(k::lever, in_quotes(command::name_of(b.function))) +
      line(k::device, in_quotes(setup.devices[static_cast<std::size_t>(b.slot)].name));
  switch (b.kind) {
    case ControlKind::kAxis:
      text += line(k::axis, b.number) + line(k::min, b.calibration.min) +
              line(k::centre, b.calibration.centre) + line(k::max, b.calibration.max) +
              line(k::noise, b.calibration.noise);
      break;
    case ControlKind::kButtons:
      if (b.negative >= 0) text += line(k::negative_button, b.negative);
      if (b.positive >= 0) text += line(k::positive_button, b.positive);
      break;
    case ControlKind::kHatX:
      text += line(k::hat_x, b.number);
      break;
    case ControlKind::kHatY:
      text += line(k::hat_y, b.number);
      break;
  }
  if (b.invert) text += line(k::invert, "true");
  return text;
}

std::string button_text(const command::ButtonBinding& b, const LeverSetup& setup) {
  namespace k = keys::device_button;
  std::string text =
      fmt::format("\n{}\n", k::table.header) +
      line(k::lever, in_quotes(command::name_of(b.function))) +
      line(k::device, in_quotes(setup.devices[static_cast<std::size_t>(b.slot)].name));
  if (b.button >= 0) return text + line(k::button, b.button);
  return text + line(k::hat, b.hat) +
         line(k::side, in_quotes(k::kSides[static_cast<std::size_t>(b.side)].word));
}

}  // namespace

LeverSetup read_devices_text(std::string_view text, const std::string& file_name) {
  Report report;
  Hasher unused;
  DocumentOptions options;
  options.what = "device file";
  const Node root = read_document(text, file_name, {}, options, report, unused);
  return DeviceReader(root, report).read();
}

LeverSetup read_devices(const std::filesystem::path& path) {
  return read_devices_text(read_text_file(path, kConfigurationLimit, "device file"), path.string());
}

std::string devices_text(const LeverSetup& setup) {
  std::string text =
      "# The levers on this desk; written by 'knuckleboom levers'. Equal devices that neither port "
      "nor\n"
      "# serial tells apart stand here in their order of attachment.\n";
  for (const DeviceSlot& device : setup.devices) text += device_text(device);
  for (const AxisBinding& binding : setup.axes) text += axis_text(binding, setup);
  for (const command::ButtonBinding& binding : setup.buttons) text += button_text(binding, setup);
  return text;
}

void write_devices(const std::filesystem::path& path, const LeverSetup& setup) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    throw FileError(path.string(), fmt::format("its folder cannot be made: {}", error.message()));
  // An unreadable file, from a newer program or damaged by hand, is not replaced.
  if (const std::string problem = load_user_devices(path).problem; !problem.empty())
    throw FileError(path.string(),
                    fmt::format("the levers are not written, as the file that is there cannot be "
                                "read and stays; move it away first ({})",
                                problem));
  write_file(path, devices_text(setup));
}

UserDevices load_user_devices(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return {};
  try {
    return {read_devices(path), {}};
  } catch (const FileError& fault) {
    return {std::nullopt, fault.what()};
  }
}

}  // namespace knuckleboom::io
