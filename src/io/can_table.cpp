#include "can_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "csv.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/words.hpp"

namespace knuckleboom::io {
namespace {

constexpr double kNoSample = std::numeric_limits<double>::quiet_NaN();

std::uint64_t key_of(const CanFrame& frame) {
  return std::uint64_t{frame.id} | (frame.extended ? std::uint64_t{1} << 32U : 0U) |
         static_cast<std::uint64_t>(frame.bus) << 40U;
}
std::uint32_t id_in(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
bool extended_in(std::uint64_t key) { return ((key >> 32U) & 1U) != 0; }
int bus_in(std::uint64_t key) { return static_cast<int>(key >> 40U); }

std::string form_name(CanForm form) {
  return form == CanForm::kAsc ? "an ASC log" : "a candump log";
}

// Numbers at times of their own.
struct Samples {
  std::vector<double> t, y;
};

// Those that are there, by their times.
Samples by_time(const std::vector<double>& t, const std::vector<double>& y) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (std::isfinite(y[i])) order.push_back(i);
  if (!std::is_sorted(t.begin(), t.end()))
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return t[a] < t[b]; });
  Samples out;
  out.t.reserve(order.size());
  out.y.reserve(order.size());
  for (const std::size_t i : order) {
    out.t.push_back(t[i]);
    out.y.push_back(y[i]);
  }
  return out;
}

// The row nearest to each sample has its number: what it was then if it holds, else what lies there on the
// straight line to its neighbour, but not over gaps. The other rows have none.
std::vector<double> put_beside(const std::vector<double>& rows, const Samples& from, bool held) {
  std::vector<double> out(rows.size(), kNoSample);
  const double gap = 2.5 * usual_step(from.t);
  std::size_t row = 0, k = 0;
  for (std::size_t i = 0; i < from.t.size(); ++i) {
    const double t = from.t[i];
    while (row + 1 < rows.size() && std::fabs(rows[row + 1] - t) <= std::fabs(rows[row] - t)) ++row;
    if (held) {
      out[row] = from.y[i];
      continue;
    }
    const double at = rows[row];
    while (k + 1 < from.t.size() && from.t[k + 1] <= at) ++k;
    const bool between = from.t[k] <= at && k + 1 < from.t.size() && from.t[k + 1] > from.t[k] &&
                         from.t[k + 1] - from.t[k] <= gap;
    out[row] = between ? from.y[k] + (at - from.t[k]) / (from.t[k + 1] - from.t[k]) *
                                         (from.y[k + 1] - from.y[k])
                       : from.y[i];
  }
  return out;
}

// One stream's frames, as far as they are wanted.
struct TakenFrames {
  std::vector<double> t;
  std::vector<int> lines;
  std::vector<std::size_t> columns;
  std::vector<std::vector<double>> y;  // by column
  long long too_short = 0;
};

bool is_not_available(const CanMessage& message, const CanSignal& signal, std::uint64_t bits) {
  return message.j1939 && signal.kind == CanSignal::Kind::kUnsigned && signal.length > 1 &&
         bits ==
             std::numeric_limits<std::uint64_t>::max() >> static_cast<unsigned>(64 - signal.length);
}

// too_short: set where the data end before the signal does.
double signal_number(const CanMessage& message, const CanSignal& signal,
                     std::span<const std::uint8_t> data, bool& too_short) {
  if (!is_there(message, signal, data)) return kNoSample;
  const std::optional<std::uint64_t> bits = raw_bits(signal, data);
  if (!bits) too_short = true;
  return !bits || is_not_available(message, signal, *bits) ? kNoSample : physical(signal, *bits);
}

// Numbers outside the signal's range are taken out, unless they are so many that the range seems wrong.
void keep_range(const CanSignal& signal, const std::string& name, std::vector<double>& y,
                std::vector<std::string>& notes) {
  const double slack = 0.5 * std::fabs(signal.scale);
  const auto outside = [&](double x) {
    return x < signal.least - slack || x > signal.most + slack;
  };
  const auto all = std::count_if(y.begin(), y.end(), [](double x) { return std::isfinite(x); });
  const auto odd = std::count_if(y.begin(), y.end(), outside);
  if (odd == 0) return;
  if (5 * odd > all) {
    notes.push_back(fmt::format(
        "{} of {} numbers of '{}' lie outside its range in the DBC, {:g} to {:g}; they stay", odd,
        all, name, signal.least, signal.most));
    return;
  }
  notes.push_back(fmt::format("{} of '{}' outside its range in the DBC, {:g} to {:g}; missing",
                              counted(odd, "number", "numbers"), name, signal.least, signal.most));
  std::replace_if(y.begin(), y.end(), outside, kNoSample);
}

}  // namespace

CanTable::CanTable(std::shared_ptr<const TableBytes> bytes, const LogMap& map)
    : bytes_(std::move(bytes)), dbc_(map.dbc), row_s_(map.row_s), guess_(map.guess) {
  const std::optional<CanForm> form = can_form(bytes_->head());
  if (!form)
    throw FileError(bytes_->file(),
                    fmt::format("{} describes frames of a CAN bus, but this is neither a log of "
                                "candump nor an ASC log; convert it, or leave the DBC away",
                                dbc_));
  form_ = *form;
  description_ = read_dbc(dbc_);
  notes_ = description_.notes;
  CanText text(*bytes_, form_);
  find_streams(count(text));
  name_columns(text.buses());
  if (text.unread() > 0 && !guess_)
    throw FileError(
        {{bytes_->file(), text.first_unread(), 0, "this line is no frame; take it out"}});
  if (text.unread() > 0)
    notes_.push_back(fmt::format("{} cannot be read as a frame, the first in line {}; left out",
                                 counted(text.unread(), "line", "lines"), text.first_unread()));
  if (text.since_1970()) notes_.emplace_back("times count from the second of the first frame");
  find_time(map);
}

std::vector<CanTable::Counted> CanTable::count(CanText& text) {
  std::unordered_map<std::uint64_t, std::size_t> at;
  std::vector<Counted> out;
  text.for_each([&](const CanFrame& frame) {
    const auto [found, is_new] = at.emplace(key_of(frame), out.size());
    if (is_new) out.push_back({found->first, 0});
    ++out[found->second].frames;
    ++frames_;
    return true;
  });
  return out;
}

void CanTable::join(std::uint64_t key, std::size_t message, long long frames) {
  const auto source = static_cast<std::uint8_t>(extended_in(key) ? id_in(key) & 0xFFU : 0U);
  std::size_t i = 0;
  while (i < streams_.size() && !(streams_[i].message == message &&
                                  streams_[i].bus == bus_in(key) && streams_[i].source == source))
    ++i;
  if (i == streams_.size()) streams_.push_back({message, bus_in(key), source, 0});
  streams_[i].frames += frames;
  stream_of_[key] = i;
}

void CanTable::find_streams(std::vector<Counted> counted_ids) {
  std::map<std::pair<bool, std::uint32_t>, std::size_t> by_id;
  std::map<std::uint32_t, std::vector<std::size_t>> by_group;
  const std::vector<CanMessage>& messages = description_.messages;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    by_id.emplace(std::pair(messages[i].extended, messages[i].id), i);
    if (messages[i].extended) by_group[j1939_group(messages[i].id)].push_back(i);
  }
  std::set<std::size_t> exact;
  std::vector<Counted> others;
  for (const Counted& one : counted_ids) {
    const auto found = by_id.find({extended_in(one.key), id_in(one.key)});
    if (found == by_id.end()) {
      others.push_back(one);
      continue;
    }
    exact.insert(found->second);
    join(one.key, found->second, one.frames);
  }
  std::vector<std::string> unknown, by_their_group;
  for (const Counted& one : others) {
    std::optional<std::size_t> taken;
    if (const auto group = by_group.find(j1939_group(id_in(one.key)));
        extended_in(one.key) && group != by_group.end())
      for (const std::size_t message : group->second) {
        const bool told = messages[message].j1939;
        if (!taken && (told || (guess_ && group->second.size() == 1 && !exact.contains(message))))
          taken = message;
        if (taken == message && !told) by_their_group.push_back("'" + messages[message].name + "'");
      }
    if (taken)
      join(one.key, *taken, one.frames);
    else
      unknown.push_back(fmt::format("0x{:X}{}", id_in(one.key), extended_in(one.key) ? "x" : ""));
  }
  if (streams_.empty())
    throw FileError(bytes_->file(),
                    fmt::format("none of its {} is of a message of {}; is it the DBC of this bus?",
                                counted(frames_, "frame", "frames"), dbc_));
  if (!by_their_group.empty())
    notes_.push_back(
        fmt::format("taken as J1939, whoever sends it: {}; the DBC has it from another source",
                    listing(by_their_group)));
  if (!unknown.empty())
    notes_.push_back(fmt::format("frames that the DBC does not describe: {}", listing(unknown)));
}

void CanTable::name_columns(const std::vector<std::string>& buses) {
  std::map<std::string, std::set<std::size_t>> carriers;    // messages by signal
  std::map<std::size_t, std::vector<std::size_t>> streams;  // by message
  for (std::size_t i = 0; i < streams_.size(); ++i) streams[streams_[i].message].push_back(i);
  for (const auto& [message, all] : streams)
    for (const CanSignal& signal : description_.messages[message].signals)
      carriers[signal.name].insert(message);
  std::set<std::string> seen = {kTime};
  for (const auto& [message, all] : streams) {
    const CanMessage& of = description_.messages[message];
    const auto same = [&](auto member) {
      return std::all_of(all.begin(), all.end(), [&](std::size_t i) {
        return streams_[i].*member == streams_[all.front()].*member;
      });
    };
    for (const std::size_t i : all) {
      std::string suffix;
      if (!same(&Stream::source)) suffix += fmt::format(" from 0x{:02X}", streams_[i].source);
      if (!same(&Stream::bus))
        suffix += fmt::format(" on {}", buses[static_cast<std::size_t>(streams_[i].bus)]);
      for (std::size_t k = 0; k < of.signals.size(); ++k) {
        const std::string& signal = of.signals[k].name;
        std::string name = signal + suffix;
        if (carriers[signal].size() > 1 || !seen.insert(name).second)
          name = fmt::format("{}.{}{}", of.name, signal, suffix);
        columns_.push_back({std::move(name), i, k});
      }
    }
  }
}

void CanTable::find_time(const LogMap& map) {
  if (map.time.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const std::string& name = message_of(streams_[i]).name;
    if (name == map.time && (!time_ || streams_[i].frames > streams_[*time_].frames)) time_ = i;
    names.push_back(name);
  }
  if (time_) return;
  throw FileError({{map.place.file, map.place.line, map.place.column,
                    fmt::format("{} has no frames of a message '{}' to be its rows{}",
                                bytes_->file(), map.time, alternatives(map.time, names))}});
}

LogForm CanTable::form() const {
  LogForm out;
  out.kind = fmt::format("{} of {}, read by {}", form_name(form_),
                         counted(frames_, "frame", "frames"), dbc_);
  out.columns = {kTime};
  out.units = {"s"};
  for (const Column& column : columns_) {
    out.columns.push_back(column.name);
    out.units.push_back(signal_of(column).unit);
  }
  out.time = kTime;
  out.time_unit = "s";
  CanText text(*bytes_, form_);
  text.for_each([&](const CanFrame& frame) {
    std::string line = fmt::format("{:.6f} {:X}{}", frame.t_s, frame.id, frame.extended ? "x" : "");
    for (const std::uint8_t byte : frame.data()) line += fmt::format(" {:02X}", byte);
    out.sample.push_back({std::move(line)});
    return out.sample.size() < 5;
  });
  out.notes = notes_;
  return out;
}

std::optional<std::string> CanTable::find(std::string_view name) const {
  const Column* found = nullptr;
  for (const Column& column : columns_) {
    if (column.name == name) return column.name;
    const std::string& signal = signal_of(column).name;
    const std::string& message = message_of(streams_[column.stream]).name;
    const bool whole = name.starts_with(message) && name.substr(message.size()).starts_with('.') &&
                       (name.substr(message.size() + 1) == signal ||
                        name.substr(message.size() + 1) == column.name);
    if (!whole && signal != name) continue;
    if (found != nullptr) return std::nullopt;
    found = &column;
  }
  return found == nullptr ? std::nullopt : std::optional<std::string>(found->name);
}

std::string CanTable::why_not(std::string_view name) const {
  std::vector<std::string> several, silent;
  for (const Column& column : columns_)
    if (signal_of(column).name == name) several.push_back("'" + column.name + "'");
  if (several.size() > 1)
    return fmt::format("several columns of {} are called '{}'; say which: {}", bytes_->file(), name,
                       listing(several, "or"));
  bool packets = false;
  for (const CanMessage& message : description_.messages)
    for (const CanSignal& signal : message.signals)
      if (signal.name == name || fmt::format("{}.{}", message.name, signal.name) == name) {
        silent.push_back(fmt::format("'{}' (0x{:X})", message.name, message.id));
        packets = packets || (message.j1939 && message.bytes > 8);
      }
  if (silent.empty()) return {};
  return fmt::format("{} has no frame of message {}, which carries '{}' in {}{}", bytes_->file(),
                     listing(silent, "or"), name, dbc_,
                     packets ? "; messages of more than 8 bytes come in packets, which are not put "
                               "together"
                             : "");
}

std::size_t CanTable::leading(const std::vector<std::size_t>& wanted) const {
  if (time_) return *time_;
  std::size_t best = wanted.empty() ? 0 : wanted.front();
  const auto more = [&](std::size_t i) {
    if (streams_[i].frames > streams_[best].frames) best = i;
  };
  if (wanted.empty())
    for (std::size_t i = 0; i < streams_.size(); ++i) more(i);
  for (const std::size_t i : wanted) more(i);
  return best;
}

TableRows CanTable::rows(const RowWish& wish, const std::vector<std::string>& held) const {
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<TakenFrames> taken(streams_.size());
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!is_in(wish.only, columns_[c].name)) continue;
    if (taken[columns_[c].stream].columns.empty()) wanted.push_back(columns_[c].stream);
    taken[columns_[c].stream].columns.push_back(c);
    taken[columns_[c].stream].y.emplace_back();
  }
  const std::size_t lead = leading(wanted);
  CanText text(*bytes_, form_);
  text.for_each([&](const CanFrame& frame) {
    const auto found = stream_of_.find(key_of(frame));
    if (found == stream_of_.end()) return true;
    TakenFrames& of = taken[found->second];
    if (of.columns.empty() && found->second != lead) return true;
    const CanMessage& message = message_of(streams_[found->second]);
    of.t.push_back(frame.t_s);
    if (found->second == lead) of.lines.push_back(frame.line);
    bool too_short = false;
    for (std::size_t k = 0; k < of.columns.size(); ++k) {
      const CanSignal& signal = signal_of(columns_[of.columns[k]]);
      of.y[k].push_back(signal_number(message, signal, frame.data(), too_short));
    }
    of.too_short += too_short ? 1 : 0;
    return true;
  });

  TableRows out;
  std::vector<double> t;
  if (row_s_ > 0.0) {
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const TakenFrames& one : taken)
      for (const double x : one.t) {
        first = std::min(first, x);
        last = std::max(last, x);
      }
    const double count = first <= last ? std::floor((last - first) / row_s_ + 1e-9) + 1.0 : 0.0;
    constexpr double kMostRows = 5e7;
    if (count > kMostRows)
      throw FileError(bytes_->file(),
                      fmt::format("rows {:g} s apart over {:g} s are too many; take a longer 'row'",
                                  row_s_, last - first));
    for (double i = 0.0; i < count; i += 1.0) t.push_back(first + i * row_s_);
    out.csv.lines.resize(t.size(), 0);
  } else {
    t = taken[lead].t;
    out.csv.lines = std::move(taken[lead].lines);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    TakenFrames& of = taken[i];
    for (std::size_t k = 0; k < of.columns.size(); ++k) {
      const Column& column = columns_[of.columns[k]];
      const CanSignal& signal = signal_of(column);
      if (!wish.strict) keep_range(signal, column.name, of.y[k], out.notes);
      out.csv.columns.push_back(column.name);
      if (i == lead && row_s_ <= 0.0)
        out.csv.data.push_back(std::move(of.y[k]));
      else
        out.csv.data.push_back(
            put_beside(t, by_time(of.t, of.y[k]), signal.states || is_in(held, column.name)));
      of.y[k] = {};
    }
    if (of.too_short > 0)
      out.notes.push_back(fmt::format("{} of message '{}' too short for its signals; missing",
                                      counted(of.too_short, "frame", "frames"),
                                      message_of(streams_[i]).name));
  }
  if (wanted.size() > 1 && row_s_ <= 0.0)
    out.notes.push_back(
        fmt::format("rows are the frames of message '{}'; other messages stand in the rows next to "
                    "theirs",
                    message_of(streams_[lead]).name));
  out.csv.columns.emplace_back(kTime);
  out.csv.data.push_back(std::move(t));
  return out;
}

}  // namespace knuckleboom::io
