// Levers and keys on the joints of any machine: by a shipped lever layout where one fits, else by a pattern made here.
#pragma once

#include <string>
#include <vector>

#include "app/workbench/bench_thread.hpp"
#include "app/workbench/workbench.hpp"
#include "knuckleboom/core/command/operator_input.hpp"

namespace knuckleboom::app {

class BenchLevers {
 public:
  // layout: a lever layout, by name or file; empty: the shipped one that moves most of the machine's joints, if that is
  // at least half of them, else one axis after the other. Throws io::FileError or UserError.
  BenchLevers(const Workbench& bench, const std::string& layout);

  const std::string& name() const { return name_; }  // "nordic", or "made for this machine"
  // A sentence for each axis that moves something.
  std::vector<std::string> lines(const Workbench& bench) const;

  // The demands of levers that have moved since the last call: a valve's voltage, a speed, or a torque. A lever at rest
  // that has not moved asks for nothing.
  std::vector<JointDemand> demands(const Workbench& bench, const command::OperatorInput& input);

 private:
  struct Lever {
    command::LeverAxis axis;
    int joint;
    command::AxisShape shape;
    DemandKind kind;
    double full;
    double last = 0.0;
  };
  std::string name_;
  std::vector<Lever> levers_;
};

}  // namespace knuckleboom::app
