#include "knuckleboom/io/emulation_file.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "declare/emulation_keys.hpp"
#include "document.hpp"
#include "initial_joints.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using emulation::SiteKind;
namespace keys = declare::keys;
namespace emulation_keys = keys::emulation_file;

class EmulationReader {
 public:
  EmulationReader(const Node& root, Report& report) : root_(root), report_(report) {}

  EmulationFile read() {
    TableReader reader(report_, root_, emulation_keys::table, "the emulation file");
    reader.fill(plan());
    out_.host = reader.text(emulation_keys::host).value_or("");
    out_.emulated = reader.text(emulation_keys::emulated).value_or("");
    out_.plant = reader.texts(emulation_keys::plant).value_or(std::vector<std::string>());
    out_.host_place =
        place_in(report_, reader.place_of(emulation_keys::host), ScenarioPlaces::Unit::kNone);
    out_.emulated_place =
        place_in(report_, reader.place_of(emulation_keys::emulated), ScenarioPlaces::Unit::kNone);
    read_initial(reader, emulation_keys::host_start, report_, plan().host.initial, out_.host_start);
    read_initial(reader, emulation_keys::emulated_start, report_, plan().emulated.initial,
                 out_.emulated_start);
    fill(reader, emulation_keys::rates, plan());
    if (const auto site = fill(reader, emulation_keys::site, plan().site)) {
      depth_place_ = site->place_of(keys::site::depth);
      radius_place_ = site->place_of(keys::site::hole_radius);
    }
    if (const auto peg = fill(reader, emulation_keys::peg, plan())) {
      start_place_ = peg->place_of(keys::peg::start);
      if (plan().misalignment_S.norm() > 0.5)
        report_.error(peg->place_of(keys::peg::misalignment),
                      "'misalignment' of 'peg' is beyond half a radian; the contact is made for "
                      "pegs that are nearly upright");
    }
    fill(reader, emulation_keys::sensor, plan().sensor);
    fill(reader, emulation_keys::joint_sensors, plan().joint_sensors);
    fill(reader, emulation_keys::delays, plan().delays);
    fill(reader, emulation_keys::control, plan());
    read_accommodation(reader);
    fill(reader, emulation_keys::safety, plan().safety);
    read_phases(reader);
    reader.done();
    report_.throw_if_any();
    check_fit();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  emulation::EmulationPlan& plan() { return out_.plan; }

  // A table of the file whose keys are all members of one thing; null if it is not there.
  template <class T>
  std::optional<TableReader> fill(TableReader& root, const Key& key, T& object) {
    const Node* node = root.subtable(key);
    if (node == nullptr) return std::nullopt;
    TableReader reader(report_, *node, *key.inside, fmt::format("'{}'", key.name));
    if (reader.fill(object)) reader.done();
    return reader;
  }

  void read_accommodation(TableReader& root) {
    namespace k = keys::accommodation;
    const Node* node = root.subtable(emulation_keys::accommodation);
    if (node == nullptr) return;
    TableReader reader(report_, *node, k::table, "'accommodation'");
    const double speed = reader.value(k::speed), force = reader.value(k::force);
    const double turn = reader.value(k::turn), moment = reader.value(k::moment);
    plan().accommodation.translation = force > 0.0 ? speed / force : 0.0;
    plan().accommodation.rotation = moment > 0.0 ? turn / moment : 0.0;
    reader.fill(plan().accommodation);
    reader.done();
  }

  void read_phases(TableReader& root) {
    for (const Node* node : root.tables(emulation_keys::phases)) {
      TableReader reader(report_, *node, keys::phase::table,
                         fmt::format("phase {}", plan().phases.size() + 1));
      reader.fill(plan().phases.emplace_back());
      reader.done();
    }
    if (plan().phases.empty())
      report_.error(root.place(),
                    "the emulation file has no [[phase]]; the first says what is "
                    "done at the start");
  }

  void check_fit() {
    const emulation::Worksite& site = plan().site;
    if (plan().start_S.z() > 0.0)
      report_.error(start_place_,
                    "'start' of 'peg' lies inside the material: z points into it, so give a "
                    "negative one");
    if (site.kind != SiteKind::kHole) return;
    if (!(site.hole_radius > plan().peg.radius))
      report_.error(radius_place_,
                    fmt::format("'hole_radius' of 'site' is {:g} m, and the peg's radius {:g} m: "
                                "it cannot go in",
                                site.hole_radius, plan().peg.radius));
    if (!(site.depth > site.chamfer))
      report_.error(depth_place_, "'depth' of 'site' must be more than its 'chamfer'");
  }

  const Node& root_;
  Report& report_;
  Place depth_place_, radius_place_, start_place_;
  EmulationFile out_;
};

}  // namespace

EmulationFile read_emulation_text(std::string_view text, const std::string& file_name,
                                  std::span<const Override> overrides,
                                  std::vector<Diagnostic>* unknown) {
  Report report;
  report.leave_out_unknown(unknown);
  Hasher hash;
  DocumentOptions options;
  options.what = "emulation file";
  options.keys = &emulation_keys::table;
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  EmulationFile file = EmulationReader(root, report).read();
  file.hash = hash.result();
  file.files = report.files_read();
  file.remarks = report.remarks();
  return file;
}

EmulationFile read_emulation(const std::filesystem::path& path,
                             std::span<const Override> overrides) {
  return read_emulation_text(read_text_file(path, kConfigurationLimit, "emulation file"),
                             path.string(), overrides);
}

}  // namespace knuckleboom::io
