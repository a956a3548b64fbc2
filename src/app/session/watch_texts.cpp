#include "app/session/watch_texts.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/shell/text.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using machine::Finding;
using machine::MachineModel;
using machine::Oddity;
using machine::WatchLimits;

std::string bar(double pressure_Pa) { return fmt::format("{:.4g} bar", pressure_Pa / 1e5); }

std::string duration(double s) {
  return s < 1.0 ? fmt::format("{:.3g} ms", 1e3 * s) : fmt::format("{:.3g} s", s);
}

std::string what(const MachineModel& model, Oddity kind, const Finding& f) {
  const WatchLimits& limits = model.watch;
  const int where = static_cast<int>(f.where);
  const auto revolute = [&] { return model.tree.link(where).revolute; };
  switch (kind) {
    case Oddity::kVapour:
      return tr_format("a pressure of actuator '{}' fell to {}, below {}, where oil is vapour",
                       model.actuator_name(where), bar(f.worst), bar(limits.vapour_Pa));
    case Oddity::kHose:
      return tr_format("a pressure of actuator '{}' rose to {}; hoses bear {}",
                       model.actuator_name(where), bar(f.worst), bar(limits.hose_Pa));
    case Oddity::kRelief:
      return tr_format(
          "a pressure of actuator '{}' rose to {}, well above its relief valves, which are too "
          "small for what happens here",
          model.actuator_name(where), bar(f.worst));
    case Oddity::kPiston:
      return tr_format("the piston of actuator '{}' moved at {:.3g} m/s; its seals bear {:.3g} m/s",
                       model.actuator_name(where), std::fabs(f.worst), limits.piston_m_per_s);
    case Oddity::kSpeed: {
      const double limit = machine::speed_limit(limits, revolute(), !model.passive(where));
      return tr_format("joint '{}' moved at {:.3g} {}, beyond {:.3g} {}", model.shown_name(where),
                       std::fabs(f.worst), revolute() ? "rad/s" : "m/s", limit,
                       revolute() ? "rad/s" : "m/s");
    }
    case Oddity::kBeyond:
      return tr_format("joint '{}' was {:.3g} {} outside its limits", model.shown_name(where),
                       f.worst, revolute() ? "rad" : "m");
    case Oddity::kEnergy:
      return tr_format("{} of energy came from nothing or went there",
                       with_prefix(std::fabs(f.worst), "J"));
  }
  return {};
}

constexpr const char* kOpening = msgid("no real machine does this: ");

template <class Use>
void for_each_seen(const machine::Watch& watch, Use use) {
  for (int i = 0; i < machine::kOddities; ++i) {
    const auto kind = static_cast<Oddity>(i);
    if (watch[kind].lasted_s > 0.0) use(kind, watch[kind]);
  }
}

}  // namespace

std::vector<std::string> watch_findings(const MachineModel& model, const machine::Watch& watch) {
  std::vector<std::string> out;
  for_each_seen(watch, [&](Oddity kind, const Finding& f) {
    out.push_back(tr_format("{}{} (at {:.4g} s; since {:.4g} s, {} in all)", tr(kOpening),
                            what(model, kind, f), f.worst_s, f.first_s, duration(f.lasted_s)));
  });
  return out;
}

std::vector<std::string> watch_sentences(const MachineModel& model, const machine::Watch& watch) {
  std::vector<std::string> out = watch_findings(model, watch);
  if (!model.caution.empty()) out.insert(out.begin(), tr(model.caution));
  return out;
}

std::string watch_note(const std::string& note, const MachineModel& model,
                       const machine::Watch& watch) {
  std::string text = note;
  for (const std::string& sentence : watch_sentences(model, watch))
    text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

std::vector<std::string> WatchNews::take(const MachineModel& model, const machine::Watch& watch) {
  std::vector<std::string> out;
  for_each_seen(watch, [&](Oddity kind, const Finding& f) {
    if (std::exchange(told_[static_cast<int>(kind)], true)) return;
    out.push_back(tr_format("{}{}, at {:.4g} s", tr(kOpening), what(model, kind, f), f.worst_s));
  });
  return out;
}

}  // namespace knuckleboom::app
