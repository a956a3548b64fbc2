#include "knuckleboom/recording/session_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <malloc.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.hpp"
#include "hdf5_handle.hpp"
#include "journal_blocks.hpp"
#include "knuckleboom/reader_build.hpp"
#include "knuckleboom/recording/journal_file.hpp"
#include "knuckleboom/version.hpp"
#include "session_child.hpp"
#include "session_unfold.hpp"
#include "table_unfold.hpp"

namespace knuckleboom::io {
namespace {

// Asked for in one piece, the library's small blocks get large pages: a thousand page faults less, which are
// most of the time that a small session takes.
constexpr int kHeapPiece = 64 << 20;  // bytes

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

// --- Filter of system calls -----------------------------------------------------

// Memory that is no code, answers to the parent, the end. Nothing can be opened any more: that fails, as the
// library tries it for file names that do not exist; all else ends the process.
int add_rules(scmp_filter_ctx filter) {
  int error = 0;
  const auto allow = [&](int call) {
    if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  };
  for (const int call :
       {SCMP_SYS(read),           SCMP_SYS(write),           SCMP_SYS(recvmsg),
        SCMP_SYS(lseek),          SCMP_SYS(close),           SCMP_SYS(munmap),
        SCMP_SYS(mremap),         SCMP_SYS(madvise),         SCMP_SYS(brk),
        SCMP_SYS(futex),          SCMP_SYS(clock_gettime),   SCMP_SYS(gettimeofday),
        SCMP_SYS(time),           SCMP_SYS(getrandom),       SCMP_SYS(getpid),
        SCMP_SYS(gettid),         SCMP_SYS(getcwd),          SCMP_SYS(rt_sigreturn),
        SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall), SCMP_SYS(sched_yield),
        SCMP_SYS(exit),           SCMP_SYS(exit_group)})
    allow(call);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    if (error == 0)
      error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                               SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  for (const int call : {SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(newfstatat), SCMP_SYS(stat),
                         SCMP_SYS(access), SCMP_SYS(readlink)})
    if (error == 0) error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), call, 0);
  return error;
}

// Empty: it holds from now on; else why not.
std::string set_filter() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (filter == nullptr) return "no memory";
  int error = add_rules(filter);
  if (error == 0) error = seccomp_load(filter);
  seccomp_release(filter);
  return error == 0 ? std::string() : std::generic_category().message(-error);
}

// --- Requests -------------------------------------------------------------------

// The descriptor of the next file; -1: nobody asks any more.
int receive(char& how) {
  char control[CMSG_SPACE(sizeof(int))];
  iovec part{&how, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(kReaderSocket, &message, 0) != 1) return -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

class Image {
 public:
  explicit Image(int descriptor) {
    const off_t size = ::lseek(descriptor, 0, SEEK_END);
    if (size > 0)
      bytes_ = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE,
                      descriptor, 0);
    if (bytes_ == MAP_FAILED) throw std::bad_alloc();
    size_ = static_cast<std::size_t>(size);
  }
  ~Image() { ::munmap(bytes_, size_); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  std::span<char> bytes() const { return {static_cast<char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

void send(std::string_view bytes) {
  if (write_all(kReaderSocket, bytes) != 0) ::_exit(0);  // nobody listens any more
}

// --- Answers --------------------------------------------------------------------

constexpr std::size_t kSentNumbers = std::size_t{1} << 17;  // in a block

// Returns how many blocks that were.
std::uint64_t send_arrays(const NumberArrays& all) {
  std::uint64_t next = 0;
  const auto send_block = [&next](StreamBlock kind, std::string_view payload) {
    send(journal_block(kind, next++, payload));
  };
  std::string payload;
  put_text(payload, all.kind);
  put(payload, static_cast<std::uint64_t>(all.notes.size()));
  for (const std::string& note : all.notes) put_text(payload, note);
  send_block(StreamBlock::kTable, payload);
  for (const NumberArray& array : all.arrays) {
    payload.clear();
    put_text(payload, array.name);
    put_text(payload, array.unit);
    put(payload, static_cast<std::uint8_t>(array.first_fastest));
    put(payload, static_cast<std::uint8_t>(array.shape.size()));
    for (const std::size_t size : array.shape) put(payload, static_cast<std::uint64_t>(size));
    put(payload, static_cast<std::uint64_t>(array.texts.size()));
    for (const std::string& text : array.texts) put_text(payload, text);
    if (payload.size() > kMostBlock) throw std::bad_alloc();
    send_block(StreamBlock::kArray, payload);
    for (std::size_t at = 0; at < array.values.size(); at += kSentNumbers) {
      const std::size_t count = std::min(kSentNumbers, array.values.size() - at);
      send_block(StreamBlock::kNumbers,
                 {reinterpret_cast<const char*>(array.values.data() + at), count * sizeof(double)});
    }
  }
  return next;
}

std::string not_understood(char how, const char* what) {
  return fmt::format("{} cannot be understood: its {} is missing or not as it should be",
                     how == kAskTable ? "the HDF5 file" : "the session file", what);
}
std::string too_much_memory(char how) {
  if (how != kAskTable) return "the session file asks for more memory than a session needs";
  return fmt::format(
      "the file asks for more memory than a table may have ({} million numbers); save the channels "
      "that are wanted in a file of their own",
      kMostNumbers / 1'000'000);
}

}  // namespace

void run_session_reader(const std::function<void(const char*, unsigned long)>& before) {
  struct stat socket {};
  if (::fstat(kReaderSocket, &socket) != 0 || !S_ISSOCK(socket.st_mode)) {
    std::fputs("knuckleboom-session-reader is started by knuckleboom when it reads session files\n",
               stderr);
    ::_exit(2);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, kReaderMemory);
#endif
  ::mallopt(M_TOP_PAD, kHeapPiece);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  if (::chdir("/") != 0) ::_exit(1);  // the library asks where it is
  {
    const auto lock = hdf5_lock();
    H5open();
  }
  std::string hello;
  put_text(hello, kVersion);
  put_text(hello, kReaderBuild);
  put_text(hello, set_filter());
  send(journal_block(StreamBlock::kHello, 0, hello));
  char how = 0;
  for (int descriptor = -1; (descriptor = receive(how)) >= 0;) {
    std::uint64_t next = 0;
    std::string sentence;
    try {
      const Image image(descriptor);
      ::close(descriptor);
      if (before) before(image.bytes().data(), image.bytes().size());
      if (how == kAskTable)
        next = send_arrays(is_hdf5(image.bytes()) ? unfold_hdf5(image.bytes())
                                                  : unfold_matlab(image.bytes()));
      else
        unfold_session(image.bytes(), how == kAskOutline,
                       [&next](std::string_view blocks, std::uint64_t number) {
                         send(blocks);
                         next = number;
                       });
    } catch (const TableError& error) {
      sentence = error.what();
    } catch (const Hdf5Error& error) {
      sentence = not_understood(how, error.what());
    } catch (const std::bad_alloc&) {
      sentence = too_much_memory(how);
    } catch (const std::length_error&) {
      sentence = too_much_memory(how);
    }
    std::string done;
    put_text(done, sentence);
    send(journal_block(StreamBlock::kDone, next, done));
  }
  ::_exit(0);  // what other libraries do at the end is not allowed any more
}

}  // namespace knuckleboom::io
