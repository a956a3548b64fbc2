#include "learners/uuid.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::learners {
namespace {

// Python's uuid.uuid5(uuid.NAMESPACE_URL, ...).
TEST(UrlUuid, IsThatOfOtherPrograms) {
  EXPECT_EQ(url_uuid("https://school.example/crane"), "0eb447fa-a20c-5886-83de-751571f27df2");
}

}  // namespace
}  // namespace knuckleboom::learners
