// knuckleboom key as a user meets it.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test::key_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Key, IsMadeShownRotatedAndRevoked) {
  const TemporaryFolder home;
  const auto key = [&home](const char* action) {
    return run({"key", action}, {"XDG_CONFIG_HOME=" + home.path().string(), "KNUCKLEBOOM_KEY="});
  };
  const std::filesystem::path file = home / "knuckleboom/wire.key", copy = home / "copy.key";
  EXPECT_THAT(key("show").errors, HasSubstr("wire.key' makes one"));
  const Outcome made = key("make");
  EXPECT_EQ(made.status, 0) << made.errors;
  const std::string secret = content_of(file).substr(22, 64);
  const Outcome shown = key("show");
  EXPECT_THAT(made.output + shown.output, Not(HasSubstr(secret.substr(0, 8))));
  const std::string print = shown.output.substr(shown.output.size() - 20, 19);
  EXPECT_THAT(made.output, HasSubstr(print));
  const Outcome again = key("make");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, HasSubstr("exists and is left alone"));
  EXPECT_THAT(content_of(file), HasSubstr(secret));
  EXPECT_EQ(key("rotate").status, 0);
  EXPECT_THAT(content_of(file), Not(HasSubstr(secret)));
  std::filesystem::copy_file(file, copy);
  EXPECT_EQ(key("revoke").status, 0);
  EXPECT_THAT(key("show").errors, HasSubstr("has been revoked"));
  EXPECT_THAT(
      run({"key", "show", copy.string()}, {"XDG_CONFIG_HOME=" + home.path().string()}).errors,
      HasSubstr("has been revoked"));
  EXPECT_EQ(run({"key"}).status, 2);
}

// A warning at every start without a key; the two sides need the same one.
TEST(Key, MustBeTheSameOnBothSides) {
  const std::string signals = std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/signals/bench.toml";
  const Outcome open =
      Program({"--signals", signals, "--duration", "0.1", "--without-key"}, {}, peer_binary())
          .wait();
  EXPECT_EQ(open.status, 0);
  EXPECT_THAT(open.errors, HasSubstr("the connection has no key"));
  const Outcome both =
      Program(with_key({"--signals", signals, "--without-key"}), {}, peer_binary()).wait();
  EXPECT_EQ(both.status, 2);
}

// The keys by which computers sign sessions: made at first use, shown, trusted and forgotten.
TEST(Station, TrustsOthersByTheirKeys) {
  const TemporaryFolder home;
  const auto at = [&home](const char* computer, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "station");
    return run(arguments, {"XDG_CONFIG_HOME=" + (home / computer).string()});
  };
  const Outcome theirs = at("theirs", {});
  ASSERT_EQ(theirs.status, 0) << theirs.errors;
  const std::string key = theirs.output.substr(theirs.output.find('=') - 43, 44);
  EXPECT_EQ(at("theirs", {}).output, theirs.output);
  const Outcome trusted = at("ours", {"trust", key, "Classroom 2"});
  EXPECT_EQ(trusted.status, 0) << trusted.errors;
  EXPECT_THAT(at("ours", {}).output, HasSubstr("trusted       " + key));
  EXPECT_THAT(at("ours", {"trust", key, "Classroom 3"}).errors, HasSubstr("trusted already"));
  EXPECT_THAT(at("theirs", {"trust", key, "me"}).errors, HasSubstr("own key"));
  EXPECT_THAT(at("ours", {"trust", "no key", "x"}).errors, HasSubstr("is no public key"));
  EXPECT_EQ(at("ours", {"forget", "Classroom 2"}).status, 0);
  EXPECT_EQ(at("ours", {"forget", "Classroom 2"}).status, 2);
  EXPECT_THAT(at("ours", {}).output, Not(HasSubstr(key)));
}

}  // namespace
}  // namespace knuckleboom::test::key_test
