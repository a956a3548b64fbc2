#include "identification/minimise.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>

#include <nlopt.h>

namespace knuckleboom::identification {
namespace {

// As NLopt sees the problem: shares of the ranges, 0 to 1.
struct Problem {
  const std::vector<Bounds>& bounds;
  const Objective& objective;
  nlopt_opt search;
  Minimum best{};
  bool stopped = false;
  std::exception_ptr failure;

  std::vector<double> values(const double* share) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < bounds.size(); ++i)
      out.push_back(bounds[i].low + share[i] * (bounds[i].high - bounds[i].low));
    return out;
  }

  double evaluate(const double* share) {
    const std::vector<double> at = values(share);
    double value = 0.0;
    try {
      stopped = !objective(at, value);
    } catch (...) {  // NLopt is C: nothing may be thrown through it
      failure = std::current_exception();
      stopped = true;
    }
    if (stopped) {
      nlopt_force_stop(search);
      return best.value;
    }
    if (best.evaluations++ == 0 || value < best.value) {
      best.at = at;
      best.value = value;
    }
    return value;
  }
};

double evaluate_problem(unsigned /*size*/, const double* share, double* /*slopes*/, void* problem) {
  return static_cast<Problem*>(problem)->evaluate(share);
}

nlopt_algorithm algorithm_of(Search search) {
  switch (search) {
    case Search::kCobyla:
      return NLOPT_LN_COBYLA;
    case Search::kSimplex:
      return NLOPT_LN_NELDERMEAD;
    case Search::kDirect:
      return NLOPT_GN_DIRECT_L;
    case Search::kBobyqa:
      break;
  }
  return NLOPT_LN_BOBYQA;
}

}  // namespace

Minimum minimise(const std::vector<Bounds>& bounds, Search search, double tolerance,
                 int most_evaluations, const Objective& objective) {
  // M. J. D. Powell's BOBYQA builds models of two variables at least.
  if (search == Search::kBobyqa && bounds.size() < 2) search = Search::kCobyla;
  const auto size = static_cast<unsigned>(bounds.size());
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> made(
      nlopt_create(algorithm_of(search), size), &nlopt_destroy);
  if (!made) throw std::bad_alloc();
  Problem problem{bounds, objective, made.get(), {}, false, nullptr};
  nlopt_set_min_objective(made.get(), &evaluate_problem, &problem);
  nlopt_set_lower_bounds1(made.get(), 0.0);
  nlopt_set_upper_bounds1(made.get(), 1.0);
  nlopt_set_xtol_abs1(made.get(), tolerance);
  nlopt_set_maxeval(made.get(), most_evaluations);
  constexpr double kFirstStep = 0.2;
  nlopt_set_initial_step1(made.get(), kFirstStep);
  std::vector<double> share;
  for (const Bounds& b : bounds)
    share.push_back(std::clamp((b.start - b.low) / (b.high - b.low), 0.0, 1.0));
  double value = 0.0;
  const nlopt_result end = nlopt_optimize(made.get(), share.data(), &value);
  if (problem.failure) std::rethrow_exception(problem.failure);
  problem.best.converged = end == NLOPT_SUCCESS || end == NLOPT_FTOL_REACHED ||
                           end == NLOPT_XTOL_REACHED ||
                           end == NLOPT_ROUNDOFF_LIMITED;  // as near as the numbers allow
  return problem.best;
}

}  // namespace knuckleboom::identification
