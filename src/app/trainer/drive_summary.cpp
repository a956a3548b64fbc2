#include "app/trainer/drive_summary.hpp"

#include <string_view>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/packet_summary.hpp"
#include "app/shell/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using training::TaskPhase;
using view::panels::FigureRow;
using view::panels::microseconds_text;

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<20} {}\n", name, text);
}

std::string result_text(const training::TaskSnapshot& task) {
  const std::string done =
      task.steps > 0 ? fmt::format(", {} of {} done", task.step, task.steps) : std::string();
  switch (task.phase) {
    case TaskPhase::kReady:
      return "not begun";
    case TaskPhase::kRunning:
      return "not finished" + done;
    case TaskPhase::kPassed:
      return "passed" + done;
    case TaskPhase::kFailed:
      return "failed" + done;
  }
  return {};
}

std::string figure_text(const FigureRow& row) {
  if (row.verdict == FigureRow::Verdict::kNoLimit) return row.value;
  return fmt::format("{:<12} {}{}", row.value, row.limit,
                     row.verdict == FigureRow::Verdict::kBeyond ? ": missed" : "");
}

std::string times(const runtime::TimeSummary& t) {
  return fmt::format("p50 {}, p99 {}, p99.9 {}, max {}", microseconds_text(t.p50_us),
                     microseconds_text(t.p99_us), microseconds_text(t.p99_9_us),
                     microseconds_text(t.max_us));
}

std::string timing(const SessionEnd& end) {
  const runtime::ThreadHealth& h = end.health;
  std::string text = line("overruns", fmt::format("{}, lost time {:.3g} s", h.overruns, h.lost_s));
  text += line("lateness", times(h.lateness));
  text += line("tick",
               fmt::format("mean {}, max {}; hand-over {}", microseconds_text(h.tick_mean_us),
                           microseconds_text(h.tick_max_us), microseconds_text(h.publish_mean_us)));
  text += line("real-time priority", h.priority_granted ? "granted" : "not granted");
  if (h.inputs > 0)
    text +=
        line("lever to tick",
             fmt::format("mean {}, max {}, {}", microseconds_text(h.input_mean_us),
                         microseconds_text(h.input_max_us), counted(h.inputs, "event", "events")));
  return text;
}

}  // namespace

void tell_result(const LoadedSession& loaded, SessionEnd& end) {
  const bool ended = has_ended(end.last);
  end.figures = figure_rows(loaded.exercise(), end.last.score, ended, true);
  if (ended) end.points = points_text(loaded.exercise(), end.last.score.points);
  end.danger = danger_text(end.last);
  end.diagnosis = diagnosis_text(*loaded.session, end.last);
  end.warnings = watch_sentences(loaded.session->machine(), end.last.sim.watch);
}

std::string session_summary(const SessionEnd& end, bool paced) {
  std::string text = end.title + '\n';
  text +=
      line("result", result_text(end.last.task) + (end.points.empty() ? "" : ", " + end.points));
  if (!end.danger.empty()) text += line("danger", end.danger);
  if (!end.diagnosis.empty()) text += line("diagnosis", end.diagnosis);
  for (const FigureRow& row : end.figures) text += line(row.label, figure_text(row));
  for (const FigureRow& row : end.elements) text += line(row.label, row.value);
  text += line("ticks",
               fmt::format("{}, {:.3f} s", end.ticks, static_cast<double>(end.ticks) * end.tick_s));
  if (paced) text += timing(end);
  const machine::Health& health = end.last.sim.health;
  if (health.non_finite > 0)
    text += line("not finite", counted(health.non_finite, "tick", "ticks"));
  if (!end.recording.empty()) text += line("recording", end.recording);
  if (!end.session_file.empty()) text += line("session file", end.session_file.string());
  text += line("state", end.state_hash);
  for (const std::string& warning : end.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string run_summary(const FrameMeter& frames, const InputLatency& latency,
                        const runtime::LatenessProbe::Result& bare, const PictureSummary& picture,
                        const std::string& sound) {
  std::string text = line("bare loop", fmt::format("lateness {}", times(bare.lateness)));
  text += line("pictures", fmt::format("{}, {:.1f} a second; {}", frames.frames(),
                                       frames.mean_rate(), times(frames.times().summary())));
  text += line("picture", fmt::format("{}x{}, quality {}, {} draw calls, {} vertices, {}",
                                      picture.width, picture.height, picture.quality,
                                      picture.draw_calls, picture.vertices, picture.renderer));
  if (latency.times().count() > 0) {
    const auto& f = latency.frames();
    text += line("lever to picture",
                 fmt::format("{}; shown by the frame that saw it {}, the next {}, the second {}, "
                             "later {}",
                             times(latency.times().summary()), f[0], f[1], f[2], f[3]));
  }
  text += line("sound", sound);
  return text;
}

std::string stand_summary(const input::RemoteLevers& stand) {
  return line("lever stand", packet_sentence(stand.endpoint().counters()));
}

}  // namespace knuckleboom::app
