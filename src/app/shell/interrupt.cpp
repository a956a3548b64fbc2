#include "app/shell/interrupt.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace knuckleboom::app {
namespace {

constexpr std::int64_t kSameWish = 500'000'000;  // ns

volatile std::sig_atomic_t signal_seen = 0;
std::atomic<std::int64_t> first_ns{0};

// A closing terminal or a user may send the signal twice: the second must not interrupt an orderly
// end. A later signal has its usual effect, since the main loop might hang.
void remember(int number) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (signal_seen == 0) {
    first_ns.store(now_ns);
    signal_seen = 1;
  } else if (now_ns - first_ns.load() > kSameWish) {
    std::signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = &remember;
  // A write goes on to its end; waits end, as they do whatever this says.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&action.sa_mask, number);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
  sigaction(SIGHUP, &action, &old_hup_);
  sigaction(SIGQUIT, &action, &old_quit_);
  if (old_hup_.sa_handler == SIG_IGN) sigaction(SIGHUP, &old_hup_, nullptr);  // nohup
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGHUP, &old_hup_, nullptr);
  sigaction(SIGQUIT, &old_quit_, nullptr);
}

bool interrupted() { return signal_seen != 0; }

}  // namespace knuckleboom::app
