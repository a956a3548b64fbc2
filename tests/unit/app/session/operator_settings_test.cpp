// A learner's own settings: what they change, and that such an attempt is compared with its like only.
#include "app/session/operator_settings.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/comparison_key.hpp"
#include "app/session/load_session.hpp"
#include "app/session/trust.hpp"
#include "app/shell/exit_status.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::operator_settings_test {
namespace {

using app::OperatorSettings;
using testing::HasSubstr;

TEST(OperatorSettings, ComeBackFromTheirText) {
  const OperatorSettings some = {
      {"crane_speed", 0.7}, {"tip_reach.curve", 1.5}, {"swing.dead_zone", 0.08}};
  EXPECT_EQ(app::text_of(some), "crane_speed=0.7 swing.dead_zone=0.08 tip_reach.curve=1.5");
  EXPECT_EQ(app::settings_of(app::text_of(some)), some);
  EXPECT_EQ(app::in_words(some), "crane speed 70 %, swing: dead zone 8 %, tip reach: curve 1.5");
  EXPECT_TRUE(app::settings_of("").empty());
  for (const char* wrong : {"crane_speed", "crane_speed=2", "crane_speed=fast", "colour=1",
                            ".curve=1", "swing.curve=nan", "swing.dead_zone=-0.1"})
    EXPECT_THROW(app::settings_of(wrong), UserError) << wrong;
  // A row of the database could have such a name; its text would be read back as something else.
  for (const char* wrong : {"a b.curve", "a=1 crane_speed", "a\n.curve", "\u00e4.curve"})
    EXPECT_THROW(app::check_setting(wrong, 1.0), UserError) << wrong;
  EXPECT_EQ(app::in_words({{"head_feed.largest", 0.5}, {"coach", 1.0}}),
            "with hints, feed: largest command 50 %");
}

app::LoadedSession session_with(const char* exercise, const std::string& settings) {
  app::SessionChoice choice;
  choice.exercise = exercise;
  choice.settings = settings;
  return app::load_session(choice);
}

app::LoadedSession reach_with(const std::string& settings) {
  return session_with("reach", settings);
}

TEST(OperatorSettings, ChangeTheSessionsTexts) {
  const app::LoadedSession plain = reach_with("");
  const app::LoadedSession own =
      reach_with("crane_speed=0.5 ease=1.5 nothing.curve=2 ramps=1 swing.largest=0.6");
  // Only settings that change something are said.
  EXPECT_EQ(own.choice.settings, "crane_speed=0.5 ease=1.5 swing.largest=0.6");
  const auto gain = [](const app::LoadedSession& loaded, const std::string& name) {
    for (const command::LeverFunction& f : loaded.session->control().pattern().functions)
      if (app::setting_name(f) == name) return f.shape.gain;
    return std::nan("");
  };
  EXPECT_DOUBLE_EQ(gain(own, "swing"), 0.3);
  EXPECT_DOUBLE_EQ(gain(own, "boom"), 0.5);
  // Steering and drive are no part of the crane.
  const app::LoadedSession road = session_with("strip_road", "crane_speed=0.5");
  const app::LoadedSession usual_road = session_with("strip_road", "");
  for (const char* name : {"steer", "drive"})
    EXPECT_EQ(gain(road, name), gain(usual_road, name)) << name;
  EXPECT_EQ(gain(road, "boom"), 0.5 * gain(usual_road, "boom"));
  const training::Exercise &usual = plain.exercise(), &easier = own.exercise();
  EXPECT_DOUBLE_EQ(easier.targets[0].radius, 1.5 * usual.targets[0].radius);
  for (std::size_t i = 0; i < usual.limits.size(); ++i)
    EXPECT_DOUBLE_EQ(easier.limits[i].most, 1.5 * usual.limits[i].most);
  // A course counts what has the exercise's own name.
  EXPECT_EQ(easier.name, "reach_easier");
  EXPECT_EQ(reach_with("ease=0.75").exercise().name, "reach");
  EXPECT_EQ(reach_with("ease=0.75").exercise().title, usual.title + ", harder");
  EXPECT_NE(own.levers_hash, plain.levers_hash);
  EXPECT_NE(own.exercise_hash, plain.exercise_hash);
  EXPECT_EQ(own.machine_hash, plain.machine_hash);
}

class OwnSettings : public testing::Test {
 protected:
  // Recorded as by hand; some ticks after one lever movement.
  io::SessionRecord recorded(const std::string& settings, const std::string& claimed = {}) const {
    app::LoadedSession loaded = reach_with(settings);
    test::DescribedSession described;
    described.header = loaded.session_header();
    if (!claimed.empty())
      for (auto& [name, value] : described.header.options)
        if (name == app::kSettingsOption) value = claimed;
    described.session = std::move(loaded.session);
    training::InputEvent lever{}, end{};
    lever.tick = 20;
    lever.input.axis[0] = 0.5;
    end.tick = 60;
    end.kind = training::InputEventKind::kEnd;
    const auto file = folder_ / (std::to_string(++files_) + ".h5");
    test::record_session(described, {lever, end}, file);
    return io::read_session(file);
  }
  test::TemporaryFolder folder_;
  mutable int files_ = 0;
};

TEST_F(OwnSettings, AreBelievedAndDoNotPool) {
  const io::SessionRecord plain = recorded(""), slow = recorded("crane_speed=0.7"),
                          again = recorded("crane_speed=0.7"), slower = recorded("crane_speed=0.6");
  const auto curve = [](const io::SessionRecord& record) {
    const app::Examined examined = app::examine(record, app::Check::kCompute);
    EXPECT_EQ(examined.trust.level, app::kComputedHere) << examined.trust.why;
    return app::curve_key_of(examined.conditions.at(0));
  };
  EXPECT_EQ(curve(slow), curve(again));
  EXPECT_NE(curve(slow), curve(plain));
  EXPECT_NE(curve(slow), curve(slower));
  const auto conditions = [](const io::SessionRecord& record) {
    return app::conditions_of(record, io::make_session(record.header)->exercise(), 0);
  };
  EXPECT_THAT(app::differing(conditions(plain), conditions(slow)),
              testing::Contains(HasSubstr("settings: the files' and crane speed 70 %")));
  // Settings that are not those of its texts.
  const app::Examined forged =
      app::examine(recorded("crane_speed=0.7", "crane_speed=0.9"), app::Check::kCompute);
  EXPECT_EQ(forged.trust.level, app::kWholeFile);
  EXPECT_THAT(forged.trust.why, HasSubstr("are not those that this program has"));
}

}  // namespace
}  // namespace knuckleboom::operator_settings_test
