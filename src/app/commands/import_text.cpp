#include "app/commands/import_text.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/shell/text.hpp"

namespace knuckleboom::app {
namespace {

using io::ImportedLink;
using io::UrdfImport;

long long size_of(std::size_t n) { return static_cast<long long>(n); }

std::string joint_words(const ImportedLink& link) {
  if (link.joint.empty()) return "stands on the ground";
  std::string text = link.type;
  const bool same = link.type == link.here ||
                    (link.type == "continuous" && link.here == "revolute") ||
                    (link.type == "floating" && link.here == "free");
  if (!same) text += ", here " + link.here;
  if (link.here != "fixed")
    text += link.limited ? fmt::format(", {:g} to {:g} {}", link.lower, link.upper,
                                       link.here == "prismatic" ? "m" : "rad")
                         : std::string(", no limits of its own");
  if (!link.follows.empty()) text += fmt::format(", <mimic> of '{}'", link.follows);
  return text;
}

std::string looks_words(const ImportedLink& link) {
  std::vector<std::string> words = link.looks;
  if (link.shapes > 0) words.push_back(counted(link.shapes, "shape to touch", "shapes to touch"));
  return words.empty() ? std::string("-") : listing(words);
}

std::string summary(const UrdfImport& import) {
  int moving = 0, welded = 0, lost = 0;
  std::size_t looks = 0;
  for (const ImportedLink& link : import.links) {
    if (!link.joint.empty()) ++(link.here == "fixed" ? welded : moving);
    looks += link.looks.size();
    lost += link.lost_meshes;
  }
  std::vector<std::string> words = {
      counted(size_of(import.links.size()), "link", "links"),
      counted(moving, "joint that moves", "joints that move"),
      counted(welded, "link welded to its parent", "links welded to their parents"),
      counted(size_of(looks), "visible part", "visible parts")};
  std::string text = listing(words);
  if (lost > 0) text += fmt::format(" ({} cannot be shown)", counted(lost, "mesh", "meshes"));
  return text;
}

struct Row {
  std::string link, on, joint, what, mass, looks;
};

std::string table_of(const UrdfImport& import) {
  std::vector<Row> rows = {
      {"link", "on", "joint", "its joint is", "mass", "is seen and touches as"}};
  for (const ImportedLink& link : import.links)
    rows.push_back({link.name, link.parent.empty() ? "-" : link.parent,
                    link.joint.empty() ? "-" : link.joint, joint_words(link),
                    fmt::format("{:g} kg", link.mass), looks_words(link)});
  const auto width = [&rows](std::string Row::*column) {
    std::size_t most = 0;
    for (const Row& row : rows) most = std::max(most, (row.*column).size());
    return most;
  };
  const std::size_t link = width(&Row::link), on = width(&Row::on), joint = width(&Row::joint),
                    what = width(&Row::what), mass = width(&Row::mass);
  std::string text;
  for (const Row& row : rows)
    text += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {}\n", row.link, link, row.on,
                        on, row.joint, joint, row.what, what, row.mass, mass, row.looks);
  return text;
}

std::string short_name(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

}  // namespace

std::string import_text(const io::MachineFile& file) {
  std::string text;
  for (const UrdfImport& import : file.imports) {
    text += fmt::format(
        "\nimported from {}{}: {}\n", import.file,
        import.robot.empty() ? std::string() : fmt::format(" (robot '{}')", import.robot),
        summary(import));
    text += table_of(import);
  }
  if (!file.imports.empty() && !file.notes.empty()) {
    text += "  notes\n";
    for (const io::Diagnostic& note : file.notes)
      text += fmt::format("  {}:{}: {}\n", short_name(note.file), note.line, note.message);
  }
  return text;
}

std::string import_words(const io::MachineFile& file) {
  if (file.imports.empty()) return {};
  std::vector<std::string> names;
  for (const UrdfImport& import : file.imports) names.push_back(short_name(import.file));
  std::string text = "from " + listing(names);
  if (!file.notes.empty())
    text += fmt::format(" with {} (`knuckleboom inspect` shows {})",
                        counted(size_of(file.notes.size()), "note", "notes"),
                        file.notes.size() == 1 ? "it" : "them");
  return text;
}

void add_imports(JsonWriter& json, const io::MachineFile& file) {
  json.key("imports").begin_array();
  for (const UrdfImport& import : file.imports) {
    json.begin_object().member("file", import.file).member("robot", import.robot);
    json.key("links").begin_array();
    for (const ImportedLink& link : import.links) {
      json.begin_object().member("name", link.name).member("mass_kg", link.mass);
      if (!link.joint.empty()) {
        json.member("parent", link.parent)
            .member("joint", link.joint)
            .member("type", link.type)
            .member("here", link.here);
        if (!link.follows.empty()) json.member("mimic", link.follows);
        if (link.limited) json.member("lower", link.lower).member("upper", link.upper);
      }
      json.member("shapes", link.shapes)
          .member("lost_meshes", link.lost_meshes)
          .member("looks", link.looks)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  json.key("notes").begin_array();
  for (const io::Diagnostic& note : file.notes)
    json.begin_object()
        .member("file", note.file)
        .member("line", note.line)
        .member("message", note.message)
        .end_object();
  json.end_array();
}

std::string outside_parts(const machine::MachineModel& model) {
  std::vector<std::string> words;
  if (!model.shapes.empty())
    words.push_back(counted(static_cast<long long>(model.shapes.size()), "shape", "shapes"));
  if (model.grapple.present) words.emplace_back("a grapple");
  if (!model.visuals.empty())
    words.push_back(
        counted(static_cast<long long>(model.visuals.size()), "visible part", "visible parts"));
  return words.empty() ? std::string() : listing(words);
}

}  // namespace knuckleboom::app
