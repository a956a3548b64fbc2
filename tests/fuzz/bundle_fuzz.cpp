// Bundles: whatever the text, it is read or refused with sentences.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"

using namespace knuckleboom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    io::read_bundle_text({reinterpret_cast<const char*>(data), size}, "b/bundle.toml", "/data");
  } catch (const io::FileError& error) {
    if (error.diagnostics().empty()) __builtin_trap();
  }
  return 0;
}
