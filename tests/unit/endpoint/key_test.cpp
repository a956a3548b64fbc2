// Key files: made once, for their owner alone, changed and revoked.
#include "endpoint/key.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.hpp"

namespace knuckleboom::endpoint::key_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

template <class F>
std::string fault_of(F f) {
  try {
    f();
  } catch (const EndpointError& error) {
    return error.what();
  }
  return "none";
}

std::string content(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(KeyFile, IsMadeOnceAndForItsOwnerAlone) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "wire.key";
  const WireKey key = make_key(file);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(fault_of([&] { make_key(folder / "mistyped/wire.key"); }),
              HasSubstr("cannot be written"));
  EXPECT_FALSE(fs::exists(folder / "mistyped"));
  EXPECT_EQ(read_key(file).bytes, key.bytes);
  EXPECT_TRUE(read_key(file).given);
  EXPECT_NE(drawn_key().bytes, key.bytes);
  const std::string before = content(file);
  EXPECT_THAT(fault_of([&] { make_key(file); }), HasSubstr("exists and is left alone"));
  EXPECT_EQ(content(file), before);
  fs::create_symlink("nowhere", folder / "link.key");
  EXPECT_THAT(fault_of([&] { make_key(folder / "link.key"); }), HasSubstr("left alone"));
  EXPECT_THAT(fault_of([&] { make_key("/proc/wire.key"); }), HasSubstr("cannot be written"));
}

TEST(KeyFile, ThatOthersMayReadIsRefused) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "wire.key";
  make_key(file);
  for (const fs::perms more : {fs::perms::group_read, fs::perms::others_read,
                               fs::perms::group_write, fs::perms::others_exec}) {
    fs::permissions(file, fs::perms::owner_read | more);
    EXPECT_THAT(fault_of([&] { read_key(file); }), HasSubstr("can be read or changed by others"));
  }
  rotate_key(file);  // which is the remedy
  EXPECT_EQ(fault_of([&] { read_key(file); }), "none");
}

TEST(KeyFile, IsNothingElse) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(fault_of([&] { read_key(folder / "none"); }), HasSubstr("key make"));
  EXPECT_THAT(fault_of([&] { read_key(folder.path()); }), HasSubstr("no file"));
  const std::string digits(64, 'a');
  int i = 0;
  for (const std::string& text :
       {std::string(), "key " + digits, "knuckleboom-key 2\nkey " + digits + "\n",
        "knuckleboom-key 1\nkey " + digits.substr(1) + "\n",
        "knuckleboom-key 1\nkey " + digits + "a\n",
        "knuckleboom-key 1\nkey " + digits.substr(1) + "G\n", std::string(10000, 'a')}) {
    const fs::path file = folder.write(std::to_string(i++), text);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THAT(fault_of([&] { read_key(file); }), HasSubstr("is no key file")) << text;
    EXPECT_THAT(fault_of([&] { rotate_key(file); }), HasSubstr("is no key file")) << text;
    EXPECT_EQ(content(file), text);
  }
}

TEST(KeyFile, ChangesItsKeyAndRevokesTheFormer) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "wire.key", copy = folder / "copy";
  const WireKey former = make_key(file);
  fs::copy_file(file, copy);
  const WireKey key = rotate_key(file);
  EXPECT_NE(key.bytes, former.bytes);
  EXPECT_EQ(read_key(file).bytes, key.bytes);
  fs::remove(file);
  fs::rename(copy, file);
  EXPECT_THAT(fault_of([&] { read_key(file); }), HasSubstr("revoked"));
  const WireKey third = rotate_key(file);
  EXPECT_EQ(revoke_key(file), fingerprint(third));
  EXPECT_EQ(revoke_key(file), fingerprint(third));
  EXPECT_THAT(fault_of([&] { read_key(file); }), HasSubstr(fingerprint(third)));
  EXPECT_EQ(content(folder / "wire.key.revoked"),
            fingerprint(former) + '\n' + fingerprint(third) + '\n');
  fs::remove(folder / "wire.key.revoked");
  fs::create_directory(folder / "wire.key.revoked");  // the list cannot be read
  EXPECT_THAT(fault_of([&] { read_key(file); }), HasSubstr("not known whether"));
}

TEST(KeyFile, OnceRevokedIsRefusedUnderEveryName) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "wire.key", other = folder / "other.key", list = folder / "list";
  make_key(file);
  fs::copy_file(file, other);
  revoke_key(file, list);
  EXPECT_THAT(fault_of([&] { read_key(other, list); }), HasSubstr("revoked"));
  rotate_key(other, list);
  EXPECT_EQ(fault_of([&] { read_key(other, list); }), "none");
}

TEST(KeyFile, IsToldByItsFingerprint) {
  WireKey key;
  key.given = true;
  const std::string print = fingerprint(key);
  EXPECT_THAT(print, testing::MatchesRegex("([0-9a-f]{4}-){3}[0-9a-f]{4}"));
  key.bytes[31] = 1;
  EXPECT_NE(fingerprint(key), print);
}

}  // namespace
}  // namespace knuckleboom::endpoint::key_test
