#include "knuckleboom/analysis/linear_loops.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>
#include <unsupported/Eigen/MatrixFunctions>

namespace knuckleboom::analysis {
namespace {

using Complex = std::complex<double>;

constexpr double kFullTurn = 2.0 * std::numbers::pi;
constexpr double kDegrees = 180.0 / std::numbers::pi;
// A controller's memory: sum, filtered rate, last position, last reference.
constexpr Eigen::Index kMemory = 4;
// The highest frequency, as a share of the sampling rate.
constexpr double kHighest = 0.499;
constexpr double kLowest_Hz = 1e-3;

bool acts(const LinearController& c) { return !c.dead && !c.limited; }

// Law of one sample: voltage = by_memory m + by_position q + by_reference r, m+ = next m + ...
struct Law {
  Eigen::RowVector4d by_memory = Eigen::RowVector4d::Zero();
  double by_position = 0.0, by_reference = 0.0;
  Eigen::Matrix4d next = Eigen::Matrix4d::Zero();
  Eigen::Vector4d next_position = Eigen::Vector4d::Zero(), next_reference = Eigen::Vector4d::Zero();
};

Law law_of(const LinearController& c, double dt) {
  const control::PidGains& g = c.gains;
  const double k = c.sign * c.slope;
  const double filter = g.Kd != 0.0 ? dt / (g.derivative_filter_s + dt) : 0.0;
  const double ahead = c.fed ? 0.0 : g.feed_forward / dt;
  Law law;
  // rate = (1 - filter) rate + filter (q - last) / dt, used when it is new
  law.by_memory << k * g.Ki, -k * g.Kd * (1.0 - filter), k * g.Kd * filter / dt, -k * ahead;
  law.by_position = -k * (g.Kp + g.Kd * filter / dt);
  law.by_reference = k * (g.Kp + ahead);
  // A part without weight is not remembered: it would be a root of its own.
  law.next(0, 0) = g.Ki != 0.0 ? 1.0 : 0.0;
  law.next_position(0) = -dt;
  law.next_reference(0) = dt;
  law.next(1, 1) = g.Kd != 0.0 ? 1.0 - filter : 0.0;
  law.next(1, 2) = -filter / dt;
  law.next_position(1) = filter / dt;
  law.next_position(2) = 1.0;
  law.next_reference(3) = 1.0;
  return law;
}

Complex at(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::RowVectorXd& c,
           double d, Complex s) {
  Eigen::MatrixXcd M = -A.cast<Complex>();
  M.diagonal().array() += s;
  const Eigen::VectorXcd x = M.partialPivLu().solve(b.cast<Complex>());
  return (c.cast<Complex>() * x)(0) + d;
}

Complex on_circle(double frequency_Hz, double dt) {
  return std::polar(1.0, kFullTurn * frequency_Hz * dt);
}

void add_around(const Complex& root, double low, double high, std::vector<double>& out) {
  const double f = std::abs(root) / kFullTurn;
  if (!(f > low && f < high)) return;
  const double damping = std::max(std::fabs(root.real()) / std::abs(root), 1e-5);
  for (int i = -40; i <= 40; ++i) {
    const double near = f * (1.0 + damping * std::sinh(0.15 * i));
    if (near > low && near < high) out.push_back(near);
  }
}

void add_decades(double low, double high, std::vector<double>& out) {
  constexpr int kPerDecade = 60;
  const int count = std::max(1, static_cast<int>(std::ceil(kPerDecade * std::log10(high / low))));
  for (int i = 0; i <= count; ++i)
    out.push_back(low * std::pow(high / low, static_cast<double>(i) / count));
}

void sort_out(std::vector<double>& frequencies) {
  std::sort(frequencies.begin(), frequencies.end());
  frequencies.erase(std::unique(frequencies.begin(), frequencies.end()), frequencies.end());
}

// With all gains of a controller multiplied.
LinearModel with_gain(LinearModel model, int controller, double factor) {
  control::PidGains& gains = model.controllers[static_cast<std::size_t>(controller)].gains;
  for (double* gain : {&gains.Kp, &gains.Ki, &gains.Kd, &gains.feed_forward}) *gain *= factor;
  return model;
}
constexpr double kJustBelow = 0.999;

// Where value() changes its sign between two frequencies.
template <class Value>
double crossing(double low, double high, Value value) {
  const bool rising = value(low) < value(high);
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    ((value(middle) < 0.0) == rising ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

Complex response(const LinearModel& model, int input, int output, double frequency_Hz) {
  Eigen::MatrixXd A = model.A;
  const Eigen::VectorXd scale = balance(A);
  const Eigen::VectorXd b = model.B.col(input).cwiseQuotient(scale);
  const Eigen::RowVectorXd c = model.C.row(output).cwiseProduct(scale.transpose());
  return at(A, b, c, model.D(output, input), {0.0, kFullTurn * frequency_Hz});
}

std::vector<double> frequencies_of(const LinearModel& model, double low_Hz, double high_Hz) {
  std::vector<double> out;
  add_decades(low_Hz, high_Hz, out);
  const Eigen::VectorXcd roots = roots_of(model.A);
  for (Eigen::Index i = 0; i < roots.size(); ++i) add_around(roots(i), low_Hz, high_Hz, out);
  sort_out(out);
  return out;
}

Sampled sample(const LinearModel& model, double dt) {
  const Eigen::Index n = model.A.rows(), m = model.B.cols();
  Eigen::MatrixXd A = model.A;
  const Eigen::VectorXd scale = balance(A);
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = dt * A;
  both.topRightCorner(n, m) = dt * (scale.cwiseInverse().asDiagonal() * model.B);
  // Inputs of any unit: those that move much are scaled down, exactly.
  Eigen::VectorXd size = Eigen::VectorXd::Ones(m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double most = both.col(n + j).cwiseAbs().maxCoeff();
    if (most > 0.0) size(j) = std::exp2(-std::round(std::log2(most)));
    both.col(n + j) *= size(j);
  }
  const Eigen::MatrixXd moved = both.exp();
  Sampled out;
  out.dt = dt;
  out.A = scale.asDiagonal() * moved.topLeftCorner(n, n) * scale.cwiseInverse().asDiagonal();
  out.B = scale.asDiagonal() * moved.topRightCorner(n, m) * size.cwiseInverse().asDiagonal();
  out.C = model.C;
  out.D = model.D;
  return out;
}

// The machine with the memories of its controllers behind its states; inputs: those of the machine, then
// the references.
struct Loops::Closed {
  Eigen::MatrixXd A, B, C, D;
};

Loops::Loops(const LinearModel& model) : model_(model) {
  int period = 0;
  bool differ = false;
  for (const LinearController& c : model.controllers) {
    if (!acts(c)) continue;
    const int own = std::max(1, c.gains.period_ticks);
    differ = differ || (period != 0 && own != period);
    period = period == 0 ? own : std::min(period, own);
  }
  if (differ)
    remarks_.push_back(fmt::format(
        "the controllers sample at different rates; here all do every {:g} ms, as the fastest",
        1e3 * period * model.tick_s));
  machine_ = sample(model, std::max(1, period) * model.tick_s);
  constexpr double kForgotten = 1e-9;  // what lasts one sample only
  const Eigen::VectorXcd z = roots_of(close(-1).A);
  for (Eigen::Index i = 0; i < z.size(); ++i)
    if (std::abs(z(i)) > kForgotten && z(i).imag() >= 0.0)
      closed_roots_.push_back(std::log(z(i)) / machine_.dt);
  std::stable_sort(closed_roots_.begin(), closed_roots_.end(),
                   [](Complex a, Complex b) { return std::abs(a) < std::abs(b); });
}

Loops::Closed Loops::close(int without) const {
  const Eigen::Index n = machine_.A.rows(), m = machine_.B.cols(),
                     all = static_cast<Eigen::Index>(model_.controllers.size()),
                     size = n + kMemory * all;
  // Voltages by states, memories and references.
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(m, size), R = Eigen::MatrixXd::Zero(m, all);
  Closed out;
  out.A = Eigen::MatrixXd::Zero(size, size);
  out.B = Eigen::MatrixXd::Zero(size, m + all);
  out.A.topLeftCorner(n, n) = machine_.A;
  out.B.topLeftCorner(n, m) = machine_.B;
  for (Eigen::Index j = 0; j < all; ++j) {
    const LinearController& c = model_.controllers[static_cast<std::size_t>(j)];
    if (!acts(c) || j == without) continue;
    const Law law = law_of(c, machine_.dt);
    const Eigen::Index own = n + kMemory * j;
    const Eigen::RowVectorXd position = machine_.C.row(c.output);
    K.row(c.input).head(n) += law.by_position * position;
    K.row(c.input).segment(own, kMemory) += law.by_memory;
    R(c.input, j) += law.by_reference;
    out.A.block(own, own, kMemory, kMemory) = law.next;
    out.A.block(own, 0, kMemory, n) = law.next_position * position;
    out.B.col(m + j).segment(own, kMemory) = law.next_reference;
  }
  out.A.topRows(n) += machine_.B * K;
  out.B.topRightCorner(n, all) += machine_.B * R;
  out.C = Eigen::MatrixXd::Zero(machine_.C.rows(), size);
  out.C.leftCols(n) = machine_.C;
  out.C += machine_.D * K;
  out.D = Eigen::MatrixXd::Zero(machine_.C.rows(), m + all);
  out.D.leftCols(m) = machine_.D;
  out.D.rightCols(all) = machine_.D * R;
  return out;
}

namespace {

// Balanced, for a system that is solved at many frequencies.
struct Path {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  Eigen::RowVectorXd c;
  double d = 0.0;
  Path(const Eigen::MatrixXd& whole, const Eigen::VectorXd& in, const Eigen::RowVectorXd& out,
       double direct)
      : A(whole), d(direct) {
    const Eigen::VectorXd scale = balance(A);
    b = in.cwiseQuotient(scale);
    c = out.cwiseProduct(scale.transpose());
  }
  Complex operator()(Complex z) const { return at(A, b, c, d, z); }
};

// From the position to the voltage, its sign turned.
Complex controller_at(const LinearController& c, double dt, Complex z) {
  const control::PidGains& g = c.gains;
  const double filter = dt / (g.derivative_filter_s + dt);
  const Complex rate = filter * (z - 1.0) / (dt * (z - (1.0 - filter)));
  return c.sign * c.slope * (g.Kp + g.Ki * dt / (z - 1.0) + g.Kd * rate);
}

}  // namespace

Complex Loops::open(int controller, double frequency_Hz) const {
  const LinearController& c = model_.controllers[static_cast<std::size_t>(controller)];
  const Closed others = close(controller);
  const Path path(others.A, others.B.col(c.input), others.C.row(c.output),
                  others.D(c.output, c.input));
  const Complex z = on_circle(frequency_Hz, machine_.dt);
  return controller_at(c, machine_.dt, z) * path(z);
}

Complex Loops::follow(int controller, int output, double frequency_Hz) const {
  const Closed all = close(-1);
  const Eigen::Index in = machine_.B.cols() + controller;
  const Path path(all.A, all.B.col(in), all.C.row(output), all.D(output, in));
  return path(on_circle(frequency_Hz, machine_.dt));
}

std::vector<double> Loops::step(int controller, int output, int samples) const {
  const Closed all = close(-1);
  const Eigen::Index in = machine_.B.cols() + controller;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(all.A.rows());
  std::vector<double> out;
  for (int i = 0; i < samples; ++i) {
    out.push_back(all.C.row(output).dot(x) + all.D(output, in));
    x = all.A * x + all.B.col(in);
  }
  return out;
}

LoopMargins Loops::margins(int controller) const {
  const LinearController& c = model_.controllers[static_cast<std::size_t>(controller)];
  LoopMargins out;
  out.joint = c.joint;
  out.acts = acts(c);
  if (!out.acts) return out;
  const bool settled = settles();
  std::vector<Crossing> below;
  const Closed others = close(controller);
  const Path path(others.A, others.B.col(c.input), others.C.row(c.output),
                  others.D(c.output, c.input));
  const auto L = [&](double f) {
    const Complex z = on_circle(f, machine_.dt);
    return controller_at(c, machine_.dt, z) * path(z);
  };
  const auto note_sensitivity = [&out](double f, Complex value) {
    const double size = 1.0 / std::abs(1.0 + value);
    if (size > out.sensitivity) out.sensitivity = size, out.sensitivity_at_Hz = f;
  };
  for (const double f : frequencies()) {
    out.open.push_back({f, L(f)});
    note_sensitivity(f, out.open.back().value);
  }
  for (std::size_t i = 1; i < out.open.size(); ++i) {
    const Response &a = out.open[i - 1], &b = out.open[i];
    if ((a.value.imag() < 0.0) != (b.value.imag() < 0.0) && a.value.real() < 0.0 &&
        b.value.real() < 0.0) {
      const double f =
          crossing(a.frequency_Hz, b.frequency_Hz, [&](double x) { return L(x).imag(); });
      const double factor = 1.0 / std::abs(L(f));
      if (factor < 1.0) below.push_back({f, factor});
      if (factor >= 1.0 && settled && (!out.gain || factor < out.gain->value))
        out.gain = {f, factor};
      note_sensitivity(f, L(f));
    }
    if ((std::abs(a.value) < 1.0) != (std::abs(b.value) < 1.0)) {
      const double f =
          crossing(a.frequency_Hz, b.frequency_Hz, [&](double x) { return std::abs(L(x)) - 1.0; });
      const double angle = std::arg(-L(f)) * kDegrees;
      if (!out.phase || std::fabs(angle) < std::fabs(out.phase->value)) out.phase = {f, angle};
      note_sensitivity(f, L(f));
    }
  }
  std::sort(below.begin(), below.end(),
            [](const Crossing& a, const Crossing& b) { return a.value > b.value; });
  if (settled && !below.empty()) out.floor = below.front();
  for (std::size_t i = 0; !settled && !out.gain && i < below.size(); ++i)
    if (Loops(with_gain(model_, controller, kJustBelow * below[i].value)).settles())
      out.gain = below[i];
  if (out.phase) out.delay_s = out.phase->value / (360.0 * out.phase->frequency_Hz);
  return out;
}

bool Loops::settles() const {
  return std::none_of(closed_roots_.begin(), closed_roots_.end(), grows);
}

std::vector<double> Loops::frequencies() const {
  const double high = kHighest / machine_.dt;
  std::vector<double> out = frequencies_of(model_, kLowest_Hz, high);
  for (const Complex root : closed_roots_) add_around(root, kLowest_Hz, high, out);
  sort_out(out);
  return out;
}

}  // namespace knuckleboom::analysis
