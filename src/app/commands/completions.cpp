#include "app/commands/completions.hpp"

#include <fmt/format.h>

#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/fidelity.hpp"

namespace knuckleboom::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string method_words() {
  std::vector<std::string> names;
  for (const analysis::Method& method : analysis::methods()) names.push_back(method.name);
  return joined(names);
}

// In single quotes for any of the three shells; none of our words has a quote, descriptions may.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Names are asked of the program when they are needed, so that new files are offered at once.
std::string bash_script(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases += fmt::format("    {}) options='{}' ;;\n", command.name, joined(command.options));
  }
  return fmt::format(R"SCRIPT(# bash completion for knuckleboom
_knuckleboom() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local program="${{COMP_WORDS[0]}}" command='' options='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ "${{COMP_WORDS[i]}}" != -* ]]; then
      command="${{COMP_WORDS[i]}}"
      break
    fi
  done
  if [[ -z "$command" ]]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case "$command" in
{}  esac
  case "$before" in
    --machine)
      COMPREPLY=($(compgen -W "$("$program" list machines 2>/dev/null)" -- "$word")
                 $(compgen -f -- "$word"))
      return ;;
    --fidelity)
      COMPREPLY=($(compgen -W '{}' -- "$word"))
      return ;;
    --trace | --plot | --delay-plot | --summary | --save | --resume | --against | --json | --expert)
      COMPREPLY=($(compgen -f -- "$word"))
      return ;;
    --output | --trace-dir | --plot-dir | --sessions)
      COMPREPLY=($(compgen -d -- "$word"))
      return ;;
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case "$command" in
    run | compare | friction)
      COMPREPLY=($(compgen -W "$("$program" list scenarios 2>/dev/null)" -- "$word")
                 $(compgen -f -- "$word")) ;;
    inspect | pneumatics)
      COMPREPLY=($(compgen -W "$("$program" list machines 2>/dev/null)" -- "$word")
                 $(compgen -f -- "$word")) ;;
    learners)
      if [[ "$before" == learners ]]; then
        COMPREPLY=($(compgen -W 'show compare export add rename import delete' -- "$word"))
      else
        COMPREPLY=($(compgen -f -- "$word"))
      fi ;;
    list) COMPREPLY=($(compgen -W 'scenarios machines exercises levers' -- "$word")) ;;
    completions) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _knuckleboom knuckleboom
)SCRIPT",
                     names, cases, method_words());
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    names += fmt::format("    {}\n", in_quotes(command.name + ":" + command.description));
    cases += fmt::format("    {}) options=({}) ;;\n", command.name, joined(command.options));
  }
  return fmt::format(R"SCRIPT(#compdef knuckleboom
# zsh completion for knuckleboom
_knuckleboom() {{
  local -a commands options
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe -t commands 'knuckleboom command' commands
    return
  fi
  local program="${{words[1]}}" command="${{words[2]}}" before="${{words[CURRENT-1]}}"
  case "$command" in
{}  esac
  case "$before" in
    --machine)
      compadd -- ${{(f)"$($program list machines 2>/dev/null)"}}
      _files
      return ;;
    --fidelity)
      compadd -- {}
      return ;;
    --trace | --plot | --delay-plot | --summary | --save | --resume | --against | --json | --expert)
      _files
      return ;;
    --output | --trace-dir | --plot-dir | --sessions)
      _files -/
      return ;;
  esac
  if [[ "${{words[CURRENT]}}" == -* ]]; then
    compadd -- $options
    return
  fi
  case "$command" in
    run | compare | friction)
      compadd -- ${{(f)"$($program list scenarios 2>/dev/null)"}}
      _files ;;
    inspect | pneumatics)
      compadd -- ${{(f)"$($program list machines 2>/dev/null)"}}
      _files ;;
    learners)
      if ((CURRENT == 3)); then
        compadd -- show compare export add rename import delete
      else
        _files
      fi ;;
    list) compadd -- scenarios machines exercises levers ;;
    completions) compadd -- bash zsh fish ;;
    *) _files ;;
  esac
}}
if [[ "$funcstack[1]" == _knuckleboom ]]; then
  _knuckleboom "$@"
else
  compdef _knuckleboom knuckleboom
fi
)SCRIPT",
                     names, cases, method_words());
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text =
      "# fish completion for knuckleboom\n"
      "complete -c knuckleboom -n __fish_use_subcommand -f\n"
      "complete -c knuckleboom -n __fish_use_subcommand -l help -l version\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c knuckleboom -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, in_quotes(command.description));
    const std::string here =
        fmt::format("complete -c knuckleboom -n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& option : command.options) {
      std::string arguments;
      if (option == "--fidelity")
        arguments = fmt::format(" -x -a '{}'", method_words());
      else if (option == "--machine")
        arguments = " -r -a '(knuckleboom list machines 2>/dev/null)'";
      else if (option == "--output" || option == "--trace-dir" || option == "--plot-dir" ||
               option == "--sessions")
        arguments = " -x -a '(__fish_complete_directories)'";
      else if (option != "--help" && option != "--realtime")
        arguments = " -r";
      text += fmt::format("{} -l {}{}\n", here, option.substr(2), arguments);
    }
    if (command.name == "run" || command.name == "compare" || command.name == "friction")
      text += here + " -a '(knuckleboom list scenarios 2>/dev/null)'\n";
    if (command.name == "inspect" || command.name == "pneumatics")
      text += here + " -a '(knuckleboom list machines 2>/dev/null)'\n";
    if (command.name == "learners")
      text += here + " -a 'show compare export add rename import delete'\n";
    if (command.name == "list") text += here + " -f -a 'scenarios machines exercises levers'\n";
    if (command.name == "completions") text += here + " -f -a 'bash zsh fish'\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  const std::vector<std::string> known = {"bash", "zsh", "fish"};
  throw UserError(fmt::format("there is no completion for the shell '{}'{}", shell,
                              alternatives(shell, known)));
}

}  // namespace knuckleboom::app
