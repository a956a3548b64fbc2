// Rounding is done before splitting the number, so that 59.96 s is 1:00.0 and not 0:60.0.
#include "view/panels/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace knuckleboom::view::panels {
namespace {

constexpr double kPaPerBar = 1e5;
constexpr double kLitrePerMinute = 6e4;  // in a m^3/s
constexpr double kDegrees = 57.29577951308232;

std::string fixed(double value, int decimals, const char* unit) {
  if (!std::isfinite(value)) return "-";
  const double grid = std::pow(10.0, decimals);
  const double rounded = std::round(value * grid) / grid + 0.0;  // + 0.0: no negative zero
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s", decimals, rounded == 0.0 ? 0.0 : rounded, unit);
  return text;
}

}  // namespace

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return "-";
  const auto tenths = std::llround(seconds * 10.0);
  char text[64];
  std::snprintf(text, sizeof text, "%lld:%02lld.%lld", tenths / 600, tenths / 10 % 60, tenths % 10);
  return text;
}

std::string bar_text(double pascal) { return fixed(pascal / kPaPerBar, 0, ""); }

std::string flow_text(double m3_per_s) { return fixed(m3_per_s * kLitrePerMinute, 0, " l/min"); }

std::string joint_text(double position, bool revolute) {
  return revolute ? fixed(position * kDegrees, 1, "°") : metres_text(position);
}

std::string metres_text(double metres) { return fixed(metres, 2, " m"); }

std::string microseconds_text(double microseconds) {
  if (!(microseconds < 999.5)) {
    return microseconds < 999.5e3 ? fixed(microseconds / 1e3, 1, " ms")
                                  : fixed(microseconds / 1e6, 1, " s");
  }
  return fixed(microseconds, 0, " µs");
}

std::string power_text(double watts) { return fixed(watts / 1e3, 1, " kW"); }

float share(double value, double lower, double upper) {
  if (!(upper > lower) || !std::isfinite(value)) return 0.0F;
  return static_cast<float>(std::clamp((value - lower) / (upper - lower), 0.0, 1.0));
}

}  // namespace knuckleboom::view::panels
