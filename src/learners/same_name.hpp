// Comparison of names regardless of case and encoding of accents.
#pragma once

#include <string>
#include <string_view>

namespace knuckleboom::learners {

// The form in which two spellings of one name are equal: Unicode's full case folding, then
// canonical composition (the Unicode Standard, 3.13, canonical caseless match). Bytes that are not
// UTF-8 are unchanged.
std::string folded(std::string_view name);
bool same_name(std::string_view a, std::string_view b);

}  // namespace knuckleboom::learners
