// The sub-command report, as it is declared; the page is made in app/report.
#include "app/report/report.hpp"

#include <memory>

#include "app/commands/options.hpp"
#include "app/commands/stage.hpp"
#include "app/shell/language.hpp"

namespace knuckleboom::app {

Command report_command() {
  const auto o = std::make_shared<ReportOptions>();
  return {
      .name = "report",
      .sentence = "Write a page about an attempt",
      .arguments =
          {{.name = "file",
            .target = &o->files,
            .kind = session_value(),
            .sentence = "Session file, or its name in the user's folder of sessions: the "
                        "first is judged, the others are for comparison",
            .required = true},
           {.name = "-o,--output",
            .target = &o->output,
            .kind = file_value("FILE.html", ".html"),
            .sentence = "The page; the name ends in .html",
            .required = true},
           {"--expert", &o->expert, session_value(), "Session of an expert to compare with"},
           {.name = "--attempt",
            .target = &o->attempt,
            .kind = {"N"},
            .sentence = "Attempt of the first session",
            .without = "the last that was finished",
            .range = Range{1, 1'000'000}},
           {.name = "--recompute",
            .target = &o->recompute,
            .sentence =
                "Compute sessions again from their inputs first, whatever program recorded them"},
           language_option(o->language)},
      .examples = {"knuckleboom report monday.h5 -o monday.html",
                   "knuckleboom report today.h5 monday.h5 tuesday.h5 -o progress.html",
                   "knuckleboom report today.h5 --expert trainer.h5 -o today.html"},
      .run = [o] {
        speak_as_chosen(o->language.empty() ? "" : language_of(o->language, "--language"));
        return write_report(*o);
      }};
}

}  // namespace knuckleboom::app
