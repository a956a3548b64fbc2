#include "knuckleboom/io/timber_file.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "content_reader.hpp"
#include "declare/timber_keys.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "product_tables.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace keys = declare::keys;

constexpr int kShares = 100;  // of the height at which a taper curve is tried

template <class T, class Read>
TimberFile<T> read_timber(std::string_view text, const std::string& file_name,
                          std::string_view what, const KeyTable& table,
                          std::span<const Override> overrides, Read read) {
  TimberFile<T> out;
  out.content = read_content<T>(text, file_name, what, table, overrides, read, &out.remarks);
  return out;
}

// Above the flare a stem has to have a thickness, and to become thinner on the whole.
void check_taper(TableReader& reader, const timber::Species& species) {
  bool good = timber::relative_diameter(species, 0.1) > timber::relative_diameter(species, 0.9);
  for (int i = 5; i < kShares; ++i)
    good = good && timber::relative_diameter(species, static_cast<double>(i) / kShares) > 0.0;
  if (!good && reader.has(keys::species_file::all[2]))
    reader.error(keys::species_file::all[2],
                 "'taper' gives a stem without thickness, or one that grows towards its tip; check "
                 "the eight factors");
}

// A misspelt species would give a tree that cannot grow, or a product that no tree gives.
void check_species(TableReader& reader, const Key& key, const std::string& name) {
  try {
    find_species(name);
  } catch (const UserError& error) {
    reader.error(key, error.what());
  }
}

}  // namespace

void read_products(TableReader& reader, const Key& key, timber::PriceList& list) {
  std::set<std::string> names;
  for (const Node* node : reader.tables(key)) {
    const Node* name = node->find("name");
    TableReader product(reader.report(), *node, keys::product::table,
                        name != nullptr && name->is_string()
                            ? fmt::format("product '{}'", name->text)
                            : "the product");
    timber::Product one;
    product.fill(one);
    one.species = product.texts(keys::product::species).value_or(std::vector<std::string>());
    for (const std::string& species : one.species)
      check_species(product, keys::product::species, species);
    one.top_factor = product.curve(keys::product::top_factor).value_or(Table());
    one.length_factor = product.curve(keys::product::length_factor).value_or(Table());
    product.done();
    if (!one.name.empty() && !names.insert(one.name).second)
      product.error(keys::product::name,
                    fmt::format("there are two products '{}'; rename one of them", one.name));
    timber::PriceList alone;
    alone.products.push_back(one);
    if (const std::string fault = timber::objection(alone); !fault.empty())
      product.error(keys::product::lengths, fault);
    list.products.push_back(std::move(one));
  }
}

namespace {

void read_list(TableReader& reader, timber::PriceList& list) {
  read_products(reader, keys::price_list_file::products, list);
  timber::PriceList offcut = list;
  offcut.products.clear();
  offcut.products.emplace_back();
  if (const std::string fault = timber::objection(offcut); !fault.empty())
    reader.error(keys::price_list_file::offcut, fault);
}

}  // namespace

TimberFile<timber::Species> read_species_text(std::string_view text, const std::string& file_name) {
  return read_timber<timber::Species>(text, file_name, "species file", keys::species_file::table,
                                      {}, check_taper);
}

TimberFile<timber::Species> read_species(const std::filesystem::path& path) {
  return read_species_text(read_text_file(path, kConfigurationLimit, "species file"),
                           path.string());
}

TimberFile<timber::TreeRecipe> read_tree_text(std::string_view text, const std::string& file_name,
                                              std::span<const Override> overrides) {
  return read_timber<timber::TreeRecipe>(
      text, file_name, "tree file", keys::tree_file::table, overrides,
      [](TableReader& reader, const timber::TreeRecipe& tree) {
        if (!tree.species.empty()) check_species(reader, keys::tree_file::species, tree.species);
        if (const std::string fault = timber::objection(tree); !fault.empty())
          reader.report().error(reader.place(), fault);
      });
}

TimberFile<timber::TreeRecipe> read_tree(const std::filesystem::path& path,
                                         std::span<const Override> overrides) {
  return read_tree_text(read_text_file(path, kConfigurationLimit, "tree file"), path.string(),
                        overrides);
}

TimberFile<timber::PriceList> read_price_list_text(std::string_view text,
                                                   const std::string& file_name) {
  return read_timber<timber::PriceList>(text, file_name, "price list", keys::price_list_file::table,
                                        {}, read_list);
}

TimberFile<timber::PriceList> read_price_list(const std::filesystem::path& path) {
  return read_price_list_text(read_text_file(path, kConfigurationLimit, "price list"),
                              path.string());
}

timber::Species species_of(const timber::TreeRecipe& recipe) {
  return read_species(find_species(recipe.species)).content;
}

timber::Tree grow(const timber::TreeRecipe& recipe) {
  try {
    return {species_of(recipe), recipe};
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
}

}  // namespace knuckleboom::io
