#include "app/window/exit_guard.hpp"

#include <cstdlib>
#include <exception>
#include <utility>

#include "app/shell/console.hpp"

namespace knuckleboom::app {
namespace {

// exit() passes no arguments to its handlers.
std::function<void()>& last_act() {
  static auto* act = new std::function<void()>;  // outlives all static objects
  return *act;
}

void at_exit() {
  const std::function<void()> act = std::exchange(last_act(), nullptr);
  if (!act) return;
  try {
    act();
  } catch (const std::exception& error) {
    complain(error.what());
  }
}

}  // namespace

ExitGuard::ExitGuard(std::function<void()> last) {
  static const bool registered = std::atexit(&at_exit) == 0;
  if (registered) last_act() = std::move(last);
}

ExitGuard::~ExitGuard() { last_act() = nullptr; }

}  // namespace knuckleboom::app
