// Parts that the sub-commands about trees share.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.hpp"
#include "app/shell/plot.hpp"
#include "knuckleboom/core/timber/tree.hpp"

namespace knuckleboom::app {

struct LoadedTree {
  std::string name;
  timber::Species species;
  timber::Tree tree;
};
// By name or file, with the assignments of --set. Remarks on these are told.
LoadedTree load_tree(const std::string& name, const std::vector<std::string>& assignments);

// "spruce_20: spruce, 20 cm at breast height, 17 m high".
std::string tree_title(const LoadedTree& loaded);

Argument tree_argument(std::string& value);
std::vector<Argument> tree_set_options(std::vector<std::string>& assignments);

// Outline of the stem, diameters across, height up; and its branches as lines.
std::vector<Curve> stem_outline(const timber::Profile& profile);
Curve branch_lines(const timber::Tree& tree);

}  // namespace knuckleboom::app
