// Names as people take them: capital letters and ways to write an accent make no difference.
#pragma once

#include <string>
#include <string_view>

namespace knuckleboom::learners {

// The form in which two spellings of one name are equal: Unicode's full case folding, then canonical
// composition (the Unicode Standard, 3.13, canonical caseless match). What is no UTF-8 stays as it is.
std::string folded(std::string_view name);
bool same_name(std::string_view a, std::string_view b);

}  // namespace knuckleboom::learners
