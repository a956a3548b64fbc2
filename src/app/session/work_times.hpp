// Work elements of recorded attempts.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

class RecordedWork {
 public:
  // The record must outlive it.
  explicit RecordedWork(const io::SessionRecord& record);
  // session: made from the record; it must outlive it as well.
  RecordedWork(const io::SessionRecord& record, const training::Session& session)
      : record_(record), session_(&session) {}

  // As it was when the attempt ended, with the times of its elements: from the nearest stored state, and the ticks
  // from there on. index: from 0. Null: not begun, or the states are not known here.
  std::unique_ptr<training::SessionSnapshot> at_end_of(std::size_t index) const;

 private:
  const io::SessionRecord& record_;
  std::unique_ptr<training::Session> own_;
  const training::Session* session_ = nullptr;  // null: this program cannot make it
};

// Names of the elements in tables begin with it.
inline constexpr const char* kWorkPrefix = "work_";
// Elements that were, by name: "work_crane_OUT_s", "work_crane_OUT_n", "work_load_LOADING_s".
std::vector<std::pair<std::string, double>> named_work(const training::SessionSnapshot& end);

}  // namespace knuckleboom::app
