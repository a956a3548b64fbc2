// [[product]] tables of price lists and exercises.
#pragma once

#include "knuckleboom/core/timber/bucking.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

void read_products(TableReader& reader, const Key& key, timber::PriceList& list);

}  // namespace knuckleboom::io
