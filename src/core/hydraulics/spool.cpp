#include "knuckleboom/core/hydraulics/spool.hpp"

#include "knuckleboom/core/hydraulics/valve.hpp"
#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::hydraulics {

SpoolLag::SpoolLag(const Valve& valve, double step_s) : full_V_(valve.full_V) {
  if (valve.spool_time_constant_s > 0.0) left_ = decay(step_s / valve.spool_time_constant_s);
}

}  // namespace knuckleboom::hydraulics
