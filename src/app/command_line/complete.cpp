#include "app/command_line/complete.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {
namespace {

const Argument* find_option(const Command& command, const std::string& word) {
  for (const Argument& argument : command.arguments) {
    if (is_positional(argument)) continue;
    const std::size_t comma = argument.name.find(',');
    if (long_name(argument) == word ||
        (comma != std::string::npos && argument.name.substr(0, comma) == word))
      return &argument;
  }
  return nullptr;
}

// The last one takes what is left if it takes several.
const Argument* positional(const Command& command, std::size_t index) {
  const Argument* found = nullptr;
  for (const Argument& argument : command.arguments) {
    if (!is_positional(argument)) continue;
    found = &argument;
    if (index == 0) return found;
    --index;
  }
  return found != nullptr && is_repeatable(*found) ? found : nullptr;
}

class Candidates {
 public:
  explicit Candidates(std::string begun) : begun_(std::move(begun)) {}

  void add(const std::string& word, const std::string& sentence = {}) {
    if (!word.starts_with(begun_)) return;
    text_ += word + (sentence.empty() ? "\n" : "\t" + sentence + "\n");
  }
  void add(const Argument& argument) {
    const ValueKind& kind = argument.kind;
    if (kind.words != nullptr) {
      try {
        for (const std::string& word : kind.words()) add(word);
      } catch (const std::exception&) {  // a folder or database that cannot be read: no names
      }
    }
    if (kind.path == ValueKind::Path::kFile)
      paths_ = kind.suffix.empty() ? ":files\n" : ":files " + kind.suffix + "\n";
    if (kind.path == ValueKind::Path::kFolder) paths_ = ":folders\n";
  }
  std::string text() const { return text_ + paths_; }

 private:
  std::string begun_, text_, paths_ = ":\n";
};

}  // namespace

std::string complete_words(const Command& program, const std::vector<std::string>& words) {
  const Command* command = &program;
  const Argument* waiting = nullptr;  // an option whose value is next
  std::size_t places = 0;             // positionals seen
  const std::string last = words.empty() || words.back() == "=" ? "" : words.back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "=") continue;  // bash splits --option=value there
    if (waiting != nullptr) {
      waiting = nullptr;
    } else if (word.starts_with('-') && word.size() > 1) {
      const Argument* option = find_option(*command, word);
      if (option != nullptr && !is_flag(*option)) waiting = option;
    } else {
      const auto sub = std::find_if(command->commands.begin(), command->commands.end(),
                                    [&word](const Command& one) { return one.name == word; });
      if (sub != command->commands.end() && places == 0)
        command = &*sub;
      else
        ++places;
    }
  }

  Candidates found(last);
  if (waiting != nullptr) {
    found.add(*waiting);
  } else if (last.starts_with('-')) {
    for (const Argument& argument : command->arguments)
      if (!is_positional(argument)) found.add(long_name(argument), argument.sentence);
    found.add("--help", "Show this text");
    if (command == &program) found.add("--version", "Name the version");
  } else {
    if (places == 0)
      for (const Command& one : command->commands) found.add(one.name, one.sentence);
    if (const Argument* argument = positional(*command, places)) found.add(*argument);
  }
  return found.text();
}

namespace {

// {} stands for the programs. The word that is begun is handed over even if it is empty.
constexpr const char* kBash = R"SCRIPT(# bash completion for {0}
_knuckleboom() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" line path suffix
  [[ "$word" == '=' ]] && word=''
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files*)
        suffix="${{line#:files}}"
        while IFS= read -r path; do COMPREPLY+=("$path"); done \
          < <(compgen -f -X "!*${{suffix# }}" -- "$word"; [[ -n "$suffix" ]] && compgen -d -- "$word") ;;
      :folders)
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -d -- "$word") ;;
      :*) ;;
      *) COMPREPLY+=("${{line%%$'\t'*}}") ;;
    esac
  done < <("${{COMP_WORDS[0]/#\~/$HOME}}" complete-words "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)
}}
complete -o filenames -F _knuckleboom {0}
)SCRIPT";

constexpr const char* kZsh = R"SCRIPT(#compdef {0}
# zsh completion for {0}
_knuckleboom() {{
  local -a names
  local line word paths=''
  for line in "${{(@f)$("${{(Q)words[1]}}" complete-words "${{(@Q)words[2,CURRENT]}}" 2>/dev/null)}}"; do
    case "$line" in
      :*) paths="$line" ;;
      *)
        word="${{line%%$'\t'*}}"
        if [[ "$line" == *$'\t'* ]]; then
          names+=("${{word//:/\\:}}:${{line#*$'\t'}}")
        else
          names+=("${{word//:/\\:}}")
        fi ;;
    esac
  done
  ((${{#names}})) && _describe -V 'knuckleboom' names
  case "$paths" in
    ':files '*) _files -g "*${{paths#:files }}" ;;
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}}
if [[ "$funcstack[1]" == _knuckleboom ]]; then
  _knuckleboom "$@"
else
  compdef _knuckleboom {0}
fi
)SCRIPT";

constexpr const char* kFish = R"SCRIPT(# fish completion for {0}
function __knuckleboom_complete
  set -l words (commandline -opc)
  set -l token (commandline -ct)
  set -l program $words[1]
  set -e words[1]
  for line in ($program complete-words $words "$token" 2>/dev/null)
    switch $line
      case ':files*'
        __fish_complete_suffix "$token" (string replace -r '^:files ?' '' -- $line)
      case ':folders'
        __fish_complete_directories "$token"
      case ':*'
      case '*'
        echo $line
    end
  end
end
for program in {0}
  complete -c $program -f -a '(__knuckleboom_complete)'
end
)SCRIPT";

}  // namespace

std::vector<std::string> completion_shells() { return {"bash", "zsh", "fish"}; }

std::string completion_script(const std::string& shell, const std::vector<std::string>& programs) {
  const std::string names = fmt::format("{}", fmt::join(programs, " "));
  if (shell == "bash") return fmt::format(kBash, names);
  if (shell == "zsh") return fmt::format(kZsh, names);
  if (shell == "fish") return fmt::format(kFish, names);
  throw UserError(fmt::format("there is no completion for the shell '{}'{}", shell,
                              io::alternatives(shell, completion_shells())));
}

}  // namespace knuckleboom::app
