// A small master for FMUs of either version of FMI: it loads the code, and asks it what a test wants to know.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fmi/description.hpp"

namespace knuckleboom::test {

class Slave {
 public:
  virtual ~Slave() = default;

  // 0: well; the standard's numbers else.
  virtual int initialise(double start = 0.0) = 0;
  virtual int set(unsigned variable, double value) = 0;
  virtual int get(unsigned variable, double& value) = 0;
  virtual std::string text(unsigned variable) = 0;
  virtual int step(double now, double length) = 0;
  virtual int reset() = 0;
  virtual int terminate() = 0;

  // A state of the slave; free() leaves null.
  virtual int save(void*& state) = 0;
  virtual int restore(void* state) = 0;
  virtual int free(void*& state) = 0;
  virtual int write(void* state, std::string& bytes) = 0;
  virtual int read(const std::string& bytes, void*& state) = 0;

  // All that it has told its logger, a line each.
  const std::string& told() const { return told_; }

 protected:
  std::string told_;
};

// library: the code of the FMU, which is loaded for the first instance and stays. Null: it refuses; errors then has
// what it told.
std::unique_ptr<Slave> instantiate(const std::filesystem::path& library, fmi::Version version,
                                   const std::filesystem::path& resources, const std::string& token,
                                   std::string* errors = nullptr);

}  // namespace knuckleboom::test
