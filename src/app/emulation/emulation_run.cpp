#include "app/emulation/emulation_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/shell/interrupt.hpp"

namespace knuckleboom::app {
namespace {

using emulation::Emulation;
using emulation::EmulationInput;
using emulation::EmulationState;
using emulation::PegMotion;

constexpr double kMeanOver = 0.4;       // s; slower motion is not an oscillation
constexpr double kLeastRipple = 2.0;    // N rms; less than that is noise
constexpr double kTouchingForce = 1.0;  // N
constexpr double kOverIdeal = 1.5;      // ratio to the ripple of the machine alone above which it
                                        // counts
constexpr double kLeastQuarter = 0.2;   // s; a phase long enough to detect growth

EmulationRow row_of(const Emulation& emulation, const EmulationState& state) {
  EmulationRow row;
  row.t_s = emulation.time(state);
  row.phase = static_cast<int>(state.phase);
  row.touching = state.contact.touching != 0;
  const PegMotion own = emulation.in_site(state.target);
  const PegMotion host = emulation.in_site(state.tip);
  row.emulated_p = own.p;
  row.emulated_v = own.v;
  row.host_p = host.p;
  row.host_v = host.v;
  const double* const w = state.contact_W;
  row.force = emulation.to_site(Vec3(w[0], w[1], w[2]));
  row.moment = emulation.to_site(Vec3(w[3], w[4], w[5]));
  row.felt = emulation.to_site(Vec3(state.felt_W[0], state.felt_W[1], state.felt_W[2]));
  row.tilt_rad = std::asin(std::min(1.0, std::hypot(host.R(0, 2), host.R(1, 2))));
  row.host_energy = state.energy.host;
  row.emulated_energy = state.energy.emulated;
  std::copy(std::begin(state.operator_twist), std::end(state.operator_twist), row.operator_twist);
  return row;
}

double tick_of(const std::vector<EmulationRow>& rows) {
  return rows.size() > 1 ? rows[1].t_s - rows[0].t_s : 1e-3;
}

// Normal force less its moving mean.
std::vector<double> ripple_of(const std::vector<EmulationRow>& rows) {
  const std::size_t n = rows.size();
  std::vector<double> sum(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) sum[i + 1] = sum[i] + rows[i].force.z();
  const double h = tick_of(rows);
  const auto half = static_cast<std::size_t>(0.5 * kMeanOver / h);
  std::vector<double> out(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t reach = std::min({half, i, n - 1 - i});
    const std::size_t from = i - reach, to = i + reach + 1;
    out[i] = rows[i].force.z() - (sum[to] - sum[from]) / static_cast<double>(to - from);
  }
  return out;
}

double rms(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double squares = 0.0;
  for (std::size_t i = from; i < to; ++i) squares += values[i] * values[i];
  return to > from ? std::sqrt(squares / static_cast<double>(to - from)) : 0.0;
}

}  // namespace

EmulationRun run_emulation(const Emulation& emulation, const EmulationRun* follow) {
  EmulationRun run;
  EmulationState state = emulation.initial_state();
  const std::size_t most =
      follow != nullptr ? follow->rows.size() : static_cast<std::size_t>(emulation.tick_count());
  run.rows.reserve(most);
  EmulationInput input{};
  for (std::size_t k = 0; k < most; ++k) {
    if (follow == nullptr && emulation.finished(state)) break;
    if (interrupted()) {
      run.interrupted = true;
      break;
    }
    if (follow != nullptr) {
      input.has_operator = 1;
      std::copy(std::begin(follow->rows[k].operator_twist),
                std::end(follow->rows[k].operator_twist), input.operator_twist);
    }
    emulation.step(state, input);
    run.rows.push_back(row_of(emulation, state));
    if (follow != nullptr) run.rows.back().phase = follow->rows[k].phase;
    if (state.health.non_finite > 0) break;
  }
  run.finite = state.health.non_finite == 0 && state.host.machine.health.non_finite == 0;
  run.finished = run.finite && !run.interrupted;
  run.end = state;
  return run;
}

Oscillation oscillation(const std::vector<EmulationRow>& rows,
                        const std::vector<EmulationRow>* ideal) {
  Oscillation out;
  const std::vector<double> ripple = ripple_of(rows);
  std::vector<double> own;
  if (ideal != nullptr) own = ripple_of(*ideal);
  const auto touching = [&rows](std::size_t from, std::size_t to) {
    return std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(from),
                       rows.begin() + static_cast<std::ptrdiff_t>(to),
                       [](const EmulationRow& row) { return row.touching; });
  };
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].phase == rows[begin].phase) ++end;
    const std::size_t quarter = (end - begin) / 4;
    // The first half of a phase is affected by the change at its start.
    const std::size_t third_at = begin + 2 * quarter, fourth_at = begin + 3 * quarter;
    const double third = rms(ripple, third_at, fourth_at);
    const double fourth = rms(ripple, fourth_at, fourth_at + quarter);
    const double wanted =
        own.size() < fourth_at + quarter ? 0.0 : rms(own, fourth_at, fourth_at + quarter);
    out.ripple = std::max(out.ripple, fourth);
    if (fourth > kLeastRipple + kOverIdeal * wanted &&
        static_cast<double>(quarter) > kLeastQuarter / tick_of(rows) &&
        touching(third_at, third_at + quarter / 4))
      out.growth = std::max(out.growth, fourth / std::max(third, 1e-9));
    begin = end;
  }
  return out;
}

EmulationMeasures measure(const EmulationRun& run, const EmulationRun& ideal) {
  EmulationMeasures out;
  double difference = 0.0, squares = 0.0;
  std::size_t samples = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const EmulationRow& row = run.rows[i];
    out.position_error = out.position_error.cwiseMax((row.host_p - row.emulated_p).cwiseAbs());
    out.peak_force = std::max(out.peak_force, row.force.norm());
    if (i >= ideal.rows.size()) continue;
    const EmulationRow& own = ideal.rows[i];
    out.ideal_error = out.ideal_error.cwiseMax((row.host_p - own.host_p).cwiseAbs());
    if (std::max(row.force.norm(), own.force.norm()) < kTouchingForce) continue;
    difference += (row.force - own.force).squaredNorm();
    squares += own.force.squaredNorm();
    ++samples;
  }
  if (samples > 0 && squares > 0.0) {
    out.force_error = std::sqrt(difference / squares);
    out.force_rms = std::sqrt(squares / static_cast<double>(samples));
  }
  out.generated = run.end.energy.generated;
  out.exchanged = run.end.energy.exchanged;
  const Oscillation o = oscillation(run.rows, &ideal.rows);
  out.ideal_ripple = oscillation(ideal.rows).ripple;
  out.growth = o.growth;
  out.ripple = o.ripple;
  if (!run.rows.empty()) {
    out.depth = run.rows.back().host_p.z();
    out.final_force = -run.rows.back().force.z();
    out.final_tilt_rad = run.rows.back().tilt_rad;
  }
  return out;
}

}  // namespace knuckleboom::app
