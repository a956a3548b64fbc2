#include "report/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "language/text.hpp"
#include "report/charts.hpp"
#include "report/style.hpp"
#include "report/text.hpp"

namespace knuckleboom::report {
namespace {

constexpr std::size_t kMostEvents = 400;  // in the list
constexpr std::size_t kMostColumns = 4;   // of others in one table
constexpr double kShort = 2.0;            // s, too short for a chart
constexpr const char* kOverlayClasses[] = {"o1", "o2", "o3"};

// --- Small pieces ---------------------------------------------------------------

std::string heading(std::string_view text) { return fmt::format("<h2>{}</h2>\n", escaped(text)); }
std::string small_heading(std::string_view text) {
  return fmt::format("<h3>{}</h3>\n", escaped(text));
}
std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escaped(text)); }
std::string caption(std::string_view text) {
  return fmt::format("<figcaption>{}</figcaption>\n", escaped(text));
}
// Kept on the page of the following element.
std::string lead(std::string_view text) {
  return fmt::format("<p class=\"keys\">{}</p>\n", escaped(text));
}
// A line and its meaning, kept together.
std::string key(const std::string& classes, std::string_view text) {
  return fmt::format("<span class=\"item\">{}{}</span> ", key_line(classes), escaped(text));
}
std::string cell(std::string_view text) { return fmt::format("<td>{}</td>", escaped(text)); }
std::string head_cell(std::string_view text, std::string_view classes = {}) {
  return classes.empty() ? fmt::format("<th>{}</th>", escaped(text))
                         : fmt::format("<th class=\"{}\">{}</th>", classes, escaped(text));
}
std::string number_cell(std::string_view text) {
  return fmt::format("<td class=\"n\">{}</td>", escaped(text));
}

std::string outcome_text(Outcome outcome) {
  constexpr const char* kMarks[] = {"✔ ", "✘ ", "", "", ""};
  constexpr const char* kTexts[] = {msgid("Passed"), msgid("Not passed"), msgid("Broken off"),
                                    msgid("Not begun"), msgid("Free play")};
  const auto index = static_cast<std::size_t>(outcome);
  return kMarks[index] + std::string(tr(kTexts[index]));
}

const char* outcome_class(Outcome outcome) {
  if (outcome == Outcome::kPassed) return "badge passed";
  if (outcome == Outcome::kFailed) return "badge failed";
  return "badge";
}

std::string limit_text(const Figure& figure) {
  std::string text;
  if (figure.least)
    text = tr_format("at least {}", quantity(*figure.least, figure.unit, figure.passes));
  if (figure.most)
    text += (text.empty() ? "" : ", ") +
            tr_format("at most {}", quantity(*figure.most, figure.unit, figure.passes));
  return text;
}

bool has_ended(const Attempt& a) {
  return a.outcome == Outcome::kPassed || a.outcome == Outcome::kFailed;
}

std::string value_text(const Figure& figure) {
  return quantity(figure.value, figure.unit, figure.passes);
}

// For an unfinished attempt only violations are certain.
std::string verdict_text(const Figure& figure, bool ended) {
  switch (verdict(figure)) {
    case Verdict::kNone:
      return "";
    case Verdict::kWithin:
      return ended ? std::string("✔ ") + tr_in("limit", "kept") : tr_in("limit", "open");
    case Verdict::kBeyond:
      return ended || !(figure.least && figure.value < *figure.least)
                 ? std::string("✘ ") + tr_in("limit", "not kept")
                 : tr_in("limit", "open");
  }
  return "";
}

std::string unit_in_brackets(const std::string& unit) {
  const std::string shown = axis_unit(unit).unit;
  return shown.empty() ? std::string() : " [" + shown + "]";
}

const Figure* find(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&name](const Figure& figure) { return figure.name == name; });
  return found == figures.end() ? nullptr : &*found;
}

double length(const Attempt& attempt) {
  return attempt.t_s.empty() ? 0.0 : attempt.t_s.back() - attempt.t_s.front();
}

// Who and when; for the keys of drawings and the heads of columns.
std::string label_of(const Attempt& other, const Attempt& judged) {
  std::string text = date_text(other.started);
  if (other.learner != judged.learner)
    text = (other.learner.empty() ? tr("not named") : other.learner) + ", " + text;
  if (other.of > 1) text += ", " + tr_format("attempt {}", other.number);
  return text;
}

// --- Head -----------------------------------------------------------------------

std::string head(const Attempt& a) {
  std::string out = fmt::format("<h1>{}</h1>\n", escaped(a.title.empty() ? a.exercise : a.title));
  out += fmt::format("<p class=\"result\"><span class=\"{}\">{}</span>{}</p>\n",
                     outcome_class(a.outcome), outcome_text(a.outcome),
                     a.points.empty() ? "" : " " + escaped(a.points));
  out += "<dl>\n";
  const auto item = [&out](const char* term, const std::string& text) {
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, escaped(text));
  };
  item(tr("Learner"), a.learner.empty() ? tr("not named") : a.learner);
  item(tr("Date"), date_text(a.started));
  item(tr("Exercise"), a.exercise);
  item(tr("Machine"), a.machine);
  item(tr("Levers"), a.levers);
  item(tr("Trust"), a.trust);
  item(tr("Lasted"), quantity(a.duration_s, "s"));
  if (a.of > 1) item(tr("Attempt"), tr_format("{} of {} in this session", a.number, a.of));
  out += "</dl>\n";
  return out;
}

std::vector<std::string> sentences(const Attempt& a) {
  std::vector<std::string> out;
  if (a.t_s.empty() && !(a.duration_s > 0.0)) {
    out.emplace_back(
        tr("The session has ended before anything happened: there is nothing to show."));
  } else if (a.outcome == Outcome::kNotBegun) {
    out.emplace_back(tr("No lever was moved, so nothing was judged."));
  } else if (a.outcome == Outcome::kBrokenOff) {
    out.emplace_back(
        tr("The attempt was broken off before the exercise was done: the figures are those up to "
           "then."));
  } else if (a.outcome == Outcome::kFree) {
    out.emplace_back(tr("Nothing was asked in this exercise: the figures are for interest only."));
  }
  if (length(a) > 0.0 && length(a) < kShort)
    out.push_back(tr_format("The attempt lasted {} only.", quantity(length(a), "s")));
  out.insert(out.end(), a.remarks.begin(), a.remarks.end());
  return out;
}

// --- Score ----------------------------------------------------------------------

std::string score(const Attempt& a) {
  std::string out = heading(tr("Score"));
  if (a.figures.empty()) return out + paragraph(tr("No figures were recorded."));
  if (a.outcome == Outcome::kNotBegun) return out + paragraph(tr("There is nothing to judge."));
  std::vector<const Figure*> judged, plain;
  for (const Figure& figure : a.figures) {
    if (figure.least || figure.most)
      judged.push_back(&figure);
    else if (!figure.detail && std::isfinite(figure.value))
      plain.push_back(&figure);
  }
  const auto broken = std::count_if(judged.begin(), judged.end(), [](const Figure* figure) {
    return verdict(*figure) == Verdict::kBeyond;
  });
  if (!judged.empty() && has_ended(a))
    out +=
        paragraph(broken == 0 ? std::string(tr("All limits are kept."))
                              : tr_count(broken, "{} of {} limits is not kept.",
                                         "{} of {} limits are not kept.", broken, judged.size()));
  out += "<table>\n<thead><tr>" + head_cell(tr("Figure")) + head_cell(tr("Value"), "n") +
         head_cell(tr("To pass")) + head_cell(tr("Verdict")) + "</tr></thead>\n<tbody>\n";
  judged.insert(judged.end(), plain.begin(), plain.end());
  for (const Figure* figure : judged) {
    const std::string words = verdict_text(*figure, has_ended(a));
    const char* row = words.starts_with("✔")   ? "within"
                      : words.starts_with("✘") ? "beyond"
                                               : "plain";
    out += fmt::format("<tr class=\"{}\">{}{}{}<td class=\"verdict\">{}</td></tr>\n", row,
                       cell(figure->label), number_cell(value_text(*figure)),
                       cell(limit_text(*figure)), words);
  }
  return out + "</tbody>\n</table>\n";
}

// Detailed figures outside the score.
std::string details(const Attempt& a) {
  std::string items;
  for (const Figure& figure : a.figures)
    if (figure.detail && !figure.least && !figure.most && std::isfinite(figure.value))
      items += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(figure.label),
                           escaped(value_text(figure)));
  if (items.empty() || a.outcome == Outcome::kNotBegun) return {};
  return "<div class=\"whole\">\n" + heading(tr("More figures")) + "<dl>\n" + items +
         "</dl>\n</div>\n";
}

// --- Work elements --------------------------------------------------------------

std::string work_elements(const Attempt& a) {
  if (a.work.empty()) return {};
  std::string out = "<div class=\"whole\">\n" + heading(tr("Work elements"));
  out += lead(
      tr("Crane and carrier work side by side: each moment belongs to one element of each, so that "
         "each adds up "
         "to the time of the attempt."));
  out += "<table>\n<thead><tr>" + head_cell(tr("Part")) + head_cell(tr("Element")) +
         head_cell(tr("Time"), "n") + head_cell(tr("Share"), "n") + head_cell(tr("Times"), "n") +
         "</tr></thead>\n<tbody>\n";
  for (auto one = a.work.begin(); one != a.work.end();) {
    const auto end = std::find_if(
        one, a.work.end(), [&part = one->part](const Work& other) { return other.part != part; });
    double sum = 0.0;
    for (auto i = one; i != end; ++i) sum += i->seconds;
    for (auto i = one; i != end; ++i)
      out += "<tr>" + cell(i == one ? tr(i->part) : "") + cell(tr(i->name)) +
             number_cell(quantity(i->seconds, "s")) +
             number_cell(fmt::format("{:.1f} %", 100.0 * i->seconds / sum)) +
             number_cell(i->times > 0 ? fmt::format("{}", i->times) : "") + "</tr>\n";
    out += "<tr>" + cell("") + cell(tr("together")) + number_cell(quantity(sum, "s")) +
           number_cell("100.0 %") + number_cell("") + "</tr>\n";
    one = end;
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

// --- Advice ---------------------------------------------------------------------

std::string advice(const Attempt& a) {
  if (a.advice.empty()) return {};
  std::string out = "<div class=\"whole\">\n" + heading(tr("Advice")) + lead(a.advice_remark);
  for (const std::string& one : a.advice) out += paragraph(one);
  return out + "</div>\n";
}

// --- Timeline -------------------------------------------------------------------

const char* word_of(EventKind kind) {
  constexpr const char* kWords[] = {msgid("Task"),      msgid("Grip"),     msgid("Contact"),
                                    msgid("Collision"), msgid("End stop"), msgid("At relief"),
                                    msgid("Control"),   msgid("Fault"),    msgid("Bookmark"),
                                    msgid("Message"),   msgid("Other")};
  return kWords[static_cast<int>(kind)];
}

std::string timeline(const Attempt& a) {
  std::string out = heading(tr("Timeline"));
  if (a.events.empty()) return out + paragraph(tr("Nothing out of the ordinary was recorded."));
  return out + "<figure>\n" + timeline_chart(a) +
         caption(tr("Time from the first lever movement on; all events are listed at the end.")) +
         "</figure>\n";
}

std::string event_list(const Attempt& a) {
  if (a.events.empty()) return {};
  std::string out = heading(tr("Events")) + "<ul class=\"events\">\n";
  const std::size_t shown = std::min(a.events.size(), kMostEvents);
  for (std::size_t i = 0; i < shown; ++i) {
    const Event& event = a.events[i];
    std::string words = tr(word_of(event.kind));
    if (!event.text.empty()) words += ": " + event.text;
    if (event.lasts_s > 0.0) words += ", " + tr_format("for {}", quantity(event.lasts_s, "s"));
    out += fmt::format("<li><span class=\"t\">{}</span> {}</li>\n", clock_text(event.t_s),
                       escaped(words));
  }
  out += "</ul>\n";
  if (shown < a.events.size())
    out += paragraph(tr_format("{} more events are not listed; the session file has them all.",
                               a.events.size() - shown));
  return out;
}

// --- Path -----------------------------------------------------------------------

// Attempts whose path can be drawn over the judged one's.
std::vector<Overlay> overlays_of(const Content& c) {
  std::vector<Overlay> out;
  std::size_t next = 0;
  for (const Attempt& other : c.others)
    if (other.exercise == c.judged.exercise && !other.tip.empty() &&
        next < std::size(kOverlayClasses))
      out.push_back({&other, kOverlayClasses[next++]});
  if (c.expert && c.expert->exercise == c.judged.exercise && !c.expert->tip.empty())
    out.push_back({&*c.expert, "expert"});
  return out;
}

std::string paths(const Content& c) {
  const Attempt& a = c.judged;
  std::string out =
      heading(a.tip_label == "Tip" ? tr("Path of the tip") : tr("Path of the grapple"));
  if (a.tip.size() < 2) return out + paragraph(tr("No path was recorded."));
  const std::vector<Overlay> overlays = overlays_of(c);
  out += "<p class=\"keys\">" + key("own", tr_format("this attempt, from {} to {}", "○", "●"));
  if (!a.ideal.empty()) out += key("ideal", a.ideal_label);
  for (const Overlay& overlay : overlays) {
    const bool expert = overlay.classes == "expert";
    out += key("other " + overlay.classes,
               expert ? tr_format("expert: {}", label_of(*overlay.attempt, a))
                      : label_of(*overlay.attempt, a));
  }
  if (std::any_of(a.events.begin(), a.events.end(),
                  [](const Event& event) { return event.kind == EventKind::kCollision; }))
    out += fmt::format("<span class=\"item\">✕ {}</span>", tr("collision"));
  out += "</p>\n<div class=\"pair together\">\n";
  out += "<figure>" + caption(tr("From above: ahead is to the right, left is up")) +
         path_chart(a, overlays, PathView::kAbove) + "</figure>\n";
  out += "<figure>" + caption(tr("From the side: ahead is to the right")) +
         path_chart(a, overlays, PathView::kSide) + "</figure>\n";
  return out + "</div>\n";
}

// --- Over time ------------------------------------------------------------------

std::string figure_of(const std::string& title, const std::string& chart) {
  return "<figure>\n" + small_heading(title) + chart + "</figure>\n";
}

std::string pressures(const Attempt& a) {
  std::string out = heading(tr("Pressures"));
  if (a.t_s.size() < 2 || (a.pressures.empty() && a.pump_Pa.empty()))
    return out + paragraph(tr("No pressures were recorded."));
  out += fmt::format("<p class=\"keys\"><span class=\"item\">{}</span>", tr("In bar.")) +
         key("own", tr("head side or motor inlet")) +
         key("second", tr("rod side or motor outlet")) + key("limit", tr("relief valve opens")) +
         "</p>\n";
  for (const Pressures& one : a.pressures) out += figure_of(one.label, pressure_chart(a, one));
  if (!a.pump_Pa.empty())
    out += figure_of(tr("Pump"),
                     strip_chart(a, {tr("Pressure of the pump"), "Pa", a.pump_Pa}, {0.0, 1.0}));
  return out;
}

std::string levers(const Attempt& a) {
  std::string out = heading(tr("Levers"));
  if (a.t_s.size() < 2 || a.levers_moved.empty()) return out + paragraph(tr("No lever was moved."));
  out += lead(tr("Position from -1 to 1; levers that were never moved are left out."));
  for (const Series& lever : a.levers_moved)
    out += figure_of(lever.label, strip_chart(a, lever, {-1.0, 1.0, 44.0}));
  return out;
}

std::string joints(const Attempt& a) {
  if (a.t_s.size() < 2 || a.joints.empty()) return {};
  std::string out = heading(tr("Joints"));
  for (const Series& joint : a.joints)
    out += figure_of(joint.label + unit_in_brackets(joint.unit), strip_chart(a, joint, {}));
  return out;
}

// --- Comparison -----------------------------------------------------------------

std::string difference(const Figure& own, const Figure& other) {
  const double by = own.value - other.value;
  if (!std::isfinite(by)) return "–";
  if (by == 0.0) return tr("same");
  std::string text = (by > 0.0 ? "+" : "−") + quantity(std::abs(by), own.unit, own.passes);
  // A ratio to nearly zero is meaningless.
  const double share = other.value > 0.0 ? by / other.value : INFINITY;
  if (quantity(std::abs(by), own.unit, own.passes) == quantity(0.0, own.unit, own.passes))
    return tr("same");
  if (std::abs(share) < 10.0) text += fmt::format(" ({:+.0f} %)", 100.0 * share);
  return text;
}

// Side by side with as many others as fit on a page.
std::string comparison_table(const Content& c, std::span<const Attempt* const> others) {
  std::string out =
      "<table>\n<thead><tr>" + head_cell(tr("Figure")) + head_cell(tr("This attempt"), "n wrap");
  for (const Attempt* other : others)
    out += head_cell(c.expert && other == &*c.expert
                         ? tr_format("Expert: {}", label_of(*other, c.judged))
                         : label_of(*other, c.judged),
                     "n wrap");
  const bool differences = others.size() == 1;
  if (differences) out += head_cell(tr("Difference"), "n");
  out += "</tr></thead>\n<tbody>\n<tr>" + cell(tr("Result")) +
         number_cell(outcome_text(c.judged.outcome));
  for (const Attempt* other : others) out += number_cell(outcome_text(other->outcome));
  if (differences) out += "<td></td>";
  out += "</tr>\n";
  for (const Figure& own : c.judged.figures) {
    const bool told = std::isfinite(own.value) ||
                      std::any_of(others.begin(), others.end(), [&own](const Attempt* other) {
                        const Figure* theirs = find(other->figures, own.name);
                        return theirs != nullptr && std::isfinite(theirs->value);
                      });
    if (!told) continue;
    out += "<tr>" + cell(own.label) + number_cell(value_text(own));
    for (const Attempt* other : others) {
      const Figure* theirs = find(other->figures, own.name);
      out += number_cell(theirs != nullptr ? value_text(*theirs) : "–");
    }
    if (differences) {
      const Figure* theirs = find(others.front()->figures, own.name);
      out += number_cell(theirs != nullptr ? difference(own, *theirs) : "–");
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string comparison(const Content& c) {
  std::vector<const Attempt*> others;
  if (c.expert) others.push_back(&*c.expert);
  for (const Attempt& other : c.others) others.push_back(&other);
  if (others.empty()) return {};
  std::string out = heading(tr("Comparison"));
  for (const Attempt* other : others)
    if (other->exercise != c.judged.exercise)
      out += paragraph(tr_format("{} is of another exercise ({}); its figures say little here.",
                                 label_of(*other, c.judged), other->exercise));
    else if (other->machine != c.judged.machine)
      out += paragraph(tr_format("{} was driven with another machine ({}).",
                                 label_of(*other, c.judged), other->machine));
  for (std::size_t i = 0; i < others.size(); i += kMostColumns)
    out += comparison_table(
        c, std::span(others).subspan(i, std::min(kMostColumns, others.size() - i)));
  return out;
}

// --- Learning curves ------------------------------------------------------------

bool is_followed(const Figure& figure) { return figure.least || figure.most || figure.followed; }

std::vector<CurvePoint> curve_of(const Figure& figure, const Content& c) {
  std::vector<CurvePoint> points;
  for (const Result& result : c.earlier)
    for (const auto& [name, value] : result.figures)
      // An attempt broken off early was no faster for it.
      if (name == figure.name && result.outcome != Outcome::kBrokenOff)
        points.push_back({value, result.outcome == Outcome::kPassed});
  if (has_ended(c.judged)) points.push_back({figure.value, c.judged.outcome == Outcome::kPassed});
  return points;
}

std::string learning_curves(const Content& c) {
  if (c.earlier.empty()) return {};
  std::string out = heading(tr("Learning curves"));
  const auto passed =
      std::count_if(c.earlier.begin(), c.earlier.end(),
                    [](const Result& result) { return result.outcome == Outcome::kPassed; }) +
      (c.judged.outcome == Outcome::kPassed ? 1 : 0);
  const bool ended = has_ended(c.judged);
  const auto broken_off =
      std::count_if(c.earlier.begin(), c.earlier.end(),
                    [](const Result& result) { return result.outcome == Outcome::kBrokenOff; }) +
      (ended ? 0 : 1);
  const std::size_t all = c.earlier.size() + 1;
  out += lead(
      tr_count(
          static_cast<long long>(all),
          "{} attempt at this exercise under these conditions, {} passed ({}; {} not passed), {} "
          "broken off (not drawn); the dotted line is the limit.",
          "{} attempts at this exercise under these conditions, {} of them passed ({}; {} not "
          "passed), {} broken off (not drawn); the dotted line is the limit.",
          all, passed, "●", "○", broken_off) +
      " " +
      (ended ? tr("The last and largest mark is this attempt.")
             : tr("This attempt was not finished and is left out.")));
  out += "<div class=\"pair\">\n";
  const std::string first = date_text(c.earlier.front().started).substr(0, 10);
  const std::string& newest = ended ? c.judged.started : c.earlier.back().started;
  const std::string last = date_text(newest).substr(0, 10);
  for (const Figure& figure : c.judged.figures) {
    if (!is_followed(figure)) continue;
    const std::vector<CurvePoint> points = curve_of(figure, c);
    if (points.size() < 2) continue;
    out += figure_of(figure.label + unit_in_brackets(figure.unit) +
                         (figure.better.empty() ? "" : ": " + figure.better),
                     learning_chart(figure, points, ended, first, last));
  }
  return out + "</div>\n";
}

// --- The other attempts of the session ------------------------------------------

std::string attempts(const Content& c) {
  if (c.same_session.size() < 2) return {};
  std::vector<const Figure*> columns;
  for (const Figure& figure : c.judged.figures)
    if ((figure.least || figure.most || figure.heads) && columns.size() < 5)
      columns.push_back(&figure);
  std::string out = heading(tr("Attempts in this session"));
  out += "<table>\n<thead><tr>" + head_cell(tr("Attempt")) + head_cell(tr("Result")) +
         head_cell(tr("Lasted"), "n");
  for (const Figure* figure : columns)
    out += fmt::format("<th class=\"n wrap\">{}</th>", escaped(figure->label));
  out += "</tr></thead>\n<tbody>\n";
  for (const Attempt& attempt : c.same_session) {
    const bool this_one = attempt.number == c.judged.number;
    out += "<tr>" +
           cell(this_one ? tr_format("{} (this report)", attempt.number)
                         : fmt::format("{}", attempt.number)) +
           cell(outcome_text(attempt.outcome)) + number_cell(quantity(attempt.duration_s, "s"));
    for (const Figure* column : columns) {
      const Figure* figure = find(attempt.figures, column->name);
      out += number_cell(figure != nullptr ? value_text(*figure) : "–");
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

// --- Recording ------------------------------------------------------------------

std::string recording(const Attempt& a) {
  std::string out = "<div class=\"whole\">\n" + heading(tr("Recording")) + "<dl>\n";
  const auto item = [&out](std::string_view term, const std::string& text) {
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), escaped(text));
  };
  item(tr("File"), a.source);
  item(tr("Recorded by"), a.build);
  for (const auto& [name, value] : a.health) item(name, value);
  return out + "</dl>\n</div>\n";
}

}  // namespace

Verdict verdict(const Figure& figure) {
  if (!figure.least && !figure.most) return Verdict::kNone;
  const bool within = (!figure.most || figure.value <= *figure.most) &&
                      (!figure.least || figure.value >= *figure.least);
  return within ? Verdict::kWithin : Verdict::kBeyond;
}

std::string page(const Content& c) {
  const Attempt& a = c.judged;
  const std::string title = (a.title.empty() ? a.exercise : a.title) +
                            (a.learner.empty() ? "" : ", " + a.learner) + ", " +
                            date_text(a.started);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"" + language::in_use() +
      "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n";
  out += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                     escaped(title), kStyle);
  out += head(a);
  for (const std::string& sentence : sentences(a))
    out += fmt::format("<p class=\"remark\">{}</p>\n", escaped(sentence));
  out += score(a) + attempts(c) + comparison(c) + learning_curves(c) + advice(a) +
         work_elements(a) + timeline(a) + paths(c) + pressures(a) + levers(a) + joints(a) +
         details(a) + event_list(a) + recording(a);
  out += fmt::format("</main>\n<footer>{}</footer>\n</body>\n</html>\n",
                     escaped(tr_format("Made by {}.", c.build)));
  return out;
}

}  // namespace knuckleboom::report
