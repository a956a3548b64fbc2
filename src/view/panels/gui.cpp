#include "view/panels/gui.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <SDL2/SDL.h>
#include <imgui.h>
#include <imgui/backends/imgui_impl_opengl3.h>

namespace knuckleboom::view::panels {
namespace {

namespace fs = std::filesystem;

// Heights of the types [points], by Type.
constexpr std::array<float, 5> kHeights = {13.0F, 15.0F, 15.0F, 21.0F, 38.0F};
constexpr std::array<bool, 5> kIsBold = {false, false, true, true, true};

// Latin, and punctuation found in file names.
constexpr ImWchar kCharacters[] = {0x20,   0x17F,  0x2010, 0x2026, 0x2032, 0x2033,
                                   0x2190, 0x2193, 0x20AC, 0x20AC, 0};

struct FontFiles {
  fs::path regular, bold;
};

// DejaVu comes with gnuplot and with nearly every desktop; the others look similar.
std::vector<FontFiles> font_candidates(const fs::path& assets) {
  std::vector<FontFiles> files;
  if (!assets.empty()) files.push_back({assets / "fonts/regular.ttf", assets / "fonts/bold.ttf"});
  const fs::path fonts = "/usr/share/fonts";
  files.push_back(
      {fonts / "truetype/dejavu/DejaVuSans.ttf", fonts / "truetype/dejavu/DejaVuSans-Bold.ttf"});
  files.push_back({fonts / "TTF/DejaVuSans.ttf", fonts / "TTF/DejaVuSans-Bold.ttf"});
  files.push_back({fonts / "dejavu-sans-fonts/DejaVuSans.ttf",
                   fonts / "dejavu-sans-fonts/DejaVuSans-Bold.ttf"});
  files.push_back({fonts / "truetype/liberation/LiberationSans-Regular.ttf",
                   fonts / "truetype/liberation/LiberationSans-Bold.ttf"});
  files.push_back(
      {fonts / "truetype/noto/NotoSans-Regular.ttf", fonts / "truetype/noto/NotoSans-Bold.ttf"});
  return files;
}

std::optional<FontFiles> find_fonts(const fs::path& assets) {
  for (const FontFiles& files : font_candidates(assets)) {
    std::error_code error;
    if (fs::is_regular_file(files.regular, error) && fs::is_regular_file(files.bold, error))
      return files;
  }
  return std::nullopt;
}

// Fields and lists in the colours of the cards.
void set_style(float scale) {
  ImGuiStyle style;
  const auto colour = [&style](ImGuiCol which, Colour c) {
    style.Colors[which] = ImGui::ColorConvertU32ToFloat4(IM_COL32(c.r, c.g, c.b, c.a));
  };
  constexpr Colour kField{255, 255, 255, 22}, kFieldOver{255, 255, 255, 40}, kClear{0, 0, 0, 0};
  colour(ImGuiCol_Text, kText);
  colour(ImGuiCol_TextDisabled, kDim);
  colour(ImGuiCol_WindowBg, kClear);
  colour(ImGuiCol_ChildBg, kClear);
  colour(ImGuiCol_PopupBg, {28, 35, 38, 250});
  colour(ImGuiCol_Border, kLine);
  colour(ImGuiCol_FrameBg, kField);
  colour(ImGuiCol_FrameBgHovered, kFieldOver);
  colour(ImGuiCol_FrameBgActive, kFieldOver);
  colour(ImGuiCol_SliderGrab, {255, 184, 77, 190});
  colour(ImGuiCol_SliderGrabActive, kAccent);
  colour(ImGuiCol_CheckMark, kAccent);
  colour(ImGuiCol_Button, kField);
  colour(ImGuiCol_ButtonHovered, kFieldOver);
  colour(ImGuiCol_ButtonActive, kAccentSoft);
  colour(ImGuiCol_Header, kField);
  colour(ImGuiCol_HeaderHovered, kAccentSoft);
  colour(ImGuiCol_HeaderActive, kAccentSoft);
  colour(ImGuiCol_Tab, kField);
  colour(ImGuiCol_TabHovered, kAccentSoft);
  colour(ImGuiCol_TabActive, {255, 184, 77, 90});
  colour(ImGuiCol_ScrollbarBg, kClear);
  colour(ImGuiCol_ScrollbarGrab, {255, 255, 255, 60});
  colour(ImGuiCol_ScrollbarGrabHovered, {255, 255, 255, 90});
  colour(ImGuiCol_ScrollbarGrabActive, {255, 255, 255, 110});
  colour(ImGuiCol_TableRowBg, kClear);
  colour(ImGuiCol_TableRowBgAlt, {255, 255, 255, 8});
  style.WindowPadding = ImVec2(4.0F, 2.0F);
  style.WindowBorderSize = 0.0F;
  style.FramePadding = ImVec2(5.0F, 1.0F);
  style.CellPadding = ImVec2(3.0F, 1.0F);
  style.ItemSpacing = ImVec2(4.0F, 3.0F);
  style.ScrollbarSize = 9.0F;
  style.GrabMinSize = 7.0F;
  style.FrameRounding = 2.0F;
  style.TabRounding = 2.0F;
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

void map_keys() {
  ImGuiIO& io = ImGui::GetIO();
  constexpr std::pair<ImGuiKey, SDL_Scancode> kKeys[] = {
      {ImGuiKey_Tab, SDL_SCANCODE_TAB},
      {ImGuiKey_LeftArrow, SDL_SCANCODE_LEFT},
      {ImGuiKey_RightArrow, SDL_SCANCODE_RIGHT},
      {ImGuiKey_UpArrow, SDL_SCANCODE_UP},
      {ImGuiKey_DownArrow, SDL_SCANCODE_DOWN},
      {ImGuiKey_Home, SDL_SCANCODE_HOME},
      {ImGuiKey_End, SDL_SCANCODE_END},
      {ImGuiKey_Delete, SDL_SCANCODE_DELETE},
      {ImGuiKey_Backspace, SDL_SCANCODE_BACKSPACE},
      {ImGuiKey_Enter, SDL_SCANCODE_RETURN},
      {ImGuiKey_KeyPadEnter, SDL_SCANCODE_KP_ENTER},
      {ImGuiKey_Escape, SDL_SCANCODE_ESCAPE},
      {ImGuiKey_A, SDL_SCANCODE_A},
  };
  for (const auto& [key, scancode] : kKeys) io.KeyMap[key] = scancode;
}

}  // namespace

float scale_for(int width_px, int height_px) {
  const float fits =
      std::min(static_cast<float>(width_px) / 1280.0F, static_cast<float>(height_px) / 720.0F);
  return std::clamp(fits, 0.6F, 6.0F);
}

struct Gui::Parts {
  ImGuiContext* context = nullptr;
  std::optional<FontFiles> files;
  bool backend = false;
  float scale = 0.0F;
  Fonts fonts;
  std::optional<Painter> painter;
  Pointer pointer;
  float last_x = -1.0F, last_y = -1.0F;
  bool was_down = false;

  void build_fonts(float new_scale);
  ImFont* add_font(std::size_t type);
};

ImFont* Gui::Parts::add_font(std::size_t type) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  if (files.has_value()) {
    const fs::path& file = kIsBold[type] ? files->bold : files->regular;
    ImFont* font = atlas.AddFontFromFileTTF(file.c_str(), std::round(kHeights[type] * scale),
                                            nullptr, kCharacters);
    if (font != nullptr) return font;
  }
  // A bitmap font of 13 pixels: sharp at whole multiples only.
  ImFontConfig config;
  config.SizePixels = 13.0F * std::max(1.0F, std::round(kHeights[type] * scale / 13.0F));
  config.OversampleH = config.OversampleV = 1;
  config.PixelSnapH = true;
  return atlas.AddFontDefault(&config);
}

void Gui::Parts::build_fonts(float new_scale) {
  scale = new_scale;
  ImGui::GetIO().Fonts->Clear();
  ImFont** const slots[] = {&fonts.small, &fonts.body, &fonts.bold, &fonts.large, &fonts.huge};
  for (std::size_t i = 0; i < kHeights.size(); ++i) *slots[i] = add_font(i);
  ImGui::GetIO().Fonts->Build();
  set_style(scale);
}

Gui::Gui(const fs::path& assets) : parts_(std::make_unique<Parts>()) {
  IMGUI_CHECKVERSION();
  parts_->context = ImGui::CreateContext();
  ImGui::SetCurrentContext(parts_->context);
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  parts_->files = find_fonts(assets);
  map_keys();
}

Gui::~Gui() {
  release();
  ImGui::DestroyContext(parts_->context);
}

void Gui::release() {
  if (!parts_->backend) return;
  ImGui_ImplOpenGL3_Shutdown();
  parts_->backend = false;
}

Painter& Gui::begin(int width_px, int height_px, float x_px, float y_px, bool mouse_down) {
  Parts& p = *parts_;
  if (!p.backend) p.backend = ImGui_ImplOpenGL3_Init("#version 130");
  if (const float scale = scale_for(width_px, height_px); scale != p.scale) {
    p.build_fonts(scale);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  const auto width = static_cast<float>(width_px);
  const auto height = static_cast<float>(height_px);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(width, height);
  io.MousePos = ImVec2(x_px, y_px);
  io.MouseDown[0] = mouse_down;
  io.DeltaTime = 1.0F / 60.0F;  // nothing here depends on ImGui's clock
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();

  p.pointer.x = x_px / p.scale;
  p.pointer.y = y_px / p.scale;
  // The initial position is not a movement.
  p.pointer.moved = p.last_x >= 0.0F && (x_px != p.last_x || y_px != p.last_y);
  p.pointer.clicked = mouse_down && !p.was_down;
  p.last_x = x_px;
  p.last_y = y_px;
  p.was_down = mouse_down;
  p.pointer.down = mouse_down;
  p.painter.emplace(*ImGui::GetBackgroundDrawList(), p.fonts, p.scale, width, height);
  return *p.painter;
}

const Pointer& Gui::pointer() const { return parts_->pointer; }

void Gui::take(const SDL_Event& event) {
  ImGuiIO& io = ImGui::GetIO();
  if (event.type == SDL_MOUSEWHEEL) io.MouseWheel += static_cast<float>(event.wheel.y);
  if (event.type == SDL_TEXTINPUT) io.AddInputCharactersUTF8(event.text.text);
  if (event.type != SDL_KEYDOWN && event.type != SDL_KEYUP) return;
  const auto scancode = static_cast<std::size_t>(event.key.keysym.scancode);
  if (scancode < std::size(io.KeysDown)) io.KeysDown[scancode] = event.type == SDL_KEYDOWN;
  const int held = event.key.keysym.mod;
  io.KeyCtrl = (held & KMOD_CTRL) != 0;
  io.KeyShift = (held & KMOD_SHIFT) != 0;
  io.KeyAlt = (held & KMOD_ALT) != 0;
}

bool Gui::wants_text() const { return ImGui::GetIO().WantTextInput; }

void Gui::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace knuckleboom::view::panels
