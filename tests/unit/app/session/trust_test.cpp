// Attempts that somebody has forged, with checksums that are right: what their inputs do not give is refused with
// both values, what was changed after it was signed by its signature, and without a signature names and dates are
// said to be claims. 500 in memory and some as files; KNUCKLEBOOM_FORGED_ATTEMPTS says how many of those.
#include "app/session/trust.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/session/filing.hpp"
#include "app/shell/exit_status.hpp"
#include "endpoint/station.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/exercise_variant.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/recording/session_signatures.hpp"
#include "support/paths.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::trust_test {
namespace {

namespace fs = std::filesystem;
using app::Check;
using io::SessionRecord;
using testing::HasSubstr;

constexpr std::int64_t kTicks = 1600;

std::vector<training::InputEvent> hands() {
  std::vector<training::InputEvent> events;
  const auto lever = [&events](std::int64_t tick, double value) {
    training::InputEvent event{};
    event.tick = tick;
    event.kind = training::InputEventKind::kInput;
    event.input.axis[0] = value;
    event.input.axis[3] = -0.7 * value;
    events.push_back(event);
  };
  lever(100, 0.6);
  lever(700, 0.0);
  training::InputEvent restart{};
  restart.tick = 900;
  restart.kind = training::InputEventKind::kCommand;
  restart.command.kind = training::CommandKind::kRestart;
  events.push_back(restart);
  lever(1000, -0.8);
  training::InputEvent end{};
  end.tick = kTicks;
  end.kind = training::InputEventKind::kEnd;
  events.push_back(end);
  return events;
}

// Another recording with the content of one, as a forger's own program writes it.
struct Forgery {
  SessionRecord record;
  std::vector<std::vector<float>> rows;
  double further_m = 0.0;  // added to the tip's path in each stored state
  void write(const fs::path& file, const training::Session& session) const {
    fs::remove(file);
    io::SessionJournal journal(file, record.header);
    for (const training::InputEvent& input : record.inputs)
      if (input.kind != training::InputEventKind::kEnd) journal.add(input);
    for (const io::StateHash& hash : record.hashes) journal.add(hash);
    for (const io::SessionEvent& event : record.events) journal.add(event);
    for (const io::SessionAttempt& attempt : record.attempts) journal.add(attempt);
    for (std::size_t i = 0; i < record.state_ticks.size(); ++i) {
      training::SessionState state = record.state(i, session);
      state.score.score.path_m += further_m;
      journal.add_state(record.state_ticks[i], state);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) journal.add_row(record.channel_ticks[i], rows[i]);
    journal.close(record.end);
  }
};

class Trust : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new test::TemporaryFolder();
    ::setenv("XDG_CONFIG_HOME", (*folder / "config").c_str(), 1);
    described = new test::DescribedSession(test::described_session("reach"));
    described->header.learner_id = "anna";
    described->header.instructor = "no 7";
    test::record_session(*described, hands(), file());
    ASSERT_EQ(app::sign_session(file()), "");
    sound = new SessionRecord(io::read_session(file()));
  }
  static void TearDownTestSuite() {
    delete sound;
    delete described;
    delete folder;
    ::unsetenv("XDG_CONFIG_HOME");
  }
  static fs::path file() { return *folder / "sound.h5"; }
  static Forgery forgery() {
    Forgery out{*sound, {}, 0.0};
    for (std::size_t i = 0; i < sound->channel_ticks.size(); ++i)
      out.rows.push_back(sound->channel_row(i));
    return out;
  }
  // Its level and why, or why it is refused.
  static std::string outcome(const fs::path& path) {
    try {
      const app::Trust trust = app::examine(io::read_session(path), Check::kCompute).trust;
      return fmt::format("T{} {}", trust.level, trust.why);
    } catch (const io::FileError& error) {
      return std::string("refused: ") + error.what();
    }
  }
  static std::string outcome(const Forgery& forged, bool with_signature = false) {
    const fs::path path = *folder / "forged.h5";
    forged.write(path, *described->session);
    if (with_signature) {
      const int from = ::open(file().c_str(), O_RDONLY), to = ::open(path.c_str(), O_RDWR);
      io::put_signatures(to, "forged", io::read_signatures(from, "sound"));
      ::close(from);
      ::close(to);
    }
    return outcome(path);
  }

  static test::TemporaryFolder* folder;
  static test::DescribedSession* described;
  static SessionRecord* sound;
};
test::TemporaryFolder* Trust::folder = nullptr;
test::DescribedSession* Trust::described = nullptr;
SessionRecord* Trust::sound = nullptr;

TEST_F(Trust, WhatThisStationSignedIsSigned) {
  ASSERT_EQ(sound->attempts.size(), 2U);
  EXPECT_EQ(outcome(file()), "T3 nobody has countersigned who drove");
  const app::Examined own = app::examine(*sound, Check::kTrustOwn);
  EXPECT_EQ(own.trust.level, app::kSigned);
  EXPECT_FALSE(own.computed);
  EXPECT_EQ(own.trust.signature.digest.size(), 64U);
  // Unchanged, but without the signature: its learner and its date are claims.
  EXPECT_EQ(outcome(forgery()), "T2 it is not signed: name and date are claims");
  EXPECT_THAT(app::examine(io::read_session(*folder / "forged.h5"), Check::kTrustOwn).trust.why,
              HasSubstr("was not computed again"));
}

TEST_F(Trust, AStrangersSignatureIsTrustedOnRequest) {
  const fs::path there = *folder / "there.h5";
  fs::copy_file(file(), there, fs::copy_options::overwrite_existing);
  ::setenv("XDG_CONFIG_HOME", (*folder / "another").c_str(), 1);
  EXPECT_THAT(outcome(there), HasSubstr("T2 it is signed by a station that is not trusted here"));
  app::keep_trusted_stations({{app::signed_by(there).station, "Classroom 2"}});
  EXPECT_THAT(outcome(there), HasSubstr("T3"));
  EXPECT_EQ(app::signed_by(there).name, "Classroom 2");
  // The key of this computer is for its owner alone.
  ASSERT_EQ(app::sign_session(there), "");
  fs::permissions(app::own_station_file(), fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(app::sign_session(there), HasSubstr("not signed"));
  ::setenv("XDG_CONFIG_HOME", (*folder / "config").c_str(), 1);
}

// --- Forged in memory -----------------------------------------------------------

using Change = std::function<std::string(SessionRecord&, std::mt19937&)>;

std::size_t below(std::mt19937& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

io::SessionAttempt& one_of(SessionRecord& record, std::mt19937& random) {
  return record.attempts[below(random, record.attempts.size())];
}

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      [](SessionRecord& r, std::mt19937& random) {
        double& figure = one_of(r, random).figures[below(random, r.header.figures.size())];
        figure = std::isfinite(figure) && figure != 0.0 ? 0.99 * figure : 1.0;
        return "a figure";
      },
      [](SessionRecord& r, std::mt19937& random) {
        double& figure = one_of(r, random).figures[below(random, r.header.figures.size())];
        figure = std::nextafter(figure, 1e300);
        return std::isfinite(figure) ? "a figure by its last bit" : "";
      },
      [](SessionRecord& r, std::mt19937& random) {
        std::vector<double>& figures = one_of(r, random).figures;
        double &a = figures[below(random, figures.size())],
               &b = figures[below(random, figures.size())];
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        std::swap(a, b);
        return same ? "" : "figures swapped";
      },
      [](SessionRecord& r, std::mt19937& random) {
        one_of(r, random).phase = training::TaskPhase::kPassed;
        return "a pass";
      },
      [](SessionRecord& r, std::mt19937& random) {
        io::SessionAttempt& attempt = one_of(r, random);
        attempt.phase = training::TaskPhase::kFailed;
        attempt.end_tick -= 1 + static_cast<std::int64_t>(below(random, 300));
        return "another end";
      },
      [](SessionRecord& r, std::mt19937& random) {
        r.attempts.erase(r.attempts.begin() +
                         static_cast<std::ptrdiff_t>(below(random, r.attempts.size())));
        return "an attempt left out";
      },
      [](SessionRecord& r, std::mt19937&) {
        r.attempts.push_back(r.attempts.back());
        return "an attempt more";
      },
      [](SessionRecord& r, std::mt19937&) {
        std::swap(r.attempts.front().figures, r.attempts.back().figures);
        return "attempts exchanged";
      },
      [](SessionRecord& r, std::mt19937& random) {
        r.events.erase(r.events.begin() +
                       static_cast<std::ptrdiff_t>(below(random, r.events.size())));
        return "an event left out";
      },
      [](SessionRecord& r, std::mt19937&) {
        r.events.pop_back();
        return "the list of events cut";
      },
      [](SessionRecord& r, std::mt19937&) {
        std::swap(r.events.front(), r.events.back());
        return "phases reordered";
      },
      [](SessionRecord& r, std::mt19937& random) {
        io::SessionEvent& event = r.events[below(random, r.events.size())];
        event.value[0] = 2.0;
        event.text = "passed";
        return "an event that says passed";
      },
      [](SessionRecord& r, std::mt19937& random) {
        r.events[below(random, r.events.size())].tick += 7;
        return "an event at another time";
      },
      [](SessionRecord& r, std::mt19937& random) {
        r.hashes[below(random, r.hashes.size())].value ^= std::uint64_t{1} << below(random, 64);
        return "a hash";
      },
      [](SessionRecord& r, std::mt19937&) {
        r.end.end_hash ^= 1;
        return "the last hash";
      },
      [](SessionRecord& r, std::mt19937& random) {
        r.header.figures[below(random, r.header.figures.size())].name = "other_m";
        return "a figure by another name";
      },
  };
  return all;
}

TEST_F(Trust, NoneOf500ForgedAttemptsIsBelieved) {
  const runtime::Recomputed computed = runtime::recompute(*sound);
  ASSERT_THAT(runtime::false_claims(*sound, computed.record).sentences, testing::IsEmpty());
  std::mt19937 random(450);
  int refused = 0;
  while (refused < 500) {
    SessionRecord forged = *sound;
    const std::string what = changes()[below(random, changes().size())](forged, random);
    if (what.empty()) continue;
    const std::vector<std::string> claims =
        runtime::false_claims(forged, computed.record).sentences;
    ASSERT_FALSE(claims.empty()) << what;
    ++refused;
  }
}

TEST_F(Trust, BothValuesAreSaid) {
  Forgery forged = forgery();
  forged.record.attempts[1].phase = training::TaskPhase::kPassed;
  forged.record.attempts[1].figures[0] = 12.5;
  EXPECT_THAT(outcome(forged),
              testing::AllOf(HasSubstr("claims what its inputs do not give"),
                             HasSubstr("attempt 2: recorded as passed, computed as not finished")));
  forged = forgery();
  forged.record.attempts[0].figures[0] = 12.5;
  EXPECT_THAT(outcome(forged), HasSubstr("attempt 1: time_s recorded as 12.5, computed as 0.8"));
}

// --- Forged as files ------------------------------------------------------------

TEST_F(Trust, ForgedFiles) {
  using Forge = std::function<void(Forgery&)>;
  struct Case {
    const char* what;
    Forge forge;
    const char* unsigned_outcome;  // of its content without a signature
  };
  const std::vector<Case> cases = {
      {"a learner, a date, an instructor and its place in the chain",
       [](Forgery& f) {
         f.record.header.learner_id = "bo";
         f.record.header.start_utc = "2020-01-01T00:00:00Z";
         f.record.header.instructor = "the boss";
         f.record.header.previous = "abc";
       },
       "T2 it is not signed: name and date are claims"},
      {"a curve", [](Forgery& f) { f.rows[40][7] += 0.5F; }, "refused"},
      {"a state", [](Forgery& f) { f.further_m = 0.5; }, "refused"},
      {"another machine by the same name",
       [](Forgery& f) {
         std::string& text = f.record.header.texts[1].text;
         text.insert(text.find('\n') + 1, "# lighter\n");
       },
       "refused: "},
      {"its exercise, and the hash of it",
       [](Forgery& f) {
         f.record.header.texts[0].text += "\n# easier\n";
         f.record.header.exercise_hash = {};
       },
       "T1 its exercise, machine or levers are not those"},
      {"hands that were none",
       [](Forgery& f) { f.record.header.options.emplace_back("playback", "1"); },
       "T1 the levers came from a file"},
      {"a program that runs otherwise",
       [](Forgery& f) {
         f.record.header.program = "knuckleboom 0.0.9 (abc)";
         f.record.attempts[0].figures[0] = 0.1;
       },
       "refused"},
      {"a take-over", [](Forgery& f) { f.record.header.parent_id = "abc"; },
       "T1 it was taken over"},
      {"losses", [](Forgery& f) { f.record.end.lost = 3; }, "T1 the recording has gaps"},
      {"judged otherwise",
       [](Forgery& f) {
         f.record.header.judging = 1;
         f.record.state_ticks.clear();  // those have figures by today's rules in them
       },
       "T1 it was recorded by a program that judges otherwise"},
  };
  const char* const asked = std::getenv("KNUCKLEBOOM_FORGED_ATTEMPTS");
  for (const Case& one : cases) {
    Forgery forged = forgery();
    one.forge(forged);
    EXPECT_THAT(outcome(forged), testing::StartsWith(one.unsigned_outcome)) << one.what;
    // Its signature is that of the sound one: checked before anything is computed.
    EXPECT_THAT(outcome(forged, true), HasSubstr("its signature is not one of its content"))
        << one.what;
  }
  std::mt19937 random(500);
  for (int left = asked != nullptr ? std::atoi(asked) : 0; left > 0;) {
    Forgery forged = forgery();
    if (changes()[below(random, changes().size())](forged.record, random).empty()) continue;
    EXPECT_THAT(outcome(forged), HasSubstr("refused: ")) << left;
    --left;
  }
}

// --- Exams ----------------------------------------------------------------------

// T4: signed, of a variant that was drawn, and countersigned by somebody who is trusted here.
TEST_F(Trust, AnExamIsCountersigned) {
  test::DescribedSession exam = test::described_session("tank", 7);
  exam.header.learner_id = "anna";
  const fs::path path = *folder / "exam.h5";
  test::record_session(exam, hands(), path);
  EXPECT_THAT(outcome(path), HasSubstr("T2 it is not signed"));
  EXPECT_THROW(app::countersign_session(path, app::own_instructor()), UserError);
  ASSERT_EQ(app::sign_session(path), "");
  EXPECT_EQ(outcome(path), "T3 nobody has countersigned who drove");
  app::countersign_session(path, app::own_station());
  EXPECT_EQ(outcome(path), "T3 the computer that recorded it countersigned itself");
  app::countersign_session(path, app::own_instructor());
  EXPECT_EQ(outcome(path), "T4 ");
  // From an instructor's computer that is not trusted here, and then is.
  const fs::path stranger = *folder / "stranger.key";
  const endpoint::WireKey key = endpoint::station_key(stranger);
  app::countersign_session(path, key);
  EXPECT_THAT(outcome(path), testing::StartsWith("T3 who countersigned is not trusted here ("));
  app::keep_trusted_stations({{endpoint::public_key(key), "Maija"}});
  EXPECT_EQ(outcome(path), "T4 ");
  app::keep_trusted_stations({});
  // The countersignature of another session.
  const auto signatures_of = [](const fs::path& file, int flags) {
    return std::pair(::open(file.c_str(), flags), file.string());
  };
  app::countersign_session(file(), app::own_instructor());
  EXPECT_THAT(outcome(file()), HasSubstr("T3 its variant was not drawn for an exam"));
  const auto [from, from_name] = signatures_of(file(), O_RDONLY);
  const auto [to, to_name] = signatures_of(path, O_RDWR);
  io::SessionSignatures mixed = io::read_signatures(to, to_name);
  mixed.countersignature = io::read_signatures(from, from_name).countersignature;
  mixed.witness = io::read_signatures(from, from_name).witness;
  io::put_signatures(to, to_name, mixed);
  ::close(from);
  ::close(to);
  EXPECT_THAT(outcome(path), HasSubstr("refused: "));
  ASSERT_EQ(app::sign_session(file()), "");  // as the other tests know it
}

// Another draw is another place of the tank; the same one is the same session.
TEST_F(Trust, AnExamDrawsItsVariant) {
  const auto place = [](int variant) {
    return test::described_session("tank", variant).session->exercise().places[1].x;
  };
  EXPECT_EQ(place(7), place(7));
  EXPECT_NE(place(7), place(8));
  EXPECT_NE(place(7), place(0));
  const fs::path config = fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config/exercises";
  EXPECT_TRUE(io::variant_of(config / "reach.toml", 5).empty());
  EXPECT_EQ(io::variant_of(config / "grid.toml", 5).front().key, "grid.seed");
  EXPECT_EQ(io::variant_of(config / "fault_hunt.toml", 5).front().key, "fault_lot.seed");
}

// --- What may be compared -------------------------------------------------------

TEST_F(Trust, KeysTellWhatDiffers) {
  const training::Exercise& exercise = described->session->exercise();
  const app::Conditions first = app::conditions_of(*sound, exercise, 0),
                        second = app::conditions_of(*sound, exercise, 1);
  EXPECT_EQ(app::key_of(first), app::key_of(second));
  EXPECT_EQ(app::key_of(first).size(), 64U);
  const auto differ = [&](const std::function<void(SessionRecord&)>& change) {
    SessionRecord other = *sound;
    change(other);
    const app::Conditions conditions = app::conditions_of(other, exercise, 0);
    const std::vector<std::string> what = app::differing(first, conditions);
    EXPECT_EQ(what.size(), 1U);
    EXPECT_NE(app::key_of(first), app::key_of(conditions));
    return what.empty() ? "" : what.front();
  };
  EXPECT_THAT(differ([](SessionRecord& r) { r.header.texts[1].text += "#"; }),
              testing::StartsWith("machine: "));
  EXPECT_THAT(differ([](SessionRecord& r) { r.header.texts[2].text += "#"; }),
              testing::StartsWith("levers: "));
  EXPECT_THAT(differ([](SessionRecord& r) { r.header.judging = 9; }),
              HasSubstr("judging: " + std::to_string(training::kJudging) + " and 9"));
  EXPECT_THAT(differ([](SessionRecord& r) {
                training::InputEvent event = r.inputs.front();
                event.tick = 500;
                event.kind = training::InputEventKind::kCommand;
                event.command = {training::CommandKind::kControlMode, 2};
                r.inputs.insert(r.inputs.begin() + 1, event);
              }),
              HasSubstr("; changed"));
  // The seed of the faults is the variant: another one of the same curve.
  SessionRecord other = *sound;
  other.header.options.emplace_back("fault_seed", "5");
  const app::Conditions variant = app::conditions_of(other, exercise, 0);
  EXPECT_NE(app::key_of(first), app::key_of(variant));
  EXPECT_EQ(app::curve_key_of(first), app::curve_key_of(variant));
  other.header.options.back() = {"variant", "5"};
  EXPECT_NE(app::key_of(app::conditions_of(other, exercise, 0)), app::key_of(first));
  EXPECT_EQ(app::curve_key_of(app::conditions_of(other, exercise, 0)), app::curve_key_of(first));
  // A name is only a name.
  other = *sound;
  other.header.machine = "another name";
  EXPECT_EQ(app::key_of(first), app::key_of(app::conditions_of(other, exercise, 0)));
}

}  // namespace
}  // namespace knuckleboom::trust_test
