// Runs another program without a shell.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace knuckleboom::app {

struct ChildResult {
  int start_error = 0;                          // of errno; 0: it was started
  int status = 0;                               // exit status
  int signal = 0;                               // that ended it; 0: none
  bool timed_out = false, interrupted = false;  // and therefore killed
  std::string output;
  std::string errors;
};

// arguments[0] is looked up in PATH. input becomes its standard input. After limit_s, or when the
// program itself must stop, the child and its own children are killed. Throws std::runtime_error if
// the system refuses files in memory.
ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input,
                      double limit_s);

// A program that is fed piece by piece on its standard input.
class FedChild {
 public:
  // arguments[0] is looked up in PATH. Throws std::system_error if the system refuses pipes or files in memory.
  explicit FedChild(const std::vector<std::string>& arguments);
  ~FedChild();  // without finish(): it is killed
  FedChild(const FedChild&) = delete;
  FedChild& operator=(const FedChild&) = delete;

  int start_error() const;  // of errno; 0: it was started
  // Waits until it has taken all. False: it takes nothing more.
  bool feed(const void* data, std::size_t size);
  // Ends its input and waits for its end.
  ChildResult finish();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

// Failure, to follow the program's name: "ended with status 2". Empty if none.
std::string failure_of(const ChildResult& result);

}  // namespace knuckleboom::app
