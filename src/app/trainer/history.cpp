#include "app/trainer/history.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "app/session/trust.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kMostPoints = 40, kLastAttempts = 3;

struct EarlierAttempt {
  const learners::Result* result;
  double value;  // nan: not known
};

std::string outcome(const learners::Result& result) {
  return result.passed     ? tr_in("attempt", "passed")
         : result.finished ? tr_in("attempt", "failed")
                           : tr_in("attempt", "broken off");
}

}  // namespace

view::panels::History history_of(const std::vector<learners::FiledSession>& sessions,
                                 const training::Exercise& exercise) {
  view::panels::History out;
  if (sessions.empty() || sessions.back().results.empty()) return out;
  const learners::Result& now = sessions.back().results.back();
  const training::Figure* figure =
      training::find_figure(exercise.points.given() ? "points" : "time_s");
  if (figure == nullptr || now.curve_key.empty()) return out;
  std::vector<EarlierAttempt> curve, equal;
  for (const learners::FiledSession& session : sessions) {
    if (session.trust == kFiguresOnly) continue;
    for (const learners::Result& result : session.results) {
      const EarlierAttempt one{&result, learners::figure_of(result, figure->name)};
      if (result.curve_key == now.curve_key) curve.push_back(one);
      if (result.key == now.key) equal.push_back(one);
    }
  }

  const auto better = [figure](double a, double b) {
    return figure->better == training::Better::kMore ? a > b : a < b;
  };
  std::optional<double> best_before;
  for (const EarlierAttempt& one : curve) {
    if (!one.result->finished || std::isnan(one.value)) continue;
    out.points.push_back({static_cast<float>(one.value), one.result->passed});
    const bool counts = one.result->passed && one.result != &now;
    if (counts && (!best_before || better(one.value, *best_before))) best_before = one.value;
  }
  if (out.points.size() > kMostPoints)
    out.points.erase(out.points.begin(),
                     out.points.end() - static_cast<std::ptrdiff_t>(kMostPoints));
  const auto [low, high] =
      std::minmax_element(out.points.begin(), out.points.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  if (!out.points.empty()) {
    out.highest = value_text(*figure, static_cast<double>(high->value));
    if (low->value < high->value) out.lowest = value_text(*figure, static_cast<double>(low->value));
  }
  out.title = tr_format("{}: attempt {}", tr(figure->label), curve.size());

  const double value = learners::figure_of(now, figure->name);
  if (now.passed && (!best_before || better(value, *best_before)))
    out.lines.emplace_back(best_before ? tr("This is your best so far.") : tr("Your first pass."));
  else if (best_before)
    out.lines.push_back(tr_format("Your best: {}.", value_text(*figure, *best_before)));
  std::string last;
  const std::size_t first = equal.size() > kLastAttempts ? equal.size() - kLastAttempts : 0;
  for (std::size_t i = first; i < equal.size(); ++i)
    last += fmt::format("{}{} {}", last.empty() ? "" : ", ", value_text(*figure, equal[i].value),
                        outcome(*equal[i].result));
  out.lines.push_back(tr_format("Last attempts: {}.", last));
  return out;
}

}  // namespace knuckleboom::app
