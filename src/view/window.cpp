#include "view/window.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include <SDL2/SDL_opengl.h>

namespace knuckleboom::view {
namespace {

constexpr int kSamples = 4;  // of antialiasing, on a graphics card

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// SDL does not select its offscreen driver by itself.
bool has_display() { return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"); }

bool is_software(std::string_view renderer) {
  constexpr std::array<std::string_view, 5> kNames = {"llvmpipe", "softpipe", "swrast",
                                                      "Software Rasterizer", "SWR"};
  for (const std::string_view name : kNames)
    if (renderer.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace

Window::Window(const WindowRequest& request) {
  const bool named = is_set("SDL_VIDEODRIVER");
  const bool wants_offscreen = request.offscreen || (!named && !has_display());
  if (wants_offscreen && SDL_WasInit(SDL_INIT_VIDEO) == 0)
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
  if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
    throw WindowError(std::string("No window: SDL finds no display (") + SDL_GetError() +
                      "); start from a desktop session, or save an image with --screenshot.");
  const char* driver = SDL_GetCurrentVideoDriver();
  offscreen_ = driver != nullptr && std::string_view(driver) == "offscreen";
  try {
    create(request, kSamples);
    // Multisample antialiasing is too expensive without a graphics card.
    if (software_) {
      destroy();
      create(request, 0);
    }
  } catch (...) {
    destroy();
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    throw;
  }
}

Window::~Window() {
  destroy();
  SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

void Window::create(const WindowRequest& request, int samples) {
  SDL_GL_ResetAttributes();
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
  SDL_GL_SetAttribute(SDL_GL_MULTISAMPLEBUFFERS, samples > 0 ? 1 : 0);
  SDL_GL_SetAttribute(SDL_GL_MULTISAMPLESAMPLES, samples);
  Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
  if (request.fullscreen && !offscreen_) flags |= SDL_WINDOW_FULLSCREEN_DESKTOP;
  window_ = SDL_CreateWindow(request.title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                             request.width, request.height, flags);
  if (window_ != nullptr) context_ = SDL_GL_CreateContext(window_);
  if (context_ == nullptr) {
    const std::string reason = SDL_GetError();
    destroy();
    if (samples > 0) return create(request, 0);
    throw WindowError("No window: OpenGL does not start (" + reason +
                      "); install a graphics driver or Mesa's software renderer "
                      "(libgl1-mesa-dri on Debian).");
  }
  const auto get_string =
      reinterpret_cast<const GLubyte*(APIENTRY*)(GLenum)>(SDL_GL_GetProcAddress("glGetString"));
  const GLubyte* renderer = get_string != nullptr ? get_string(GL_RENDERER) : nullptr;
  renderer_ = renderer != nullptr ? reinterpret_cast<const char*>(renderer) : "unknown";
  software_ = is_software(renderer_);
  // Waiting for the screen costs latency where frames are slow anyway.
  SDL_GL_SetSwapInterval(software_ ? 0 : 1);
}

void Window::destroy() {
  if (context_ != nullptr) SDL_GL_DeleteContext(context_);
  if (window_ != nullptr) SDL_DestroyWindow(window_);
  context_ = nullptr;
  window_ = nullptr;
}

int Window::width() const {
  int width = 0;
  SDL_GL_GetDrawableSize(window_, &width, nullptr);
  return width;
}

int Window::height() const {
  int height = 0;
  SDL_GL_GetDrawableSize(window_, nullptr, &height);
  return height;
}

void Window::set_fullscreen(bool on) {
  if (!offscreen_) SDL_SetWindowFullscreen(window_, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

bool Window::fullscreen() const {
  return (SDL_GetWindowFlags(window_) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
}

bool Window::make_current() const { return SDL_GL_MakeCurrent(window_, context_) == 0; }

void Window::swap() const { SDL_GL_SwapWindow(window_); }

}  // namespace knuckleboom::view
