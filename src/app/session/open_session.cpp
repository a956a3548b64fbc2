#include "app/session/open_session.hpp"

#include <utility>

#include "app/session/filing.hpp"
#include "app/shell/console.hpp"
#include "app/shell/interrupt.hpp"
#include "knuckleboom/runtime/recompute.hpp"

namespace knuckleboom::app {

io::SessionRecord open_session(const std::string& name_or_file, bool recompute) {
  io::SessionFiles files;
  io::SessionRecord recorded = files.read(find_session(name_or_file));
  if (!recompute) return recorded;
  runtime::Recomputed again = runtime::recompute(recorded, [] { return !interrupted(); });
  complain(recorded.path.string() + ": " + again.sentence);
  return std::move(again.record);
}

}  // namespace knuckleboom::app
