// Aids beside the machine, and where they are allowed.
#include "app/trainer/aids.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

LoadedSession loaded(const char* exercise, std::optional<std::uint64_t> variant = {}) {
  SessionChoice choice;
  choice.exercise = exercise;
  choice.variant = variant;
  choice.settings = "crane_speed=0.5 ease=1.5 ghost=1 swing.dead_zone=0.1 coach=1";
  return load_session(choice);
}

TEST(Aids, AreForPractice) {
  const OperatorSettings both = {{kGhost, 2.0}, {kCoach, 1.0}};
  const LoadedSession practice = loaded("tank");
  EXPECT_EQ(aids_of(both, practice, true).ghost, GhostKind::kOwnBest);
  EXPECT_TRUE(aids_of(both, practice, true).coach);
  EXPECT_FALSE(aids_of({}, practice, true).coach);
  EXPECT_EQ(aids_of({}, practice, true).ghost, GhostKind::kNone);
  // Not beside a demonstration or a file of levers.
  EXPECT_FALSE(aids_of(both, practice, false).coach);
  EXPECT_FALSE(aids_of(both, loaded("free_play"), true).coach);
}

TEST(Aids, AreNoneInAnExam) {
  const OperatorSettings both = {{kGhost, 1.0}, {kCoach, 1.0}};
  const Aids aids = aids_of(both, loaded("tank", 7), true);
  EXPECT_EQ(aids.ghost, GhostKind::kNone);
  EXPECT_FALSE(aids.coach);
}

// Machine, levers and difficulty of an exam are those of its files, whoever sits down.
TEST(Aids, NorHasAnExamSettingsOfItsOwn) {
  EXPECT_EQ(loaded("tank").choice.settings, "crane_speed=0.5 ease=1.5 swing.dead_zone=0.1");
  const LoadedSession exam = loaded("tank", 7);
  EXPECT_EQ(exam.choice.settings, "");
  EXPECT_EQ(exam.session_header().option(kSettingsOption), nullptr);
  SessionChoice plain = exam.choice;
  plain.settings.clear();
  EXPECT_EQ(exam.levers_hash, load_session(plain).levers_hash);
  EXPECT_NE(loaded("tank").levers_hash, exam.levers_hash);
}

}  // namespace
}  // namespace knuckleboom::app
