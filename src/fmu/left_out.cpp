// An FMU reads its machine from one file that holds all of it, so it needs no URDF and no library for XML.
#include <stdexcept>

#include "io/urdf_parser.hpp"
#include "io/urdf_writer.hpp"

namespace knuckleboom::io {

UrdfRobot parse_urdf(std::string_view /*text*/, int /*file*/, Report& /*report*/) {
  throw std::runtime_error("an FMU reads no URDF");
}

std::string to_xml(const UrdfRobot& /*robot*/, const std::vector<std::string>& /*comments*/) {
  throw std::runtime_error("an FMU writes no URDF");
}

}  // namespace knuckleboom::io
