#include "python/linear.hpp"

#include "capi/controllers.hpp"
#include "knuckleboom/analysis/linear_model.hpp"

namespace knuckleboom::python {
namespace {

using analysis::LinearQuantity;

std::vector<LinearTable::Quantity> names_of(const std::vector<LinearQuantity>& list,
                                            std::vector<double>& values) {
  std::vector<LinearTable::Quantity> out;
  for (const LinearQuantity& one : list) {
    out.push_back({one.name, one.unit});
    values.push_back(one.value);
  }
  return out;
}

std::vector<double> by_rows(const Eigen::MatrixXd& matrix) {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) out.push_back(matrix(i, k));
  return out;
}

}  // namespace

LinearTable linear_table(const kb_simulation& simulation, bool at_rest) {
  const OpenedEngine engine = engine_of(simulation);
  const analysis::LinearModel model =
      at_rest ? analysis::linearise_at_rest(*engine.simulation, *engine.state)
              : analysis::linearise(*engine.simulation, *engine.state);
  LinearTable out;
  out.t_s = model.t_s;
  out.tick_s = model.tick_s;
  out.states = names_of(model.states, out.y0);
  out.inputs = names_of(model.inputs, out.u0);
  out.outputs = names_of(model.outputs, out.z0);
  out.f0.assign(model.f0.data(), model.f0.data() + model.f0.size());
  out.A = by_rows(model.A);
  out.B = by_rows(model.B);
  out.C = by_rows(model.C);
  out.D = by_rows(model.D);
  const Eigen::VectorXcd roots = analysis::roots_of(model.A);
  out.roots.assign(roots.data(), roots.data() + roots.size());
  out.remarks = model.remarks;
  return out;
}

}  // namespace knuckleboom::python
