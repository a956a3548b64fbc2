// Frames of a CAN bus as candump and Vector's tools log them, in text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table_bytes.hpp"

namespace knuckleboom::io {

struct CanFrame {
  double t_s = 0.0;  // since the log's first frame where it counts from 1970, else as it counts
  std::uint32_t id = 0;
  bool extended = false;
  int bus = 0;  // of CanText::buses()
  int line = 0;
  std::size_t size = 0;
  std::array<std::uint8_t, 64> bytes{};
  std::span<const std::uint8_t> data() const { return {bytes.data(), size}; }
};

enum class CanForm { kCandump, kAsc };

// Nothing: these are no lines of such a log.
std::optional<CanForm> can_form(std::string_view head);

class CanText {
 public:
  // Throws FileError for a log of frames without times.
  CanText(const TableBytes& bytes, CanForm form);

  // All frames with data, until visit returns false.
  void for_each(const std::function<bool(const CanFrame& frame)>& visit);

  const std::vector<std::string>& buses() const { return buses_; }
  // Lines of the latest call that should be a frame and are none, and the first of them.
  long long unread() const { return unread_; }
  int first_unread() const { return first_unread_; }
  bool since_1970() const { return start_s_.has_value(); }

 private:
  bool line(std::string_view text, CanFrame& frame);
  bool candump(std::string_view text, CanFrame& frame);
  bool asc(std::string_view text, CanFrame& frame);
  int bus_of(std::string_view name);
  void fault(int line);

  const TableBytes& bytes_;
  CanForm form_;
  std::vector<std::string> buses_;
  std::vector<std::string_view> words_;  // of a line
  std::optional<double> start_s_;
  bool first_ = true, decimal_ = false, relative_ = false;
  double before_s_ = 0.0;  // time of the line before, which a relative one counts from
  long long unread_ = 0;
  int first_unread_ = 0;
};

}  // namespace knuckleboom::io
