// knuckleboom levers: shows, calibrates and binds the devices on the desk.
#pragma once

#include <string>

namespace knuckleboom::app {

struct LeversOptions {
  std::string action;  // empty, "calibrate" or "bind"
  bool list = false;   // once, even to a terminal
  int device = 0;      // as listed, from 1; 0: all that are bound
  std::string file;    // device file; empty: the user's own
};

int levers(const LeversOptions& options);

}  // namespace knuckleboom::app
