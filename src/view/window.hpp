// The window and its OpenGL context. Everything here stays on the main thread.
#pragma once

#include <stdexcept>
#include <string>

#include <SDL2/SDL.h>

namespace knuckleboom::view {

struct WindowRequest {
  std::string title = "Knuckleboom";
  int width = 1280, height = 720;
  bool fullscreen = false;
  bool offscreen = false;  // without a display; also chosen if there is none
};

// Message for the user: no window or no OpenGL.
class WindowError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Window {
 public:
  // Throws WindowError.
  explicit Window(const WindowRequest& request);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  SDL_Window* sdl() const { return window_; }
  SDL_GLContext context() const { return context_; }

  int width() const;  // of the drawable [pixels]
  int height() const;
  void set_fullscreen(bool on);
  bool fullscreen() const;

  // No graphics card: Mesa's or another software renderer.
  bool software_renderer() const { return software_; }
  bool offscreen() const { return offscreen_; }
  const std::string& renderer() const { return renderer_; }  // GL_RENDERER

  // Makes the context current; false if it is lost.
  bool make_current() const;
  // Shows the drawn frame.
  void swap() const;

 private:
  void create(const WindowRequest& request, int samples);
  void destroy();

  SDL_Window* window_ = nullptr;
  SDL_GLContext context_ = nullptr;
  bool software_ = false, offscreen_ = false;
  std::string renderer_;
};

}  // namespace knuckleboom::view
