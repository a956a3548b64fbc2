#include "session_child.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.hpp"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/reader_build.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::io {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kSeconds = 4;                                     // of processor time for a file
constexpr std::uint64_t kBytesPerSecond = std::uint64_t{2} << 20;  // more of it for a large one
constexpr time_t kSilence = 30;                                    // s without a byte
constexpr std::chrono::milliseconds kGrace{200};                   // for the end of what has failed

// Environment of the child: only the variables the loader needs, none that the library reads.
std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** one = environ; *one != nullptr; ++one)
    for (const std::string_view name :
         {"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="})
      if (std::string_view(*one).starts_with(name)) kept.push_back(*one);
  kept.push_back(nullptr);
  return kept;
}

fs::path find_reader() {
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  fs::path installed = folder / KNUCKLEBOOM_READER_FROM_BIN;
#ifdef KNUCKLEBOOM_READER_FROM_MODULE
  if (const fs::path module = io::shared_object(); !module.empty()) {
    folder = module.parent_path();
    installed = folder / KNUCKLEBOOM_READER_FROM_MODULE;
  }
#endif
  installed = installed.lexically_normal();
  for (const fs::path& place : {folder, installed})
    if (fs::is_regular_file(place / kReaderProgram)) return place / kReaderProgram;
  throw std::runtime_error(
      fmt::format("there is no {} in '{}' or '{}'; it belongs to the program, so build or install "
                  "all of that",
                  kReaderProgram, folder.string(), installed.string()));
}

int spawn(const fs::path& reader, int socket, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kReaderSocket);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, kReaderSocket + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual, none;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGXCPU, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A group of its own: Ctrl-C is for the parent, which then lets go of it.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string name = kReaderProgram;
  char* const arguments[] = {name.data(), nullptr};
  const int error =
      posix_spawn(&process, reader.c_str(), &actions, &attributes, arguments, environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

double seconds_used(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0.0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

SessionChild::SessionChild() {
  const fs::path program = find_reader();
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::generic_category().message(errno));
  socket_ = ends[0];
  const int error = spawn(program, ends[1], process_);
  ::close(ends[1]);
  if (error != 0) {
    ::close(socket_);
    throw std::runtime_error(
        fmt::format("{}: {}", program.string(), std::generic_category().message(error)));
  }
  const timeval silence{kSilence, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  answers_ = std::make_unique<JournalReader>(::fcntl(socket_, F_DUPFD_CLOEXEC, 0));
  std::uint32_t kind = 0;
  std::string payload;
  if (!next(kind, payload) || kind != static_cast<std::uint32_t>(StreamBlock::kHello)) {
    const std::string why = failure();
    stop();
    throw std::runtime_error("it " + why);
  }
  ByteReader hello(payload);
  const std::string version = hello.take_text(), build = hello.take_text();
  if (version == kVersion && build == kReaderBuild) {
    remark_ = hello.take_text();
    return;
  }
  stop();
  throw std::runtime_error(
      version == kVersion
          ? fmt::format("{} is of another build of version {} than this program; build or install "
                        "both together",
                        program.string(), kVersion)
          : fmt::format("{} is of version {}, this program of {}; install both together",
                        program.string(), version, kVersion));
}

SessionChild::~SessionChild() { stop(); }

void SessionChild::stop() {
  answers_.reset();
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void SessionChild::ask(int descriptor, std::uint64_t bytes, char how) {
  // The soft limit alone: it may be raised again for the next file.
  const auto used = static_cast<rlim_t>(seconds_used(process_));
  const rlimit limit{used + 1 + kSeconds + bytes / kBytesPerSecond, RLIM_INFINITY};
  ::prlimit(process_, RLIMIT_CPU, &limit, nullptr);

  answers_->restart();
  char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&how, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  // Where nobody takes it, next() finds that out.
  while (::sendmsg(socket_, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool SessionChild::next(std::uint32_t& kind, std::string& payload) {
  return answers_->next(kind, payload);
}

std::string SessionChild::failure() {
  const auto end = std::chrono::steady_clock::now() + kGrace;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(process_, &status, WNOHANG)) == 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (ended != process_) return "does not come to an end with it and was stopped";
  process_ = -1;
  if (!WIFSIGNALED(status))
    return fmt::format("gave up over it with status {}", WEXITSTATUS(status));
  switch (WTERMSIG(status)) {
    case SIGXCPU:
      return "does not come to an end with it and was stopped";
    case SIGSYS:
      return "wanted more of the system than reading needs and was stopped";
    default:
      return fmt::format("crashed over it (signal {}, {})", WTERMSIG(status),
                         ::strsignal(WTERMSIG(status)));
  }
}

std::string SessionChild::take_remark() { return std::exchange(remark_, {}); }

}  // namespace knuckleboom::io
