// Whatever the bytes, reading a device file gives a result or a FileError, and what was read can be
// written and read again.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "knuckleboom/io/device_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace knuckleboom;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  command::LeverSetup setup;
  try {
    setup = io::read_devices_text(text, "fuzz/devices.toml");
  } catch (const io::FileError&) {
    return 0;  // refusing is fine; anything else is a finding
  }
  for (const command::AxisBinding& binding : setup.axes)
    for (const int raw : {command::kRawMin, 0, command::kRawMax})
      if (!(std::fabs(command::calibrated(raw, binding.calibration)) <= 1.0)) std::abort();
  const command::LeverSetup again =
      io::read_devices_text(io::devices_text(setup), "fuzz/written.toml");
  if (again.devices.size() != setup.devices.size() || again.axes.size() != setup.axes.size())
    std::abort();
  return 0;
}
