#include "identification/fit.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <thread>

#include <Eigen/Eigenvalues>
#include <ceres/ceres.h>

namespace knuckleboom::identification {
namespace {

constexpr double kOpenFrom = 0.25;  // of the range
constexpr double kAtBound = 1e-6;   // of the range

// Ceres sees every parameter as its share of the range: 0 to 1.
class Scale {
 public:
  explicit Scale(const std::vector<Parameter>& parameters) : parameters_(parameters) {}
  std::size_t size() const { return parameters_.size(); }
  bool is_steady(std::size_t i) const { return parameters_[i].steady; }
  double to_share(std::size_t i, double value) const {
    return (value - parameters_[i].low) / (parameters_[i].high - parameters_[i].low);
  }
  double to_value(std::size_t i, double share) const {
    return parameters_[i].low + share * (parameters_[i].high - parameters_[i].low);
  }
  std::vector<double> to_values(const double* share) const {
    std::vector<double> out(size());
    for (std::size_t i = 0; i < size(); ++i) out[i] = to_value(i, share[i]);
    return out;
  }

 private:
  const std::vector<Parameter>& parameters_;
};

// The residuals and their slopes by differences, one parameter per thread.
class Cost final : public ceres::CostFunction {
 public:
  Cost(const Scale& scale, const Residuals& residuals, const Options& options, std::size_t count)
      : scale_(scale), residuals_(residuals), options_(options) {
    set_num_residuals(static_cast<int>(count));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(scale.size()));
  }

  bool Evaluate(double const* const* share, double* values, double** slopes) const override {
    std::vector<double> here;
    if (!evaluate(share[0], here)) return false;
    std::copy(here.begin(), here.end(), values);
    if (slopes == nullptr || slopes[0] == nullptr) return true;
    slopes_at_ = here;
    return differentiate(share[0], here, slopes[0]);
  }
  // Residuals where slopes were last taken: at the last step that was kept.
  const std::vector<double>& residuals() const { return slopes_at_; }

  bool evaluate(const double* share, std::vector<double>& out) const {
    evaluations_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t wanted = static_cast<std::size_t>(num_residuals());
    if (!residuals_(scale_.to_values(share), out) || out.size() != wanted) return false;
    return std::all_of(out.begin(), out.end(), [](double r) { return std::isfinite(r); });
  }

  int evaluations() const { return evaluations_.load(); }
  // From now on the slopes of all parameters are taken.
  void take_all() { every_ = true; }

 private:
  bool differentiate(const double* share, const std::vector<double>& here, double* slopes) const {
    const std::size_t n = scale_.size();
    const bool all = every_ || taken_++ % kSteadySteps == 0;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> good{true};
    const auto work = [&] {
      for (std::size_t i = next++; i < n; i = next++) {
        if (!all && scale_.is_steady(i)) {
          for (std::size_t r = 0; r < here.size(); ++r) slopes[r * n + i] = steady_[i][r];
          continue;
        }
        std::vector<double> moved(share, share + n);
        // Inwards from a bound.
        const double step = share[i] + options_.step > 1.0 ? -options_.step : options_.step;
        moved[i] += step;
        std::vector<double> there;
        bool computed = evaluate(moved.data(), there);
        double apart = step;
        if (!computed) {  // no machine on this side
          moved[i] = share[i] - step;
          apart = -step;
          computed = moved[i] >= 0.0 && moved[i] <= 1.0 && evaluate(moved.data(), there);
        }
        if (!computed) {
          good = false;
          return;
        }
        for (std::size_t r = 0; r < here.size(); ++r) there[r] = (there[r] - here[r]) / apart;
        for (std::size_t r = 0; r < here.size(); ++r) slopes[r * n + i] = there[r];
        if (scale_.is_steady(i)) steady_[i] = std::move(there);
      }
    };
    std::vector<std::thread> others;
    const std::size_t threads =
        std::min<std::size_t>(n, static_cast<std::size_t>(std::max(1, options_.threads)));
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    return good;
  }

  const Scale& scale_;
  const Residuals& residuals_;
  const Options& options_;
  mutable std::atomic<int> evaluations_{0};
  mutable std::vector<double> slopes_at_;
  // The slopes of steady parameters as they were taken last, and how often all have been.
  static constexpr int kSteadySteps = 4;
  mutable std::vector<std::vector<double>> steady_{scale_.size()};
  mutable int taken_ = 0;
  bool every_ = false;
};

// Prior knowledge.
class Prior final : public ceres::CostFunction {
 public:
  Prior(int size, int index, double share, double sd) : index_(index), share_(share), sd_(sd) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(size);
  }
  bool Evaluate(double const* const* share, double* values, double** slopes) const override {
    values[0] = (share[0][index_] - share_) / sd_;
    if (slopes != nullptr && slopes[0] != nullptr) {
      std::fill(slopes[0], slopes[0] + parameter_block_sizes()[0], 0.0);
      slopes[0][index_] = 1.0 / sd_;
    }
    return true;
  }

 private:
  int index_;
  double share_, sd_;
};

// Independent samples of all blocks.
double all_samples(const Options& options, std::span<const double> residuals) {
  double sum = 0.0;
  std::size_t row = 0;
  for (const std::size_t length : options.blocks) {
    if (length > 0) sum += independent_samples(residuals.subspan(row, length));
    row += length;
  }
  return sum;
}

// Ends the search where a step no longer counts: a parameter moved by its standard deviation raises the cost by
// cost / n, with n independent samples, so that a step that gains a hundredth of that moves none by more than a tenth.
class Progress final : public ceres::IterationCallback {
 public:
  Progress(const Options& options, const Cost& cost) : options_(options), cost_(cost) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    if (options_.progress && !options_.progress(s.iteration, s.cost))
      return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
    if (s.iteration == 0 || !s.step_is_successful) return ceres::SOLVER_CONTINUE;
    const double samples = std::max(all_samples(options_, cost_.residuals()), 1.0);
    arrived_ = s.cost_change < kStepThatCounts * s.cost / samples;
    return arrived_ ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }
  bool arrived() const { return arrived_; }

 private:
  static constexpr double kStepThatCounts = 0.01;

  const Options& options_;
  const Cost& cost_;
  bool arrived_ = false;
};

double half_square(std::span<const double> r) {
  double sum = 0.0;
  for (const double x : r) sum += x * x;
  return 0.5 * sum;
}

// Spread and correlation from the slopes at the end, and the undetermined directions.
void spread(const std::vector<Parameter>& parameters, const Eigen::MatrixXd& J,
            const std::vector<double>& r, const Options& options, Fit& out) {
  const Eigen::Index n = static_cast<Eigen::Index>(parameters.size());
  // Curvature of the cost, and variance of its slope.
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(n, n), slope = curvature;
  std::size_t row = 0;
  for (const std::size_t length : options.blocks) {
    const std::span<const double> block(r.data() + row, length);
    const double count = static_cast<double>(std::max<std::size_t>(length, 1));
    const double variance = std::max(2.0 * half_square(block) / count, 1e-30);
    const double worth = std::max(independent_samples(block), 1.0) / count;
    const auto rows =
        J.middleRows(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(length));
    const Eigen::MatrixXd product = rows.transpose() * rows;
    curvature += product;
    slope += variance / worth * product;
    row += length;
  }
  // A prior is as uncertain as it says, and weighs as much.
  for (Eigen::Index i = 0; i < n; ++i) {
    const Parameter& p = parameters[static_cast<std::size_t>(i)];
    if (!(p.prior_sd > 0.0)) continue;
    const double sd = p.prior_sd / (p.high - p.low);
    curvature(i, i) += 1.0 / (sd * sd);
    slope(i, i) += 1.0 / (sd * sd);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(curvature);
  const double largest = std::max(eigen.eigenvalues().maxCoeff(), 1e-300);
  const double mean_variance = std::max(
      2.0 * half_square(r) / static_cast<double>(std::max<std::size_t>(r.size(), 1)), 1e-30);
  const Eigen::MatrixXd& V = eigen.eigenvectors();
  Eigen::MatrixXd inner = V.transpose() * slope * V;
  const double floor = 1e-14 * largest;
  for (Eigen::Index k = 0; k < n; ++k)
    // Nothing is known of a direction without curvature.
    if (eigen.eigenvalues()(k) < floor) inner(k, k) += floor * mean_variance;
  const Eigen::VectorXd inverse = eigen.eigenvalues().cwiseMax(floor).cwiseInverse();
  inner = inverse.asDiagonal() * inner * inverse.asDiagonal();
  const Eigen::MatrixXd covariance = V * inner * V.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spread_of(covariance);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::VectorXd v = spread_of.eigenvectors().col(k);
    const double sd = std::sqrt(std::max(spread_of.eigenvalues()(k), 0.0));
    if (sd > kOpenFrom) out.open.push_back({{v.data(), v.data() + n}, sd});
  }
  out.correlation = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Parameter& p = parameters[static_cast<std::size_t>(i)];
    out.estimates[static_cast<std::size_t>(i)].sd = std::sqrt(covariance(i, i)) * (p.high - p.low);
    for (Eigen::Index j = 0; j < n; ++j)
      if (i != j)
        out.correlation(i, j) = covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j));
  }
}

}  // namespace

std::vector<double> spread_start(const std::vector<Parameter>& parameters, std::size_t n) {
  constexpr std::size_t kBases[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,
                                    31, 37, 41, 43, 47, 53, 59, 61, 67, 71};
  std::vector<double> out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::size_t base = kBases[i % std::size(kBases)];
    double share = 0.0, digit = 1.0;
    for (std::size_t rest = n; rest > 0; rest /= base) {
      digit /= static_cast<double>(base);
      share += digit * static_cast<double>(rest % base);
    }
    out.push_back(n == 0 || p.prior_sd > 0.0 ? p.start : p.low + share * (p.high - p.low));
  }
  return out;
}

double independent_samples(std::span<const double> series) {
  const double n = static_cast<double>(series.size());
  if (series.size() < 3) return n;
  double mean = 0.0;
  for (const double x : series) mean += x / n;
  double own = 0.0, next = 0.0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    own += (series[i] - mean) * (series[i] - mean);
    if (i > 0) next += (series[i] - mean) * (series[i - 1] - mean);
  }
  const double r = own > 0.0 ? std::clamp(next / own, 0.0, 0.9999) : 0.0;
  return std::max(1.0, n * (1.0 - r) / (1.0 + r));
}

Fit fit(const std::vector<Parameter>& parameters, const Residuals& residuals,
        const Options& options) {
  Fit out;
  const std::size_t n = parameters.size();
  std::size_t count = 0;
  for (const std::size_t length : options.blocks) count += length;
  const Scale scale(parameters);
  std::vector<double> share(n);
  for (std::size_t i = 0; i < n; ++i)
    share[i] = std::clamp(
        scale.to_share(i, options.begin.empty() ? parameters[i].start : options.begin[i]), 0.0,
        1.0);
  out.estimates.resize(n);
  const auto take = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      out.estimates[i].value = scale.to_value(i, share[i]);
      out.estimates[i].at_bound = share[i] < kAtBound || share[i] > 1.0 - kAtBound;
    }
  };
  take();

  auto* const cost = new Cost(scale, residuals, options, count);  // owned by the problem from here
                                                                  // on
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, share.data());
  std::vector<double> r;
  if (!cost->evaluate(share.data(), r)) {
    out.message = "the model cannot be computed at the start";
    return out;
  }
  out.usable = true;
  out.cost_before = half_square(r);
  const auto known = [&](std::size_t i) {
    return std::clamp(scale.to_share(i, parameters[i].start), 0.0, 1.0);
  };
  for (std::size_t i = 0; i < n; ++i) {
    problem.SetParameterLowerBound(share.data(), static_cast<int>(i), 0.0);
    problem.SetParameterUpperBound(share.data(), static_cast<int>(i), 1.0);
    const Parameter& p = parameters[i];
    if (p.prior_sd > 0.0)
      problem.AddResidualBlock(new Prior(static_cast<int>(n), static_cast<int>(i), known(i),
                                         p.prior_sd / (p.high - p.low)),
                               nullptr, share.data());
  }
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::DENSE_QR;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = 1e-6;
  solver.parameter_tolerance = 1e-6;
  solver.initial_trust_region_radius = 1e2;
  solver.logging_type = ceres::SILENT;
  solver.use_nonmonotonic_steps = false;
  Progress progress(options, *cost);
  solver.callbacks.push_back(&progress);
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  out.converged = summary.termination_type == ceres::CONVERGENCE || progress.arrived();
  out.message = summary.message;
  take();

  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> slopes(
      static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(n));
  r.assign(count, 0.0);
  cost->take_all();
  double* jacobian[] = {slopes.data()};
  const double* at[] = {share.data()};
  if (cost->Evaluate(at, r.data(), jacobian)) {
    out.cost_after = half_square(r);
    spread(parameters, slopes, r, options, out);
  }
  out.evaluations = cost->evaluations();
  return out;
}

}  // namespace knuckleboom::identification
