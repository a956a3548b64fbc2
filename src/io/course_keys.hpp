// Keys of course and quiz files.
#pragma once

#include <limits>

#include "declare/exercise_keys.hpp"
#include "knuckleboom/io/course_file.hpp"

namespace knuckleboom::declare::keys {

namespace lesson_exercise {
using io::LessonExercise;
inline constexpr Key name = name_of("name", "of an exercise (`knuckleboom list exercises`)")
                                .must()
                                .to<&LessonExercise::name>();
inline constexpr Key passes =
    whole("passes", 1, 20, "so many passed attempts ...").to<&LessonExercise::passes>();
inline constexpr Key within =
    whole("within", 1, 20, "... of so many in a row").to<&LessonExercise::within>();
inline constexpr Key limits =
    named("limits", limit::table,
          "figures of an attempt that counts, on top of the exercise's own limits");
inline constexpr Key all[] = {name, passes, within, limits};
inline constexpr KeyTable table{"course.lesson.exercise", "[[lesson.exercise]]", all};
}  // namespace lesson_exercise

namespace lesson {
using io::Lesson;
inline constexpr Key name = keys::name("").to<&Lesson::name>();
inline constexpr Key needs = texts("needs", 20, "names of lessons before it").otherwise("none");
inline constexpr Key quiz =
    name_of("quiz", "of a quiz (`knuckleboom list quizzes`)").to<&Lesson::quiz>().otherwise("none");
inline constexpr Key exercises =
    tables("exercise", lesson_exercise::table, 20, "what is to be passed");
inline constexpr Key all[] = {
    name,
    text("title", "for people").must().to<&Lesson::title>(),
    text("text", "a paragraph for people").to<&Lesson::text>(),
    plain("hours", {0.0, 1000.0}, "that it usually takes").to<&Lesson::hours>(),
    needs,
    quiz,
    exercises,
};
inline constexpr KeyTable table{"course.lesson", "[[lesson]]", all};
}  // namespace lesson

namespace course_file {
using io::Course;
inline constexpr Key lessons = tables("lesson", lesson::table, 60, "in their order").must();
inline constexpr Key all[] = {
    keys::name("").to<&Course::name>(),
    text("title", "for people").must().to<&Course::title>(),
    description().to<&Course::description>(),
    lessons,
};
inline constexpr KeyTable table{"course", "", all};
}  // namespace course_file

namespace question {
using io::Question;
inline constexpr Key answers =
    texts("answers", 6, "two at least, the right one first; they are shown in another order")
        .must();
inline constexpr Key all[] = {
    text("text", "the question").must().to<&Question::text>(),
    answers,
    text("because", "shown after the answer").to<&Question::because>(),
};
inline constexpr KeyTable table{"quiz.question", "[[question]]", all};
}  // namespace question

namespace quiz_file {
using io::Quiz;
inline constexpr Key least_right =
    whole("least_right", 1, 100, "right answers to pass").to<&Quiz::least_right>().otherwise("all");
inline constexpr Key questions = tables("question", question::table, 100, "in their order").must();
inline constexpr Key all[] = {
    keys::name("").to<&Quiz::name>(),
    text("title", "for people").must().to<&Quiz::title>(),
    text("text", "shown before the first question").to<&Quiz::text>(),
    least_right,
    questions,
};
inline constexpr KeyTable table{"quiz", "", all};
}  // namespace quiz_file

}  // namespace knuckleboom::declare::keys
