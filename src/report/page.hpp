// The report: one self-contained HTML page without network or scripts. It is also well-formed XML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/attempt.hpp"

namespace knuckleboom::report {

struct Content {
  Attempt judged;
  std::vector<Attempt> same_session;  // all attempts of its session, itself included
  std::vector<Attempt> others;        // to compare with
  std::optional<Attempt> expert;      // likewise
  std::vector<Result> earlier;  // of the learner in this exercise, oldest first, without judged
  std::string build;            // that made the report
};

std::string page(const Content& content);

}  // namespace knuckleboom::report
