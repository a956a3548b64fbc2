#include "knuckleboom/io/emulation_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "document.hpp"
#include "initial_joints.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

using emulation::Integrator;
using emulation::Scheme;
using emulation::SiteKind;

constexpr std::size_t kMaxPhases = 1000;
constexpr Range kSmallLength{0.0, 10.0, true};  // m

class EmulationReader {
 public:
  EmulationReader(const Node& root, Report& report) : root_(root), report_(report) {}

  EmulationFile read() {
    TableReader reader(report_, root_, "the emulation file");
    read_head(reader);
    read_initial(reader, "host_start", report_, plan().host.initial, out_.host_start);
    read_initial(reader, "emulated_start", report_, plan().emulated.initial, out_.emulated_start);
    read_rates(reader);
    read_site(reader);
    read_peg(reader);
    read_sensor(reader);
    read_control(reader);
    read_accommodation(reader);
    read_safety(reader);
    read_phases(reader);
    reader.done();
    report_.throw_if_any();
    check_fit();
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  emulation::EmulationPlan& plan() { return out_.plan; }

  void read_head(TableReader& reader) {
    plan().name = reader.required_text("name");
    if (!plan().name.empty() && !is_name(plan().name))
      reader.error("name", fmt::format("'name' is \"{}\"; a name starts with a letter and has "
                                       "letters, digits, '_' and '-' only, at most 64",
                                       plan().name));
    plan().description = reader.text("description").value_or("");
    out_.host = reader.required_text("host");
    out_.emulated = reader.required_text("emulated");
    out_.host_place = place_in(report_, reader.place_of("host"), ScenarioPlaces::Unit::kNone);
    out_.emulated_place =
        place_in(report_, reader.place_of("emulated"), ScenarioPlaces::Unit::kNone);
    plan().operator_acceleration =
        reader.quantity("operator_acceleration", Dimension::kAcceleration, kPositive)
            .value_or(plan().operator_acceleration);
  }

  void read_rates(TableReader& root) {
    const Node* node = root.subtable("rates");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'rates'");
    plan().tick_s =
        reader.quantity("tick", Dimension::kTime, Range{1e-4, 4e-3}).value_or(plan().tick_s);
    plan().plant_substeps = reader.integer("plant_substeps", 1, 64).value_or(plan().plant_substeps);
    plan().emulated_every = reader.integer("emulated_every", 1, 16).value_or(plan().emulated_every);
    plan().integrator = reader
                            .choice<Integrator>("emulated_integrator",
                                                {{"real_time_step", Integrator::kRealTimeStep},
                                                 {"explicit_euler", Integrator::kExplicitEuler}})
                            .value_or(plan().integrator);
    reader.done();
  }

  void read_site(TableReader& root) {
    const Node* node = root.required_subtable("site");
    if (node == nullptr) return;
    emulation::Worksite& site = plan().site;
    TableReader reader(report_, *node, "'site'");
    const auto kind =
        reader.choice<SiteKind>("kind", {{"plane", SiteKind::kPlane}, {"hole", SiteKind::kHole}});
    if (!reader.has("kind")) reader.missing("kind", {Dimension::kNone});
    site.kind = kind.value_or(SiteKind::kPlane);
    if (site.kind == SiteKind::kHole) {
      site.hole_radius = reader.required("hole_radius", Dimension::kLength, kSmallLength);
      site.chamfer = reader.required("chamfer", Dimension::kLength, Range{0.0, 1.0});
      site.depth = reader.required("depth", Dimension::kLength, kSmallLength);
      depth_place_ = reader.place_of("depth");
      radius_place_ = reader.place_of("hole_radius");
    }
    site.law.stiffness = reader.required("stiffness", Dimension::kStiffness, Range{1.0, 1e9});
    site.law.relaxation_s = reader.quantity("relaxation", Dimension::kTime, Range{0.0, 1.0})
                                .value_or(site.law.relaxation_s);
    site.law.friction =
        reader.quantity("friction", Dimension::kNone, Range{0.0, 2.0}).value_or(site.law.friction);
    reader.done();
  }

  void read_peg(TableReader& root) {
    const Node* node = root.required_subtable("peg");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'peg'");
    plan().peg.radius = reader.required("radius", Dimension::kLength, kSmallLength);
    plan().peg.length = reader.required("length", Dimension::kLength, kSmallLength);
    plan().start_S = reader.required_vector("start", Dimension::kLength);
    start_place_ = reader.place_of("start");
    plan().misalignment_S = reader.vector("misalignment", Dimension::kAngle).value_or(Vec3::Zero());
    if (plan().misalignment_S.norm() > 0.5)
      reader.error("misalignment",
                   "'misalignment' of 'peg' is beyond half a radian; the contact is made for pegs "
                   "that are nearly upright");
    reader.done();
  }

  void read_sensor(TableReader& root) {
    const Node* node = root.subtable("sensor");
    if (node == nullptr) return;
    emulation::ForceSensor& sensor = plan().sensor;
    TableReader reader(report_, *node, "'sensor'");
    sensor.force_noise =
        reader.quantity("force_noise", Dimension::kForce, kNonNegative).value_or(0.0);
    sensor.moment_noise =
        reader.quantity("moment_noise", Dimension::kTorque, kNonNegative).value_or(0.0);
    sensor.bias.force = reader.vector("force_bias", Dimension::kForce).value_or(Vec3::Zero());
    sensor.bias.moment = reader.vector("moment_bias", Dimension::kTorque).value_or(Vec3::Zero());
    sensor.delay = reader.integer("delay_ticks", 0, emulation::kMaxSensorDelay).value_or(0);
    sensor.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, 2147483647).value_or(1));
    reader.done();
  }

  void read_control(TableReader& root) {
    const Node* node = root.subtable("control");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'control'");
    plan().scheme = reader
                        .choice<Scheme>("scheme", {{"acceleration", Scheme::kAcceleration},
                                                   {"position", Scheme::kPosition}})
                        .value_or(plan().scheme);
    const Range bandwidth{0.0, 500.0};
    plan().gains.bandwidth_Hz = reader.quantity("bandwidth", Dimension::kFrequency, bandwidth)
                                    .value_or(plan().gains.bandwidth_Hz);
    plan().gains.damping = reader.quantity("damping", Dimension::kNone, Range{0.0, 10.0})
                               .value_or(plan().gains.damping);
    plan().position_gains.bandwidth_Hz =
        reader.quantity("position_bandwidth", Dimension::kFrequency, bandwidth)
            .value_or(plan().position_gains.bandwidth_Hz);
    plan().position_gains.damping =
        reader.quantity("position_damping", Dimension::kNone, Range{0.0, 10.0})
            .value_or(plan().position_gains.damping);
    plan().torque_bandwidth_Hz =
        reader.quantity("torque_bandwidth", Dimension::kFrequency, Range{1.0, 500.0})
            .value_or(plan().torque_bandwidth_Hz);
    plan().prediction = reader.flag("prediction").value_or(plan().prediction);
    plan().prediction_filter_s =
        reader.quantity("prediction_filter", Dimension::kTime, Range{0.0, 1.0})
            .value_or(plan().prediction_filter_s);
    plan().friction_share = reader.quantity("friction_share", Dimension::kNone, Range{0.0, 2.0})
                                .value_or(plan().friction_share);
    plan().observer_Hz = reader.quantity("observer", Dimension::kFrequency, Range{0.1, 500.0})
                             .value_or(plan().observer_Hz);
    reader.done();
  }

  void read_accommodation(TableReader& root) {
    const Node* node = root.subtable("accommodation");
    if (node == nullptr) return;
    TableReader reader(report_, *node, "'accommodation'");
    const double speed = reader.required("speed", Dimension::kSpeed, kNonNegative);
    const double force = reader.required("force", Dimension::kForce, kPositive);
    const double turn = reader.required("turn", Dimension::kAngularSpeed, kNonNegative);
    const double moment = reader.required("moment", Dimension::kTorque, kPositive);
    plan().accommodation.translation = force > 0.0 ? speed / force : 0.0;
    plan().accommodation.rotation = moment > 0.0 ? turn / moment : 0.0;
    plan().accommodation.filter_Hz =
        reader.quantity("filter", Dimension::kFrequency, Range{0.01, 500.0})
            .value_or(plan().accommodation.filter_Hz);
    reader.done();
  }

  void read_safety(TableReader& root) {
    const Node* node = root.subtable("safety");
    if (node == nullptr) return;
    emulation::SafetyLimits& safety = plan().safety;
    TableReader reader(report_, *node, "'safety'");
    safety.most_force =
        reader.quantity("most_force", Dimension::kForce, kPositive).value_or(safety.most_force);
    safety.most_tip_error = reader.quantity("most_tip_error", Dimension::kLength, kPositive)
                                .value_or(safety.most_tip_error);
    const Range time{1e-3, 3600.0};
    safety.late_tick_s =
        reader.quantity("late_tick", Dimension::kTime, time).value_or(safety.late_tick_s);
    safety.console_s =
        reader.quantity("console", Dimension::kTime, time).value_or(safety.console_s);
    safety.stale_stop_s =
        reader.quantity("stale_stop", Dimension::kTime, time).value_or(safety.stale_stop_s);
    reader.done();
  }

  void read_phases(TableReader& root) {
    for (const Node* node : root.tables("phase", kMaxPhases)) {
      TableReader reader(report_, *node, fmt::format("phase {}", plan().phases.size() + 1));
      emulation::Phase phase;
      phase.name = reader.required_text("name");
      phase.duration_s = reader.required("duration", Dimension::kTime, Range{0.0, 1e4, true});
      phase.velocity_S = reader.required_vector("velocity", Dimension::kSpeed);
      phase.until_depth =
          reader.quantity("until_depth", Dimension::kLength, kAny).value_or(phase.until_depth);
      phase.until_force =
          reader.quantity("until_force", Dimension::kForce, kPositive).value_or(phase.until_force);
      reader.done();
      plan().phases.push_back(std::move(phase));
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
  const Node root = read_document(text, file_name, overrides, options, report, hash);
  EmulationFile file = EmulationReader(root, report).read();
  file.hash = hash.result();
  file.files = report.files_read();
  return file;
}

EmulationFile read_emulation(const std::filesystem::path& path,
                             std::span<const Override> overrides) {
  return read_emulation_text(read_text_file(path, kConfigurationLimit, "emulation file"),
                             path.string(), overrides);
}

}  // namespace knuckleboom::io
