// The pictures of a replay as a video, by the program ffmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "view/screenshot.hpp"

namespace knuckleboom::app {

class FedChild;

inline constexpr double kVideoRate = 25.0;  // pictures a second

class Video {
 public:
  // Throws UserError for a file that is there already, or without ffmpeg.
  Video(std::filesystem::path file, int width, int height);
  ~Video();  // without finish(): nothing is left behind
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  // Throws RunFailure with what ffmpeg says.
  void add(const view::Pixels& picture);
  void finish();
  std::int64_t pictures() const { return pictures_; }

 private:
  [[noreturn]] void fail(const std::string& why, const std::string& said);
  void end_child();

  std::filesystem::path file_;
  std::filesystem::path begun_;  // its name until it is whole
  int width_, height_;
  std::int64_t pictures_ = 0;
  std::unique_ptr<FedChild> child_;  // null: it has ended
};

}  // namespace knuckleboom::app
