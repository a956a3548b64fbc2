#include "app/commands/timber.hpp"

#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "app/commands/options.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "knuckleboom/declare/tables.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/timber_file.hpp"

namespace knuckleboom::app {
namespace {

std::vector<std::string> tree_keys() {
  return declare::key_paths(io::file_kind(io::FileKind::kTree).keys);
}

}  // namespace

LoadedTree load_tree(const std::string& name, const std::vector<std::string>& assignments) {
  const std::filesystem::path path = io::find_tree(name);
  io::refuse_other_kind(path.string(), io::FileKind::kTree);
  std::vector<io::Override> overrides;
  for (const std::string& assignment : assignments)
    overrides.push_back(io::parse_override(assignment));
  const io::TimberFile<timber::TreeRecipe> file = io::read_tree(path, overrides);
  tell_remarks_on_set(file.remarks);
  return {path.stem().string(), io::species_of(file.content), io::grow(file.content)};
}

std::string tree_title(const LoadedTree& loaded) {
  return fmt::format("{}: {}, {:g} cm at breast height, {:g} m high", loaded.name,
                     loaded.species.name, 100.0 * loaded.tree.recipe().dbh, loaded.tree.height());
}

Argument tree_argument(std::string& value) {
  return {.name = "tree",
          .target = &value,
          .kind = {"TREE", &io::tree_names, ValueKind::Path::kFile, ".toml"},
          .sentence = "Tree: a name (knuckleboom list trees) or a file",
          .required = true};
}

std::vector<Argument> tree_set_options(std::vector<std::string>& assignments) {
  return {{.name = "--set",
           .target = &assignments,
           .kind = {"KEY=VALUE", &tree_keys},
           .sentence = "Change a value of the tree, such as dbh_cm=30"},
          {.name = "--unset",
           .target = Unset{&assignments},
           .kind = {"KEY", &tree_keys},
           .sentence = "Take a key out, so that its default holds"}};
}

std::vector<Curve> stem_outline(const timber::Profile& profile) {
  std::vector<Curve> out = {{"over bark", {}, {}, 0, LineStyle::kSolid},
                            {"under bark", {}, {}, 1, LineStyle::kThin}};
  for (int i = 0; i < profile.knots; ++i) {
    const double height = i + 1 == profile.knots ? profile.height : timber::kKnot * i;
    out[0].x.push_back(height);
    out[0].y.push_back(100.0 * profile.over[i]);
    out[1].x.push_back(height);
    out[1].y.push_back(100.0 * profile.under[i]);
  }
  return out;
}

Curve branch_lines(const timber::Tree& tree) {
  Curve out{"branches", {}, {}, 2, LineStyle::kThin};
  constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
  constexpr double kRise = 0.25;  // of a branch along its length
  for (const timber::Whorl& whorl : tree.whorls())
    for (const double side : {-1.0, 1.0}) {
      for (const double x : {0.0, side * whorl.length, kGap}) out.x.push_back(x);
      for (const double y : {whorl.height, whorl.height + kRise * whorl.length, kGap})
        out.y.push_back(y);
    }
  return out;
}

}  // namespace knuckleboom::app
