#include "knuckleboom/core/timber/bucking.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace knuckleboom::timber {
namespace {

constexpr double kTiny = 1e-9;  // m

int decimetres(double length) { return static_cast<int>(std::lround(length / kKnot)); }

bool whole(double length) { return std::fabs(length - kKnot * decimetres(length)) < 1e-6; }

double factor(const Table& table, double x) {
  return table.x.empty() ? 1.0 : evaluate(table, x).value;
}

}  // namespace

std::optional<double> log_value(const PriceList& list, int product, double length,
                                const Profile& profile, const TreeRecipe& tree, double from) {
  const Product& p = list.products[static_cast<std::size_t>(product)];
  const double to = from + length + p.trim;
  if (to > profile.height) return std::nullopt;
  if (!p.species.empty() &&
      std::find(p.species.begin(), p.species.end(), tree.species) == p.species.end())
    return std::nullopt;
  const auto diameter = [&](double height) {
    return list.over_bark ? over_bark(profile, height) : under_bark(profile, height);
  };
  const double top = diameter(to);
  if (top < p.least_top || diameter(from) > p.most_butt) return std::nullopt;
  if (!p.rot && from < tree.rot_height - kTiny) return std::nullopt;
  if (tree.sweep > p.most_sweep && from < tree.sweep_to && to > tree.sweep_from)
    return std::nullopt;
  if (tree.fork_height > 0.0 && from < tree.fork_height - kTiny && to > tree.fork_height + kTiny)
    return std::nullopt;
  const Round wood = section(profile, 1.0, from, from + length);
  const double volume = list.over_bark ? wood.volume : wood.volume_under_bark;
  return volume * p.price * factor(p.top_factor, 100.0 * top) * factor(p.length_factor, length);
}

Bucking buck(const PriceList& list, const Profile& profile, const TreeRecipe& tree, double from) {
  struct Best {
    double value = 0.0;
    int product = -1;  // -1: an offcut, or the end
    int steps = 0;     // to the next cut; 0: the end
    double length = 0.0;
  };
  std::array<Best, kMaxKnots> best{};
  const int last = std::clamp(static_cast<int>((profile.height - from) / kKnot), 0, kMaxKnots - 1);
  const int offcut = std::max(decimetres(list.offcut), 1);
  for (int at = last; at >= 0; --at) {
    Best& here = best[static_cast<std::size_t>(at)];
    const double height = from + kKnot * at;
    if (at + offcut <= last) {
      const double beyond = best[static_cast<std::size_t>(at + offcut)].value;
      if (beyond > 0.0) here = {beyond, -1, offcut, 0.0};
    }
    for (int i = 0; i < static_cast<int>(list.products.size()); ++i)
      for (const double length : list.products[static_cast<std::size_t>(i)].lengths) {
        const int steps = decimetres(length + list.products[static_cast<std::size_t>(i)].trim);
        if (at + steps > last) continue;
        const std::optional<double> value = log_value(list, i, length, profile, tree, height);
        if (!value) continue;
        const double sum = *value + best[static_cast<std::size_t>(at + steps)].value;
        if (sum > here.value) here = {sum, i, steps, length};
      }
  }
  Bucking out;
  out.value = best[0].value;
  for (int at = 0; best[static_cast<std::size_t>(at)].steps > 0 && out.count < kMaxBuckedLogs;) {
    const Best& here = best[static_cast<std::size_t>(at)];
    if (here.product >= 0)
      out.log[out.count++] = {here.product, from + kKnot * at, here.length,
                              list.products[static_cast<std::size_t>(here.product)].trim,
                              here.value - best[static_cast<std::size_t>(at + here.steps)].value};
    at += here.steps;
  }
  return out;
}

double value_on(const Bucking& plan, const PriceList& list, const Profile& profile,
                const TreeRecipe& tree) {
  double sum = 0.0;
  for (int i = 0; i < plan.count; ++i) {
    const PlannedLog& log = plan.log[i];
    std::optional<double> value = log_value(list, log.product, log.length, profile, tree, log.from);
    for (int p = 0; !value && p < static_cast<int>(list.products.size()); ++p) {
      const Product& other = list.products[static_cast<std::size_t>(p)];
      for (const double length : other.lengths)
        if (length + other.trim <= log.length + log.trim + kTiny)
          if (const auto its = log_value(list, p, length, profile, tree, log.from))
            value = std::max(value.value_or(0.0), *its);
    }
    sum += value.value_or(0.0);
  }
  return sum;
}

std::string objection(const PriceList& list) {
  if (list.products.empty()) return "A price list must have at least one product.";
  if (!whole(list.offcut) || decimetres(list.offcut) < 1)
    return "The offcut of a price list must be whole decimetres.";
  double shortest = kMostHeight;
  for (const Product& p : list.products) {
    for (const double length : p.lengths) {
      if (!whole(length) || !whole(p.trim) || length < kKnot)
        return "Lengths and trim of product '" + p.name + "' must be whole decimetres.";
      shortest = std::min(shortest, length + p.trim);
    }
    for (const Table* table : {&p.top_factor, &p.length_factor})
      for (const double y : table->y)
        if (y < 0.0) return "Factors of product '" + p.name + "' must not be negative.";
  }
  if (shortest * kMaxBuckedLogs < kMostHeight)
    return "The shortest log of a price list must be at least 1.6 m long.";
  return {};
}

}  // namespace knuckleboom::timber
