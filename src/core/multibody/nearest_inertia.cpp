#include "knuckleboom/core/multibody/nearest_inertia.hpp"

#include <Eigen/Eigenvalues>

namespace knuckleboom::multibody {

Mat3 nearest_inertia(const Mat3& I) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(I);
  Vec3 p = solver.eigenvalues().cwiseMax(0.0);  // ascending
  const double excess = p(2) - p(0) - p(1);
  if (excess > 0.0) p.head<2>().array() += 0.5 * excess;
  const Mat3& R = solver.eigenvectors();
  return R * p.asDiagonal() * R.transpose();
}

}  // namespace knuckleboom::multibody
