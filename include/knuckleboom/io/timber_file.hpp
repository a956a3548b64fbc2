// Species, trees and price lists, from files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/timber/bucking.hpp"
#include "knuckleboom/core/timber/tree.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

template <class T>
struct TimberFile {
  T content;
  std::vector<Diagnostic> remarks;
};

// Each throws FileError with all that is wrong in the file.
TimberFile<timber::Species> read_species_text(std::string_view text, const std::string& file_name);
TimberFile<timber::Species> read_species(const std::filesystem::path& path);
TimberFile<timber::TreeRecipe> read_tree_text(std::string_view text, const std::string& file_name,
                                              std::span<const Override> overrides = {});
TimberFile<timber::TreeRecipe> read_tree(const std::filesystem::path& path,
                                         std::span<const Override> overrides = {});
TimberFile<timber::PriceList> read_price_list_text(std::string_view text,
                                                   const std::string& file_name);
TimberFile<timber::PriceList> read_price_list(const std::filesystem::path& path);

// The species that a recipe names, and its tree. Throw UserError.
timber::Species species_of(const timber::TreeRecipe& recipe);
timber::Tree grow(const timber::TreeRecipe& recipe);

}  // namespace knuckleboom::io
