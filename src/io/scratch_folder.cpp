#include "knuckleboom/io/scratch_folder.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT: mkdtemp is POSIX

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

ScratchFolder::ScratchFolder() {
  const std::filesystem::path where = std::filesystem::temp_directory_path();
  std::string name = (where / "knuckleboom-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw FileError(where.string(), fmt::format("no folder can be made here: {}",
                                                std::generic_category().message(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace knuckleboom::io
