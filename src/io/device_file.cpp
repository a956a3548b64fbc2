#include "knuckleboom/io/device_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
using command::LeverAxis;
using command::LeverSetup;

constexpr std::size_t kMaxDevices = 16;
constexpr std::size_t kMaxBindings = 128;
constexpr int kMaxControl = 255;
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
    TableReader reader(report_, root_, "the device file");
    const auto devices = reader.tables("device", kMaxDevices);
    if (devices.empty() && !reader.has("device"))
      report_.error(root_.place,
                    "the device file has no devices; add at least one [[device]], or let "
                    "'knuckleboom levers bind' write it");
    for (const Node* node : devices) read_device(*node);
    for (const Node* node : reader.tables("axis", kMaxBindings)) read_axis(*node);
    reader.done();
    report_.throw_if_any();
    return std::move(setup_);
  }

 private:
  void read_device(const Node& node) {
    TableReader reader(report_, node, "the device");
    DeviceSlot device;
    device.name = reader.required_text("slot");
    if (!device.name.empty() && !is_name(device.name))
      reader.error("slot", fmt::format("'slot' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       device.name));
    if (std::find(names_.begin(), names_.end(), device.name) != names_.end())
      reader.error("slot", fmt::format("two devices are called '{}'; rename one", device.name));
    device.identity.guid = reader.required_text("guid");
    if (!device.identity.guid.empty() && !is_guid(device.identity.guid))
      reader.error("guid", fmt::format("'guid' is \"{}\"; it has {} digits from 0 to f, as "
                                       "'knuckleboom levers --list' shows",
                                       device.identity.guid, kGuidDigits));
    device.identity.name = reader.text("name").value_or("");
    device.identity.port = reader.text("port").value_or("");
    device.identity.serial = reader.text("serial").value_or("");
    reader.done();
    names_.push_back(device.name);
    setup_.devices.push_back(std::move(device));
  }

  void read_axis(const Node& node) {
    const Node* lever = node.find("lever");
    TableReader reader(report_, node,
                       lever != nullptr && lever->is_string()
                           ? fmt::format("the axis of '{}'", lever->text)
                           : "the axis");
    AxisBinding binding;
    read_function(reader, binding);
    read_slot(reader, binding);
    read_control(reader, binding);
    binding.invert = reader.flag("invert").value_or(false);
    if (binding.kind == ControlKind::kAxis) read_calibration(reader, binding.calibration);
    reader.done();
    setup_.axes.push_back(binding);
  }

  void read_function(TableReader& reader, AxisBinding& binding) {
    const std::string name = reader.required_text("lever");
    std::vector<std::string> names(std::begin(command::kLeverAxisNames),
                                   std::end(command::kLeverAxisNames));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end())
      binding.function = static_cast<LeverAxis>(found - names.begin());
    else if (!name.empty())
      reader.error("lever", fmt::format("'lever' is \"{}\"{}", name, alternatives(name, names)));
  }

  void read_slot(TableReader& reader, AxisBinding& binding) {
    const std::string name = reader.required_text("device");
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end())
      binding.slot = static_cast<int>(found - names_.begin());
    else if (!name.empty())
      reader.error("device",
                   fmt::format("there is no device '{}'{}", name, alternatives(name, names_)));
  }

  void read_control(TableReader& reader, AxisBinding& binding) {
    const int axis = reader.has("axis") ? 1 : 0;
    const int hat_x = reader.has("hat_x") ? 1 : 0;
    const int hat_y = reader.has("hat_y") ? 1 : 0;
    const int buttons = reader.has("negative_button") || reader.has("positive_button") ? 1 : 0;
    if (axis + hat_x + hat_y + buttons != 1)
      report_.error(reader.place(),
                    fmt::format("{} needs one of 'axis', 'hat_x', 'hat_y' or buttons "
                                "('negative_button', 'positive_button' or both)",
                                reader.what()));
    binding.kind = hat_x != 0     ? ControlKind::kHatX
                   : hat_y != 0   ? ControlKind::kHatY
                   : buttons != 0 ? ControlKind::kButtons
                                  : ControlKind::kAxis;
    for (const char* key : {"axis", "hat_x", "hat_y"})
      if (const auto number = reader.integer(key, 0, kMaxControl)) binding.number = *number;
    binding.negative = reader.integer("negative_button", 0, kMaxControl).value_or(-1);
    binding.positive = reader.integer("positive_button", 0, kMaxControl).value_or(-1);
  }

  void read_calibration(TableReader& reader, AxisCalibration& c) {
    const auto raw = [&](const char* key, int otherwise) {
      return reader.integer(key, command::kRawMin, command::kRawMax).value_or(otherwise);
    };
    c.min = raw("min", c.min);
    c.centre = raw("centre", c.centre);
    c.max = raw("max", c.max);
    c.noise = reader.integer("noise", 0, command::kRawMax).value_or(c.noise);
    if (c.min > c.centre || c.centre > c.max)
      reader.error("centre", fmt::format("the centre {} must lie between min {} and max {}",
                                         c.centre, c.min, c.max));
    else if (c.max - c.min < kLeastTravel)
      reader.error("max", fmt::format("there are only {} raw values from min to max; calibrate "
                                      "again over the whole travel",
                                      c.max - c.min));
    else if (c.noise >= std::max(c.max - c.centre, c.centre - c.min))
      reader.error("noise",
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

std::string device_text(const DeviceSlot& device) {
  std::string text =
      fmt::format("\n[[device]]\nslot = {}\nname = {}\nguid = {}\n", in_quotes(device.name),
                  in_quotes(device.identity.name), in_quotes(device.identity.guid));
  if (!device.identity.port.empty())
    text += fmt::format("port = {}\n", in_quotes(device.identity.port));
  if (!device.identity.serial.empty())
    text += fmt::format("serial = {}\n", in_quotes(device.identity.serial));
  return text;
}

std::string axis_text(const AxisBinding& b, const LeverSetup& setup) {
  std::string text =
      fmt::format("\n[[axis]]\nlever = {}\ndevice = {}\n", in_quotes(command::name_of(b.function)),
                  in_quotes(setup.devices[static_cast<std::size_t>(b.slot)].name));
  switch (b.kind) {
    case ControlKind::kAxis:
      text += fmt::format("axis = {}\nmin = {}\ncentre = {}\nmax = {}\nnoise = {}\n", b.number,
                          b.calibration.min, b.calibration.centre, b.calibration.max,
                          b.calibration.noise);
      break;
    case ControlKind::kButtons:
      if (b.negative >= 0) text += fmt::format("negative_button = {}\n", b.negative);
      if (b.positive >= 0) text += fmt::format("positive_button = {}\n", b.positive);
      break;
    case ControlKind::kHatX:
      text += fmt::format("hat_x = {}\n", b.number);
      break;
    case ControlKind::kHatY:
      text += fmt::format("hat_y = {}\n", b.number);
      break;
  }
  if (b.invert) text += "invert = true\n";
  return text;
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
  return text;
}

void write_devices(const std::filesystem::path& path, const LeverSetup& setup) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error)
    throw FileError(path.string(), fmt::format("its folder cannot be made: {}", error.message()));
  // Of a newer program, or spoilt by hand: what cannot be read is not ours to replace.
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
