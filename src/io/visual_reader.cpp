#include "visual_reader.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "rotation.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using machine::VisualForm;

void read_form(TableReader& reader, const std::string& file, machine::VisualPart& part) {
  constexpr Range kSize{0.0, 1000.0, true};
  if (const auto mesh = reader.text("mesh")) {
    part.mesh = *mesh;
    if (mesh->starts_with('/') || mesh->find("..") != std::string::npos)
      reader.error("mesh", fmt::format("'mesh' is \"{}\"; give a file below assets/meshes, or name "
                                       "it by 'file', from this file's folder",
                                       *mesh));
  }
  if (const auto path = reader.text("file")) {
    std::error_code error;
    const fs::path whole = fs::absolute(fs::path(file).parent_path() / *path, error);
    part.mesh = error ? *path : whole.lexically_normal().string();
  }
  if (const auto box = reader.numbers("box", Dimension::kLength, kSize, 3, 3)) {
    part.form = VisualForm::kBox;
    part.size = Vec3((*box)[0], (*box)[1], (*box)[2]);
  }
  if (const auto cylinder = reader.numbers("cylinder", Dimension::kLength, kSize, 2, 2)) {
    part.form = VisualForm::kCylinder;
    part.size = Vec3((*cylinder)[0], (*cylinder)[1], 0.0);
  }
  if (const auto radius = reader.quantity("ball", Dimension::kLength, kSize)) {
    part.form = VisualForm::kBall;
    part.size = Vec3(*radius, 0.0, 0.0);
  }
}

}  // namespace

machine::VisualPart read_visual(TableReader& reader, const std::string& file) {
  machine::VisualPart part;
  read_form(reader, file, part);
  int forms = 0;
  for (const char* form : {"mesh", "file", "box", "cylinder", "ball"})
    forms += reader.has(form) ? 1 : 0;
  if (forms == 0)
    reader.error("",
                 "the visual has no form; give one of 'mesh', 'file', 'box_m', 'cylinder_m' and "
                 "'ball_m'");
  else if (forms > 1)
    reader.error("",
                 "the visual has several forms; keep one of 'mesh', 'file', 'box', 'cylinder' "
                 "and 'ball'");
  if (const auto scale = reader.vector("scale", Dimension::kNone)) {
    part.scale = *scale;
    if (!(scale->cwiseAbs().minCoeff() > 0.0))
      reader.error("scale", "a scale of the visual is 0; nothing would be left of it");
    else if (part.form != VisualForm::kMesh)
      reader.error("scale", "only meshes are scaled; give the size itself");
  }
  part.position_B = reader.vector("position", Dimension::kLength).value_or(Vec3::Zero());
  if (const auto rpy = reader.vector("rpy", Dimension::kAngle)) part.R_BM = rotation(*rpy);
  if (const auto colour = reader.numbers("colour", Dimension::kNone, Range{0.0, 1.0}, 3, 3)) {
    part.coloured = true;
    part.colour = Vec3((*colour)[0], (*colour)[1], (*colour)[2]);
  }
  reader.done();
  return part;
}

}  // namespace knuckleboom::io
