// Pictures of the window's pages for a person to look at: KNUCKLEBOOM_PICTURES=FOLDER. What the other tests measure
// tells neither crowded from clear nor ugly from fair.
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/language.hpp"
#include "app/window/picture.hpp"
#include "language/text.hpp"
#include "language/window_pages.hpp"

namespace knuckleboom::testing_texts {
namespace {

std::string file_name(std::string page) {
  for (char& c : page)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return page;
}

TEST(Pictures, OfEveryPageInEachLanguage) {
  const char* folder = std::getenv("KNUCKLEBOOM_PICTURES");
  if (folder == nullptr) GTEST_SKIP() << "KNUCKLEBOOM_PICTURES=FOLDER draws them";
  const char* of = std::getenv("KNUCKLEBOOM_PAGES");  // what their names begin with
  const std::string wanted = of == nullptr ? "" : of;
  ::setenv("SDL_VIDEODRIVER", "offscreen", 1);
  std::filesystem::create_directories(folder);
  for (const auto& [width, height] :
       std::array<std::pair<int, int>, 2>{{{1280, 720}, {1920, 1080}}}) {
    view::WindowRequest request;
    request.width = width;
    request.height = height;
    request.offscreen = true;
    app::Picture picture(request, view::Quality::kLow, app::assets_folder());
    picture.use_mouse(false);
    for (const language::Language& language : language::languages()) {
      app::speak(language.code);
      std::set<std::string> drawn;
      for (const WindowPage& page : window_pages()) {
        std::string name = file_name(page.name);
        if (!page.name.starts_with(wanted)) continue;
        for (int again = 2; !drawn.insert(name).second; ++again)
          name = fmt::format("{}_{}", file_name(page.name), again);
        picture.draw([&](view::panels::Painter& painter, const view::panels::Pointer&) {
          page.draw(painter);
        });
        const std::string file =
            fmt::format("{}/{}_{}x{}_{}.png", folder, name, width, height, language.code);
        EXPECT_TRUE(app::keep_picture(picture.pixels(), file)) << file;
        picture.swap();
      }
      EXPECT_FALSE(drawn.empty()) << "no page begins with " << wanted;
    }
  }
  app::speak("en");
}

}  // namespace
}  // namespace knuckleboom::testing_texts
