#include "view/panels/emulation_panel.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "knuckleboom/core/math/arrays.hpp"
#include "view/panels/plot.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kPanelMargin = 10.0F;
constexpr float kBanner = 74.0F;
constexpr float kRow = 17.0F;
constexpr float kPlot = 88.0F;
constexpr float kButtons = 30.0F;
constexpr float kStop = 66.0F;
constexpr float kMessage = 34.0F;

constexpr Colour kBack{20, 26, 29, 255};
constexpr Colour kStopRed{206, 32, 32};
constexpr Colour kStopBright{236, 52, 48};
constexpr Colour kStopRim{255, 214, 10};

void draw_mode(Painter& painter, const EmulationPanel& panel, const Rect& rect) {
  painter.fill(rect, colour_of(panel.tone));
  painter.text(rect.x + kPanelMargin, rect.y + 8.0F, Type::kLarge, kWhite, panel.mode);
  painter.text_block(rect.x + kPanelMargin, rect.y + 36.0F, rect.width - 2.0F * kPanelMargin,
                     Type::kSmall, kWhite, panel.reason);
}

float draw_readings(Painter& painter, const EmulationPanel& panel, float x, float y, float width) {
  const float column = 0.5F * width;
  for (std::size_t i = 0; i < panel.readings.size(); ++i) {
    const EmulationReading& reading = panel.readings[i];
    const std::size_t row = i / 2;
    const float left = x + (i % 2 == 1 ? column : 0.0F);
    const float top = y + kRow * static_cast<float>(row);
    painter.text(left, top, Type::kSmall, kDim, reading.name);
    painter.text(left + column - 10.0F, top, Type::kSmall, reading.alarm ? kAlarm : kText,
                 reading.value, Align::kRight);
  }
  const std::size_t rows = (panel.readings.size() + 1) / 2;
  return kRow * static_cast<float>(rows);
}

bool stop_button(Painter& painter, const Rect& rect, bool stopped, const Pointer& pointer) {
  const bool over = rect.contains(pointer.x, pointer.y);
  painter.fill(rect, kStopRim, 8.0F);
  painter.fill({rect.x + 4.0F, rect.y + 4.0F, rect.width - 8.0F, rect.height - 8.0F},
               over || stopped ? kStopBright : kStopRed, 6.0F);
  painter.text(rect.x + 0.5F * rect.width, rect.y + 12.0F, Type::kLarge, kWhite,
               stopped ? "STOPPED" : "EMERGENCY STOP", Align::kCentre);
  painter.text(rect.x + 0.5F * rect.width, rect.y + 39.0F, Type::kSmall, kWhite,
               stopped ? "Reset leads out of it" : "Space or Esc", Align::kCentre);
  return over && pointer.clicked;
}

// --- Lists ------------------------------------------------------------------------------------------

void tunable_row(const EmulationTunable& tunable, int index, EmulationIntent& intent) {
  ImGui::TableNextRow();
  ImGui::PushID(index);
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tunable.name.c_str());
  hint(tunable.description + (tunable.unit.empty() ? "" : " [" + tunable.unit + "]"));
  double value = tunable.value;
  bool changed = false;
  ImGui::TableNextColumn();
  if (tunable.whole && tunable.least == 0.0 && tunable.most == 1.0) {
    bool on = value != 0.0;
    changed = ImGui::Checkbox("##on", &on);
    value = on ? 1.0 : 0.0;
  } else {
    ImGui::SetNextItemWidth(-1.0F);
    changed = slider(value, tunable.least, tunable.most);
    if (tunable.whole) value = std::round(value);
  }
  ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-1.0F);
  double typed = tunable.value;
  if (ImGui::InputDouble("##typed", &typed, 0.0, 0.0, "%.5g",
                         ImGuiInputTextFlags_EnterReturnsTrue)) {
    value = typed;
    changed = true;
  }
  hint(tunable.unit);
  if (changed && value != tunable.value) {
    intent.tune = index;
    intent.value = value;
  }
  ImGui::PopID();
}

void draw_tunables(const EmulationPanel& panel, EmulationIntent& intent) {
  if (!ImGui::BeginTable("tunables", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.50F);
  ImGui::TableSetupColumn("slider", ImGuiTableColumnFlags_WidthStretch, 0.28F);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.22F);
  for (std::size_t i = 0; i < panel.tunables.size(); ++i)
    tunable_row(panel.tunables[i], static_cast<int>(i), intent);
  ImGui::EndTable();
}

void signal_row(const EmulationSignalRow& signal, int index, EmulationIntent& intent) {
  ImGui::TableNextRow();
  ImGui::PushID(index);
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(signal.name.c_str());
  hint(signal.description);
  ImGui::TableNextColumn();
  ImGui::Text("%.4g %s", signal.value, signal.unit.c_str());
  ImGui::TableNextColumn();
  if (signal.incoming < 0) {
    ImGui::TextDisabled("simulated");
  } else {
    if (signal.silent) ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(242, 99, 82, 255));
    ImGui::SetNextItemWidth(-1.0F);
    const char* now = kEmulationSources[std::clamp(signal.source, 0, 2)];
    const bool open = ImGui::BeginCombo("##source", now, ImGuiComboFlags_NoArrowButton);
    if (signal.silent) ImGui::PopStyleColor();
    if (open) {
      for (int source = 0; source < 3; ++source)
        if (ImGui::Selectable(kEmulationSources[source], source == signal.source) &&
            source != signal.source) {
          intent.source_of = signal.incoming;
          intent.source = source;
        }
      ImGui::EndCombo();
    }
    hint(signal.silent ? "silent" : "click to choose where it comes from");
  }
  ImGui::PopID();
}

void draw_signals(const EmulationPanel& panel, EmulationIntent& intent) {
  if (!ImGui::BeginTable("signals", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.45F);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.33F);
  ImGui::TableSetupColumn("source", ImGuiTableColumnFlags_WidthStretch, 0.22F);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(panel.signals.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      signal_row(nth(panel.signals, i), i, intent);
  ImGui::EndTable();
}

void draw_lists(const Painter& painter, const EmulationPanel& panel, const Rect& rect,
                EmulationIntent& intent) {
  const float s = painter.scale();
  ImGui::SetNextWindowPos(ImVec2(rect.x * s, rect.y * s));
  ImGui::SetNextWindowSize(ImVec2(rect.width * s, rect.height * s));
  constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("lists", nullptr, kFixed);
  if (ImGui::BeginTabBar("tabs")) {
    if (ImGui::BeginTabItem("Tuning")) {
      draw_tunables(panel, intent);
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Signals")) {
      draw_signals(panel, intent);
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  ImGui::End();
}

}  // namespace

Colour colour_of(EmulationTone tone) {
  constexpr Colour kColours[] = {{52, 96, 140}, {38, 122, 62}, {178, 112, 14}, kStopRed};
  return kColours[static_cast<int>(tone)];
}

EmulationIntent draw_emulation_panel(Painter& painter, const EmulationPanel& panel,
                                     const Pointer& pointer) {
  EmulationIntent intent;
  const Rect all{painter.width() - kEmulationPanelWidth, 0.0F, kEmulationPanelWidth,
                 painter.height()};
  painter.fill(all, kBack);
  draw_mode(painter, panel, {all.x, 0.0F, all.width, kBanner});
  const float x = all.x + kPanelMargin;
  const float width = all.width - 2.0F * kPanelMargin;
  float y = kBanner + 8.0F;
  y += draw_readings(painter, panel, x, y, width) + 6.0F;
  for (const Plot& plot : panel.plots) {
    draw_plot(painter, plot, {x, y, width, kPlot});
    y += kPlot + 4.0F;
  }
  const float stop_y = all.bottom() - kPanelMargin - kStop;
  const float buttons_y = stop_y - 8.0F - kButtons;
  const float message_y = buttons_y - 4.0F - kMessage;
  draw_lists(painter, panel, {x - 4.0F, y, width + 8.0F, std::max(60.0F, message_y - y - 2.0F)},
             intent);
  painter.text_block(x, message_y, width, Type::kSmall, kDim, panel.event);

  const float gap = 6.0F;
  const float w = (width - 3.0F * gap) / 4.0F;
  const auto place = [&](int i) {
    return Rect{x + (w + gap) * static_cast<float>(i), buttons_y, w, kButtons};
  };
  intent.run = push_button(painter, place(0), "Run", panel.can_run,
                           colour_of(EmulationTone::kRunning), pointer);
  intent.hold = push_button(painter, place(1), "Hold", panel.can_hold,
                            colour_of(EmulationTone::kHolding), pointer);
  intent.reset = push_button(painter, place(2), "Reset", panel.can_reset,
                             colour_of(EmulationTone::kReady), pointer);
  intent.snapshot = push_button(painter, place(3), "Snapshot", true, {90, 100, 104}, pointer);
  intent.stop = stop_button(painter, {x, stop_y, width, kStop},
                            panel.tone == EmulationTone::kStopped, pointer);
  return intent;
}

}  // namespace knuckleboom::view::panels
