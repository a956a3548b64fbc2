// The other end of the program that reads session files and tables of MATLAB and HDF5.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "journal_blocks.hpp"

namespace knuckleboom::io {

inline constexpr const char* kReaderProgram = "knuckleboom-session-reader";
inline constexpr int kReaderSocket = 3;
inline constexpr char kAskSession = 's', kAskOutline = 'o', kAskTable = 't';
inline constexpr std::uint64_t kReaderMemory = std::uint64_t{2} << 30;  // bytes, all it may have

class SessionChild {
 public:
  // Starts the one beside the program running, or where that was installed with it. Throws
  // std::runtime_error with the reason.
  SessionChild();
  ~SessionChild();
  SessionChild(const SessionChild&) = delete;
  SessionChild& operator=(const SessionChild&) = delete;

  // Hands over an open file of so many bytes. What it may cost grows with them.
  void ask(int descriptor, std::uint64_t bytes, char how);
  // The next block of the answer. False: there is none, because the process has failed.
  bool next(std::uint32_t& kind, std::string& payload);
  // Then: what became of it, in words that follow "the HDF5 library".
  std::string failure();

  // Remark from the start, returned once: why there is no filter of system calls; empty: there is one.
  std::string take_remark();

 private:
  void stop();

  pid_t process_ = -1;
  int socket_ = -1;
  std::unique_ptr<JournalReader> answers_;
  std::string remark_;
};

}  // namespace knuckleboom::io
