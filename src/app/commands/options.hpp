// Kinds of values and options that several sub-commands share, each declared once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::app {

struct DriveOptions;
struct TelemetryOptions;

// --- Kinds ----------------------------------------------------------------------

// The placeholder names a positional argument.
ValueKind scenario_value();
ValueKind machine_value(std::string placeholder = "NAME|FILE");
ValueKind exercise_value(std::string placeholder = "NAME|FILE");
ValueKind emulation_value();
ValueKind lever_layout_value();
// Models that solve the equations: all, or those that keep real time.
ValueKind fidelity_value();
ValueKind real_time_fidelity_value();
ValueKind friction_model_value();
ValueKind session_value(std::string placeholder = "SESSION");
ValueKind learner_value();
ValueKind exercise_name_value();
ValueKind fault_value();
ValueKind file_value(std::string placeholder = "FILE", std::string suffix = "");
ValueKind folder_value(std::string placeholder = "DIR");
// One of these words, which help lists; closed: the parser refuses others.
ValueKind word_value(std::string placeholder, std::vector<std::string> (*words)(), bool closed);

// --- Options --------------------------------------------------------------------

Argument scenario_argument(std::string& value);
Argument machine_argument(std::string& value);
Argument machine_option(std::string& value, std::string sentence, std::string without = {});
// A command that reads logs has these.
Argument dbc_option(std::string& value, std::string_view needs = {});
Argument tolerance_option(std::optional<double>& value);
// Keys of machine and scenario files as --set addresses them; NAME stands for an entry's name.
std::vector<std::string> set_keys();
// --set. what: "the machine or the scenario, such as ..."
Argument set_option(std::vector<std::string>& value, const std::string& what);
Argument set_of_case_option(std::vector<std::string>& value);
// --unset, of the same keys; stands behind --set.
Argument unset_option(std::vector<std::string>& value);
// Tells those remarks that are on numbers given by --set; `check` tells those on files.
void tell_remarks_on_set(const std::vector<io::Diagnostic>& remarks);
Argument plot_option(std::string& value, std::string sentence);
Argument summary_option(std::string& value, std::string sentence);
Argument headless_option(bool& value);
Argument language_option(std::string& value);
// Where live sessions are recorded, and whose they are.
std::vector<Argument> recording_options(DriveOptions& options);
// A live server of channels; needs: another option.
std::vector<Argument> telemetry_options(TelemetryOptions& options, const std::string& needs);
// Options of all commands that open a window.
std::vector<Argument> window_options(DriveOptions& options);

// Lists after each other.
std::vector<Argument> joined(std::vector<std::vector<Argument>> lists);

}  // namespace knuckleboom::app
