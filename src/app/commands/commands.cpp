#include "app/commands/commands.hpp"

#include "app/shell/exit_status.hpp"
#include "coach/habits.hpp"
#include "knuckleboom/io/reference_tables.hpp"

namespace knuckleboom::app {

// Each is declared in a file of its own.
Command bench_command();
Command buck_command();
Command check_command();
Command compare_command();
Command completions_command();
Command demo_command();
Command drive_command();
Command emulate_command();
Command export_command();
Command fell_command();
Command friction_command();
Command identify_command();
Command inspect_command();
Command judge_command();
Command log_command();
Command key_command();
Command learners_command();
Command levers_command();
Command linearise_command();
Command list_command();
Command pneumatics_command();
Command replay_command();
Command report_command();
Command report_problem_command();
Command run_command();
Command stanford_command();
Command station_command();
Command sweep_command();
Command tree_command();
Command verify_command();

Command knuckleboom_program() {
  return {.name = "knuckleboom",
          .sentence = "Simulator of hydraulic forestry cranes",
          .arguments = {},
          .examples = {"knuckleboom drive", "knuckleboom demo",
                       "knuckleboom run stick_sine --plot stick.png",
                       "knuckleboom compare stick_sine", "knuckleboom inspect harvester"},
          .run = [] { return kUserMistake; },  // the parser wants a sub-command
          .commands = {drive_command(),          replay_command(),   report_command(),
                       stanford_command(),       learners_command(), run_command(),
                       compare_command(),        friction_command(), pneumatics_command(),
                       bench_command(),          emulate_command(),  verify_command(),
                       judge_command(),          log_command(),      identify_command(),
                       check_command(),          tree_command(),     buck_command(),
                       fell_command(),           inspect_command(),  linearise_command(),
                       sweep_command(),          export_command(),   levers_command(),
                       report_problem_command(), key_command(),      station_command(),
                       demo_command(),           list_command(),     completions_command()}};
}

Tables reference_tables() {
  Tables tables = io::reference_tables();
  tables.emplace("coach rules", coach::rule_rows());
  tables.emplace("coach sentences", coach::sentence_rows());
  return tables;
}

}  // namespace knuckleboom::app
