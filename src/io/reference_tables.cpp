#include "knuckleboom/io/reference_tables.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "knuckleboom/core/emulation/hil_signals.hpp"
#include "knuckleboom/core/sim/channel_family.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/training/channels.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/declare/tables.hpp"
#include "knuckleboom/io/file_kinds.hpp"

namespace knuckleboom::io {
namespace {

using sim::FamilyRow;

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

// --- Figures ------------------------------------------------------------------

std::string_view better_text(training::Better better) {
  switch (better) {
    case training::Better::kLess:
      return "less";
    case training::Better::kMore:
      return "more";
    case training::Better::kNeither:
      break;
  }
  return "";
}

std::string needs_text(const training::Figure& figure) {
  std::vector<std::string> parts;
  for (std::size_t bit = 0; bit < std::size(training::kObservedNames); ++bit)
    if ((figure.needs >> bit & 1U) != 0) parts.emplace_back(training::kObservedNames[bit]);
  return joined(parts);
}

std::string figure_rows(bool detail) {
  std::string text =
      "| figure | shown as | unit | better | from | definition |\n|---|---|---|---|---|---|\n";
  for (const training::Figure& figure : training::figures())
    if (figure.in_detail == detail)
      text +=
          fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", figure.name, figure.label, figure.unit,
                      better_text(figure.better), needs_text(figure), figure.description);
  return text;
}

// --- Channels and signals -----------------------------------------------------

// Names of the members: of what turns and what slides, of three axes.
std::vector<std::string> variants(std::string_view pattern, const FamilyRow& row) {
  const bool slides = pattern.find_first_of("#~") != std::string_view::npos;
  const bool axes = pattern.find('%') != std::string_view::npos;
  std::vector<std::string> out;
  for (std::size_t axis = 0; axis < (axes ? 3 : 1); ++axis) {
    sim::MemberNames names{.owner = row.owner, .axis = sim::kAxes[axis]};
    out.push_back(sim::filled(pattern, names));
    if (!slides) continue;
    names.position = "m";
    names.effort = "N";
    out.push_back(sim::filled(pattern, names));
  }
  return out;
}

std::string family_rows(const std::vector<FamilyRow>& rows, std::string_view in) {
  std::string text =
      fmt::format("| name | unit | meaning | of | {} |\n|---|---|---|---|---|\n", in);
  for (const FamilyRow& row : rows) {
    std::vector<std::string> names = variants(row.name, row);
    for (std::string& name : names) name = fmt::format("`{}`", name);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", joined(names),
                        joined(variants(row.unit, row)), row.description, row.of, row.in);
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> reference_tables() {
  std::map<std::string, std::string> tables{
      {"units", declare::unit_rows()},
      {"figures", figure_rows(false)},
      {"figures in detail", figure_rows(true)},
      {"channels simulation", family_rows(sim::channel_rows(), "in")},
      {"channels session", family_rows(training::session_channel_rows(), "in")},
      {"signals emulation",
       family_rows(emulation::hil_signal_rows(), "may come in; when it is silent")}};
  for (const FileKindEntry& entry : file_kinds())
    for (const declare::KeyTable* table : declare::tables_in(entry.keys))
      if (!table->id.empty())
        tables.emplace("keys " + std::string(table->id), declare::key_rows(*table));
  return tables;
}

}  // namespace knuckleboom::io
