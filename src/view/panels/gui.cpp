#include "view/panels/gui.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <imgui.h>
#include <imgui/backends/imgui_impl_opengl3.h>

namespace knuckleboom::view::panels {
namespace {

namespace fs = std::filesystem;

// Heights of the types [points], by Type.
constexpr std::array<float, 5> kHeights = {13.0F, 15.0F, 15.0F, 21.0F, 38.0F};
constexpr std::array<bool, 5> kIsBold = {false, false, true, true, true};

// Latin, and the punctuation that names of files may bring.
constexpr ImWchar kCharacters[] = {0x20, 0x17F, 0x2010, 0x2026, 0x2032, 0x2033, 0x20AC, 0x20AC, 0};

struct FontFiles {
  fs::path regular, bold;
};

// DejaVu comes with gnuplot and with nearly every desktop; the others look alike.
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
}

Gui::Gui(const fs::path& assets) : parts_(std::make_unique<Parts>()) {
  IMGUI_CHECKVERSION();
  parts_->context = ImGui::CreateContext();
  ImGui::SetCurrentContext(parts_->context);
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  parts_->files = find_fonts(assets);
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
  io.DeltaTime = 1.0F / 60.0F;  // nothing here moves by ImGui's clock
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();

  p.pointer.x = x_px / p.scale;
  p.pointer.y = y_px / p.scale;
  // Where it is at first is no movement.
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

void Gui::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace knuckleboom::view::panels
