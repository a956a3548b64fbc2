#include "app/emulation/live_texts.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "app/shell/packet_summary.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilBench;
using emulation::HilState;

double read(const LiveContext& context, const HilState& state, const char* name) {
  const int signal = context.bench.find_signal(name);
  return signal < 0 ? 0.0 : context.bench.value(state, signal);
}

std::string of_axes(const LiveContext& context, const HilState& state, const char* stem,
                    double scale, const char* form) {
  std::string out;
  for (const char* axis : {"x", "y", "z"})
    out += fmt::format(fmt::runtime(form),
                       scale * read(context, state, (std::string(stem) + axis).c_str()));
  return out;
}

std::string phase_words(const HilBench& bench, const HilState& state) {
  const auto& phases = bench.emulation().plan().phases;
  const auto phase = static_cast<std::size_t>(state.emulation.phase);
  if (phase >= phases.size()) return "all phases over";
  return fmt::format("phase {} of {}, {}", phase + 1, phases.size(), phases[phase].name);
}

std::string names_of(const HilBench& bench, std::uint64_t mask) {
  std::vector<std::string> names;
  for (int i = 0; i < bench.exchange().signals(); ++i)
    if ((mask >> i & 1U) != 0) names.push_back(bench.exchange().rule(i).name);
  if (names.size() > 4) {
    const std::size_t more = names.size() - 3;
    names.resize(3);
    names.push_back(fmt::format("{} more", more));
  }
  return listing(names);
}

// Status of the signals with an external source.
std::string heard_words(const HilBench& bench, const HilState& state) {
  if (bench.from_outside(state) == 0) return "all simulated";
  const std::uint64_t silent = bench.silent(state);
  return silent == 0 ? "all received" : "silent: " + names_of(bench, silent);
}

std::string signal_words(const HilBench& bench, const HilState& state) {
  const int all = bench.exchange().signals();
  if (all == 0) return "all simulated";
  return fmt::format("{} of {} from outside, {}", std::popcount(bench.from_outside(state)), all,
                     heard_words(bench, state));
}

std::string packet_words(const endpoint::UdpCounters& c) {
  const endpoint::ArrivalCounters& a = c.session.arrivals;
  const std::string_view why = endpoint::unheard_because({}, c);
  return fmt::format("{} received, {} lost, {} late, {} forged, {} from strangers, {} sent{}{}",
                     a.received, a.lost, a.late, c.forged(), c.strangers, c.sent,
                     why.empty() ? "" : "; ", why);
}

std::string can_words(const endpoint::CanCounters& c) {
  return fmt::format("{} received, {} refused, {} rounds forged, {} former, {} sent, {} not sent",
                     c.received, c.refused, c.forged, c.former, c.sent, c.unsent);
}

std::string milliseconds(double us) { return fmt::format("{:.3g} ms", 1e-3 * us); }

// Values changed from those of the files.
std::vector<std::string> changed(const LiveContext& context, const HilState& state) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < context.bench.tunables().size(); ++i) {
    const double now = context.bench.tuned(state, static_cast<int>(i));
    if (now == context.tuned[i]) continue;
    out.push_back(
        fmt::format("{} {:g} (was {:g})", context.bench.tunables()[i].name, now, context.tuned[i]));
  }
  return out;
}

// Problems of external signals; signals with the same problem share a line.
std::string troubles(const HilBench& bench, const HilState& state) {
  std::map<std::array<std::int64_t, 3>, std::uint64_t> alike;
  for (int i = 0; i < bench.exchange().signals(); ++i) {
    std::array<std::int64_t, 3> counts{};
    for (const exchange::Received& r : state.exchange.signal[i].received) {
      counts[0] += r.times_stale;
      counts[1] += r.refused;
      counts[2] += r.limited;
    }
    alike[counts] |= std::uint64_t{1} << i;
  }
  alike.erase(std::array<std::int64_t, 3>{});
  std::string out;
  for (const auto& [counts, mask] : alike) {
    std::vector<std::string> parts;
    if (counts[0] > 0) parts.push_back("silent " + counted(counts[0], "time", "times"));
    if (counts[1] > 0) parts.push_back(counted(counts[1], "value", "values") + " not finite");
    if (counts[2] > 0) parts.push_back(counted(counts[2], "value", "values") + " beyond the range");
    out += fmt::format("{}: {}.\n", names_of(bench, mask), listing(parts));
  }
  return out;
}

std::string source_of(const HilBench& bench, const HilState& state, int signal) {
  const int incoming = bench.incoming_of(signal);
  if (incoming < 0) return "simulated";
  return emulation::name_of(state.exchange.signal[incoming].source);
}

bool stale(const HilBench& bench, const HilState& state, int signal) {
  const int incoming = bench.incoming_of(signal);
  return incoming >= 0 && (bench.silent(state) >> incoming & 1U) != 0;
}

std::string value_line(const LiveContext& context, const HilState& state, int signal) {
  const emulation::HilSignal& s = context.bench.signals()[static_cast<std::size_t>(signal)];
  return fmt::format("{:<32} {:>14.6g} {:<8} {}{}\n", s.name, context.bench.value(state, signal),
                     s.unit, source_of(context.bench, state, signal),
                     stale(context.bench, state, signal) ? ", silent" : "");
}

}  // namespace

std::vector<std::string> live_block(const LiveContext& context, const PublishedBench& now) {
  const HilState& s = now.state;
  const HilBench& bench = context.bench;
  std::vector<std::string> out = {
      context.title,
      fmt::format("{}   {:.2f} s   {}", sentence(bench, s), bench.time(s), phase_words(bench, s)),
      fmt::format("tip       {} mm    target {} mm    tip error {:.3f} mm",
                  of_axes(context, s, "tip.", 1e3, "{:>9.3f}"),
                  of_axes(context, s, "target.", 1e3, "{:>9.3f}"),
                  1e3 * read(context, s, "tip_error")),
      fmt::format("force     {} N     given to the emulated machine {} N",
                  of_axes(context, s, "measured.force_", 1.0, "{:>9.2f}"),
                  of_axes(context, s, "felt.force_", 1.0, "{:>9.2f}")),
      fmt::format("energy    host {}, added by the loop {}",
                  with_prefix(s.emulation.energy.host, "J"),
                  with_prefix(s.emulation.energy.generated, "J")),
      "signals   " + signal_words(bench, s)};
  if (context.has_udp) out.push_back("packets   " + packet_words(now.endpoints.udp));
  if (context.has_can) out.push_back("CAN       " + can_words(now.endpoints.can));
  const runtime::ThreadHealth& h = now.health;
  out.push_back(fmt::format(
      "ticks     start late by {} (99 %), {} at most; cost {:.0f} us; {:.3f} s lost",
      milliseconds(h.lateness.p99_us), milliseconds(h.lateness.max_us), h.tick_mean_us, h.lost_s));
  if (const std::vector<std::string> tuned = changed(context, s); !tuned.empty())
    out.push_back("tuned     " + listing(tuned));
  return out;
}

std::string live_line(const LiveContext& context, const PublishedBench& now) {
  const HilState& s = now.state;
  std::string out = fmt::format(
      "{:.2f} s  {}  tip{} mm  tip error {:.3f} mm  force{} N  added {}", context.bench.time(s),
      emulation::name_of(s.mode), of_axes(context, s, "tip.", 1e3, " {:.2f}"),
      1e3 * read(context, s, "tip_error"), of_axes(context, s, "measured.force_", 1.0, " {:.1f}"),
      with_prefix(s.emulation.energy.generated, "J"));
  if (context.bench.exchange().signals() > 0) out += "  " + heard_words(context.bench, s);
  if (context.has_udp)
    out += fmt::format("  {} received {} lost", now.endpoints.udp.session.arrivals.received,
                       now.endpoints.udp.session.arrivals.lost);
  return out + fmt::format("  late {}", milliseconds(now.health.lateness.max_us));
}

std::string event_sentence(const LiveContext& context, const LiveNotice& notice) {
  const double t = static_cast<double>(notice.tick) * context.bench.tick_s();
  const auto at = [t](const std::string& what) { return fmt::format("{:.3f} s: {}", t, what); };
  switch (notice.kind) {
    case LiveNotice::Kind::kRefused:
      return at(fmt::format("not possible: {}", notice.sentence));
    case LiveNotice::Kind::kMode:
      return at(sentence(context.bench, notice.mode, notice.reason, notice.index, notice.value));
    case LiveNotice::Kind::kSilent:
      return at("silent: " + names_of(context.bench, notice.mask));
    case LiveNotice::Kind::kHeard:
      return at("received: " + names_of(context.bench, notice.mask));
    case LiveNotice::Kind::kPhase: {
      const auto& phases = context.bench.emulation().plan().phases;
      return at("phase " + phases[static_cast<std::size_t>(notice.index)].name);
    }
    case LiveNotice::Kind::kFinished:
      return at("all phases are over");
  }
  return {};
}

std::string shown_values(const LiveContext& context, const HilState& state,
                         const std::vector<int>& signals) {
  std::string out;
  for (const int signal : signals) out += value_line(context, state, signal);
  return out;
}

std::string signal_list(const LiveContext& context, const HilState& state) {
  std::string out;
  for (std::size_t i = 0; i < context.bench.signals().size(); ++i) {
    const emulation::HilSignal& s = context.bench.signals()[i];
    const int signal = static_cast<int>(i);
    out += fmt::format("{:<32} {:<7} {}{}\n", s.name, s.unit, s.description,
                       context.bench.incoming_of(signal) >= 0
                           ? fmt::format(" ({})", source_of(context.bench, state, signal))
                           : "");
  }
  return out;
}

std::string tunable_list(const LiveContext& context, const HilState& state) {
  std::string out;
  for (std::size_t i = 0; i < context.bench.tunables().size(); ++i) {
    const emulation::Tunable& t = context.bench.tunables()[i];
    const double now = context.bench.tuned(state, static_cast<int>(i));
    out += fmt::format("{:<36} {:>10g} {:<10} from {:g} to {:g}: {}{}\n", t.name, now, t.unit,
                       t.least, t.most, t.description,
                       now == context.tuned[i] ? "" : fmt::format(" (was {:g})", context.tuned[i]));
  }
  return out;
}

std::string snapshot_text(const LiveContext& context, const HilState& state) {
  std::string out =
      fmt::format("# {}\n# {:.17g} s, {}\nname,value,unit,source,stale,tick\n", context.title,
                  context.bench.time(state), sentence(context.bench, state));
  for (std::size_t i = 0; i < context.bench.signals().size(); ++i) {
    const emulation::HilSignal& s = context.bench.signals()[i];
    const int signal = static_cast<int>(i);
    out += fmt::format("{},{},{},{},{},{}\n", s.name, context.bench.value(state, signal), s.unit,
                       source_of(context.bench, state, signal),
                       stale(context.bench, state, signal) ? 1 : 0, state.tick);
  }
  return out;
}

std::string live_summary(const LiveContext& context, const PublishedBench& end) {
  const HilState& s = end.state;
  std::string out =
      fmt::format("{}\n{}, {:.3f} s, {}.\n", context.title, counted(s.tick, "tick", "ticks"),
                  context.bench.time(s), phase_words(context.bench, s));
  out += fmt::format("At the end {}; it ran {}, held {} and stopped {}.\n",
                     sentence(context.bench, s), counted(s.runs, "time", "times"),
                     counted(s.holds, "time", "times"), counted(s.stops, "time", "times"));
  const runtime::ThreadHealth& h = end.health;
  if (context.paced)
    out += fmt::format(
        "Ticks started late by {} at half of them, {} at 99 %, {} at most; {} ended after the next "
        "was due, {:.3f} s were lost; a tick cost {:.0f} us, {:.0f} us at most{}.\n",
        milliseconds(h.lateness.p50_us), milliseconds(h.lateness.p99_us),
        milliseconds(h.lateness.max_us), h.overruns, h.lost_s, h.tick_mean_us, h.tick_max_us,
        h.priority_granted ? "" : ", without real-time priority");
  if (context.has_udp) out += "Packets: " + packet_sentence(end.endpoints.udp) + ".\n";
  if (context.has_can) out += "CAN frames: " + can_words(end.endpoints.can) + ".\n";
  out += troubles(context.bench, s);
  if (const std::vector<std::string> tuned = changed(context, s); !tuned.empty())
    out += "Tuned: " + listing(tuned) + ".\n";
  return out;
}

}  // namespace knuckleboom::app
