#include "visual_reader.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "declare/body_keys.hpp"
#include "rotation.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;
using machine::VisualForm;
namespace k = declare::keys::visual;

void read_form(TableReader& reader, const std::string& file, machine::VisualPart& part) {
  if (const auto mesh = reader.text(k::mesh)) {
    part.mesh = *mesh;
    if (mesh->starts_with('/') || mesh->find("..") != std::string::npos)
      reader.error(k::mesh,
                   fmt::format("'mesh' is \"{}\"; give a file below assets/meshes, or name "
                               "it by 'file', from this file's folder",
                               *mesh));
  }
  if (const auto path = reader.text(k::file)) {
    std::error_code error;
    const fs::path whole = fs::absolute(fs::path(file).parent_path() / *path, error);
    part.mesh = error ? *path : whole.lexically_normal().string();
  }
  if (const auto box = reader.vector(k::box)) {
    part.form = VisualForm::kBox;
    part.size = *box;
  }
  if (const auto cylinder = reader.numbers(k::cylinder)) {
    part.form = VisualForm::kCylinder;
    part.size = Vec3((*cylinder)[0], (*cylinder)[1], 0.0);
  }
  if (const auto radius = reader.quantity(k::ball)) {
    part.form = VisualForm::kBall;
    part.size = Vec3(*radius, 0.0, 0.0);
  }
}

}  // namespace

machine::VisualPart read_visual(TableReader& reader, const std::string& file) {
  machine::VisualPart part;
  read_form(reader, file, part);
  int forms = 0;
  for (const Key* form : {&k::mesh, &k::file, &k::box, &k::cylinder, &k::ball})
    forms += reader.has(*form) ? 1 : 0;
  if (forms == 0)
    reader.error(k::mesh,
                 "the visual has no form; give one of 'mesh', 'file', 'box_m', 'cylinder_m' and "
                 "'ball_m'");
  else if (forms > 1)
    reader.error(k::mesh,
                 "the visual has several forms; keep one of 'mesh', 'file', 'box', 'cylinder' "
                 "and 'ball'");
  reader.fill(part);
  if (!(part.scale.cwiseAbs().minCoeff() > 0.0))
    reader.error(k::scale, "a scale of the visual is 0; nothing would be left of it");
  else if (reader.has(k::scale) && part.form != VisualForm::kMesh)
    reader.error(k::scale, "only meshes are scaled; give the size itself");
  if (const auto rpy = reader.vector(k::rpy)) part.R_BM = rotation(*rpy);
  if (const auto colour = reader.vector(k::colour)) {
    part.coloured = true;
    part.colour = *colour;
  }
  reader.done();
  return part;
}

}  // namespace knuckleboom::io
