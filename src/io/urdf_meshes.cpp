#include "urdf_meshes.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include "knuckleboom/io/words.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr int kHighest = 8;  // folders above the URDF
constexpr std::array<std::string_view, 8> kFormats = {".stl", ".dae", ".obj",  ".ply",
                                                      ".3ds", ".osg", ".osgt", ".ive"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_package(const fs::path& folder, const std::string& name) {
  if (folder.filename() == name) return true;
  const fs::path manifest = folder / "package.xml";
  if (!is_file(manifest)) return false;
  constexpr std::size_t kEnough = 65536;
  std::string text(kEnough, '\0');
  std::ifstream stream(manifest, std::ios::binary);
  stream.read(text.data(), kEnough);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text.find("<name>" + name + "</name>") != std::string::npos;
}

fs::path in_package(const std::string& package, const fs::path& inside, const fs::path& folder) {
  std::error_code error;
  fs::path above = fs::absolute(folder, error).lexically_normal();
  if (error) return folder / package / inside;
  for (int i = 0; i <= kHighest; ++i) {
    if (is_package(above, package) && is_file(above / inside)) return above / inside;
    if (is_file(above / package / inside)) return above / package / inside;
    const fs::path next = above.parent_path();
    if (next == above) break;
    above = next;
  }
  return (fs::absolute(folder, error) / package / inside).lexically_normal();
}

bool known(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  return std::find(kFormats.begin(), kFormats.end(), ending) != kFormats.end();
}

}  // namespace

MeshPlace find_mesh(const std::string& uri, const fs::path& urdf) {
  const fs::path folder = urdf.parent_path();
  MeshPlace out;
  const std::size_t colon = uri.find("://");
  const std::string scheme = colon == std::string::npos ? std::string() : uri.substr(0, colon);
  const std::string rest = colon == std::string::npos ? uri : uri.substr(colon + 3);
  if (scheme == "package" || scheme == "model") {
    const std::size_t slash = rest.find('/');
    const std::string package = rest.substr(0, slash);
    const fs::path inside =
        slash == std::string::npos ? fs::path() : fs::path(rest.substr(slash + 1));
    const fs::path normal = inside.lexically_normal();
    if (package.empty() || package == "." || package == ".." || inside.is_absolute() ||
        (!normal.empty() && *normal.begin() == "..")) {
      out.path = uri;
      out.fault = MeshFault::kOutside;
      return out;
    }
    out.path = in_package(package, normal, folder);
  } else if (scheme == "file" || scheme.empty()) {
    out.path = folder / fs::path(rest);
  } else {
    out.path = uri;
    out.fault = MeshFault::kRemote;
    return out;
  }
  std::error_code error;
  if (const fs::path whole = fs::absolute(out.path, error); !error)
    out.path = whole.lexically_normal();
  if (!is_file(out.path))
    out.fault = MeshFault::kMissing;
  else if (!known(out.path))
    out.fault = MeshFault::kFormat;
  return out;
}

}  // namespace knuckleboom::io
