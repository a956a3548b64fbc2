#include "knuckleboom/recording/session_texts.hpp"

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "machine_texts.hpp"

namespace knuckleboom::io {

void read_session_texts(const std::filesystem::path& exercise, const std::filesystem::path& machine,
                        const std::filesystem::path& levers, SessionHeader& header) {
  header.texts = {read_text_of("exercise", exercise, "exercise file")};
  const ExerciseFile read = read_exercise_text(header.texts[0].text, exercise.string());
  header.exercise_hash = read.hash;
  header.machine_hash = read_machine_into(header.texts, machine, "machine", "base").hash;
  // Bases come last.
  const auto at =
      header.texts.insert(header.texts.begin() + 2, read_text_of("levers", levers, "levers file"));
  header.levers_hash = read_levers_text(at->text, levers.string()).hash;
  for (const NamedText& species : read.species)
    header.texts.push_back({std::string(kSpeciesRole), species.name, species.text});
}

}  // namespace knuckleboom::io
