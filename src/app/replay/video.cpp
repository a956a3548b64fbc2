#include "app/replay/video.hpp"

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/shell/child_process.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "io/rename_new.hpp"

namespace knuckleboom::app {
namespace fs = std::filesystem;
namespace {

constexpr const char *kMaker = "ffmpeg", *kVideoEnding = ".mp4";

}  // namespace

Video::Video(std::filesystem::path file, int width, int height)
    : file_(std::move(file)), width_(width), height_(height) {
  if (file_.extension() != kVideoEnding)
    throw UserError(fmt::format("{}: a video's name ends in {}", file_.string(), kVideoEnding));
  begun_ = io::temporary_name(file_);
  std::error_code error;
  for (const fs::path& path : {file_, begun_})
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found)
      throw UserError(
          fmt::format("{}: there is such a file already, and it is left alone", path.string()));
  // Even numbers of rows and columns, as most players want; -n: nothing is written over.
  child_ = std::make_unique<FedChild>(std::vector<std::string>{kMaker,
                                                               "-hide_banner",
                                                               "-loglevel",
                                                               "error",
                                                               "-n",
                                                               "-f",
                                                               "rawvideo",
                                                               "-pix_fmt",
                                                               "rgb24",
                                                               "-s",
                                                               fmt::format("{}x{}", width, height),
                                                               "-r",
                                                               fmt::format("{:g}", kVideoRate),
                                                               "-i",
                                                               "-",
                                                               "-an",
                                                               "-vf",
                                                               "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                                                               "-pix_fmt",
                                                               "yuv420p",
                                                               "-f",
                                                               "mp4",
                                                               "file:" + begun_.string()});
  if (child_->start_error() == 0) return;
  const int why = child_->start_error();
  child_.reset();
  if (why == ENOENT)
    throw UserError(
        "--video needs the program ffmpeg, which is not installed (Debian: apt-get install "
        "ffmpeg); --screenshot keeps single pictures without it");
  throw UserError(
      fmt::format("{} cannot be started: {}", kMaker, std::generic_category().message(why)));
}

Video::~Video() {
  if (!child_) return;
  child_.reset();
  std::error_code ignored;
  fs::remove(begun_, ignored);
}

void Video::fail(const std::string& why, const std::string& said) {
  throw RunFailure(fmt::format("{}: the video cannot be made: {}{}{}", file_.string(), why,
                               said.empty() ? "" : ": ",
                               printable(said.substr(0, said.find('\n')))));
}

void Video::end_child() {
  const ChildResult result = child_->finish();
  if (const std::string why = failure_of(result); !why.empty())
    fail(fmt::format("{} {}", kMaker, why), result.errors);
}

void Video::add(const view::Pixels& picture) {
  if (picture.width != width_ || picture.height != height_)
    fail("the window has changed its size meanwhile", {});
  if (!child_->feed(picture.rgb.data(), picture.rgb.size())) {
    end_child();
    fail(fmt::format("{} takes no more pictures", kMaker), {});
  }
  ++pictures_;
}

void Video::finish() {
  end_child();
  if (const int why = io::rename_new(begun_, file_); why != 0) {
    child_.reset();
    throw RunFailure(fmt::format("{}: the video is whole, but stays under the name {}: {}",
                                 file_.string(), begun_.string(),
                                 std::generic_category().message(why)));
  }
  child_.reset();
}

}  // namespace knuckleboom::app
