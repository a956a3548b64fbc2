// The sub-command learners: learners, their sessions and results.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct LearnersOptions {
  std::string action;  // empty: list
  std::string name, other;
  std::string exercise;                        // of compare, of progress; empty: all
  std::string output;                          // of export, of backup
  std::string separator = ",", decimal = ".";  // of export
  std::string xapi;                            // of export: address; empty: a table
  std::vector<std::string> files;              // of import
  std::vector<std::string> settings;           // of set: NAME=VALUE, or NAME= for the files' own
  std::string learner;                         // of import; empty: as the files say
  bool all = false, yes = false;
};

int run_learners(const LearnersOptions& options);

}  // namespace knuckleboom::app
