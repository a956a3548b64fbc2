// The instructor's PIN: kept as a hash for its owner alone; a file that cannot be believed opens nothing.
#include "endpoint/pin.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "endpoint/error.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::endpoint::pin_test {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Pin, OpensWithItsDigitsAndNoOthers) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "new/instructor.pin";
  EXPECT_FALSE(pin_is_set(file));
  set_pin(file, "4711");
  ASSERT_TRUE(pin_is_set(file));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(read(file).find("4711"), std::string::npos);
  EXPECT_THAT(read(file), testing::HasSubstr("$argon2id$"));
  EXPECT_TRUE(pin_opens(file, "4711"));
  for (const char* wrong : {"4712", "471", "47110", ""}) EXPECT_FALSE(pin_opens(file, wrong));
  for (const char* none : {"123", "1234567890123", "12a4", "", "١٢٣٤"}) EXPECT_FALSE(is_pin(none));
}

TEST(Pin, FileThatCannotBeBelievedOpensNothing) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "instructor.pin";
  set_pin(file, "4711");
  const std::string good = read(file);
  fs::permissions(file, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THROW(pin_opens(file, "4711"), EndpointError);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  // Empty, cut off, of another program, and a hash that would take a weaker or an endless computation.
  std::string weak = good, endless = good;
  weak.replace(weak.find("m=65536"), 7, "m=8");
  endless.replace(endless.find("t=2"), 3, "t=4000000");
  for (const std::string& text :
       {std::string(), good.substr(0, 60), std::string("4711\n"), weak, endless}) {
    write(file, text);
    EXPECT_TRUE(pin_is_set(file));
    EXPECT_THROW(pin_opens(file, "4711"), EndpointError) << text;
  }
  fs::remove(file);
  fs::create_symlink("nowhere", file);
  EXPECT_TRUE(pin_is_set(file));
  EXPECT_THROW(pin_opens(file, "4711"), EndpointError);
}

}  // namespace
}  // namespace knuckleboom::endpoint::pin_test
