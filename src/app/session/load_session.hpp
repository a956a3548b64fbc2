// A training session from names and files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/session/drive_request.hpp"
#include "knuckleboom/core/training/attempt_plan.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

inline constexpr const char* kFirstExercise = "free_play";

struct LoadedSession {
  SessionChoice choice;
  std::filesystem::path exercise_path, machine_path, levers_path;
  io::ContentHash exercise_hash, machine_hash, levers_hash;
  std::string purpose;  // "harvester is for ..."; may be empty
  std::unique_ptr<training::Session> session;
  // Commands before the first tick: the choice's changes of the exercise. They are recorded with
  // the input, so that a recording alone gives the same session.
  std::vector<training::Command> opening;
  std::vector<io::SessionText> texts;  // of all files

  const training::Exercise& exercise() const { return session->exercise(); }
  std::string title() const;  // "Reach on harvester, levers nordic, 1000 Hz"
  io::InputHeader header() const;
  io::SessionHeader session_header() const;  // of a new recording starting now
};

// overrides: of machine, exercise and levers; such a session cannot be recorded. Throws io::FileError,
// UserError or std::invalid_argument with messages for the user.
LoadedSession load_session(const SessionChoice& choice, const io::Overrides& overrides = {});

// Number of a fault of the session. Throws UserError with similar names.
int find_fault(const training::Session& session, const std::string& name);
// A fault of the command line as a command for the session. Throws as find_fault does.
training::AttemptCommand attempt_command(const TimedFault& fault, const training::Session& session);
// Usual faults of the trainer's default machine.
std::vector<std::string> usual_fault_names();

// The recorded session, from the texts in its file. Throws io::FileError.
LoadedSession recorded_session(const io::SessionHeader& header);

struct LoadedInput {
  std::filesystem::path path;
  io::InputFile file;
};
// Reads an input file and completes the choice from its header.
LoadedInput load_input(const std::filesystem::path& path, SessionChoice& choice);
// One message for each change since the input was recorded.
std::vector<std::string> differences(const LoadedInput& input, const LoadedSession& session);

}  // namespace knuckleboom::app
