#include "language/drawn_texts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <imgui.h>

namespace knuckleboom::testing_texts {
namespace {

using view::panels::Rect;

constexpr const char* kRegular = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
constexpr const char* kBold = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf";
constexpr ImWchar kLetters[] = {0x20, 0x17F, 0x2010, 0x2026, 0};

struct Letter {
  const ImFont* font;
  const ImFontGlyph* glyph;
};
using Letters = std::map<std::pair<float, float>, Letter>;

Letters letters_of(const view::panels::Fonts& fonts) {
  Letters out;
  for (const ImFont* font : {fonts.small, fonts.body, fonts.bold, fonts.large, fonts.huge})
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (glyph.Visible != 0) out.emplace(std::pair(glyph.U0, glyph.V0), Letter{font, &glyph});
  return out;
}

void add_utf8(unsigned code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | (code >> 12));
    text += static_cast<char>(0x80U | ((code >> 6) & 0x3FU));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

bool is_background(ImU32 colour) {
  using namespace view::panels;
  constexpr Colour kStrip{13, 18, 20};
  const auto rgb = [](ImU32 c) { return c & 0x00FFFFFFU; };
  for (const Colour& one : {kCard, kSolidCard, kVoiceCard, kStrip})
    if (rgb(colour) == rgb(IM_COL32(one.r, one.g, one.b, 255))) return true;
  return false;
}

void widen(Rect& box, const ImVec2& at) {
  const float right = std::max(box.right(), at.x), bottom = std::max(box.bottom(), at.y);
  box.x = std::min(box.x, at.x);
  box.y = std::min(box.y, at.y);
  box.width = right - box.x;
  box.height = bottom - box.y;
}

}  // namespace

bool load_fonts(float scale, view::panels::Fonts& fonts) {
  namespace fs = std::filesystem;
  if (!fs::exists(kRegular) || !fs::exists(kBold)) return false;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const auto font = [&atlas, scale](const char* file, float height) {
    return atlas.AddFontFromFileTTF(file, std::round(height * scale), nullptr, kLetters);
  };
  fonts = {font(kRegular, 13.0F), font(kRegular, 15.0F), font(kBold, 15.0F), font(kBold, 21.0F),
           font(kBold, 38.0F)};
  return atlas.Build();
}

Drawn read_back(const ImDrawList& list, const view::panels::Fonts& fonts) {
  const Letters letters = letters_of(fonts);
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  Drawn out;
  const ImFont* font = nullptr;
  float next_x = 0.0F, line_y = 0.0F;
  bool in_card = false;
  ImU32 card_colour = 0;
  for (int i = 0; i < list.VtxBuffer.Size; ++i) {
    const ImDrawVert& v = list.VtxBuffer[i];
    const auto found = letters.find({v.uv.x, v.uv.y});
    if (found == letters.end() || (v.uv.x == white.x && v.uv.y == white.y)) {
      const ImU32 rgb = v.col & 0x00FFFFFFU;
      if (!is_background(v.col)) {
        in_card = false;
        continue;
      }
      if (!in_card || rgb != card_colour) out.cards.push_back({v.pos.x, v.pos.y, 0.0F, 0.0F});
      in_card = true;
      card_colour = rgb;
      widen(out.cards.back(), v.pos);
      continue;
    }
    in_card = false;
    const ImFontGlyph& glyph = *found->second.glyph;
    const ImDrawVert& end = list.VtxBuffer[i + 2];
    const Rect box{v.pos.x, v.pos.y, end.pos.x - v.pos.x, end.pos.y - v.pos.y};
    i += 3;
    const float pen_x = v.pos.x - glyph.X0, pen_y = v.pos.y - glyph.Y0;
    const float space = found->second.font->FindGlyph(' ')->AdvanceX;
    const float gap = (pen_x - next_x) / space;
    const float spaces = std::round(gap);
    const bool goes_on = !out.runs.empty() && found->second.font == font &&
                         std::abs(pen_y - line_y) < 0.6F && spaces >= 0.0F && spaces <= 6.0F &&
                         std::abs(gap - spaces) * space < 0.8F;
    if (!goes_on) out.runs.push_back({{}, {}, box});
    Line& run = out.runs.back();
    if (goes_on) run.text.append(static_cast<std::size_t>(spaces), ' ');
    add_utf8(glyph.Codepoint, run.text);
    run.letters.push_back(box);
    widen(run.box, {box.x, box.y});
    widen(run.box, {box.right(), box.bottom()});
    font = found->second.font;
    next_x = pen_x + glyph.AdvanceX;
    line_y = pen_y;
  }
  return out;
}

}  // namespace knuckleboom::testing_texts
