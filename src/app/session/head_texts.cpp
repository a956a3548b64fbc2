#include "app/session/head_texts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using training::SessionSnapshot;
using view::panels::HeadDisplay;

constexpr double kSameLength = 1e-6;

int logs_of(int product, const SessionSnapshot& now) {
  return static_cast<int>(std::count_if(
      now.cut, now.cut + now.cut_count,
      [product](const training::CutSnapshot& cut) { return cut.product == product; }));
}

void add_presets(const timber::PriceList& prices, double allowance, const SessionSnapshot& now,
                 HeadDisplay& out) {
  for (std::size_t p = 0; p < prices.products.size(); ++p)
    for (const double length : prices.products[p].lengths) {
      if (out.presets.size() == worksite::kPresets) return;
      const double with_trim = length + prices.products[p].trim;
      const bool wanted = now.product == static_cast<std::int32_t>(p) &&
                          std::fabs(now.wanted_m - with_trim - allowance) < kSameLength;
      out.presets.push_back(
          {fmt::format("{}", out.presets.size() + 1), fmt::format("{:.2f} m", with_trim), wanted});
    }
}

}  // namespace

HeadDisplay head_display(const training::Session& session, const SessionSnapshot& now) {
  HeadDisplay out;
  const timber::PriceList& prices = session.exercise().prices;
  out.present = session.machine().head.present && !prices.products.empty();
  if (!out.present) return out;
  const training::TreeSnapshot* stem = training::tree_in_head(now);
  if (stem != nullptr && stem->attached == 0) {
    out.length = fmt::format("{:.2f} m", now.stem_length_m);
    out.diameter = fmt::format("{:.0f} mm", 1e3 * now.stem_diameter_m);
  }
  out.saw = now.saw > 0.0;
  if (now.wanted_m > 0.0) {
    const std::string product =
        now.product < 0 ? tr("offcut")
                        : tr(prices.products[static_cast<std::size_t>(now.product)].name);
    out.wanted = fmt::format("{} {:.2f} m", product, now.wanted_m);
    out.fed = now.stem_length_m / now.wanted_m;
    out.right = !out.length.empty() &&
                std::fabs(now.stem_length_m - now.wanted_m) <= training::kLengthWithin;
  }
  add_presets(prices, session.machine().head.length_allowance, now, out);
  for (std::size_t p = 0; p < prices.products.size(); ++p)
    out.products.push_back({tr(prices.products[p].name),
                            fmt::format("{:g}", prices.products[p].price),
                            fmt::format("{}", logs_of(static_cast<int>(p), now)),
                            now.product == static_cast<std::int32_t>(p)});
  return out;
}

}  // namespace knuckleboom::app
