#include "app/report/stanford.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/comparison_key.hpp"
#include "app/session/work_times.hpp"
#include "app/shell/exit_status.hpp"
#include "report/text.hpp"

namespace knuckleboom::app {
namespace {

using report::escaped;

// Estimates: work of the pumps over that at the engine's shaft, and a diesel engine's litres for each joule there
// (210 g/kWh at 0.84 kg/l).
constexpr double kPumpEfficiency = 0.85, kLitresPerJoule = 0.25 / 3.6e6;

// --- Text -----------------------------------------------------------------------

class Xml {
 public:
  Xml& open(std::string_view name, std::string_view attributes = {}) {
    line(fmt::format("<{}{}{}>", name, attributes.empty() ? "" : " ", attributes));
    names_.emplace_back(name);
    return *this;
  }
  Xml& close() {
    const std::string name = std::move(names_.back());
    names_.pop_back();
    line("</" + name + ">");
    return *this;
  }
  template <class T>
  Xml& leaf(std::string_view name, const T& value, std::string_view attributes = {}) {
    line(fmt::format("<{0}{1}{2}>{3}</{0}>", name, attributes.empty() ? "" : " ", attributes,
                     escaped(fmt::format("{}", value))));
    return *this;
  }
  std::string text() const { return text_; }

 private:
  void line(const std::string& what) { text_ += std::string(2 * names_.size(), ' ') + what + "\n"; }
  std::string text_ =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<!-- Simulated: no machine has worked and no wood was moved. -->\n";
  std::vector<std::string> names_;
};

// So many seconds after a time such as "2026-11-28T06:40:12Z".
std::string time_after(const std::string& utc, std::int64_t seconds) {
  using namespace std::chrono;
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%dZ", &y, &mo, &d, &h, &mi, &s) != 6) return utc;
  const sys_days day = year(y) / mo / d;
  const sys_seconds at = day + hours(h) + minutes(mi) + std::chrono::seconds(s + seconds);
  const sys_days on = floor<days>(at);
  const year_month_day date(on);
  const hh_mm_ss time(at - on);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}+00:00", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

// --- What was recorded ------------------------------------------------------------

// A begun attempt.
struct Span {
  std::size_t index;
  std::int64_t begin, start, end;  // ticks; begin: what counts; start: of the first lever movement
};

std::vector<Span> spans_of(const io::SessionRecord& record) {
  std::vector<Span> out;
  for (std::size_t i = 0; i < record.attempts.size(); ++i) {
    const io::SessionAttempt& attempt = record.attempts[i];
    if (attempt.phase == training::TaskPhase::kReady) continue;
    Span span{i, attempt.begin_tick, attempt.begin_tick, attempt.end_tick};
    if (const auto moved = first_movement(record, attempt)) span.start = *moved - 1;
    const std::int64_t free = std::llround(training::kReadyTime * record.header.rate_Hz);
    span.begin = std::min(span.start, span.begin + free);
    out.push_back(span);
  }
  return out;
}

// A channel over time; 0 where there is none.
class Column {
 public:
  Column(const io::SessionRecord& record, std::string_view name)
      : ticks_(record.channel_ticks), values_(record.channel_if_known(name)) {}
  double at(std::int64_t tick) const {
    const auto behind = std::upper_bound(ticks_.begin(), ticks_.end(), tick);
    const auto row = behind - ticks_.begin() - 1;
    return row >= 0 && row < static_cast<std::ptrdiff_t>(values_.size())
               ? static_cast<double>(values_[static_cast<std::size_t>(row)])
               : 0.0;
  }

 private:
  const std::vector<std::int64_t>& ticks_;
  std::vector<float> values_;
};

// The head of every message, up to what is measured.
void open_message(Xml& xml, const char* root, const char* type, const io::SessionRecord& record,
                  const training::Session& session) {
  const std::string created =
      time_after(record.header.start_utc, std::llround(record.duration_s()));
  xml.open(root,
           fmt::format("xmlns=\"urn:skogforsk:stanford2010\" messageType=\"{}\" areaUnit=\"ha\" "
                       "diameterUnit=\"mm\" lengthUnit=\"cm\" volumeUnit=\"m3\" weightUnit=\"kg\" "
                       "version=\"3.6\"",
                       type));
  xml.open(std::string(root) + "Header")
      .leaf("CreationDate", created)
      .leaf("ModificationDate", created)
      .leaf("ApplicationVersionCreated", record.header.program)
      .leaf("ApplicationVersionModified", io::this_program())
      .leaf("CountryCode", 0)
      .close();
  const std::string& name = session.machine().name;
  const bool harvests = name.find("harvester") != std::string::npos;
  xml.open("Machine", fmt::format("machineCategory=\"{}\"", harvests ? "Harvester" : "Forwarder"));
  xml.leaf("MachineKey", "KNUCKLEBOOM-SIMULATED-" + name)
      .leaf("MachineUserID", "SIMULATION", "agency=\"Other\"")
      .leaf("MachineOwnerID", "")
      .leaf("MachineApplicationVersion", record.header.program)
      .leaf("MachineBaseManufacturer", "Knuckleboom (simulated)")
      .leaf("MachineBaseModel", name);
  xml.open("OperatorDefinition")
      .leaf("OperatorKey", 1)
      .leaf("OperatorUserID",
            record.header.learner_id.empty() ? "not told" : record.header.learner_id,
            "agency=\"Other\"");
  xml.open("ContactInformation").close().close();
}

void put_object(Xml& xml, const io::SessionRecord& record) {
  xml.open("ObjectDefinition")
      .leaf("ObjectUserID", record.header.id, "agency=\"Other\"")
      .leaf("ObjectName", "SIMULATION")
      .leaf("ForestCertification", "None")
      .leaf("ObjectKey", 1)
      .leaf("StartDate", time_after(record.header.start_utc, 0))
      .close();
}

void put_product(Xml& xml, const io::SessionRecord& record, int key, std::string_view name) {
  xml.open("ProductDefinition").leaf("ProductKey", key);
  xml.open("ClassifiedProductDefinition")
      .leaf("ProductName", name)
      .leaf("ModificationDate", time_after(record.header.start_utc, 0))
      .leaf("ProductUserID", fmt::format("SIMULATION-{}", key), "agency=\"Other\"")
      .close()
      .close();
}

// --- Monitoring -------------------------------------------------------------------

// A time of one kind of work, in whole seconds of the session.
struct Stretch {
  bool travels;
  std::int64_t begin_s, end_s;
  std::int64_t begin, end;  // ticks
};

// Driving becomes certain after a while, and began then.
std::vector<Stretch> stretches_of(const io::SessionRecord& record, const Span& span) {
  const Column drive(record, "element_drive");
  const double rate = record.header.rate_Hz;
  const std::int64_t back = std::llround(training::ElementLimits{}.drive_s * rate);
  std::vector<std::pair<std::int64_t, bool>> edges = {{span.begin, false}};
  for (const std::int64_t tick : record.channel_ticks) {
    if (tick <= span.start || tick > span.end) continue;
    const bool travels = std::lround(drive.at(tick)) == static_cast<long>(training::Element::kMove);
    if (travels == edges.back().second) continue;
    edges.emplace_back(travels ? std::max(edges.back().first, tick - back) : tick, travels);
  }
  // Whole seconds from the span's begin on, so that the lengths add up to its own.
  const std::int64_t first_s =
      std::llround(static_cast<double>(span.begin - record.header.first_tick) / rate);
  const auto seconds = [&](std::int64_t tick) {
    return first_s + std::llround(static_cast<double>(tick - span.begin) / rate);
  };
  std::vector<Stretch> out;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::int64_t end = i + 1 < edges.size() ? edges[i + 1].first : span.end;
    const Stretch one{edges[i].second, seconds(edges[i].first), seconds(end), edges[i].first, end};
    if (one.end_s > one.begin_s) out.push_back(one);
  }
  return out;
}

}  // namespace

std::string monitoring_message(const io::SessionRecord& record, const training::Session& session) {
  const std::vector<Span> spans = spans_of(record);
  const Column driven(record, "score_driven_m"), work(record, "pump_work_J");
  Xml xml;
  open_message(xml, "OperationalMonitoring", "mom", record, session);
  put_object(xml, record);
  // Whole units; what is rounded off goes to the next stretch.
  double way_m = 0.0, fuel_l = 0.0;
  std::int64_t told_m = 0, told_l = 0, engine_s = 0, first_s = -1, last_s = 0;
  for (const Span& span : spans)
    for (const Stretch& one : stretches_of(record, span)) {
      way_m += std::max(0.0, driven.at(one.end) - driven.at(one.begin));
      fuel_l +=
          std::max(0.0, work.at(one.end) - work.at(one.begin)) / kPumpEfficiency * kLitresPerJoule;
      const std::int64_t metres = std::llround(way_m) - told_m,
                         litres = std::llround(fuel_l) - told_l;
      told_m += metres;
      told_l += litres;
      const std::int64_t length = one.end_s - one.begin_s;
      engine_s += length;
      first_s = first_s < 0 ? one.begin_s : first_s;
      last_s = one.end_s;
      xml.open("IndividualMachineWorkTime")
          .leaf("OperatorKey", 1)
          .leaf("ObjectKey", 1)
          .leaf("MonitoringStartTime", time_after(record.header.start_utc, one.begin_s))
          .leaf("MonitoringTimeLength", length)
          .leaf("MonitoringSettingsKey", 1);
      xml.open("OtherMachineData")
          .leaf("EngineTime", length)
          .leaf("DrivenDistance", metres)
          .leaf("FuelConsumption", litres)
          .close();
      xml.leaf("IndividualMachineRunTimeCategory", one.travels ? "Terrain travel" : "Processing")
          .close();
    }
  if (first_s < 0)
    throw UserError(
        "nothing was done in this session for as long as a second; there is nothing to report");
  xml.open("ReportInterval")
      .leaf("ReportStartTime", time_after(record.header.start_utc, first_s))
      .leaf("ReportEndTime", time_after(record.header.start_utc, last_s))
      .leaf("ReportFilterCategory", "No filter")
      .close();
  xml.open("MonitoringSettings")
      .leaf("MonitoringFilterTimeDown", 0)
      .leaf("MonitoringFilterTimeRun", 0)
      .leaf("MonitoringFilterTimeMinimum", 0)
      .leaf("MonitoringSettingsKey", 1)
      .close();
  xml.leaf("MachineEngineTime", std::llround(static_cast<double>(engine_s) / 60.0))
      .leaf("MachineDrivenDistance", told_m)
      .leaf("MachineFuelConsumption", told_l);
  return xml.close().close().text();
}

// --- Loads ------------------------------------------------------------------------

namespace {

struct Load {
  world::LogSet logs;
  std::int64_t at;  // tick at which it was unloaded; -1: it lay there when the attempt ended
  double driven_m;  // since the last
};

// From the states that are stored each second, and that at the end of the attempt. A load is all that lay there since
// the room was empty.
std::vector<Load> loads_of(const io::SessionRecord& record, const training::Session& session) {
  const Column driven(record, "score_driven_m");
  const RecordedWork work(record, session);
  std::vector<Load> out;
  for (const Span& span : spans_of(record)) {
    Load load{};
    double last_m = 0.0;
    const auto finish = [&](std::int64_t tick, bool unloaded) {
      load.at = unloaded ? tick : -1;
      const double now_m = driven.at(tick);
      load.driven_m = std::max(0.0, now_m - last_m);
      last_m = now_m;
      if (load.logs.count() > 0) out.push_back(load);
      load = {};
    };
    world::LogSet there{};
    for (std::size_t i = 0; i < record.state_ticks.size(); ++i) {
      const std::int64_t tick = record.state_ticks[i];
      if (tick < span.start || tick >= span.end) continue;
      there = session.snapshot(record.state(i, session)).load.logs;
      if (there.count() == 0 && load.logs.count() > 0) finish(tick, true);
      for (int log = 0; log < session.world().log_count(); ++log)
        if (there.has(log)) load.logs.add(log);
    }
    const auto end = work.at_end_of(span.index);
    if (!end) continue;
    there = end->load.logs;
    const bool empty = there.count() == 0;
    if (!empty) load.logs = there;
    finish(span.end, empty);
  }
  return out;
}

constexpr const char* kProducts[] = {"Logs (simulated)", "Red logs (simulated)",
                                     "Blue logs (simulated)"};

int product_of(const world::Log& log) { return std::clamp(log.colour, 0, 2); }

}  // namespace

std::string forwarding_message(const io::SessionRecord& record, const training::Session& session) {
  const std::vector<Load> loads = loads_of(record, session);
  if (loads.empty())
    throw UserError(
        "no log lay in the machine's load space in this session, so that there is no load to "
        "report");
  const std::vector<world::Log>& logs = session.world().recipe().logs;
  std::map<int, int> products;  // with their keys
  for (const Load& load : loads)
    for (int i = 0; i < session.world().log_count(); ++i)
      if (load.logs.has(i)) products.emplace(product_of(logs[static_cast<std::size_t>(i)]), 0);
  Xml xml;
  open_message(xml, "ForwardedProduction", "fpr", record, session);
  int next = 0;
  for (auto& [product, key] : products) put_product(xml, record, key = ++next, kProducts[product]);
  put_object(xml, record);
  for (const auto& [product, key] : products)
    xml.open("DeliveryDefinition").leaf("DeliveryKey", key).leaf("ProductKey", key).close();
  xml.open("LocationDefinition")
      .leaf("LocationKey", 1)
      .leaf("ObjectKey", 1)
      .leaf("LocationName", "SIMULATION");
  xml.open("LocationCoordinates", "coordinateReferenceSystem=\"WGS84\"")
      .leaf("Latitude", 0, "latitudeCategory=\"North\"")
      .leaf("Longitude", 0, "longitudeCategory=\"East\"")
      .close()
      .close();
  int load_key = 0, part_key = 0;
  for (const Load& load : loads) {
    ++load_key;
    xml.open("Load")
        .leaf("LoadKey", load_key)
        .leaf("OperatorKey", 1)
        .leaf("LoadNumber", load_key)
        .leaf("DistanceFromLastUnloading", std::llround(load.driven_m));
    if (load.at >= 0)
      xml.leaf("UnloadingTime",
               time_after(record.header.start_utc,
                          std::llround(static_cast<double>(load.at - record.header.first_tick) /
                                       record.header.rate_Hz)));
    for (const auto& [product, key] : products) {
      double volume_m3 = 0.0, mass_kg = 0.0;
      for (int i = 0; i < session.world().log_count(); ++i) {
        const world::Log& log = logs[static_cast<std::size_t>(i)];
        if (!load.logs.has(i) || product_of(log) != product) continue;
        volume_m3 += world::mass(log) / log.density;
        mass_kg += world::mass(log);
      }
      if (!(volume_m3 > 0.0)) continue;
      xml.open("PartialLoad")
          .leaf("PartialLoadKey", ++part_key)
          .leaf("DeliveryKey", key)
          .leaf("LocationKey", 1)
          .leaf("LoadVolume", fmt::format("{:.4f}", volume_m3),
                "loadVolumeCategory=\"Volume, m3sob\"")
          .leaf("LoadGreenMass", fmt::format("{:.0f}", mass_kg))
          .close();
    }
    xml.close();
  }
  return xml.close().close().text();
}

// --- Harvest ------------------------------------------------------------------------

namespace {

constexpr const char* kNoProduct = "Other logs (simulated)";

// Logs that came off one stem in one attempt, from the butt on.
struct HarvestedStem {
  const timber::Tree* tree;
  std::int64_t at;  // tick: end of the attempt
  std::vector<training::CutSnapshot> logs;
};

std::vector<HarvestedStem> harvest_of(const io::SessionRecord& record,
                                      const training::Session& session) {
  const RecordedWork work(record, session);
  std::vector<HarvestedStem> out;
  for (const Span& span : spans_of(record)) {
    const auto end = work.at_end_of(span.index);
    if (!end) continue;
    for (const worksite::StandingTree& standing : session.site().felling().trees()) {
      HarvestedStem stem{&standing.tree, span.end, {}};
      for (int k = 0; k < end->cut_count; ++k)
        if (end->cut[k].stem == standing.stem) stem.logs.push_back(end->cut[k]);
      if (!stem.logs.empty()) out.push_back(std::move(stem));
    }
  }
  return out;
}

void put_log(Xml& xml, int key, int product, const training::CutSnapshot& log,
             const timber::Tree& tree) {
  const timber::Round piece =
      timber::section(tree.profile(), tree.density(), log.from, log.from + log.size.length);
  xml.open("Log").leaf("LogKey", key).leaf("ProductKey", product);
  xml.leaf("LogVolume", fmt::format("{:.4f}", piece.volume), "logVolumeCategory=\"m3sob\"")
      .leaf("LogVolume", fmt::format("{:.4f}", piece.volume_under_bark),
            "logVolumeCategory=\"m3sub\"");
  xml.open("CuttingCategory").leaf("CuttingReason", log.wanted_m > 0.0 ? "Automatic" : "Manual");
  xml.close();
  xml.open("LogMeasurement")
      .leaf("LogDiameter", std::llround(1e3 * log.measured_top_m), "logDiameterCategory=\"Top ob\"")
      .leaf("LogLength", std::llround(1e2 * log.measured_m))
      .close();
  xml.close();
}

}  // namespace

std::string production_message(const io::SessionRecord& record, const training::Session& session) {
  const std::vector<HarvestedStem> stems = harvest_of(record, session);
  if (stems.empty())
    throw UserError("no log was cut off in this session, so that there is no harvest to report");
  Xml xml;
  open_message(xml, "HarvestedProduction", "hpr", record, session);
  std::map<std::string, int> species;
  for (const HarvestedStem& stem : stems) species.emplace(stem.tree->recipe().species, 0);
  int next = 0;
  for (auto& [name, key] : species)
    xml.open("SpeciesGroupDefinition")
        .leaf("SpeciesGroupKey", key = ++next)
        .leaf("SpeciesGroupName", name)
        .close();
  const auto& products = session.exercise().prices.products;
  const int other = static_cast<int>(products.size()) + 1;  // keys are one more than the number
  for (int p = 0; p + 1 < other; ++p)
    put_product(xml, record, p + 1, products[static_cast<std::size_t>(p)].name + " (simulated)");
  put_product(xml, record, other, kNoProduct);
  put_object(xml, record);
  int stem_key = 0;
  for (const HarvestedStem& stem : stems) {
    const timber::Profile& profile = stem.tree->profile();
    const std::int64_t second = std::llround(
        static_cast<double>(stem.at - record.header.first_tick) / record.header.rate_Hz);
    ++stem_key;
    xml.open("Stem")
        .leaf("StemKey", stem_key)
        .leaf("ObjectKey", 1)
        .leaf("SpeciesGroupKey", species[stem.tree->recipe().species])
        .leaf("OperatorKey", 1)
        .leaf("HarvestDate", time_after(record.header.start_utc, second))
        .leaf("StemNumber", stem_key)
        .leaf("ProcessingCategory", "SingleTreeProcessing");
    xml.open("SingleTreeProcessedStem")
        .leaf("DBH", std::llround(1e3 * timber::over_bark(profile, timber::kBreastHeight)))
        .leaf("ReferenceDiameter",
              std::llround(1e3 * timber::over_bark(profile, timber::kBreastHeight)),
              "referenceDiameterHeight=\"130\"")
        .leaf("StemGrade", 1);
    int log_key = 0;
    for (const training::CutSnapshot& log : stem.logs)
      put_log(xml, ++log_key, log.product < 0 ? other : log.product + 1, log, *stem.tree);
    xml.close().close();
  }
  return xml.close().close().text();
}

}  // namespace knuckleboom::app
