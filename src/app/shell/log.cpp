#include "app/shell/log.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/shell/config_paths.hpp"

namespace knuckleboom::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // of a file; a second one holds what was before
constexpr std::size_t kMostStarts = 200;
constexpr std::uintmax_t kMostBytesInAll = 40 << 20;
constexpr std::string_view kSuffix = ".log";
constexpr std::array<std::string_view, 5> kWords = {"debug", "info", "warning", "error", "off"};

// All that a process has of its log.
struct Log {
  std::mutex mutex;
  std::string head;
  LogLevel least = LogLevel::kOff;
  bool failed = false;
  std::shared_ptr<spdlog::logger> file;
  std::vector<std::string> concealed;
};

Log& the_log() {
  static Log log;
  return log;
}

spdlog::level::level_enum level_of(LogLevel level) {
  constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                  spdlog::level::err, spdlog::level::off};
  return kLevels[static_cast<std::size_t>(level)];
}

LogLevel level_named(std::string_view word) {
  const auto at = std::find(kWords.begin(), kWords.end(), word);
  return at == kWords.end() ? LogLevel::kInfo : static_cast<LogLevel>(at - kWords.begin());
}

fs::path log_folder() {
  const fs::path folder = user_state_folder();
  return folder.empty() ? folder : folder / "logs";
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(file, fault);
  return fault ? 0 : size;
}

// Room for one more start: what mistyped commands leave is small and pushes out no session.
void remove_oldest() {
  std::uintmax_t bytes = 2 * kMostBytes;
  std::size_t kept = 1;
  std::error_code fault;
  for (const fs::path& file : log_files()) {
    fs::path second = file;
    second.replace_extension(".1.log");
    bytes += size_of(file) + size_of(second);
    if (++kept <= kMostStarts && bytes <= kMostBytesInAll) continue;
    fs::remove(file, fault);
    fs::remove(second, fault);
  }
}

void open_file(Log& log) {
  const fs::path folder = log_folder();
  log.failed = true;
  if (folder.empty()) return;
  try {
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::owner_all);
    remove_oldest();
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y%m%d-%H%M%S", &parts);
    const fs::path file = folder / fmt::format("{}-{}{}", date.data(), ::getpid(), kSuffix);
    spdlog::file_event_handlers handlers;
    handlers.after_open = [](const std::string&, std::FILE* opened) {
      ::fchmod(::fileno(opened), S_IRUSR | S_IWUSR);
    };
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file.string(), kMostBytes, 1,
                                                                       false, handlers);
    log.file = std::make_shared<spdlog::logger>("knuckleboom", std::move(sink));
    log.file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
    log.file->set_level(level_of(log.least));
    // Messages are rare: each is passed to the system, so that a kill loses none.
    log.file->flush_on(spdlog::level::trace);
    log.file->set_error_handler([](const std::string&) {});
    log.failed = false;
    log.file->info(log.head);
  } catch (const std::exception&) {  // an unwritable folder, a full disk
    log.file.reset();
  }
}

bool part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

// whole: not within longer words.
void replace_all(std::string& text, std::string_view word, std::string_view by, bool whole) {
  if (word.empty()) return;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool inside = whole && ((at > 0 && part_of_word(text[at - 1])) ||
                                  (end < text.size() && part_of_word(text[end])));
    if (!inside) text.replace(at, word.size(), by);
    at += inside ? 1 : by.size();
  }
}

std::string concealed(const Log& log, std::string_view text) {
  std::string out(text);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/' && home[1] != '\0')
    replace_all(out, home, "~", false);
  for (const std::string& word : log.concealed) replace_all(out, word, "(somebody)", true);
  return out;
}

}  // namespace

std::vector<std::string> log_levels() { return {kWords.begin(), kWords.end()}; }

void open_log(std::string_view command, std::string_view version, std::string_view level) {
  const char* named = std::getenv("KNUCKLEBOOM_LOG");
  utsname system{};
  ::uname(&system);
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  log.head = fmt::format("{}: {}; {} {} {}, {} processors", command, version, system.sysname,
                         system.release, system.machine, ::sysconf(_SC_NPROCESSORS_ONLN));
  log.least = level_named(!level.empty() ? level : named != nullptr ? named : "info");
}

void log(LogLevel level, std::string_view text) {
  Log& log = the_log();
  try {
    const std::lock_guard lock(log.mutex);
    if (level < log.least || log.least == LogLevel::kOff || log.failed) return;
    if (!log.file) open_file(log);
    if (!log.file) return;
    std::string record = concealed(log, text);
    while (record.ends_with('\n')) record.pop_back();
    replace_all(record, "\n", "\n    ", false);
    log.file->log(level_of(level), record);
  } catch (const std::exception&) {  // no memory: without this record
  }
}

void conceal_in_log(std::string word) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!word.empty()) log.concealed.push_back(std::move(word));
}

std::string without_people(std::string_view text) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  return concealed(log, text);
}

std::vector<fs::path> log_files() {
  std::vector<fs::path> out;
  std::error_code fault;
  for (fs::directory_iterator at(log_folder(), fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kSuffix) && !name.ends_with(".1.log") && at->is_regular_file(fault))
      out.push_back(at->path());
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

}  // namespace knuckleboom::app
