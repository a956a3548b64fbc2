#include "knuckleboom/analysis/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include "reference/rates.hpp"

namespace knuckleboom::analysis {
namespace {

using Numbers = std::vector<double>;

// Rates and outputs in one vector.
class Function {
 public:
  explicit Function(reference::Rates& rates) : rates_(rates) {}
  Eigen::VectorXd operator()(const Numbers& y, const Numbers& u) {
    rates_.evaluate(y, u, rate_, output_);
    Eigen::VectorXd out(static_cast<Eigen::Index>(rate_.size() + output_.size()));
    out << Eigen::Map<const Eigen::VectorXd>(rate_.data(), static_cast<Eigen::Index>(rate_.size())),
        Eigen::Map<const Eigen::VectorXd>(output_.data(),
                                          static_cast<Eigen::Index>(output_.size()));
    return out;
  }

 private:
  reference::Rates& rates_;
  Numbers rate_, output_;
};

// Share of the slope by which both sides may differ where it is smooth, and how much less of that has to be
// left on a step a quarter as long.
constexpr double kSameSlope = 1e-3, kShrinks = 0.6;
// Differences below this share of all that moves a rate are rounding.
constexpr double kRounding = 1e-6;

// The function about the instant along one argument.
struct Column {
  double step = 0.0;
  Eigen::VectorXd up, down, up_half, down_half, up_quarter, down_quarter;

  // Fourth order.
  Eigen::VectorXd slope() const {
    return (8.0 * (up_half - down_half) - (up - down)) / (6.0 * step);
  }
  // Whether the slopes to both sides differ in some row, however small the step. size: of each row.
  bool has_edge(const Eigen::VectorXd& here, const Eigen::VectorXd& size) const {
    const double h = step, near_h = 0.25 * step;
    for (Eigen::Index i = 0; i < here.size(); ++i) {
      const double apart = std::fabs(up(i) - 2.0 * here(i) + down(i)) / h;
      const double near = std::fabs(up_quarter(i) - 2.0 * here(i) + down_quarter(i)) / near_h;
      const double slopes =
          (std::fabs(up_quarter(i) - here(i)) + std::fabs(here(i) - down_quarter(i))) / near_h;
      if (near > kShrinks * apart && near > kSameSlope * slopes &&
          near * near_h > kRounding * size(i))
        return true;
    }
    return false;
  }
  // That of one side, second order.
  Eigen::VectorXd slope_of_side(const Eigen::VectorXd& here, bool upward) const {
    const Eigen::VectorXd& far = upward ? up_half : down_half;
    const Eigen::VectorXd& close = upward ? up_quarter : down_quarter;
    return (4.0 * close - far - 3.0 * here) / (0.5 * (upward ? step : -step));
  }
};

template <class At>
Column column_of(At at, double h) {
  return {h, at(h), at(-h), at(0.5 * h), at(-0.5 * h), at(0.25 * h), at(-0.25 * h)};
}

// The largest that a step of any argument moves each row. Accelerations have one for all: that of a joint that
// sticks is nothing but rounding of the others'.
Eigen::VectorXd sizes_of(const std::vector<Column>& columns, const reference::Rates& rates,
                         Eigen::Index rows) {
  Eigen::VectorXd size = Eigen::VectorXd::Zero(rows);
  for (const Column& column : columns) size = size.cwiseMax((column.up - column.down).cwiseAbs());
  double acceleration = 0.0;
  const auto is_speed = [&](std::size_t i) {
    const std::string& unit = rates.states()[i].unit;
    return unit == "rad/s" || unit == "m/s";
  };
  for (std::size_t i = 0; i < rates.states().size(); ++i)
    if (is_speed(i)) acceleration = std::max(acceleration, size(static_cast<Eigen::Index>(i)));
  for (std::size_t i = 0; i < rates.states().size(); ++i)
    if (is_speed(i)) size(static_cast<Eigen::Index>(i)) = acceleration;
  return size;
}

std::vector<LinearController> controllers_at(const reference::Rates& rates) {
  std::vector<LinearController> out;
  const sim::SimState& s = rates.state();
  for (std::size_t k = 0; k < rates.drives().size(); ++k) {
    const reference::DriveFacts& drive = rates.drives()[k];
    const sim::ActuatorCommand& command = s.input.actuator[k];
    if (command.mode == sim::ActuatorMode::kVoltage) continue;
    LinearController c;
    c.joint = drive.joint;
    c.input = static_cast<int>(k);  // the voltages are the first inputs
    c.gains = s.gains[k];
    c.sign = drive.sign;
    c.fed = command.mode == sim::ActuatorMode::kFedPosition;
    const double V = s.machine.actuator[k].command_V;
    c.limited = std::fabs(V) >= c.gains.output_limit_V;
    const double inner = c.gains.compensation_width_V + c.gains.overlap_compensation_V;
    if (!c.fed && c.gains.overlap_compensation_V != 0.0 && std::fabs(V) < inner)
      c.slope = inner / c.gains.compensation_width_V;
    c.dead = !drive.open;
    out.push_back(std::move(c));
  }
  return out;
}

LinearModel model_of(const sim::Simulation& simulation, const sim::SimState& state,
                     const reference::RatesOptions& options) {
  reference::Rates rates(simulation, state, options);
  const Numbers y0 = rates.y(), u0 = rates.u();
  Function function(rates);
  const Eigen::VectorXd here = function(y0, u0);
  const auto n = static_cast<Eigen::Index>(y0.size()), m = static_cast<Eigen::Index>(u0.size()),
             p = here.size() - n;
  LinearModel out;
  out.t_s = simulation.time(state);
  out.tick_s = simulation.tick_s();
  out.remarks = rates.remarks();
  out.f0 = here.head(n);
  const auto quantity = [&](Eigen::Index j) -> const reference::Quantity& {
    return j < n ? rates.states()[static_cast<std::size_t>(j)]
                 : rates.inputs()[static_cast<std::size_t>(j - n)];
  };
  std::vector<Column> columns;
  for (Eigen::Index j = 0; j < n + m; ++j)
    columns.push_back(column_of(
        [&](double by) {
          Numbers y = y0, u = u0;
          (j < n ? y[static_cast<std::size_t>(j)] : u[static_cast<std::size_t>(j - n)]) += by;
          return function(y, u);
        },
        quantity(j).step));
  const Eigen::VectorXd sizes = sizes_of(columns, rates, n + p);
  Eigen::MatrixXd slopes(n + p, n + m);
  for (Eigen::Index j = 0; j < n + m; ++j) {
    const Column& column = columns[static_cast<std::size_t>(j)];
    const bool is_state = j < n;
    const reference::Quantity& q = quantity(j);
    slopes.col(j) = column.slope();
    if (column.has_edge(here, sizes)) {
      const bool upward = !is_state || here(j) >= 0.0;  // where it is going
      slopes.col(j) = column.slope_of_side(here, upward);
      out.remarks.push_back(fmt::format(
          "the slopes by {} differ to its two sides (a valve, stop or friction at its edge); "
          "those of the {} side are taken",
          q.name, upward ? "upper" : "lower"));
    }
    (is_state ? out.states : out.inputs)
        .push_back(
            {q.name, q.unit,
             is_state ? y0[static_cast<std::size_t>(j)] : u0[static_cast<std::size_t>(j - n)]});
  }
  out.A = slopes.topLeftCorner(n, n);
  out.B = slopes.topRightCorner(n, m);
  // Channels that nothing moves, such as references and the states of valves, are left out.
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < p; ++i)
    if (!slopes.row(n + i).isZero(0.0)) kept.push_back(i);
  out.C.resize(static_cast<Eigen::Index>(kept.size()), n);
  out.D.resize(static_cast<Eigen::Index>(kept.size()), m);
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const sim::Channel& channel = rates.outputs()[static_cast<std::size_t>(kept[r])];
    out.outputs.push_back({channel.name, channel.unit, here(n + kept[r])});
    out.C.row(static_cast<Eigen::Index>(r)) = slopes.row(n + kept[r]).head(n);
    out.D.row(static_cast<Eigen::Index>(r)) = slopes.row(n + kept[r]).tail(m);
  }
  for (const reference::DriveFacts& drive : rates.drives())
    out.valves.push_back({drive.joint, drive.open, drive.spool_V, drive.overlap_V});
  if (!options.at_rest) {
    for (LinearController& c : controllers_at(rates)) {
      const int joint = rates.drives()[static_cast<std::size_t>(c.input)].joint_index;
      const char* unit = simulation.model().tree.link(joint).revolute ? "rad" : "m";
      c.output = out.find_output(fmt::format("{}_{}", c.joint, unit));
      if (c.output >= 0) out.controllers.push_back(std::move(c));
    }
  }
  return out;
}

int find(const std::vector<LinearQuantity>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const LinearQuantity& q) { return q.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

}  // namespace

int LinearModel::find_state(std::string_view name) const { return find(states, name); }
int LinearModel::find_input(std::string_view name) const { return find(inputs, name); }
int LinearModel::find_output(std::string_view name) const { return find(outputs, name); }

LinearModel linearise(const sim::Simulation& simulation, const sim::SimState& state) {
  return model_of(simulation, state, {});
}

LinearModel linearise_at_rest(const sim::Simulation& simulation, const sim::SimState& state) {
  return model_of(simulation, state, {.at_rest = true, .dry_friction = false, .end_stops = false});
}

Eigen::VectorXd balance(Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
  for (int sweep = 0; sweep < 100; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double c = A.col(i).cwiseAbs().sum() - std::fabs(A(i, i));
      const double r = A.row(i).cwiseAbs().sum() - std::fabs(A(i, i));
      if (c == 0.0 || r == 0.0) continue;
      const double f = std::exp2(std::round(0.5 * std::log2(r / c)));
      if (c * f + r / f >= 0.95 * (c + r)) continue;
      A.col(i) *= f;
      A.row(i) /= f;
      scale(i) *= f;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

double LinearMode::frequency_Hz() const { return std::abs(root) / (2.0 * std::numbers::pi); }
double LinearMode::damping_ratio() const {
  return std::abs(root) > 0.0 ? -root.real() / std::abs(root) : 0.0;
}

Eigen::VectorXcd roots_of(const Eigen::MatrixXd& A) {
  if (A.rows() == 0 || !A.allFinite()) return {};
  Eigen::MatrixXd balanced = A;
  balance(balanced);
  return Eigen::EigenSolver<Eigen::MatrixXd>(balanced, false).eigenvalues();
}

std::vector<LinearMode> modes_of(const LinearModel& model) {
  std::vector<LinearMode> modes;
  // Numbers beyond all measure have no eigenvalues.
  if (model.A.rows() == 0 || !model.A.allFinite()) return modes;
  Eigen::MatrixXd balanced = model.A;
  const Eigen::VectorXd scale = balance(balanced);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(balanced);
  const Eigen::MatrixXcd V = solver.eigenvectors();
  const Eigen::MatrixXcd W = V.inverse();
  for (Eigen::Index i = 0; i < V.cols(); ++i) {
    LinearMode mode;
    mode.root = solver.eigenvalues()(i);
    if (mode.root.imag() < 0.0) continue;
    const Eigen::VectorXd share = (V.col(i).array() * W.row(i).transpose().array()).abs().matrix();
    if (share.allFinite() && share.sum() > 0.0)
      for (Eigen::Index k = 0; k < share.size(); ++k)
        mode.participation.push_back(share(k) / share.sum());
    const Eigen::VectorXcd x = scale.asDiagonal() * V.col(i);
    const Eigen::VectorXcd z = model.C.cast<std::complex<double>>() * x;
    mode.states.assign(x.data(), x.data() + x.size());
    mode.outputs.assign(z.data(), z.data() + z.size());
    modes.push_back(std::move(mode));
  }
  std::stable_sort(modes.begin(), modes.end(), [](const LinearMode& a, const LinearMode& b) {
    return std::abs(a.root) < std::abs(b.root);
  });
  return modes;
}

}  // namespace knuckleboom::analysis
