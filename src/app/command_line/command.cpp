#include "app/command_line/command.hpp"

#include <algorithm>

#include "knuckleboom/io/words.hpp"

namespace knuckleboom::app {

bool is_positional(const Argument& argument) { return !argument.name.starts_with('-'); }

bool is_flag(const Argument& argument) {
  return std::holds_alternative<bool*>(argument.target) ||
         std::holds_alternative<Off>(argument.target);
}

bool is_repeatable(const Argument& argument) {
  return std::holds_alternative<std::vector<std::string>*>(argument.target) ||
         std::holds_alternative<Unset>(argument.target) ||
         std::holds_alternative<std::vector<double>*>(argument.target);
}

std::string long_name(const Argument& argument) {
  const std::size_t comma = argument.name.find(',');
  return comma == std::string::npos ? argument.name : argument.name.substr(comma + 1);
}

std::string placeholder(const Argument& argument) {
  const bool several = is_positional(argument) && is_repeatable(argument);
  return argument.kind.placeholder + (several ? "..." : "");
}

std::string explanation(const Argument& argument) {
  std::string text = argument.sentence;
  if (argument.kind.told) text += ": " + io::listing(argument.kind.words(), "or");
  if (!argument.without.empty()) text += "; without it " + argument.without;
  if (!is_positional(argument) && is_repeatable(argument) && !argument.comma)
    text += "; may be repeated";
  return text;
}

std::string usage(const Command& command) {
  std::string text = command.name;
  bool optional = false;
  for (const Argument& argument : command.arguments) {
    if (is_positional(argument))
      text += argument.required ? " " + placeholder(argument) : " [" + placeholder(argument) + "]";
    else if (argument.required)
      text += " " + long_name(argument) + " " + placeholder(argument);
    else
      optional = true;
  }
  if (!command.commands.empty()) text += " [COMMAND]";
  return optional ? text + " [options]" : text;
}

}  // namespace knuckleboom::app
