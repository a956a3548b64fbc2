// FMUs of others: unpacked, described, and run in this process. Native code that nobody here has checked, so it is
// loaded only where a user names the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fmi/description.hpp"
#include "knuckleboom/io/scratch_folder.hpp"

namespace knuckleboom::fmi {

struct ForeignVariable {
  std::string name;
  unsigned reference;
  bool input, output;
};

// An unpacked FMU for co-simulation.
struct Foreign {
  std::unique_ptr<io::ScratchFolder> folder;
  std::filesystem::path file, library;
  Version version;
  std::string name, token;                 // of the model; instantiationToken or guid
  std::string hash;                        // XXH3-128 of the file
  std::vector<ForeignVariable> variables;  // numbers alone
};

// Throws FileError with one sentence for whatever is no FMU that can run here.
Foreign unpack(const std::filesystem::path& file);

// One instance, stepped from 0 s on. Each call throws RunFailure with what the FMU has told.
class ForeignSlave {
 public:
  virtual ~ForeignSlave() = default;
  virtual void set(const std::vector<unsigned>& references, const std::vector<double>& values) = 0;
  virtual void get(const std::vector<unsigned>& references, std::vector<double>& values) = 0;
  virtual void begin() = 0;  // ends the initialization
  virtual void step(double now, double length) = 0;
};

// The unpacked FMU must outlive it.
std::unique_ptr<ForeignSlave> run_foreign(const Foreign& foreign);

}  // namespace knuckleboom::fmi
