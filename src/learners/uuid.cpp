#include "learners/uuid.hpp"

#include <uuid/uuid.h>

namespace knuckleboom::learners {

std::string url_uuid(std::string_view url) {
  uuid_t uuid;
  uuid_generate_sha1(uuid, *uuid_get_template("url"), url.data(), url.size());
  char text[UUID_STR_LEN];
  uuid_unparse_lower(uuid, text);
  return text;
}

}  // namespace knuckleboom::learners
