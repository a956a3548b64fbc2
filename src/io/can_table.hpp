// A log of a CAN bus as a table: the frames of one message are its rows, and what others carry stands in
// the row next to each of their frames. docs/reference/log_map.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "can_log.hpp"
#include "dbc_file.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "table_bytes.hpp"
#include "table_rows.hpp"

namespace knuckleboom::io {

class CanTable {
 public:
  static constexpr const char* kTime = "t_s";

  // Throws FileError: no log of frames, no DBC, or nothing that the one says of the other.
  CanTable(std::shared_ptr<const TableBytes> bytes, const LogMap& map);

  // Kind, columns and what was found, without the time.
  LogForm form() const;
  // A column called so: by its signal, or by message and signal. Nothing: none, or several.
  std::optional<std::string> find(std::string_view name) const;
  // Why there is no such column, if the DBC knows; empty: it does not.
  std::string why_not(std::string_view name) const;
  // held: columns whose values hold until the next ones. Times are the first column.
  TableRows rows(const RowWish& wish, const std::vector<std::string>& held) const;

 private:
  // One sender's frames of a message on one bus.
  struct Stream {
    std::size_t message = 0;
    int bus = 0;
    std::uint8_t source = 0;
    long long frames = 0;
  };
  struct Column {
    std::string name;
    std::size_t stream = 0, signal = 0;
  };
  struct Counted {
    std::uint64_t key = 0;
    long long frames = 0;
  };

  std::vector<Counted> count(CanText& text);
  void find_streams(std::vector<Counted> counted);
  void join(std::uint64_t key, std::size_t message, long long frames);
  void name_columns(const std::vector<std::string>& buses);
  void find_time(const LogMap& map);
  std::size_t leading(const std::vector<std::size_t>& wanted) const;
  const CanMessage& message_of(const Stream& stream) const {
    return description_.messages[stream.message];
  }
  const CanSignal& signal_of(const Column& column) const {
    return message_of(streams_[column.stream]).signals[column.signal];
  }

  std::shared_ptr<const TableBytes> bytes_;
  CanForm form_ = CanForm::kCandump;
  std::string dbc_;
  std::optional<std::size_t> time_;  // the stream whose frames are rows, if told
  double row_s_ = 0.0;
  bool guess_ = true;
  CanDescription description_;
  std::vector<Stream> streams_;
  std::unordered_map<std::uint64_t, std::size_t> stream_of_;  // by bus and identifier
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  long long frames_ = 0;
};

}  // namespace knuckleboom::io
