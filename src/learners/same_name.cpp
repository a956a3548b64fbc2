#include "learners/same_name.hpp"

#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace knuckleboom::learners {

std::string folded(std::string_view name) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()), &made,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> held(made, &std::free);
  if (size < 0) return std::string(name);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)};
}

bool same_name(std::string_view a, std::string_view b) { return folded(a) == folded(b); }

}  // namespace knuckleboom::learners
