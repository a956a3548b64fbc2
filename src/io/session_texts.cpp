#include "knuckleboom/io/session_texts.hpp"

#include <vector>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {

void read_session_texts(const std::filesystem::path& exercise, const std::filesystem::path& machine,
                        const std::filesystem::path& levers, SessionHeader& header) {
  const auto text = [](const std::string& role, const std::filesystem::path& path) {
    return SessionText{role, path.string(),
                       read_text_file(path, kConfigurationLimit, role + " file")};
  };
  header.texts = {text("exercise", exercise), text("machine", machine), text("levers", levers)};
  std::vector<NamedText> bases;
  const MachineFile from_disk = read_machine(machine);
  for (std::size_t i = 1; i < from_disk.files.size(); ++i) {
    header.texts.push_back(text("base", from_disk.files[i]));
    bases.push_back({header.texts.back().name, header.texts.back().text});
  }
  header.exercise_hash = read_exercise_text(header.texts[0].text, exercise.string()).hash;
  header.machine_hash = read_machine_texts(header.texts[1].text, machine.string(), bases).hash;
  header.levers_hash = read_levers_text(header.texts[2].text, levers.string()).hash;
  if (header.machine_hash != from_disk.hash)
    throw FileError(machine.string(), "the file is being changed; try again");
}

}  // namespace knuckleboom::io
