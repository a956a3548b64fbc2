// Keys of log maps and trace bundles.
#pragma once

#include "declare/body_keys.hpp"
#include "knuckleboom/declare/key.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::declare::keys {

// Units that a channel may have.
inline constexpr D kLogUnits[] = {D::kNone,     D::kAngle, D::kLength,       D::kVoltage,
                                  D::kPressure, D::kSpeed, D::kAngularSpeed, D::kForce};
constexpr Key log_quantity(std::string_view key, Range range, std::string_view says) {
  Key out = plain(key, range, says);
  out.any_of = kLogUnits;
  return out;
}

namespace log_layout {
using io::LogMap;
inline constexpr Word kSeparators[] = {{",", ','}, {";", ';'}, {"tab", '\t'}, {"space", ' '}};
inline constexpr Key time =
    text("time",
         "their column of the time: numbers, dates, times of day; without it "
         "`t_s`, else `t`, else one that is called time, else the first")
        .to<&LogMap::time>();
inline constexpr Key row =
    number("row", D::kTime, kPositive,
           "instead of `time`: the table has none, its rows are so far apart")
        .to<&LogMap::row_s>()
        .otherwise("none");
inline constexpr Key decimal_comma = flag("decimal_comma", "0,5 is a half").otherwise("found out");
inline constexpr Key header_row =
    whole("header_row", 1, 1'000'000, "number of the line that names the columns")
        .to<&LogMap::header_row>()
        .otherwise("found out");
inline constexpr Key skip_rows =
    whole("skip_rows", 0, 1'000'000, "lines between the names and the first row, as one of units")
        .to<&LogMap::skip_rows>()
        .otherwise("found out");
inline constexpr Key all[] = {
    text(
        "dbc",
        "the table is a log of a CAN bus, of candump or as ASC, and this DBC file, beside the map, "
        "describes its signals. `time` is then a message, whose frames are the rows")
        .to<&LogMap::dbc>(),
    time,
    text("time_unit",
         "`s`, `ms`, `us` or `ns`; without it as the table tells, or the column's name ends; else "
         "what stamps since 1970 look like, else s")
        .to<&LogMap::time_unit>(),
    row,
    number("shift", D::kTime, kAny, "added to their times").to<&LogMap::shift_s>(),
    word_of("separator", kSeparators, "of fields").to<&LogMap::separator>().otherwise("found out"),
    decimal_comma,
    header_row,
    skip_rows,
    flag("guess",
         "`false`: nothing is found out. What is not said here is as in a trace: commas, decimal "
         "points, names in the first line that is no comment, every field a number, every time "
         "above the one before")
        .to<&LogMap::guess>()
        .otherwise(1.0),
};
}  // namespace log_layout

namespace log_column {
using io::LogColumn;
inline constexpr Key name = text("name",
                                 "one of our channels: those of a [trace](trace_file.md), or of "
                                 "what is [judged](figures.md#external-logs)")
                                .must()
                                .to<&LogColumn::name>();
inline constexpr Key scale =
    plain("scale", kAny,
          "ours = scale times theirs plus offset, both in SI: sign, gear or zero of a sensor")
        .to<&LogColumn::scale>();
inline constexpr Key offset = log_quantity("offset", kAny, "see there; it has its unit in the key");
inline constexpr Key all[] = {
    name,
    text("column", "the name in the table; without it the same").to<&LogColumn::column>(),
    text("minus",
         "another column of the same kind that is taken off it before scale and offset, as where "
         "the two sides of a valve have a column each")
        .to<&LogColumn::minus>(),
    text("unit",
         "as keys of files end: `deg`, `mm`, `bar`, `deg_per_s`. Without it what the table tells "
         "(`Angle [deg]`, a row of units), else the end of the column's name counts (`z1_deg`, "
         "`p1_bar`, `w_deg_s`); a name that ends in no unit needs it")
        .to<&LogColumn::unit>(),
    scale,
    offset,
    flag("held",
         "a row's value holds until the next row, as a computer gives commands; otherwise a column "
         "that "
         "drives the machine goes straight from row to row")
        .to<&LogColumn::held>(),
};
inline constexpr KeyTable table{"log_map.column", "[[column]]", all};
}  // namespace log_column

namespace log_map {
inline constexpr Key columns = tables("column", log_column::table, 200, "one for each channel");
inline constexpr Key own[] = {columns};
inline constexpr auto all = join(log_layout::all, own);
inline constexpr KeyTable table{"log_map", "", all};
}  // namespace log_map

// --- Bundle ---------------------------------------------------------------------

namespace bundle_reference {
inline constexpr Key file = text("file", "the table, relative to the folder").must();
inline constexpr Key external =
    flag("external",
         "`true`: the table is data that may not be handed on. `file` is then below the folder "
         "that the environment variable `KNUCKLEBOOM_DATA` names; where it is not there, the "
         "bundle is skipped, and that is said")
        .otherwise(0.0);
inline constexpr Key rate =
    number("rate", D::kFrequency, kPositive,
           "rate at which `--update` writes the reference. Must divide the tick rate")
        .otherwise(50.0);
inline constexpr Key own[] = {file, external, rate};
inline constexpr auto all = join(own, log_layout::all);
inline constexpr KeyTable table{"bundle.reference", "[reference]", all};
}  // namespace bundle_reference

namespace bundle_channel {
inline constexpr Key tolerance =
    log_quantity("tolerance", kNonNegative,
                 "the largest allowed deviation, with its unit: `tolerance_rad`, `tolerance_deg`, "
                 "`tolerance_kPa`, `tolerance_mm`, `tolerance_mV`");
inline constexpr Key rms = log_quantity(
    "rms", kNonNegative, "the largest root mean square, likewise; one of the two is needed");
inline constexpr Key from =
    number("from", D::kTime, kAny, "time of the run from which it is compared")
        .otherwise("the start");
inline constexpr Key to = number("to", D::kTime, kAny, "until then").otherwise("the end");
inline constexpr Key time =
    number(
        "time", D::kTime, kNonNegative,
        "by which the run may be earlier or later: the nearest of its values in that time counts")
        .otherwise(0.0);
inline constexpr Key own[] = {tolerance, rms, time, from, to};
inline constexpr auto all = join(log_column::all, own);
inline constexpr KeyTable table{"bundle.channel", "[[channel]]", all};
}  // namespace bundle_channel

namespace bundle_drive {
inline constexpr Key delay =
    number("delay", D::kTime, kAny, "the command goes in later than the log says, or earlier");
inline constexpr Key own[] = {delay};
inline constexpr auto all = join(log_column::all, own);
inline constexpr KeyTable table{"bundle.drive", "[[drive]]", all};
}  // namespace bundle_drive

namespace bundle_file {
using io::Bundle;
inline constexpr Key format = whole("format", 1, 1, "1").must();
inline constexpr Key machine =
    text("machine", "replaces the machine of scenario or recording; required with `[[drive]]`");
inline constexpr Key scenario =
    text("scenario", "a [scenario](scenario_file.md): a name, or a file relative to the folder");
inline constexpr Key input = text("input",
                                  "instead of a scenario: levers as they were recorded, an [input "
                                  "file](input_file.md) in the folder. It says with what exercise, "
                                  "machine and levers; it must have an `end` and no `restart`");
inline constexpr Key start = other("start",
                                   "table of positions such as `boom_rad = 0.5`: joints that the "
                                   "log does not show, with `[[drive]]`");
inline constexpr Key set = texts("set", 1000, "such as \"controller.stick.kp_V_per_rad=60\"");
inline constexpr Key reference = table("reference", bundle_reference::table, "below").must();
inline constexpr Key channels =
    tables("channel", bundle_channel::table, 200, "below; at least one");
inline constexpr Key drives =
    tables("drive", bundle_drive::table, 200,
           "instead of scenario and input: a machine driven by the reference's own columns, below");
inline constexpr Key all[] = {
    format,
    text("origin", "origin of the reference, free text").must().to<&Bundle::origin>(),
    text("description", "for people").to<&Bundle::description>(),
    scenario,
    input,
    drives,
    machine,
    text("fidelity",
         "`reduced`, `full`, `paper`, and for scenarios `converged-` with one of these. Without it "
         "`reduced`, or what the exercise says; `full` with `[[drive]]`")
        .to<&Bundle::fidelity>(),
    set,
    start,
    number("rest", D::kTime, kPositive,
           "with `[[drive]]` positions at the start are means over this")
        .to<&Bundle::rest_s>()
        .otherwise(0.5),
    reference,
    channels,
};
inline constexpr KeyTable table{"bundle", "", all};
}  // namespace bundle_file

}  // namespace knuckleboom::declare::keys
