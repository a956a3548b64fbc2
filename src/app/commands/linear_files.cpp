#include "app/commands/linear_files.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "app/shell/json.hpp"

namespace knuckleboom::app {
namespace {

using Complex = std::complex<double>;
using Quantities = std::vector<analysis::LinearQuantity>;

constexpr double kTurnRad = 2.0 * std::numbers::pi;
// Faster roots would leave the others no room in the picture.
constexpr double kShownHz = 30.0;

double decibels(Complex value) { return 20.0 * std::log10(std::abs(value)); }

// Without jumps from one side of the circle to the other.
std::vector<double> phases(const std::vector<analysis::Response>& points) {
  std::vector<double> out;
  for (const analysis::Response& point : points) {
    double angle = std::arg(point.value) * 360.0 / kTurnRad;
    if (!out.empty()) angle += 360.0 * std::round((out.back() - angle) / 360.0);
    out.push_back(angle);
  }
  return out;
}

void add_quantities(JsonWriter& json, const char* name, const Quantities& list) {
  json.key(name).begin_array();
  for (const analysis::LinearQuantity& q : list)
    json.begin_object()
        .member("name", q.name)
        .member("unit", q.unit)
        .member("value", q.value)
        .end_object();
  json.end_array();
}

void add_matrix(JsonWriter& json, const char* name, const Eigen::MatrixXd& matrix) {
  json.key(name).begin_array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    json.begin_array();
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) json.value(matrix(r, c));
    json.end_array();
  }
  json.end_array();
}

void add_points(JsonWriter& json, const std::vector<analysis::Response>& points) {
  const std::vector<double> phase = phases(points);
  json.key("frequency_Hz").begin_array();
  for (const analysis::Response& point : points) json.value(point.frequency_Hz);
  json.end_array().key("magnitude_dB").begin_array();
  for (const analysis::Response& point : points) json.value(decibels(point.value));
  json.end_array().key("phase_deg").begin_array();
  for (const double angle : phase) json.value(angle);
  json.end_array();
}

void add_root(JsonWriter& json, Complex root) {
  json.member("real_1_s", root.real()).member("imaginary_rad_s", root.imag());
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

Curve crosses(const std::string& title, const std::vector<Complex>& roots, int color,
              LineStyle style) {
  Curve curve{title, {}, {}, color, style};
  for (const Complex root : roots) {
    if (std::abs(root) > kTurnRad * kShownHz) continue;
    curve.x.push_back(root.real());
    curve.y.push_back(root.imag() / kTurnRad);
  }
  return curve;
}

void add_response(Figure& figure, const std::string& title, const std::string& unit,
                  const std::vector<analysis::Response>& points, bool loop) {
  Curve size{"", {}, {}, 0}, angle{"", {}, {}, 0};
  const std::vector<double> phase = phases(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    size.x.push_back(points[i].frequency_Hz);
    size.y.push_back(decibels(points[i].value));
    angle.x.push_back(points[i].frequency_Hz);
    angle.y.push_back(phase[i]);
  }
  Panel magnitude{title, "frequency [Hz]", fmt::format("magnitude [dB{}]", unit), {size}};
  Panel turned{title + ", phase", "frequency [Hz]", "phase [degrees]", {angle}};
  magnitude.log_x = turned.log_x = true;
  magnitude.least_y_span = 6.0;
  turned.least_y_span = 45.0;
  if (loop && !points.empty()) {
    const std::vector<double> ends = {points.front().frequency_Hz, points.back().frequency_Hz};
    magnitude.curves.push_back({"", ends, {0.0, 0.0}, 6, LineStyle::kDashed});
    turned.curves.push_back({"", ends, {-180.0, -180.0}, 6, LineStyle::kDashed});
  }
  figure.panels.push_back(std::move(magnitude));
  figure.panels.push_back(std::move(turned));
}

}  // namespace

std::string linear_json(const LinearReport& report) {
  const analysis::LinearModel& m = report.model;
  JsonWriter json;
  json.begin_object()
      .member("scenario", report.scenario)
      .member("machine", report.machine)
      .member("fidelity", report.fidelity)
      .member("t_s", m.t_s);
  if (!report.caution.empty()) json.member("caution", report.caution);
  json.member("remarks", report.remarks);
  json.key("valves").begin_array();
  for (const analysis::LinearModel::Valve& valve : m.valves)
    json.begin_object()
        .member("joint", valve.joint)
        .member("open", valve.open)
        .member("spool_V", valve.spool_V)
        .member("overlap_V", valve.overlap_V)
        .end_object();
  json.end_array();
  add_quantities(json, "states", m.states);
  add_quantities(json, "inputs", m.inputs);
  add_quantities(json, "outputs", m.outputs);
  json.key("f0").begin_array();
  for (const double rate : m.f0) json.value(rate);
  json.end_array();
  add_matrix(json, "A", m.A);
  add_matrix(json, "B", m.B);
  add_matrix(json, "C", m.C);
  add_matrix(json, "D", m.D);
  json.key("modes").begin_array();
  for (const analysis::LinearMode& mode : report.modes) {
    json.begin_object();
    add_root(json, mode.root);
    json.member("frequency_Hz", mode.frequency_Hz())
        .member("damping_ratio", mode.damping_ratio())
        .key("participation")
        .begin_object();
    for (std::size_t i = 0; i < mode.participation.size(); ++i)
      if (mode.participation[i] >= 1e-3) json.member(m.states[i].name, mode.participation[i]);
    json.end_object().end_object();
  }
  json.end_array().key("controllers").begin_array();
  for (const analysis::LoopMargins& loop : report.loops) {
    json.begin_object().member("joint", loop.joint).member("acts", loop.acts);
    if (loop.gain)
      json.member("gain_margin", loop.gain->value)
          .member("gain_margin_at_Hz", loop.gain->frequency_Hz);
    if (loop.floor)
      json.member("gain_floor", loop.floor->value)
          .member("gain_floor_at_Hz", loop.floor->frequency_Hz);
    if (loop.phase)
      json.member("phase_margin_deg", loop.phase->value)
          .member("phase_margin_at_Hz", loop.phase->frequency_Hz)
          .member("dead_time_margin_s", loop.delay_s);
    if (loop.acts) {
      json.member("largest_sensitivity", loop.sensitivity)
          .member("largest_sensitivity_at_Hz", loop.sensitivity_at_Hz)
          .key("open_loop")
          .begin_object();
      add_points(json, loop.open);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  if (!report.closed_roots.empty()) {
    json.member("sample_s", report.controller_dt).key("closed_loop_roots").begin_array();
    for (const Complex root : report.closed_roots) {
      json.begin_object();
      add_root(json, root);
      json.end_object();
    }
    json.end_array();
  }
  json.key("responses").begin_array();
  for (const NamedResponse& response : report.responses) {
    json.begin_object()
        .member("input", response.input)
        .member("output", response.output)
        .member("loops_closed", response.closed);
    add_points(json, response.points);
    json.end_object();
  }
  return json.end_array().end_object().text();
}

std::string linear_csv(const LinearReport& report) {
  const analysis::LinearModel& m = report.model;
  std::string text = "row,unit,value,rate";
  for (const Quantities* list : {&m.states, &m.inputs})
    for (const analysis::LinearQuantity& q : *list) text += "," + field(q.name);
  text += "\n";
  const auto row = [&text](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::Index r) {
    for (Eigen::Index c = 0; c < a.cols(); ++c) text += fmt::format(",{:.17g}", a(r, c));
    for (Eigen::Index c = 0; c < b.cols(); ++c) text += fmt::format(",{:.17g}", b(r, c));
    text += "\n";
  };
  const auto head = [&text](const std::string& prefix, const analysis::LinearQuantity& q) {
    text += fmt::format("{},{},{:.17g}", field(prefix + q.name), field(q.unit), q.value);
  };
  for (std::size_t i = 0; i < m.states.size(); ++i) {
    const auto r = static_cast<Eigen::Index>(i);
    head("d/dt ", m.states[i]);
    text += fmt::format(",{:.17g}", m.f0(r));
    row(m.A, m.B, r);
  }
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    head("", m.outputs[i]);
    text += ",";
    row(m.C, m.D, static_cast<Eigen::Index>(i));
  }
  for (const analysis::LinearQuantity& q : m.inputs) {
    head("input ", q);
    text += std::string(1 + m.states.size() + m.inputs.size(), ',') + "\n";
  }
  return text;
}

Figure linear_figure(const LinearReport& report) {
  Figure figure{report.title, report.note, {}, 2};
  std::vector<Complex> open;
  for (const analysis::LinearMode& mode : report.modes) open.push_back(mode.root);
  Panel roots{fmt::format("roots up to {:g} Hz", kShownHz),
              "real part: growth [1/s]",
              "imaginary part [Hz]",
              {},
              false,
              0.5};
  roots.curves.push_back(crosses("machine", open, 0, LineStyle::kCrosses));
  if (!report.closed_roots.empty())
    roots.curves.push_back(crosses("loops closed", report.closed_roots, 1, LineStyle::kCircles));
  figure.panels.push_back(std::move(roots));
  // The picture of the margins: L against -1.
  Panel nyquist{"open loops near -1", "real part", "imaginary part", {}, true, 0.5};
  int color = 0;
  for (const analysis::LoopMargins& loop : report.loops) {
    if (!loop.acts) continue;
    Curve curve{loop.joint, {}, {}, color++};
    for (const analysis::Response& point : loop.open) {
      const bool near = std::abs(point.value) < 3.0;
      curve.x.push_back(near ? point.value.real() : std::nan(""));
      curve.y.push_back(near ? point.value.imag() : std::nan(""));
    }
    nyquist.curves.push_back(std::move(curve));
  }
  if (!nyquist.curves.empty()) {
    nyquist.curves.push_back({"", {-1.0}, {0.0}, 6, LineStyle::kCrosses});
    figure.panels.push_back(std::move(nyquist));
  } else {
    figure.columns = report.responses.empty() ? 1 : 2;
  }
  if (figure.columns == 2 && figure.panels.size() % 2 == 1)
    figure.panels.push_back({"no controller has a loop here", "", "", {}});
  for (const analysis::LoopMargins& loop : report.loops)
    if (loop.acts)
      add_response(figure, fmt::format("loop of {}, opened", loop.joint), "", loop.open, true);
  for (const NamedResponse& response : report.responses)
    add_response(figure,
                 fmt::format("{} by {}{}", response.output, response.input,
                             response.closed ? ", loops closed" : ""),
                 response.unit.empty() ? "" : " of " + response.unit, response.points, false);
  return figure;
}

}  // namespace knuckleboom::app
