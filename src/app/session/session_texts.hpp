// Texts of a session for the operator: task, figures, briefing, names on the instruments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/training/session.hpp"
#include "view/panels/banners.hpp"
#include "view/panels/instruments.hpp"

namespace knuckleboom::app {

// Passed or failed.
bool has_ended(const training::SessionSnapshot& now);

// "Log 3 of 8: bring it to the red bunk".
std::string task_line(const training::Session& session, const training::SessionSnapshot& now);

// "red log 2, 145 kg"; empty if nothing is held.
std::string held_text(const training::Session& session, const training::SessionSnapshot& now);

// Without details: the main figures and those with a limit. A lower limit is only judged after the
// end of the attempt.
std::vector<view::panels::FigureRow> figure_rows(const training::Exercise& exercise,
                                                 const training::Score& score, bool ended,
                                                 bool details = false);
// As it is shown: "0.25 m", "-".
std::string value_text(const training::Figure& figure, double value);
// For an attempt that has ended: "92.1 of 100 points, excellent"; empty: the exercise has no points.
std::string points_text(const training::Exercise& exercise, double points);
std::string limit_text(const training::Figure& figure, const training::Limit& limit);
bool is_beyond(const training::Figure& figure, const training::Limit& limit, double value,
               bool ended);
// A recorded figure; NaN for a mean over nothing.
double figure_value(const std::string& name, double recorded);
const training::Limit* limit_of(const training::Exercise& exercise, std::string_view figure);

// Seconds of each work element and of each phase of a load.
struct WorkTimes {
  std::span<const double> crane_s, drive_s, phase_s;
  bool wheels, phases;  // whether there are any
};
// One line for each track and one for the phases. docs/theory/judging.md
std::vector<view::panels::FigureRow> element_rows(const WorkTimes& work);
std::vector<view::panels::FigureRow> element_rows(const training::SessionSnapshot& now);
// Whether there was a load, and so more than one of its phases.
bool tells_phases(const training::SessionSnapshot& now);

// Who was in danger, when that ended the attempt; empty: nobody was.
std::string danger_text(const training::SessionSnapshot& now);
// The same of a recorded event's values.
std::string danger_text(const double (&event)[4]);
// Why an attempt has failed: who was in danger, the broken limit, or the time; empty if it has not.
std::string failure_reason(const training::Exercise& exercise,
                           const training::SessionSnapshot& now);

// Numbers of the active faults.
std::vector<int> faults_there(const training::Session& session,
                              const training::SessionSnapshot& now);

// "boom cylinder leak"; an exercise's own as its file names it.
std::string fault_name(const command::Fault& fault);
// Its name without that of its function, which it begins with if it is a usual one.
std::string own_name(const command::Fault& fault);
// Name of a fault, without its size: "cylinder leak of the boom"; empty: there is no such fault.
std::string fault_text(const training::Session& session, int fault);
// The faults of which one was drawn, while it may be said which: by their numbers.
std::vector<int> suspected_faults(const training::Session& session,
                                  const training::SessionSnapshot& now);
// After an attempt that asked for it: what was wrong, and whether it was said; else empty.
std::string diagnosis_text(const training::Session& session, const training::SessionSnapshot& now);

view::panels::Briefing briefing_of(const training::Exercise& exercise);
view::panels::InstrumentFaces faces_of(const training::Session& session);

}  // namespace knuckleboom::app
