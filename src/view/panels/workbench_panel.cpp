#include "view/panels/workbench_panel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include <imgui.h>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kBenchEdge = 10.0F;
constexpr float kBenchHead = 52.0F;
constexpr float kCurves = 112.0F;
constexpr float kBenchButtons = 30.0F;
constexpr float kNews = 48.0F;
constexpr Colour kBenchBack{20, 26, 29, 255};
constexpr Colour kRunGreen{38, 122, 62};
constexpr Colour kPauseAmber{178, 112, 14};
constexpr Colour kPlain{90, 100, 104};

using Commands = std::vector<std::string>;

std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void joint_row(const BenchJointRow& joint, Commands& out) {
  ImGui::TableNextRow();
  ImGui::PushID(joint.name.c_str());
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(joint.name.c_str());
  ImGui::TableNextColumn();
  ImGui::Text("%.4g %s", joint.position, joint.unit.c_str());
  ImGui::TableNextColumn();
  const BenchWay& now = nth(joint.ways, joint.way);
  ImGui::SetNextItemWidth(-1.0F);
  if (ImGui::BeginCombo("##way", now.word.c_str(), ImGuiComboFlags_NoArrowButton)) {
    for (std::size_t i = 0; i < joint.ways.size(); ++i) {
      const BenchWay& way = joint.ways[i];
      if (!way.allowed) continue;
      if (!ImGui::Selectable(way.word.c_str(), static_cast<int>(i) == joint.way)) continue;
      // A position begins where the joint is, everything else at nothing.
      const double value = way.word == "position" ? joint.position : 0.0;
      out.push_back("drive " + joint.name + " " + way.word + (i == 0 ? "" : " " + digits(value)));
    }
    ImGui::EndCombo();
  }
  hint("how it is driven");
  ImGui::TableNextColumn();
  if (joint.way > 0) {
    double value = joint.value;
    ImGui::SetNextItemWidth(-1.0F);
    bool changed = slider(value, now.low, now.high);
    hint(now.word + " [" + now.unit + "], " + digits(now.low) + " to " + digits(now.high));
    ImGui::TableNextColumn();
    double typed = joint.value;
    ImGui::SetNextItemWidth(-1.0F);
    if (ImGui::InputDouble("##typed", &typed, 0.0, 0.0, "%.4g",
                           ImGuiInputTextFlags_EnterReturnsTrue)) {
      value = typed;
      changed = true;
    }
    hint(now.unit);
    if (changed && value != joint.value)
      out.push_back("drive " + joint.name + " " + now.word + " " + digits(value));
  }
  ImGui::PopID();
}

void draw_joints(const WorkbenchPanel& panel, Commands& out) {
  constexpr ImGuiTableFlags kRows = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable("joints", 5, kRows)) return;
  ImGui::TableSetupColumn("joint", ImGuiTableColumnFlags_WidthStretch, 0.22F);
  ImGui::TableSetupColumn("at", ImGuiTableColumnFlags_WidthStretch, 0.20F);
  ImGui::TableSetupColumn("by", ImGuiTableColumnFlags_WidthStretch, 0.17F);
  ImGui::TableSetupColumn("slider", ImGuiTableColumnFlags_WidthStretch, 0.25F);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.16F);
  for (const BenchJointRow& joint : panel.joints) joint_row(joint, out);
  ImGui::EndTable();
}

void draw_pose(const WorkbenchPanel& panel, Commands& out) {
  ImGui::TextDisabled("%s", panel.running ? "Pause it to place its joints."
                                          : "It starts anew from this pose, at rest.");
  if (panel.running ||
      !ImGui::BeginTable("pose", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY))
    return;
  for (const BenchJointRow& joint : panel.joints) {
    const auto way = std::find_if(joint.ways.begin(), joint.ways.end(),
                                  [](const BenchWay& w) { return w.word == "position"; });
    if (way == joint.ways.end()) continue;
    ImGui::TableNextRow();
    ImGui::PushID(joint.name.c_str());
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(joint.name.c_str());
    ImGui::TableNextColumn();
    double value = joint.position;
    ImGui::SetNextItemWidth(-1.0F);
    bool changed = slider(value, way->low, way->high);
    ImGui::TableNextColumn();
    double typed = joint.position;
    ImGui::SetNextItemWidth(-1.0F);
    if (ImGui::InputDouble("##typed", &typed, 0.0, 0.0, "%.5g",
                           ImGuiInputTextFlags_EnterReturnsTrue)) {
      value = typed;
      changed = true;
    }
    hint(joint.unit);
    if (changed && value != joint.position)
      out.push_back("place " + joint.name + " " + digits(value));
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_channels(const WorkbenchPanel& panel, WorkbenchFields& fields, Commands& out) {
  ImGui::SetNextItemWidth(-1.0F);
  ImGui::InputTextWithHint("##filter", "part of a name", fields.filter.data(),
                           fields.filter.size());
  const std::string_view wanted = fields.filter.data();
  if (!ImGui::BeginTable("channels", 2, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 0.62F);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.38F);
  for (const BenchChannelRow& channel : panel.channels) {
    if (channel.name.find(wanted) == std::string::npos) continue;
    ImGui::TableNextRow();
    ImGui::PushID(channel.name.c_str());
    ImGui::TableNextColumn();
    bool shown = channel.colour >= 0;
    if (shown) {
      const Colour& c = kCurveColours[channel.colour % kCurveColourCount];
      ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.r, c.g, c.b, 255));
    }
    const bool clicked = ImGui::Checkbox(channel.name.c_str(), &shown);
    if (channel.colour >= 0) ImGui::PopStyleColor();
    if (clicked) out.push_back((shown ? "show " : "hide ") + channel.name);
    hint(channel.description);
    ImGui::TableNextColumn();
    ImGui::Text("%.4g %s", channel.value, channel.unit.c_str());
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_keys(const WorkbenchPanel& panel, WorkbenchFields& fields, Commands& out) {
  ImGui::TextDisabled("KEY=VALUE of machine or scenario, as --set takes it");
  ImGui::SetNextItemWidth(-60.0F);
  const bool entered =
      ImGui::InputTextWithHint("##key", "body.forearm.mass_kg=9", fields.key.data(),
                               fields.key.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if ((ImGui::Button("Set") || entered) && fields.key[0] != '\0') {
    out.push_back(std::string("set ") + fields.key.data());
    fields.key[0] = '\0';
  }
  for (auto key = panel.keys.rbegin(); key != panel.keys.rend(); ++key)
    ImGui::BulletText("%s", key->c_str());
}

void draw_bodies(const WorkbenchPanel& panel, WorkbenchFields& fields, Commands& out) {
  if (panel.bodies.empty()) return;
  fields.body = std::clamp(fields.body, 0, static_cast<int>(panel.bodies.size()) - 1);
  ImGui::SetNextItemWidth(90.0F);
  ImGui::InputText("##payload", fields.payload.data(), fields.payload.size());
  hint("name of a load, a point mass");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(80.0F);
  ImGui::InputDouble("kg on", &fields.mass, 0.0, 0.0, "%.4g");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(110.0F);
  const std::string& chosen = nth(panel.bodies, fields.body).name;
  if (ImGui::BeginCombo("##body", chosen.c_str())) {
    for (std::size_t i = 0; i < panel.bodies.size(); ++i)
      if (ImGui::Selectable(panel.bodies[i].name.c_str(), static_cast<int>(i) == fields.body))
        fields.body = static_cast<int>(i);
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button("Attach"))
    out.push_back(std::string("attach ") + fields.payload.data() + " " + chosen + " " +
                  digits(fields.mass));
  for (const std::string& load : panel.payloads) {
    ImGui::PushID(load.c_str());
    if (ImGui::Button("Detach")) out.push_back("detach " + load);
    ImGui::SameLine();
    ImGui::TextUnformatted(load.c_str());
    ImGui::PopID();
  }
  if (!ImGui::BeginTable("bodies", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) return;
  for (const BenchBodyRow& body : panel.bodies) {
    ImGui::TableNextRow();
    ImGui::PushID(body.name.c_str());
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(body.name.c_str());
    ImGui::TableNextColumn();
    ImGui::Text("%.4g kg", body.mass);
    ImGui::TableNextColumn();
    if (ImGui::SmallButton(body.there ? "Remove" : "Assemble"))
      out.push_back((body.there ? "remove " : "assemble ") + body.name);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void draw_bench_lists(const Painter& painter, const WorkbenchPanel& panel, const Rect& rect,
                      WorkbenchFields& fields, Commands& out) {
  const float s = painter.scale();
  ImGui::SetNextWindowPos(ImVec2(rect.x * s, rect.y * s));
  ImGui::SetNextWindowSize(ImVec2(rect.width * s, rect.height * s));
  constexpr ImGuiWindowFlags kStays = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("bench lists", nullptr, kStays);
  int tab = 0;
  const auto item = [&](const char* name) {
    const bool wanted = fields.tab == tab++;
    return ImGui::BeginTabItem(name, nullptr, wanted ? ImGuiTabItemFlags_SetSelected : 0);
  };
  if (ImGui::BeginTabBar("bench tabs")) {
    if (item("Drive")) {
      draw_joints(panel, out);
      ImGui::EndTabItem();
    }
    if (item("Channels")) {
      draw_channels(panel, fields, out);
      ImGui::EndTabItem();
    }
    if (item("Keys")) {
      draw_keys(panel, fields, out);
      ImGui::EndTabItem();
    }
    if (item("Bodies")) {
      draw_bodies(panel, fields, out);
      ImGui::EndTabItem();
    }
    if (item("Pose")) {
      draw_pose(panel, out);
      ImGui::EndTabItem();
    }
    if (item("Levers")) {
      for (const std::string& line : panel.levers) ImGui::BulletText("%s", line.c_str());
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  fields.tab = -1;
  ImGui::End();
}

}  // namespace

std::vector<std::string> draw_workbench_panel(Painter& painter, const WorkbenchPanel& panel,
                                              WorkbenchFields& fields, const Pointer& pointer) {
  Commands out;
  const Rect all{painter.width() - kWorkbenchPanelWidth, 0.0F, kWorkbenchPanelWidth,
                 painter.height()};
  painter.fill(all, kBenchBack);
  const Rect head{all.x, 0.0F, all.width, kBenchHead};
  painter.fill(head, panel.running ? kRunGreen : kPauseAmber);
  painter.text_within(head.x + kBenchEdge, 6.0F, head.width - 2.0F * kBenchEdge, Type::kLarge,
                      kWhite, panel.title);
  painter.text_within(head.x + kBenchEdge, 31.0F, head.width - 2.0F * kBenchEdge, Type::kSmall,
                      kWhite, panel.subtitle);
  const float x = all.x + kBenchEdge;
  const float width = all.width - 2.0F * kBenchEdge;
  float y = kBenchHead + 8.0F;
  for (const Plot& plot : panel.plots) {
    draw_plot(painter, plot, {x, y, width, kCurves});
    y += kCurves + 4.0F;
  }
  const float second_y = all.bottom() - kBenchEdge - kBenchButtons;
  const float first_y = second_y - 6.0F - kBenchButtons;
  const float news_y = first_y - 4.0F - kNews;
  draw_bench_lists(painter, panel, {x - 4.0F, y, width + 8.0F, std::max(80.0F, news_y - y - 2.0F)},
                   fields, out);
  painter.text_block(x, news_y, width, Type::kSmall, kDim, panel.event);
  const float gap = 6.0F;
  const auto place = [&](int i, int of, float top) {
    const float w = (width - gap * static_cast<float>(of - 1)) / static_cast<float>(of);
    return Rect{x + (w + gap) * static_cast<float>(i), top, w, kBenchButtons};
  };
  const auto press = [&](const Rect& rect, const char* text, bool enabled, Colour colour,
                         const char* command) {
    if (push_button(painter, rect, text, enabled, colour, pointer)) out.emplace_back(command);
  };
  press(place(0, 5, first_y), panel.running ? "Pause" : "Run", true,
        panel.running ? kPauseAmber : kRunGreen, panel.running ? "pause" : "run");
  press(place(1, 5, first_y), "Step", !panel.running, kPlain, "step");
  press(place(2, 5, first_y), "Back 1 s", true, kPlain, "rewind 1");
  press(place(3, 5, first_y), "Back 10 s", true, kPlain, "rewind 10");
  press(place(4, 5, first_y), "To start", true, kPlain, "rewind");
  press(place(0, 3, second_y), "Save scenario", true, kPlain, "save bench.toml");
  press(place(1, 3, second_y), "Save trace", true, kPlain, "save bench.csv");
  press(place(2, 3, second_y), "Save picture", true, kPlain, "save bench.png");
  return out;
}

}  // namespace knuckleboom::view::panels
