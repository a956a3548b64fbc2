#include "fmi/unit.hpp"

#include <cmath>
#include <numbers>

namespace knuckleboom::fmi {
namespace {

using std::numbers::pi;

struct Symbol {
  std::string_view text;
  BaseUnit unit;
};

// factor, kg, m, s, A, rad
constexpr Symbol kSymbols[] = {
    {"1", {}},
    {"m", {1.0, 0, 1}},
    {"s", {1.0, 0, 0, 1}},
    {"kg", {1.0, 1}},
    {"rad", {1.0, 0, 0, 0, 0, 1}},
    {"A", {1.0, 0, 0, 0, 1}},
    {"N", {1.0, 1, 1, -2}},
    {"Nm", {1.0, 1, 2, -2}},
    {"Pa", {1.0, 1, -1, -2}},
    {"J", {1.0, 1, 2, -2}},
    {"W", {1.0, 1, 2, -3}},
    {"V", {1.0, 1, 2, -3, -1}},
    {"Hz", {1.0, 0, 0, -1}},
    {"deg", {pi / 180.0, 0, 0, 0, 0, 1}},
    {"rev", {2.0 * pi, 0, 0, 0, 0, 1}},
    {"rpm", {pi / 30.0, 0, 0, -1, 0, 1}},
    {"min", {60.0, 0, 0, 1}},
    {"l", {1e-3, 0, 3}},
    {"t", {1e3, 1}},
    {"bar", {1e5, 1, -1, -2}},
};

constexpr struct {
  char letter;
  double factor;
} kPrefixes[] = {{'k', 1e3}, {'M', 1e6}, {'c', 1e-2}, {'m', 1e-3}, {'u', 1e-6}};

std::optional<BaseUnit> symbol(std::string_view text) {
  for (const Symbol& one : kSymbols)
    if (one.text == text) return one.unit;
  if (text.size() < 2) return std::nullopt;
  for (const auto& prefix : kPrefixes) {
    if (prefix.letter != text.front()) continue;
    for (const Symbol& one : kSymbols) {
      if (one.text != text.substr(1)) continue;
      BaseUnit unit = one.unit;
      unit.factor *= prefix.factor;
      return unit;
    }
  }
  return std::nullopt;
}

void multiply(BaseUnit& to, const BaseUnit& by, double power) {
  to.factor *= std::pow(by.factor, power);
  to.kg += by.kg * power;
  to.m += by.m * power;
  to.s += by.s * power;
  to.A += by.A * power;
  to.rad += by.rad * power;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<BaseUnit> whole() {
    BaseUnit unit;
    if (!product(unit, 1.0)) return std::nullopt;
    if (take('/')) {
      const bool several = take('(');
      if (!(several ? product(unit, -1.0) && take(')') : factor(unit, -1.0))) return std::nullopt;
    }
    return text_.empty() ? std::optional(unit) : std::nullopt;
  }

 private:
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool product(BaseUnit& unit, double sign) {
    do {
      if (!factor(unit, sign)) return false;
    } while (take(' '));
    return true;
  }

  bool factor(BaseUnit& unit, double power) {
    constexpr std::string_view kRoot = "sqrt(";
    if (text_.starts_with(kRoot)) {
      text_.remove_prefix(kRoot.size());
      return factor(unit, 0.5 * power) && take(')');
    }
    std::size_t end = 0;
    while (end < text_.size() &&
           std::string_view(" /()23456789").find(text_[end]) == std::string_view::npos)
      ++end;
    const std::optional<BaseUnit> one = symbol(text_.substr(0, end));
    if (!one) return false;
    text_.remove_prefix(end);
    if (!text_.empty() && text_.front() >= '2' && text_.front() <= '9') {
      power *= text_.front() - '0';
      text_.remove_prefix(1);
    }
    multiply(unit, *one, power);
    return true;
  }

  std::string_view text_;
};

}  // namespace

bool BaseUnit::whole() const {
  for (const double exponent : {kg, m, s, A, rad})
    if (exponent != std::round(exponent)) return false;
  return true;
}

std::optional<BaseUnit> base_unit(std::string_view label) { return Parser(label).whole(); }

}  // namespace knuckleboom::fmi
