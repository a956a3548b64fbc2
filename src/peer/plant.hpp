// A simple plant for each signal to the machine: a first-order lag of a signal from it.
#pragma once

#include <span>
#include <vector>

#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::peer {

class Plant {
 public:
  // At rest: every command is 0.
  Plant(std::span<const io::OutsideSignal> in, std::span<const io::OutsideSignal> out,
        double step_s);

  // commands: by `out`.
  void step(std::span<const double> commands);
  // By `in`.
  std::span<const double> values() const { return values_; }

 private:
  struct Lag {
    int follows;  // index of a command; -1: none
    double gain, offset;
    double keeps;  // remaining share of the difference after a step
  };
  std::vector<Lag> lags_;
  std::vector<double> values_;
};

// Rounded to a whole multiple of the quantum; 0: unchanged.
double quantised(double value, double quantum);

}  // namespace knuckleboom::peer
