#include "knuckleboom/io/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sweep_keys.hpp"
#include "table_reader.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace sweep_keys = declare::keys::sweep_file;

constexpr std::size_t kMostPlanErrors = 20;

bool is_bare_word(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text.front()) && text != "true" && text != "false" &&
         text != "inf" && text != "nan" && std::all_of(text.begin(), text.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// As an assignment of --set has it; empty: no value of a key.
std::string sweep_value_text(const Node& node) {
  if (node.is_number()) return node.text;
  if (node.kind == Node::Kind::kBoolean) return node.boolean ? "true" : "false";
  if (node.is_string()) return is_bare_word(node.text) ? node.text : toml_string(node.text);
  if (!node.is_array()) return {};
  std::string text = "[";
  for (const Node& item : node.items) {
    const std::string part = sweep_value_text(item);
    if (part.empty()) return {};
    text += (text.size() > 1 ? ", " : "") + part;
  }
  return text + "]";
}

bool chooses_a_file(const std::string& key) {
  const std::vector<std::string>& words = sweep_words();
  return std::find(words.begin(), words.end(), key) != words.end();
}

class SweepReader {
 public:
  SweepReader(const Node& root, Report& report, const std::string& file, std::string_view text)
      : root_(root), report_(report), folder_(std::filesystem::path(file).parent_path()) {
    out_.file = file;
    out_.text = text;
  }

  SweepPlan read() {
    TableReader reader(report_, root_, sweep_keys::table, "the plan");
    const bool known = reader.fill(out_);
    out_.assignments = reader.texts(sweep_keys::set).value_or(std::vector<std::string>());
    read_base(reader);
    for (const Node* node : reader.tables(sweep_keys::variables)) read_variable(*node, known);
    for (const Node* node : reader.tables(sweep_keys::results)) read_result(*node);
    if (const Node* node = reader.subtable(sweep_keys::tune)) read_tuning(*node);
    if (out_.variables.empty() && !report_.any())
      report_.error(root_.place, "the plan varies nothing; add a [[vary]] table");
    if (out_.results.empty() && !report_.any())
      report_.error(root_.place, "the plan keeps nothing; add a [[result]] table");
    reader.done();
    if (known && !report_.any()) check_size(reader);
    report_.throw_if_any();
    return std::move(out_);
  }

 private:
  // A file is relative to the plan's folder.
  std::string own(const std::string& name_or_file) const {
    const bool file = name_or_file.find('/') != std::string::npos ||
                      name_or_file.ends_with(".toml") || name_or_file.ends_with(".csv");
    return file ? (folder_ / name_or_file).lexically_normal().string() : name_or_file;
  }

  void read_base(TableReader& reader) {
    namespace k = sweep_keys;
    if (reader.has(k::scenario) == reader.has(k::exercise))
      report_.error(root_.place,
                    "a plan runs a scenario or an exercise; give it 'scenario' = a scenario's name "
                    "or file, or 'exercise' with 'input' = recorded levers");
    if (reader.has(k::scenario))
      for (const Key* key : {&k::levers, &k::input, &k::duration})
        if (reader.has(*key))
          reader.error(*key, fmt::format("'{}' belongs to an exercise, but this plan runs a "
                                         "scenario; take it out",
                                         key->name));
    if (reader.has(k::exercise) && !reader.has(k::input) && !reader.has(k::duration))
      report_.error(root_.place,
                    "an exercise needs 'input' = recorded levers, or 'duration_s' for levers at "
                    "rest");
    for (std::string* name :
         {&out_.scenario, &out_.exercise, &out_.levers, &out_.input, &out_.machine})
      *name = own(*name);
  }

  void take_place(const Place& place, int& line, int& column) const {
    line = place.line;
    column = place.column;
  }

  // Columns are told apart by their names.
  void own_name(const Node& node, const std::string& name) {
    if (!name.empty() && !names_.insert(name).second)
      report_.error(node.place, fmt::format("there are two columns '{}'; give one of them another "
                                            "'name'",
                                            name));
  }

  void read_variable(const Node& node, bool design_known) {
    namespace k = declare::keys::sweep_vary;
    SweepVariable variable;
    TableReader reader(report_, node, k::table, "a [[vary]] table");
    take_place(node.place, variable.line, variable.column);
    const std::size_t before = report_.count();
    reader.fill(variable);
    if (variable.name.empty()) variable.name = variable.key;
    own_name(node, variable.name);
    if (const Node* list = reader.any(k::values)) read_values(*list, variable);
    reader.done();
    if (report_.count() == before && design_known) check_variable(reader, node, variable);
    out_.variables.push_back(std::move(variable));
  }

  void read_values(const Node& list, SweepVariable& variable) {
    if (!list.is_array() || list.items.empty() ||
        list.items.size() > declare::keys::sweep_vary::kMostValues) {
      report_.error(list.place, fmt::format("'values' of '{}' must be a list of at least one value",
                                            variable.key));
      return;
    }
    const bool files = chooses_a_file(variable.key);
    variable.numbers = std::all_of(list.items.begin(), list.items.end(),
                                   [](const Node& item) { return item.is_number(); });
    std::size_t wrong = 0;
    for (const Node& item : list.items) {
      std::string text = files && item.is_string() ? item.text : sweep_value_text(item);
      if (files && !item.is_string()) text.clear();
      if (text.empty() && ++wrong < kMostPlanErrors)
        report_.error(item.place,
                      files ? fmt::format("'{}' is chosen by names; this is {}", variable.key,
                                          kind_name(item.kind))
                            : fmt::format("{} is no value of a key", kind_name(item.kind)));
      const bool named = variable.key != "fidelity" && variable.key != "fault";
      variable.values.push_back(files && named ? own(text) : std::move(text));
    }
  }

  void check_variable(TableReader& reader, const Node& node, const SweepVariable& v) {
    namespace k = declare::keys::sweep_vary;
    const Key* const drawn[] = {&k::distribution, &k::mean,   &k::sd,
                                &k::median,       &k::sd_log, &k::mode};
    if (chooses_a_file(v.key) && (v.values.empty() || v.factor))
      return report_.error(node.place, fmt::format("'{}' needs 'values' = a list of names, and no "
                                                   "'factor'",
                                                   v.key));
    if (v.factor && !v.numbers)
      return report_.error(node.place, fmt::format("the factors of '{}' must be numbers", v.key));
    if (!v.values.empty()) {
      for (const Key* key : {&k::low, &k::high, &k::steps})
        if (reader.has(*key))
          reader.error(*key, fmt::format("'{}' has 'values'; take '{}' out", v.key, key->name));
      for (const Key* key : drawn)
        if (reader.has(*key))
          reader.error(*key, fmt::format("'{}' has 'values'; take '{}' out", v.key, key->name));
      return;
    }
    const bool grid = out_.design == SweepDesign::kGrid;
    if (out_.design == SweepDesign::kList)
      return report_.error(node.place, fmt::format("'{}' needs 'values', as in every list", v.key));
    if (grid) {
      for (const Key* key : drawn)
        if (reader.has(*key))
          return reader.error(*key, fmt::format("nothing is drawn in a grid: take '{}' out, and "
                                                "give 'values', or 'low', 'high' and 'steps'",
                                                key->name));
      if (!reader.has(k::low) || !reader.has(k::high) || !reader.has(k::steps))
        return report_.error(node.place, fmt::format("'{}' needs 'values', or 'low', 'high' and "
                                                     "'steps'",
                                                     v.key));
    } else if (reader.has(k::steps)) {
      return reader.error(k::steps, "'steps' belong to a grid; take it out");
    }
    check_distribution(reader, node, v, grid);
  }

  void check_distribution(TableReader& reader, const Node& node, const SweepVariable& v,
                          bool grid) {
    namespace k = declare::keys::sweep_vary;
    const auto wants = [&](std::initializer_list<const Key*> keys, std::string_view kind) {
      for (const Key* key : keys)
        if (!reader.has(*key)) {
          report_.error(node.place,
                        fmt::format("'{}' is {} and lacks '{}'", v.key, kind, key->name));
          return false;
        }
      return true;
    };
    const auto strange = [&](std::initializer_list<const Key*> keys, std::string_view kind) {
      for (const Key* key : keys)
        if (reader.has(*key))
          reader.error(
              *key, fmt::format("'{}' is {} and has no '{}'; take it out", v.key, kind, key->name));
    };
    bool whole = true;
    switch (v.spread) {
      case SweepSpread::kUniform:
        whole = wants({&k::low, &k::high}, "uniform");
        strange({&k::mean, &k::sd, &k::median, &k::sd_log, &k::mode}, "uniform");
        break;
      case SweepSpread::kNormal:
        whole = wants({&k::mean, &k::sd}, "normal");
        strange({&k::median, &k::sd_log, &k::mode}, "normal");
        break;
      case SweepSpread::kLognormal:
        whole = wants({&k::median, &k::sd_log}, "lognormal");
        strange({&k::mean, &k::sd, &k::mode}, "lognormal");
        if (reader.has(k::low) && v.low < 0.0)
          reader.error(k::low, fmt::format("'{}' is lognormal and never below 0", v.key));
        break;
      case SweepSpread::kTriangular:
        whole = wants({&k::low, &k::mode, &k::high}, "triangular");
        strange({&k::mean, &k::sd, &k::median, &k::sd_log}, "triangular");
        if (whole && (v.mode < v.low || v.mode > v.high))
          reader.error(k::mode, fmt::format("'mode' of '{}' lies outside 'low' and 'high'", v.key));
        break;
    }
    if (whole && !(v.low < v.high))
      report_.error(node.place, fmt::format("'low' of '{}' must be below 'high'", v.key));
    if (whole && !grid && out_.design == SweepDesign::kMorris &&
        !(std::isfinite(v.low) && std::isfinite(v.high)))
      report_.error(node.place,
                    fmt::format("the steps of morris go from end to end, but '{}' has none; give "
                                "it 'low' and 'high'",
                                v.key));
  }

  void read_result(const Node& node) {
    namespace k = declare::keys::sweep_result;
    SweepResult result;
    TableReader reader(report_, node, k::table, "a [[result]] table");
    take_place(node.place, result.line, result.column);
    const bool known = reader.fill(result);
    if (result.name.empty() && known) {
      constexpr std::string_view kTaken[] = {"final", "min", "max", "mean", "rms", "at"};
      result.name =
          fmt::format("{}_{}", result.channel, kTaken[static_cast<std::size_t>(result.take)]);
    }
    own_name(node, result.name);
    if (reader.has(k::to) && !(result.to_s > result.from_s))
      reader.error(k::to, "'to' does not come after 'from'; nothing would be looked at");
    reader.done();
    out_.results.push_back(std::move(result));
  }

  void read_tuning(const Node& node) {
    namespace k = declare::keys::sweep_tune;
    namespace kp = declare::keys::sweep_parameter;
    SweepTuning& tuning = out_.tuning;
    TableReader reader(report_, node, k::table, "[tune]");
    out_.tuned = true;
    take_place(node.place, tuning.line, tuning.column);
    reader.fill(tuning);
    std::vector<std::string> names;
    for (const SweepResult& result : out_.results) names.push_back(result.name);
    if (!tuning.objective.empty() &&
        std::find(names.begin(), names.end(), tuning.objective) == names.end())
      reader.error(k::objective, fmt::format("there is no result '{}'{}", tuning.objective,
                                             alternatives(tuning.objective, names)));
    for (const Node* one : reader.tables(k::parameters)) {
      TableReader inner(report_, *one, kp::table, "a [[tune.parameter]] table");
      SweepParameter parameter;
      take_place(one->place, parameter.line, parameter.column);
      inner.fill(parameter);
      if (parameter.name.empty()) parameter.name = parameter.key;
      own_name(*one, parameter.name);
      if (inner.has(kp::low) && inner.has(kp::high) && !(parameter.low < parameter.high))
        report_.error(one->place, fmt::format("'low' of '{}' must be below 'high'", parameter.key));
      if (!inner.has(kp::start)) parameter.start = 0.5 * (parameter.low + parameter.high);
      if (parameter.start < parameter.low || parameter.start > parameter.high)
        inner.error(kp::start,
                    fmt::format("'start' of '{}' lies outside 'low' and 'high'", parameter.key));
      for (const SweepVariable& variable : out_.variables)
        if (variable.key == parameter.key)
          report_.error(one->place,
                        fmt::format("'{}' is varied by a [[vary]] table already", parameter.key));
      if (chooses_a_file(parameter.key))
        report_.error(one->place,
                      fmt::format("'{}' is no number that can be tuned", parameter.key));
      inner.done();
      tuning.parameters.push_back(std::move(parameter));
    }
    reader.done();
  }

  void check_size(TableReader& reader) {
    double runs = 1.0;
    const auto count = static_cast<double>(out_.variables.size());
    switch (out_.design) {
      case SweepDesign::kGrid:
        for (const SweepVariable& v : out_.variables)
          runs *= v.values.empty() ? v.steps : static_cast<double>(v.values.size());
        break;
      case SweepDesign::kList:
        for (const SweepVariable& v : out_.variables)
          if (v.values.size() != out_.variables.front().values.size()) {
            report_.error(
                {0, v.line, v.column},
                fmt::format("in a list all variables have as many values: '{}' has {}, "
                            "'{}' has {}",
                            out_.variables.front().name, out_.variables.front().values.size(),
                            v.name, v.values.size()));
            return;
          }
        break;
      case SweepDesign::kMorris:
        runs = out_.trajectories * (count + 1.0);
        break;
      case SweepDesign::kSobol:
        runs = out_.base * (count + 2.0);
        break;
      case SweepDesign::kLatinHypercube:
      case SweepDesign::kMonteCarlo:
        break;
    }
    if (runs > sweep_keys::kMostRuns)
      reader.error(sweep_keys::design, fmt::format("these are {:.3g} runs; a plan has at most {}",
                                                   runs, sweep_keys::kMostRuns));
  }

  const Node& root_;
  Report& report_;
  std::filesystem::path folder_;
  SweepPlan out_;
  std::set<std::string> names_;
};

}  // namespace

std::string_view word_of(SweepDesign design) {
  return sweep_keys::kDesigns[static_cast<std::size_t>(design)].word;
}

const std::vector<std::string>& sweep_words() {
  static const std::vector<std::string> words = {"scenario", "exercise", "levers", "input",
                                                 "machine",  "fidelity", "fault"};
  return words;
}

SweepPlan read_sweep_plan_text(std::string_view text, const std::string& file_name) {
  Report report;
  Hasher hash;
  DocumentOptions options;
  options.what = "plan of a sweep";
  const Node root = read_document(text, file_name, {}, options, report, hash);
  return SweepReader(root, report, file_name, text).read();
}

SweepPlan read_sweep_plan(const std::filesystem::path& path) {
  return read_sweep_plan_text(read_text_file(path, kConfigurationLimit, "plan of a sweep"),
                              path.string());
}

}  // namespace knuckleboom::io
