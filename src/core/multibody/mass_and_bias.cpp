#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/multibody/sweeps.hpp"

namespace knuckleboom::multibody {
namespace {

static_assert(Sweeps<double>::kRoom == kMaxLinks && Sweeps<double>::kBase == kBase);

// Whether each link turns on the one before it, the first on the base.
inline bool is_chain(const Tree& tree, int n) {
  for (int i = 0; i < n; ++i)
    if (!tree.link(i).revolute || tree.link(i).parent != i - 1) return false;
  return true;
}

}  // namespace

void mass_and_bias(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v,
                   MassAndBias& out) {
  if (tree.link_count() == 3 && is_chain(tree, 3)) [[likely]]
    Sweeps<double>::sweep_both_ways<3>(tree, inertia, q, v, out);
  else
    Sweeps<double>::sweep_both_ways<0>(tree, inertia, q, v, out);
}

}  // namespace knuckleboom::multibody
