// A value given beside the file, for instance on the command line.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::io {

// Replaces or adds the value at a dotted path of the parsed file before it is read. Entries of an
// array of tables are addressed by their name, their joint or their index:
// `controller.stick.kp_V_per_rad`, `body.boom.position_m.0`. `joint.<name>` is short for the joint
// table of the body that has this joint. The value is written as in TOML; a bare word is a string.
// A key in another unit replaces the one in the file (`supply.pump_MPa` replaces `pump_bar`), and
// so does another way to say the same (`table` replaces `polynomial`). A table that a file of that kind
// may have, but has not, is added: `fault.spool.kind`.
struct Override {
  std::string key;
  std::string value;
  bool unset = false;  // takes the key or table out instead, so that its default holds
  bool times = false;  // multiplies what is there, a number or a list of them, by the value
};

// Splits "key=value" or "key*=factor", or takes "unset key". A step "*" of a path stands for every table
// at its place: "body.*.mass*=1.1". Throws FileError for neither and for an empty key.
Override parse_override(const std::string& assignment);
// The text that parse_override takes for a key that is to be taken out.
std::string unset_assignment(const std::string& key);

// Before a key: the file that it is in.
inline constexpr const char *kMachinePrefix = "machine", *kScenarioPrefix = "scenario",
                            *kExercisePrefix = "exercise", *kLeversPrefix = "levers";

// By the file that they change.
struct Overrides {
  std::vector<Override> machine, scenario, exercise, levers;
};

}  // namespace knuckleboom::io
