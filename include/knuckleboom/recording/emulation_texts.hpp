// All texts of an emulation, in memory, so that it can be rebuilt after the files have changed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

struct EmulationTexts {
  // Roles: "emulation", "host", "emulated", each machine's "host base" and "emulated base" (bases and URDF
  // files), "signals".
  std::vector<SessionText> texts;
  // "key=value" in their order; "host." and "emulated." lead into the machines, "plant." into the host as
  // it is while its control goes by the host's file, all else into the emulation file.
  std::vector<std::string> assignments;
};

// Where a machine's file is, that the emulation file names at this place. Throws FileError.
using FindMachine =
    std::function<std::filesystem::path(const std::string& name, const ScenarioPlaces::Place& at)>;

// signals: a signal file; empty: none. Throws FileError, also if a file changes meanwhile.
EmulationTexts read_emulation_texts(const std::filesystem::path& emulation,
                                    const std::filesystem::path& signals,
                                    std::vector<std::string> assignments, const FindMachine& find);

struct EmulationParts {
  emulation::EmulationPlan plan;
  SignalFile signals;
  std::vector<std::string> files;   // names of all texts
  ContentHash hash;                 // of the emulation file
  std::vector<Diagnostic> remarks;  // on the emulation file: numbers out of the usual range
};
// From the texts and not from files. Throws FileError with all that is wrong in one of them. unknown: not
// null: keys that are not known are left out and listed there.
EmulationParts make_emulation(const EmulationTexts& from,
                              std::vector<Diagnostic>* unknown = nullptr);
// The bench of these, whose incoming signals are those of the signal file. Throws FileError.
std::unique_ptr<emulation::HilBench> make_hil_bench(EmulationParts parts);
// remarks: not null: keys of a newer program are left out, and a sentence there says so.
std::unique_ptr<emulation::HilBench> make_hil_bench(const EmulationTexts& from,
                                                    std::vector<std::string>* remarks = nullptr);

}  // namespace knuckleboom::io
