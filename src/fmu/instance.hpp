// One instance of an FMU, whichever version of FMI speaks to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmi/part.hpp"

namespace knuckleboom::fmu {

// As both versions number them.
enum class Status { kOk, kWarning, kDiscard, kError, kFatal };

enum class Phase : std::uint8_t { kInstantiated, kInitialization, kStep, kTerminated, kFailed };

class Instance {
 public:
  using Log = std::function<void(Status status, const std::string& message)>;

  // Throws UserError or FileError; wants the resources of this very FMU.
  Instance(const std::filesystem::path& resources, std::string_view token, Log log);

  // Runs function(); what it throws goes to the log and makes the status.
  template <class Function>
  Status guarded(Function&& function) noexcept {
    try {
      return function();
    } catch (const std::exception& error) {
      return fail(error.what());
    } catch (...) {
      return fail("an unknown fault");
    }
  }
  // Tells; the instance can then only be reset or freed.
  Status fail(const char* message) noexcept;
  Status discard(const std::string& message) noexcept;

  void setup(double start, bool has_stop, double stop);
  void enter_initialization();
  void exit_initialization();
  void terminate();
  void reset();

  void get(const unsigned* variables, std::size_t count, double* values);
  void get(const unsigned* variables, std::size_t count, const char** values);
  void set(const unsigned* variables, std::size_t count, const double* values);
  [[noreturn]] static void refuse_type(const char* type);

  // A number of whole ticks.
  Status step(double now, double length);
  double time() const;

  struct Saved;
  Saved* save() const;
  void restore(const Saved& saved);
  std::string bytes(const Saved& saved) const;
  void write_bytes(const Saved& saved, void* to, std::size_t room) const;
  Saved* from_bytes(std::string_view bytes);
  static void free(Saved* saved) noexcept;
  // Throws UserError for none.
  static const Saved& given(const Saved* saved);

 private:
  const fmi::Variable& variable(unsigned number) const;
  void expect(bool allowed, const char* call) const;
  void begin();

  fmi::PartFacts facts_;
  std::unique_ptr<fmi::Part> part_;
  Log log_;
  Phase phase_ = Phase::kInstantiated;
  double start_ = 0.0, stop_ = 0.0;
  bool has_stop_ = false;
  bool begun_ = false;  // with the parameters as they are
  std::int64_t tick_ = 0;
  std::vector<double> values_;  // of inputs and parameters, by number
  std::vector<char> given_;     // inputs that were set
  std::vector<std::string> texts_;
};

}  // namespace knuckleboom::fmu
