// The sub-command learners, as it is declared; what it does is in app/learners.
#include "app/learners/learners.hpp"

#include <memory>

#include "app/commands/options.hpp"

namespace knuckleboom::app {

Command learners_command() {
  const auto o = std::make_shared<LearnersOptions>();
  const auto learner = [&o](bool required, std::string sentence) -> Argument {
    return {.name = "learner",
            .target = &o->name,
            .kind = learner_value(),
            .sentence = std::move(sentence),
            .required = required};
  };
  const auto action = [&o](std::string name, std::string sentence,
                           std::vector<Argument> arguments) {
    return Command{.name = name,
                   .sentence = std::move(sentence),
                   .arguments = std::move(arguments),
                   .examples = {},
                   .run = [o, name] {
                     o->action = name;
                     return run_learners(*o);
                   }};
  };
  return {
      .name = "learners",
      .sentence = "Learners and their sessions: list, compare, export, back up, delete",
      .arguments = {},
      .examples = {"knuckleboom learners", "knuckleboom learners show Anna",
                   "knuckleboom learners progress --exercise reach",
                   "knuckleboom learners coach Anna",
                   "knuckleboom learners compare Anna Bo --exercise reach",
                   "knuckleboom learners export --all -o results.csv",
                   "knuckleboom learners import old/*.h5 --learner Anna",
                   "knuckleboom learners delete Anna --yes"},
      .run = [o] { return run_learners(*o); },
      .commands = {
          action("show", "List the sessions of one learner", {learner(true, "Learner")}),
          action("compare", "Compare two learners, by exercise",
                 {learner(true, "Learner"),
                  {.name = "other-learner",
                   .target = &o->other,
                   .kind = learner_value(),
                   .sentence = "Another learner",
                   .required = true},
                  {"--exercise", &o->exercise, exercise_name_value(), "This exercise only"}}),
          action("progress", "A class at a glance: who improves, and in what",
                 {{"--exercise", &o->exercise, exercise_name_value(), "This exercise only"}}),
          action("coach", "Habits that the latest sessions of a learner show together",
                 {learner(true, "Learner"),
                  {"--exercise", &o->exercise, exercise_name_value(), "This exercise only"}}),
          action(
              "export", "Write results as CSV or as a workbook (.xlsx)",
              {learner(false, "Learner; or --all"),
               {.name = "--all", .target = &o->all, .sentence = "Of all learners"},
               {.name = "-o,--output",
                .target = &o->output,
                .kind = file_value("FILE.csv", ".csv"),
                .sentence = "The table",
                .required = true},
               {"--separator",
                &o->separator,
                {"CHARACTER"},
                "Between two fields: a comma, a semicolon, or 'tab'"},
               {"--decimal", &o->decimal, {"CHARACTER"}, "Decimal sign: a point or a comma"},
               {.name = "--xapi",
                .target = &o->xapi,
                .kind = {"URL"},
                .sentence = "Statements of the Experience API (.json) instead, under this address",
                .without = "a table"}}),
          action("add", "Add a learner", {learner(true, "Learner")}),
          action("set", "Show or change how a learner has set the machine up",
                 {learner(true, "Learner"),
                  {.name = "setting",
                   .target = &o->settings,
                   .kind = {"NAME=VALUE"},
                   .sentence = "Such as crane_speed=0.7; with nothing after = as in the files"}}),
          action("rename", "Rename a learner",
                 {learner(true, "Learner"),
                  {.name = "new-name",
                   .target = &o->other,
                   .kind = {"NAME"},
                   .sentence = "The new name",
                   .required = true}}),
          action("import", "File sessions that were recorded before",
                 {{.name = "session",
                   .target = &o->files,
                   .kind = session_value(),
                   .sentence = "Session file, or its name in the user's folder",
                   .required = true},
                  {.name = "--learner",
                   .target = &o->learner,
                   .kind = learner_value(),
                   .sentence = "Whose they are",
                   .without = "as the files say"}}),
          action("backup", "Copy all that is filed into a file",
                 {{.name = "-o,--output",
                   .target = &o->output,
                   .kind = file_value("FILE.db", ".db"),
                   .sentence = "The copy",
                   .required = true}}),
          action("restore", "Put a copy in the place of all that is filed",
                 {{.name = "file",
                   .target = &o->output,
                   .kind = file_value("FILE.db", ".db"),
                   .sentence = "A copy made by 'learners backup'",
                   .required = true},
                  {.name = "--yes",
                   .target = &o->yes,
                   .sentence = "Do it",
                   .without = "only reports what would change"}}),
          action("delete", "Delete a learner for good, session files included",
                 {learner(true, "Learner"),
                  {.name = "--yes",
                   .target = &o->yes,
                   .sentence = "Do it",
                   .without = "only reports what would be deleted"}})}};
}

}  // namespace knuckleboom::app
