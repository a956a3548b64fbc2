// Attempts for the report, from recorded sessions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/session/trust.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "report/attempt.hpp"

namespace knuckleboom::app {

class RecordedAttempts {
 public:
  explicit RecordedAttempts(io::SessionRecord record);

  const io::SessionHeader& header() const { return record_.header; }
  // Remarks on how it was read: a sentence each.
  const std::vector<std::string>& remarks() const { return record_.remarks; }
  // Sets the learner's name, overriding the file's.
  void set_learner(const std::string& name);
  // How far the session can be believed, and under which conditions each attempt was made.
  void set_examined(Examined examined);
  const Examined& examined() const { return examined_; }
  // In order of time; at least one. Without data from the channels.
  const std::vector<report::Attempt>& attempts() const { return attempts_; }
  // An attempt with all data. number: from 1. Throws io::FileError.
  report::Attempt complete(int number) const;
  // Shown of the attempt that is judged alone; takes a while.
  void add_work_and_advice(int number, report::Attempt& out) const;
  // The default attempt: the last that was passed or failed, otherwise the last begun.
  int usual() const;

 private:
  struct Span {
    std::int64_t begin = 0, end = 0, start = 0;  // ticks; start: of the first lever movement
  };
  void find_attempts();
  report::Attempt describe(const io::SessionAttempt& recorded, const Span& span) const;
  std::vector<double> channel(const std::string& name) const;  // empty: missing
  std::vector<report::Figure> figures(const io::SessionAttempt& recorded) const;
  std::size_t row_after(std::int64_t tick) const;  // of the channels, the first at or after it
  std::string at_stop(std::size_t row) const;      // names of the joints
  void add_work(std::size_t index, report::Attempt& out) const;
  void add_advice(std::size_t index, const Span& span, report::Attempt& out) const;
  void add_events(const Span& span, report::Attempt& out) const;
  std::vector<std::string> standing_faults() const;
  void add_faults(const Span& span, report::Attempt& out) const;
  void add_commands(const Span& span, report::Attempt& out) const;
  double seconds(std::int64_t tick, const Span& span) const;

  io::SessionRecord record_;
  Examined examined_;
  std::unique_ptr<training::Session> session_;  // null: this program cannot construct it
  std::string remark_;                          // reason for a missing session
  std::vector<Span> spans_;
  std::vector<report::Attempt> attempts_;
};

}  // namespace knuckleboom::app
