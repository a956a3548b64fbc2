// Names of things in other people's databases.
#pragma once

#include <string>
#include <string_view>

namespace knuckleboom::learners {

// Version 5 of RFC 9562, of a name in the namespace of URLs: the same for the same name everywhere.
std::string url_uuid(std::string_view url);

}  // namespace knuckleboom::learners
