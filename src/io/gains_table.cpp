#include "gains_table.hpp"

namespace knuckleboom::io {

control::PidGains read_gains(TableReader& reader, bool length) {
  control::PidGains gains;
  reader.slides(length);
  reader.fill(gains);
  reader.done();
  return gains;
}

}  // namespace knuckleboom::io
