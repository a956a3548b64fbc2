#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <matio.h>
#include <unistd.h>

#include "app/commands/linear_files.hpp"
#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

// libmatio writes to a path alone.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "knuckleboom-XXXXXX").string()) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) throw RunFailure("no temporary file could be made for the MAT-file");
    close(descriptor);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

struct CloseMat {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

class MatWriter {
 public:
  explicit MatWriter(const std::string& path)
      : file_(Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5)) {
    good_ = file_ != nullptr;
  }
  void matrix(const char* name, Eigen::MatrixXd values) {
    std::size_t size[2] = {static_cast<std::size_t>(values.rows()),
                           static_cast<std::size_t>(values.cols())};
    put(Variable(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, values.data(), 0)));
  }
  void roots(const char* name, const std::vector<std::complex<double>>& roots) {
    std::vector<double> re, im;
    for (const std::complex<double> root : roots)
      re.push_back(root.real()), im.push_back(root.imag());
    std::size_t size[2] = {roots.size(), 1};
    mat_complex_split_t parts{re.data(), im.data()};
    put(Variable(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, &parts, MAT_F_COMPLEX)));
  }
  void text(const char* name, const std::string& text) { put(characters(name, text)); }
  void texts(const char* name, const std::vector<std::string>& texts) {
    std::vector<matvar_t*> cells;
    for (const std::string& text : texts) cells.push_back(characters(nullptr, text).release());
    std::size_t size[2] = {cells.size(), 1};
    put(Variable(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, cells.data(), 0)));
  }
  bool close() {
    file_.reset();
    return good_;
  }

 private:
  static Variable characters(const char* name, std::string text) {
    std::size_t size[2] = {text.empty() ? 0U : 1U, text.size()};
    return Variable(Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, size, text.data(), 0));
  }
  void put(const Variable& variable) {
    good_ = good_ && variable != nullptr &&
            Mat_VarWrite(file_.get(), variable.get(), MAT_COMPRESSION_NONE) == 0;
  }

  std::unique_ptr<mat_t, CloseMat> file_;
  bool good_ = false;
};

}  // namespace

std::string linear_mat(const LinearReport& report) {
  const analysis::LinearModel& m = report.model;
  const Scratch scratch;
  MatWriter file(scratch.path());
  file.text("scenario", report.scenario);
  file.text("machine", report.machine);
  file.text("fidelity", report.fidelity);
  file.matrix("t", Eigen::MatrixXd::Constant(1, 1, m.t_s));
  file.matrix("A", m.A);
  file.matrix("B", m.B);
  file.matrix("C", m.C);
  file.matrix("D", m.D);
  file.matrix("f0", m.f0);
  const auto add = [&file](const char* values, const char* names, const char* units,
                           const std::vector<analysis::LinearQuantity>& list) {
    Eigen::VectorXd numbers(static_cast<Eigen::Index>(list.size()));
    std::vector<std::string> name, unit;
    for (std::size_t i = 0; i < list.size(); ++i) {
      numbers(static_cast<Eigen::Index>(i)) = list[i].value;
      name.push_back(list[i].name);
      unit.push_back(list[i].unit);
    }
    file.matrix(values, numbers);
    file.texts(names, name);
    file.texts(units, unit);
  };
  add("x0", "state_names", "state_units", m.states);
  add("u0", "input_names", "input_units", m.inputs);
  add("y0", "output_names", "output_units", m.outputs);
  std::vector<std::complex<double>> roots;
  for (const analysis::LinearMode& mode : report.modes) {
    roots.push_back(mode.root);
    if (mode.oscillates()) roots.push_back(std::conj(mode.root));
  }
  file.roots("eigenvalues", roots);
  file.roots("closed_loop_roots", report.closed_roots);
  if (!file.close()) throw RunFailure("libmatio could not write the MAT-file: is the disk full?");
  return scratch.content();
}

}  // namespace knuckleboom::app
