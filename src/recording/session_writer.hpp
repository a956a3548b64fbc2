// Writes a session file from what a journal holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "session_blocks.hpp"

namespace knuckleboom::io {

// Rows of one data set, on their way to the file in whole chunks.
class TableWriter {
 public:
  // width: numbers in a row of a matrix; 0: a plain list.
  TableWriter(hid_t group, const std::string& name, Hdf5Handle type, std::size_t chunk_rows,
              std::size_t width = 0);
  void append(const void* row);
  void finish();
  void describe(const std::string& name, const std::string& text);
  hid_t id() const { return set_.id(); }

 private:
  void write();

  Hdf5Handle type_, set_;
  std::size_t row_bytes_, chunk_rows_, width_;
  std::string waiting_;
  hsize_t rows_ = 0;
};

// Throws Hdf5Error; the file is then not complete and is to be removed.
class SessionWriter final : public SessionSink {
 public:
  SessionWriter(const std::filesystem::path& file, const SessionHeader& header);
  ~SessionWriter() override;

  void lever(std::int64_t tick, const command::OperatorInput& input) override;
  void command(std::int64_t tick, const training::Command& command) override;
  void event(const SessionEvent& event) override;
  void hash(const StateHash& hash) override;
  void attempt(const SessionAttempt& attempt) override;
  void state(std::int64_t tick, std::string_view bytes) override;
  void row(std::int64_t tick, std::span<const float> values) override;
  void finish(const SessionEndMark& end);

 private:
  void write_header();
  void write_events();

  SessionHeader header_;
  Hdf5Handle file_, channels_group_, states_group_;
  std::unique_ptr<TableWriter> levers_, commands_, hashes_, attempts_, state_ticks_, states_,
      channel_ticks_;
  std::vector<std::unique_ptr<TableWriter>> channels_;
  std::vector<SessionEvent> events_;
};

}  // namespace knuckleboom::io
