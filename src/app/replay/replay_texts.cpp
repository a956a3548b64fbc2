#include "app/replay/replay_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/session/filing.hpp"
#include "app/session/notes.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/training/task.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

std::string where(const runtime::Replayer& replayer, std::int64_t tick) {
  return fmt::format(
      "tick {} ({:.3f} s)", tick,
      static_cast<double>(tick - replayer.first_tick()) * replayer.record().tick_s());
}

}  // namespace

std::string mismatch_sentence(const runtime::Replayer& replayer, const runtime::ReplayMismatch& m) {
  std::string text =
      fmt::format("the replay differs from the recording at {}", where(replayer, m.tick));
  if (m.equal_tick >= 0) text += fmt::format(", equal up to tick {}", m.equal_tick);
  if (!m.channel.empty())
    text +=
        fmt::format("; channel {} at tick {}: recorded {:.9g}, computed {:.9g}, {:.3g}{}{} apart",
                    m.channel, m.channel_tick, m.recorded, m.computed,
                    std::abs(m.computed - m.recorded), m.unit.empty() ? "" : " ", m.unit);
  if (m.resumed_tick >= 0)
    text +=
        fmt::format("; it goes on from the stored state at {}", where(replayer, m.resumed_tick));
  return text;
}

std::string replay_line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<20} {}\n", name, text);
}

std::string replay_description(const runtime::Replayer& replayer) {
  const io::SessionRecord& record = replayer.record();
  const io::SessionHeader& header = record.header;
  const training::Exercise& exercise = replayer.session().exercise();
  std::string text = fmt::format("{} on {}, levers {}, {:g} Hz\n",
                                 exercise.title.empty() ? exercise.name : exercise.title,
                                 replayer.session().machine().name,
                                 replayer.session().control().pattern().name, header.rate_Hz);
  text += replay_line("session", header.id);
  text += replay_line("recorded", header.start_utc + " by " + header.program);
  if (const std::string learner = learner_shown(header); !learner.empty())
    text += replay_line("learner", learner);
  if (!header.parent_id.empty())
    text += replay_line("taken over from",
                        fmt::format("{} at tick {}", header.parent_id, header.parent_tick));
  text += replay_line("length",
                      fmt::format("{} ticks, {:.3f} s", record.end.end_tick - header.first_tick,
                                  record.duration_s()));
  text +=
      replay_line("recording", fmt::format("{} lever positions and commands, {} events, {} states, "
                                           "{} channels",
                                           record.inputs.size() - 1, record.events.size(),
                                           record.state_ticks.size(), header.channels.size()));
  return text;
}

std::string check_text(const runtime::Replayer& replayer) {
  if (replayer.source() != runtime::Replayer::Source::kSimulation)
    return tr("stored channels; nothing to compare");
  return tr_format("{} of {} states as recorded", replayer.hashes_equal(),
                   replayer.hashes_compared());
}

EventWords words_of(const io::SessionEvent& event, training::TaskKind task) {
  using view::panels::MarkKind;
  const std::string& text = event.text;
  if (event.kind == "phase") {
    if (text == "running") return {tr("begun")};
    if (text == "passed") return {tr("passed")};
    if (text == "failed") return {tr("failed"), MarkKind::kBad};
    return {};
  }
  if (event.kind == "aid") return {};  // a condition, nothing that happened
  if (event.kind == "step") return {tr_format("{:g} of {:g} done", event.value[0], event.value[1])};
  if (event.kind == "collision") {
    const auto obstacle =
        static_cast<world::Obstacle>(std::clamp(event.value[0], 0.0, world::kObstacles - 1.0));
    const bool bad = training::counts_as_collision(task, obstacle);
    if (!bad) return {};  // intended contacts
    return {tr_format("collision: {}", tr(text)), MarkKind::kBad};
  }
  if (event.kind == "danger") return {danger_text(event.value), MarkKind::kBad};
  if (event.kind == "end_stop") return {tr("end stop"), MarkKind::kBad};
  if (event.kind == "fault")
    return {event.value[1] > 0.0 ? tr_format("fault {} begins", tr(spoken(text)))
                                 : tr_format("fault {} ends", tr(spoken(text))),
            MarkKind::kInstructor};
  if (event.kind == "grip") return {tr_format("gripped {}", tr(spoken(text)))};
  if (event.kind == "release") return {tr_format("let go {}", tr(spoken(text)))};
  if (event.kind == "bookmark") return {tr("bookmark"), MarkKind::kInstructor};
  if (event.kind == kNoteEvent) return {tr_format("note: {}", text), MarkKind::kInstructor};
  if (event.kind == "message") return {tr_format("instructor: {}", text), MarkKind::kInstructor};
  return {text.empty() ? event.kind : event.kind + ": " + text};
}

std::size_t next_channel(const io::SessionHeader& header, std::size_t channel, int direction) {
  const std::size_t count = header.channels.size();
  std::size_t next = channel;
  for (std::size_t tries = 0; tries < count; ++tries) {
    next = (next + (direction > 0 ? 1 : count - 1)) % count;
    if (header.channels[next].name != "t_s") return next;
  }
  return channel;
}

std::string unknown_channel(const io::SessionHeader& header, std::string_view name) {
  std::string like;
  int count = 0;
  const std::string_view stem = name.substr(0, name.find_first_of("._"));
  for (const io::ChannelInfo& channel : header.channels) {
    if (stem.empty() || channel.name.find(stem) == std::string::npos || ++count > 8) continue;
    like += (like.empty() ? "" : ", ") + channel.name;
  }
  return fmt::format(
      "the session has no channel '{}'{}", name,
      like.empty() ? "; docs/reference/session_file.md lists them" : "; there are " + like);
}

double value_at(const io::SessionRecord& record, const std::vector<float>& samples, double tick) {
  const auto after =
      std::upper_bound(record.channel_ticks.begin(), record.channel_ticks.end(), tick,
                       [](double t, std::int64_t row) { return t < static_cast<double>(row); });
  const auto row = after - record.channel_ticks.begin();
  if (row == 0 || static_cast<std::size_t>(row) > samples.size())
    return std::numeric_limits<double>::quiet_NaN();
  return samples[static_cast<std::size_t>(row - 1)];
}

}  // namespace knuckleboom::app
