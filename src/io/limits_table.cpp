#include "limits_table.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "declare/exercise_keys.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::io {
namespace {

training::Limit read_limit(Report& report, const Entry& entry) {
  namespace k = declare::keys::limit;
  TableReader reader(report, entry.value, k::table, fmt::format("the limit of '{}'", entry.key));
  training::Limit limit;
  limit.figure = entry.key;
  const auto most = reader.quantity(k::most);
  const auto least = reader.quantity(k::least);
  limit.has_most = most.has_value();
  limit.has_least = least.has_value();
  limit.most = most.value_or(0.0);
  limit.least = least.value_or(0.0);
  if (!reader.has(k::most) && !reader.has(k::least))
    report.error(entry.value.place,
                 fmt::format("{} says nothing; add 'most' or 'least'", reader.what()));
  if (most && least && *most < *least)
    reader.error(k::most, fmt::format("{} cannot be kept: 'most' is below 'least'", reader.what()));
  if (const training::Figure* figure = training::find_figure(limit.figure);
      most && *most < 0.0 && figure != nullptr && !figure->negative)
    reader.error(k::most, fmt::format("{} cannot be kept: it is never below 0", reader.what()));
  limit.source = reader.text(k::source).value_or("");
  reader.done();
  return limit;
}

}  // namespace

void read_limits(TableReader& owner, const Key& key, std::vector<training::Limit>& limits) {
  const Node* node = owner.subtable(key);
  if (node == nullptr) return;
  std::vector<std::string> names;
  for (const training::Figure& figure : training::figures()) names.emplace_back(figure.name);
  for (const Entry& entry : node->entries) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end())
      owner.report().error(entry.place, fmt::format("'{}' has no figure '{}'{}", key.name,
                                                    entry.key, alternatives(entry.key, names)));
    else if (!entry.value.is_table())
      owner.report().error(
          entry.value.place,
          fmt::format("the limit of '{}' must be a table, such as {{ most = 3 }}, not {}",
                      entry.key, kind_name(entry.value.kind)));
    else
      limits.push_back(read_limit(owner.report(), entry));
  }
}

}  // namespace knuckleboom::io
