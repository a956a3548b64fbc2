#include "knuckleboom/io/course_file.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/config_folders.hpp"

namespace knuckleboom::course_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string course_fault(const std::string& lessons) {
  try {
    io::read_course_text("name = \"c\"\ntitle = \"C\"\n" + lessons, "c.toml");
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "none";
}
std::string quiz_fault(const std::string& text) {
  try {
    io::read_quiz_text("name = \"q\"\ntitle = \"Q\"\n" + text, "q.toml");
  } catch (const io::FileError& error) {
    return error.what();
  }
  return "none";
}

TEST(CourseFile, HasLessonsWithTheirExercises) {
  const io::Course course = io::read_course_text(
      "name = \"c\"\ntitle = \"C\"\n[[lesson]]\nname = \"a\"\ntitle = \"A\"\nquiz = \"q\"\n"
      "[[lesson]]\nname = \"b\"\ntitle = \"B\"\nneeds = [\"a\"]\n"
      "[[lesson.exercise]]\nname = \"path\"\n[lesson.exercise.limits]\n"
      "together = { least = 0.3 }\n[[lesson.exercise]]\nname = \"reach\"\npasses = 3\nwithin = 4\n",
      "c.toml");
  ASSERT_EQ(course.lessons.size(), 2U);
  EXPECT_EQ(course.lessons[0].quiz, "q");
  EXPECT_THAT(course.lessons[1].needs, ElementsAre("a"));
  ASSERT_EQ(course.lessons[1].exercises.size(), 2U);
  const io::LessonExercise& path = course.lessons[1].exercises[0];
  EXPECT_EQ(path.passes, 2);
  EXPECT_EQ(path.within, 3);
  ASSERT_EQ(path.limits.size(), 1U);
  EXPECT_EQ(path.limits[0].figure, "together");
  EXPECT_TRUE(path.limits[0].has_least && !path.limits[0].has_most);
  EXPECT_EQ(course.lessons[1].exercises[1].within, 4);
}

TEST(CourseFile, SaysWhatIsWrong) {
  const std::string a = "[[lesson]]\nname = \"a\"\ntitle = \"A\"\n";
  EXPECT_THAT(course_fault(a), HasSubstr("c.toml:3:1: a lesson needs an 'exercise' or a 'quiz'"));
  EXPECT_THAT(course_fault(a + "quiz = \"q\"\nneeds = [\"b\"]\n"),
              HasSubstr("there is no lesson 'b' before this one"));
  EXPECT_THAT(course_fault(a + "quiz = \"q\"\n" + a + "quiz = \"q\"\n"),
              HasSubstr("there are two lessons 'a'"));
  EXPECT_THAT(course_fault(a + "[[lesson.exercise]]\nname = \"reach\"\npasses = 4\n"),
              HasSubstr("4 passed attempts of 3 are more than there are"));
  EXPECT_THAT(course_fault(a + "[[lesson.exercise]]\nname = \"reach\"\n"
                               "[lesson.exercise.limits]\ntogther = { least = 1 }\n"),
              HasSubstr("'limits' has no figure 'togther'; did you mean 'together'?"));
  EXPECT_THAT(course_fault(a + "[[lesson.exercise]]\nname = \"reach\"\n"
                               "[lesson.exercise.limits]\ntime_s = { most = -1 }\n"),
              HasSubstr("the limit of 'time_s' cannot be kept: it is never below 0"));
  EXPECT_EQ(course_fault(a + "[[lesson.exercise]]\nname = \"reach\"\n"
                             "[lesson.exercise.limits]\nsmoothness = { most = -1 }\n"),
            "none");
  EXPECT_THAT(course_fault(a + "quiz = \"../../etc/passwd\"\n"),
              HasSubstr("c.toml:6:8: 'quiz' is \"../../etc/passwd\"; a name starts"));
  EXPECT_THAT(course_fault("lesson = []\n"), HasSubstr("a course needs a lesson"));
}

TEST(QuizFile, SaysWhatIsWrong) {
  const std::string good = "[[question]]\ntext = \"t\"\nanswers = [\"a\", \"b\"]\n";
  EXPECT_EQ(quiz_fault(good), "none");
  EXPECT_THAT(quiz_fault("least_right = 2\n" + good),
              HasSubstr("q.toml:3:15: 2 right answers cannot be given to 1 questions"));
  EXPECT_THAT(quiz_fault("[[question]]\ntext = \"t\"\nanswers = [\"a\", \"a\"]\n"),
              HasSubstr("two answers at least, each another one"));
  EXPECT_THAT(quiz_fault("question = []\n"), HasSubstr("a quiz needs a question"));
}

// The course names what is there, and each quiz can be passed and failed.
TEST(CourseFile, ShippedOnesNameWhatIsThere) {
  for (const std::string& name : io::course_names())
    for (const io::Lesson& lesson : io::read_course(io::find_course(name)).lessons) {
      if (!lesson.quiz.empty()) {
        EXPECT_EQ(io::read_quiz(io::find_quiz(lesson.quiz)).name, lesson.quiz);
      }
      for (const io::LessonExercise& exercise : lesson.exercises)
        EXPECT_NO_THROW(io::find_exercise(exercise.name)) << name;
    }
  EXPECT_THAT(io::course_names(), testing::Contains("crane"));
  const io::Quiz quiz = io::read_quiz(io::find_quiz("danger_zone"));
  EXPECT_GE(quiz.questions.size(), 10U);
  EXPECT_LT(quiz.least_right, static_cast<int>(quiz.questions.size()) + 1);
}

}  // namespace
}  // namespace knuckleboom::course_file_test
