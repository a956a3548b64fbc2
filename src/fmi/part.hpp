// Something that an FMU steps: a machine at work, or its controllers alone. Made from the FMU's folder of
// resources, in the same way where it is described and where it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knuckleboom/io/named_text.hpp"

namespace knuckleboom::fmi {

enum class Causality { kIndependent, kParameter, kInput, kOutput, kLocal };

struct Variable {
  Causality causality;
  std::string name, unit, description;
  std::optional<double> start = {};  // of parameters and inputs
  bool text = false;                 // a string in place of a number
};

// Parameters with a value other than their start, by number.
using Parameters = std::vector<std::pair<std::size_t, double>>;

class Part {
 public:
  // A moment of it, with nothing of its inputs.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~Part() = default;

  virtual double tick_s() const = 0;
  // Whole scenario; 0: it has no end.
  virtual double duration_s() const = 0;
  // Numbered from 0, which is the time.
  const std::vector<Variable>& variables() const { return variables_; }

  // To the start. Throws UserError or FileError for a value that cannot be.
  virtual void begin(const Parameters& parameters) = 0;
  virtual void set(std::size_t input, double value) = 0;
  // The value of an output or of a local variable.
  virtual double get(std::size_t variable) = 0;
  virtual std::string text(std::size_t variable) = 0;
  // Throws RunFailure if a result is not finite.
  virtual void step(std::int64_t ticks) = 0;

  virtual std::shared_ptr<const State> save() const = 0;
  virtual void restore(const State& state) = 0;
  // Whether the two below are there.
  virtual bool has_bytes() const = 0;
  virtual std::string bytes(const State& state) const = 0;
  virtual std::shared_ptr<const State> from_bytes(const std::string& bytes) = 0;

 protected:
  std::vector<Variable> variables_;
};

// --- Resources --------------------------------------------------------------------------------------------

// A scenario, or an exercise with its levers. Species of trees have a folder beside that of the exercise.
inline constexpr const char *kPartFile = "part.txt", *kMachineFile = "machine.toml",
                            *kScenarioFile = "scenario.toml",
                            *kExerciseFile = "exercises/exercise.toml",
                            *kLeversFile = "levers.toml", *kSpeciesFolder = "species",
                            *kControllerFile = "controller.txt";

inline constexpr const char* kProgram = "Knuckleboom";
inline constexpr const char* kLogCategory = "logStatusError";

// Which of the machine's inputs an FMU has.
enum class Inputs { kNone, kReferences, kVolts, kLevers };
inline constexpr Inputs kAllInputs[] = {Inputs::kLevers, Inputs::kReferences, Inputs::kVolts,
                                        Inputs::kNone};
std::string_view word_of(Inputs inputs);

// part.txt.
struct PartFacts {
  bool controller = false;
  Inputs inputs = Inputs::kNone;
  std::string fidelity;
  std::string name;         // for files and code: a letter, then letters, digits and '_'
  std::string title, says;  // for people
  std::string token;        // instantiationToken, guid
};
io::NamedText to_text(const PartFacts& facts);
// Throws FileError.
PartFacts read_facts(const std::filesystem::path& resources);

// Throws FileError or UserError.
std::unique_ptr<Part> open_part(const std::filesystem::path& resources, const PartFacts& facts);

}  // namespace knuckleboom::fmi
