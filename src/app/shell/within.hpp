// Ranges of numbers on the command line.
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace knuckleboom::app {

// CLI::Range accepts NaN.
inline CLI::Validator within(double low, double high) {
  const auto fault = [low, high](const std::string& text) {
    double value = 0.0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
    return inside ? std::string() : fmt::format("'{}' is no number from {} to {}", text, low, high);
  };
  return {fault, ""};
}

}  // namespace knuckleboom::app
