// Units as FMI writes them: a factor and exponents of SI base units.
#pragma once

#include <optional>
#include <string_view>

namespace knuckleboom::fmi {

struct BaseUnit {
  double factor = 1.0;  // SI value = value * factor
  double kg = 0.0, m = 0.0, s = 0.0, A = 0.0, rad = 0.0;

  // FMI has whole exponents alone.
  bool whole() const;
};

// Takes a label such as "m3/(s Pa)", "kN m/rad" or "l/min". Nothing: it is no such label.
std::optional<BaseUnit> base_unit(std::string_view label);

}  // namespace knuckleboom::fmi
