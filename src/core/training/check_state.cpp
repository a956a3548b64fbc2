#include "knuckleboom/core/training/check_state.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/sim/check_state.hpp"

namespace knuckleboom::training {
namespace {

using state::objection;

// The grapple, its log and the simulation's payload tell of the same log.
std::string check_grip(const Session& session, const SessionState& state) {
  const worksite::GrappleState& grapple = state.worksite.grapple;
  const bool holds = grapple.held >= 0;
  if (holds && (!session.machine().grapple.present || grapple.held >= session.world().log_count()))
    return objection("grapple.held", grapple.held, "there is no such log, or no grapple");
  // Jaws that are bodies hold a log by friction: it moves by itself.
  const bool fixes = holds && !session.machine().grapple.driven();
  if (fixes != (grapple.slot >= 0))
    return objection("grapple.slot", grapple.slot,
                     fixes ? "but a log is held" : "but no log is fixed to the grapple");
  for (int i = 0; i < session.world().log_count(); ++i)
    if ((state.worksite.world.log[i].status == world::LogStatus::kHeld) !=
        (fixes && i == grapple.held))
      return objection("world.log[" + std::to_string(i) + "].status",
                       static_cast<double>(state.worksite.world.log[i].status),
                       "the grapple holds log " + std::to_string(grapple.held));
  for (int slot = 0; slot < sim::kMaxPayloads; ++slot)
    if ((state.sim.payload[slot].event == sim::kNoEvent) != (slot == grapple.slot))
      return objection("sim.payload[" + std::to_string(slot) + "].event",
                       state.sim.payload[slot].event,
                       "the grapple's load has place " + std::to_string(grapple.slot));
  if (!fixes) return {};
  const multibody::Tree& tree = session.machine().tree;
  const sim::Payload& load = state.sim.payload[grapple.slot];
  if (load.link != tree.body(session.machine().grapple.body).link)
    return objection("sim.payload[" + std::to_string(grapple.slot) + "].link", load.link,
                     "the grapple hangs elsewhere");
  const auto log = static_cast<std::size_t>(grapple.held);
  const double mass = world::mass(session.site().size_of(static_cast<int>(log), state.worksite));
  if (!(std::fabs(load.inertia.mass - mass) <= 1e-6 * mass))
    return objection("sim.payload[" + std::to_string(grapple.slot) + "].inertia.mass",
                     load.inertia.mass, "the log weighs " + state::number_text(mass) + " kg");
  double square = 0.0;
  for (const double q : grapple.log_q) square += q * q;
  if (!(std::fabs(square - 1.0) <= 1e-6))
    return objection("grapple.log_q", std::sqrt(square), "as an orientation it must have length 1");
  return {};
}

std::string check_ticks(const Session& session, const SessionState& state) {
  const std::int64_t steps = std::llround(session.tick_s() / session.simulation().tick_s());
  if (state.sim.tick > state.tick * steps || state.sim.tick % steps != 0)
    return objection("sim.tick", static_cast<double>(state.sim.tick),
                     "the session is at tick " + std::to_string(state.tick) + " of " +
                         std::to_string(steps) + " steps each");
  if (state.worksite.world.ticks != state.sim.tick)
    return objection("world.ticks", static_cast<double>(state.worksite.world.ticks),
                     "but the machine has made " + std::to_string(state.sim.tick));
  if (state.task.start_tick > state.sim.tick)
    return objection("task.start_tick", static_cast<double>(state.task.start_tick),
                     "that tick is still to come");
  if (state.task.end_tick > state.sim.tick)
    return objection("task.end_tick", static_cast<double>(state.task.end_tick),
                     "that tick is still to come");
  if (state.task.inside_ticks > state.sim.tick - state.task.start_tick)
    return objection("task.inside_ticks", static_cast<double>(state.task.inside_ticks),
                     "the attempt has not lasted so long");
  if (state.score.elements.head != 0 && !session.site().felling().present())
    return objection("score.elements.head", 1.0, "there is no head for trees");
  if (state.score.elements.no_load != 0 && session.load_place() != LoadPlace::kNone)
    return objection("score.elements.no_load", 1.0, "there is a load space or a bunk");
  if (state.score.elements.own_load != 0 && session.load_place() != LoadPlace::kMachine)
    return objection("score.elements.own_load", 1.0, "nothing is loaded onto the machine");
  return {};
}

std::string within(const char* part, const std::string& wrong) {
  return wrong.empty() ? wrong : part + wrong;
}

}  // namespace

std::string check_state(const Session& session, const SessionState& state) {
  state::Counts counts = sim::counts_of(session.simulation());
  counts[state::Along::kLogs] = static_cast<std::uint32_t>(session.world().log_count());
  counts[state::Along::kLeverFunctions] =
      static_cast<std::uint32_t>(session.control().pattern().functions.size());
  std::string wrong = state::check(state, counts);
  if (wrong.empty()) wrong = within("sim.", sim::check_state(session.simulation(), state.sim));
  if (wrong.empty()) wrong = check_ticks(session, state);
  if (wrong.empty())
    wrong = within("world.", world::check_state(session.world(), state.worksite.world));
  if (wrong.empty())
    wrong = within("timber.", worksite::check_state(session.site().felling(), session.world(),
                                                    state.worksite.world, state.worksite.timber));
  if (wrong.empty()) wrong = within("task.", session.task().check_state(state.task));
  if (wrong.empty()) wrong = check_grip(session, state);
  return wrong;
}

}  // namespace knuckleboom::training
