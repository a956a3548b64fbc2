// The program that reads session files, but a file with one of these marks in it stands for one that the HDF5
// library cannot cope with.
#include <cstdlib>
#include <string_view>

#include "knuckleboom/recording/session_reader.hpp"

namespace {

void fail_as_marked(const char* bytes, unsigned long size) {
  const std::string_view image(bytes, size);
  const auto marked = [image](std::string_view mark) {
    return image.find(mark) != std::string_view::npos;
  };
  volatile int* const nowhere = nullptr;
  if (marked("TEST: CRASH")) *nowhere = 1;
  if (marked("TEST: SYSTEM") && std::system("true") == 0) std::abort();
  for (volatile bool forever = marked("TEST: LOOP"); forever;) {
  }
}

}  // namespace

int main() { knuckleboom::io::run_session_reader(fail_as_marked); }
