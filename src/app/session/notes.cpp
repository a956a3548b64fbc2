#include "app/session/notes.hpp"

#include <algorithm>

#include "app/session/filing.hpp"
#include "app/shell/text.hpp"

namespace knuckleboom::app {

std::vector<learners::Note> notes_of(const io::SessionHeader& header) {
  return learners::Database(learners_file(), learners::Access::kRead).notes(header.id);
}

void add_note(const io::SessionHeader& header, std::int64_t tick, const std::string& text) {
  learners::Database(learners_file(), learners::Access::kWrite)
      .add(learners::Note{0, header.id, header.learner_id, tick, io::now_utc(), text});
}

void remove_note(const learners::Note& note) {
  learners::Database(learners_file(), learners::Access::kWrite).remove_note(note.id);
}

std::vector<io::SessionEvent> with_notes(const io::SessionRecord& record,
                                         const std::vector<learners::Note>& notes) {
  std::vector<io::SessionEvent> events = record.events;
  for (const learners::Note& note : notes) {
    if (note.tick < record.header.first_tick || note.tick > record.end.end_tick) continue;
    io::SessionEvent event;
    event.tick = note.tick;
    event.kind = kNoteEvent;
    event.text = one_line(note.text);
    while (event.text.size() > kLongestNote) erase_character(event.text);
    events.push_back(std::move(event));
  }
  std::ranges::stable_sort(events, {}, &io::SessionEvent::tick);
  return events;
}

}  // namespace knuckleboom::app
