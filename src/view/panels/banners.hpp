// Texts over the view: warnings, notices, the briefing, the result.
#pragma once

#include <string>
#include <vector>

#include "view/panels/history.hpp"
#include "view/panels/instruments.hpp"
#include "view/panels/menu.hpp"
#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

enum class Tone { kNotice, kWarning, kSpoken };
struct Message {
  Tone tone = Tone::kNotice;
  std::string text;
  std::string who = {};  // speaker, shown above the text
};
enum class MessagePlace { kTop, kBelowTask, kBesideCard, kBottom };
// The newest last. Warnings stay as long as they apply.
void draw_messages(Painter& painter, const std::vector<Message>& messages, MessagePlace place);

// "PAUSED", with the key that continues.
void draw_banner(Painter& painter, const std::string& text, const std::string& below);

// A text that is being typed, with what ends it.
void draw_entry(Painter& painter, const std::string& title, const std::string& text,
                const std::string& below);

struct Briefing {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::string> limits;  // "Collisions: at most 3"
  std::string begin;                // "Move a lever to begin."
};
void draw_briefing(Painter& painter, const Briefing& briefing);

struct Result {
  bool passed = false;
  std::string exercise;
  std::string reason;  // of a failure
  std::vector<FigureRow> figures;
  History history = {};
};
// The figures, and below them the menu of next steps.
MenuIntent draw_result(Painter& painter, const Result& result, Menu& menu, const Pointer& pointer);

}  // namespace knuckleboom::view::panels
