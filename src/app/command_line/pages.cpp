#include "app/command_line/pages.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {
namespace {

// --- man ----------------------------------------------------------------------

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string roff_arguments(const Command& command) {
  std::string text;
  for (const Argument& argument : command.arguments) {
    std::string name = is_positional(argument) ? placeholder(argument) : argument.name;
    std::replace(name.begin(), name.end(), ',', ' ');
    text += fmt::format(".TP\n.B {}", roff(name));
    if (!is_positional(argument) && !is_flag(argument))
      text += fmt::format(" \\fI{}\\fR", roff(placeholder(argument)));
    text += fmt::format("\n{}.\n", roff(explanation(argument)));
  }
  return text;
}

std::string roff_examples(const Command& command) {
  std::string text = ".PP\n.nf\n";
  for (const std::string& example : command.examples) text += roff(example) + "\n";
  return text + ".fi\n";
}

void add_commands(const Command& parent, const std::string& path, std::string& text) {
  for (const Command& command : parent.commands) {
    text += fmt::format(".SS {}\n{}.\n", roff(path + usage(command)), roff(command.sentence));
    text += roff_arguments(command);
    if (!command.examples.empty()) text += roff_examples(command);
    add_commands(command, path + command.name + " ", text);
  }
}

// --- Markdown -----------------------------------------------------------------

std::string in_cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2)
    text.insert(i, "\\");
  return text;
}

std::string option_table(const Command& command) {
  std::string text = "| option | meaning |\n|---|---|\n";
  for (const Argument& argument : command.arguments) {
    std::string name = is_positional(argument) ? placeholder(argument) : argument.name;
    if (const std::size_t comma = name.find(','); comma != std::string::npos)
      name.replace(comma, 1, "`, `");
    if (!is_positional(argument) && !is_flag(argument)) name += " " + placeholder(argument);
    text += fmt::format("| `{}` | {} |\n", in_cell(name), in_cell(explanation(argument)));
  }
  return text;
}

std::string command_table(const Command& program) {
  std::string text = "| command | purpose |\n|---|---|\n";
  for (const Command& command : program.commands)
    text += fmt::format("| `{}` | {} |\n", command.name, in_cell(command.sentence));
  return text;
}

void add_tables(const Command& command, const std::string& name, Tables& tables) {
  tables[name] = command.commands.empty() ? option_table(command) : command_table(command);
  for (const Command& one : command.commands) add_tables(one, name + " " + one.name, tables);
}

}  // namespace

std::string man_page(const Command& program, const std::string& version) {
  std::string upper = program.name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string text =
      fmt::format(".TH {} 1 \"\" \"{}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", roff(upper),
                  roff(version), roff(program.name), roff(program.sentence), roff(usage(program)));
  if (!program.arguments.empty()) text += ".SH OPTIONS\n" + roff_arguments(program);
  if (!program.commands.empty()) {
    text += ".SH COMMANDS\n";
    add_commands(program, "", text);
  }
  text += ".SH EXAMPLES\n" + roff_examples(program);
  return text;
}

Tables tables_of(const Command& program) {
  Tables tables;
  add_tables(program, program.name, tables);
  return tables;
}

std::string with_tables(const std::string& page, const Tables& tables,
                        std::vector<std::string>& written) {
  constexpr std::string_view kBegin = "<!-- table: ", kEnd = "<!-- end of table -->";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = page.find(kBegin, at)) != std::string::npos;) {
    const std::size_t name_at = at + kBegin.size();
    const std::size_t name_end = page.find(" -->\n", name_at);
    const std::size_t end = page.find(kEnd, name_at);
    if (name_end == std::string::npos || end == std::string::npos || name_end > end)
      throw UserError(fmt::format("the table that begins with '{}' has no end '{}'",
                                  page.substr(at, page.find('\n', at) - at), kEnd));
    const auto table = tables.find(page.substr(name_at, name_end - name_at));
    at = end;
    if (table == tables.end()) continue;
    const std::size_t body = name_end + std::string_view(" -->\n").size();
    out += page.substr(done, body - done) + table->second;
    done = end;
    written.push_back(table->first);
  }
  return out + page.substr(done);
}

}  // namespace knuckleboom::app
