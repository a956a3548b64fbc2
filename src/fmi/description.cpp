#include "fmi/description.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "fmi/unit.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::fmi {
namespace {

constexpr const char* kTrue = "true";

class Description {
 public:
  Description(const Part& part, const PartFacts& facts, Version version,
              const std::vector<std::string>& sources)
      : part_(part), facts_(facts), two_(version == Version::k2), sources_(sources) {}

  std::string text() {
    xml_.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\"");
    xml_.OpenElement("fmiModelDescription");
    attribute("fmiVersion", two_ ? "2.0" : "3.0");
    attribute("modelName", facts_.title);
    attribute(two_ ? "guid" : "instantiationToken", facts_.token);
    if (!facts_.says.empty()) attribute("description", facts_.says);
    attribute("generationTool", fmt::format("{} {}", kProgram, kVersion));
    attribute("variableNamingConvention", "flat");
    if (two_) attribute("numberOfEventIndicators", "0");
    co_simulation();
    units();
    log_categories();
    experiment();
    variables();
    structure();
    xml_.CloseElement();
    return xml_.CStr();
  }

 private:
  void attribute(const char* name, const std::string& value) {
    xml_.PushAttribute(name, value.c_str());
  }
  void number(const char* name, double value) { attribute(name, fmt::format("{}", value)); }

  void co_simulation() {
    xml_.OpenElement("CoSimulation");
    attribute("modelIdentifier", facts_.name);
    attribute("canHandleVariableCommunicationStepSize", kTrue);
    attribute(two_ ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", kTrue);
    if (part_.has_bytes()) attribute(two_ ? "canSerializeFMUstate" : "canSerializeFMUState", kTrue);
    if (two_)
      attribute("canNotUseMemoryManagementFunctions", kTrue);
    else
      number("fixedInternalStepSize", part_.tick_s());
    if (two_ && !sources_.empty()) {
      xml_.OpenElement("SourceFiles");
      for (const std::string& source : sources_) {
        xml_.OpenElement("File");
        attribute("name", source);
        xml_.CloseElement();
      }
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  void exponent(const char* name, double value) {
    if (value != 0.0) attribute(name, fmt::format("{:.0f}", value));
  }

  void units() {
    xml_.OpenElement("UnitDefinitions");
    std::set<std::string> told;
    for (const Variable& one : part_.variables()) {
      if (one.unit.empty() || !told.insert(one.unit).second) continue;
      xml_.OpenElement("Unit");
      attribute("name", one.unit);
      if (const std::optional<BaseUnit> base = base_unit(one.unit); base && base->whole()) {
        xml_.OpenElement("BaseUnit");
        exponent("kg", base->kg);
        exponent("m", base->m);
        exponent("s", base->s);
        exponent("A", base->A);
        exponent("rad", base->rad);
        if (base->factor != 1.0) number("factor", base->factor);
        xml_.CloseElement();
      }
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  void log_categories() {
    xml_.OpenElement("LogCategories");
    xml_.OpenElement("Category");
    attribute("name", kLogCategory);
    attribute("description", "What was refused, and why");
    xml_.CloseElement();
    xml_.CloseElement();
  }

  void experiment() {
    xml_.OpenElement("DefaultExperiment");
    attribute("startTime", "0");
    if (part_.duration_s() > 0.0) number("stopTime", part_.duration_s());
    number("stepSize", part_.tick_s());
    xml_.CloseElement();
  }

  static const char* word_of(Causality causality) {
    switch (causality) {
      case Causality::kIndependent:
        return "independent";
      case Causality::kParameter:
        return "parameter";
      case Causality::kInput:
        return "input";
      case Causality::kOutput:
        return "output";
      case Causality::kLocal:
        break;
    }
    return "local";
  }

  void value_attributes(const Variable& one) {
    if (!one.unit.empty()) attribute("unit", one.unit);
    if (one.start) number("start", *one.start);
  }

  void variables() {
    xml_.OpenElement("ModelVariables");
    std::size_t number = 0;
    for (const Variable& one : part_.variables()) {
      const char* type = one.text ? "String" : two_ ? "Real" : "Float64";
      xml_.OpenElement(two_ ? "ScalarVariable" : type);
      attribute("name", one.name);
      attribute("valueReference", fmt::format("{}", number++));
      if (!one.description.empty()) attribute("description", one.description);
      attribute("causality", word_of(one.causality));
      attribute("variability", one.causality == Causality::kParameter ? "fixed"
                               : one.text                             ? "discrete"
                                                                      : "continuous");
      if (one.causality == Causality::kOutput || one.causality == Causality::kLocal)
        attribute("initial", "calculated");
      if (two_) xml_.OpenElement(type);
      value_attributes(one);
      if (two_) xml_.CloseElement();
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  // FMI 2 counts variables from 1, FMI 3 has their references. No output follows an input at once: inputs act in
  // the next tick.
  void unknowns(const char* element, bool direct) {
    for (std::size_t i = 0; i < part_.variables().size(); ++i) {
      if (part_.variables()[i].causality != Causality::kOutput) continue;
      xml_.OpenElement(element);
      attribute(two_ ? "index" : "valueReference", fmt::format("{}", two_ ? i + 1 : i));
      if (direct) attribute("dependencies", "");
      xml_.CloseElement();
    }
  }

  void structure() {
    xml_.OpenElement("ModelStructure");
    if (two_) xml_.OpenElement("Outputs");
    unknowns(two_ ? "Unknown" : "Output", true);
    if (two_) {
      xml_.CloseElement();
      xml_.OpenElement("InitialUnknowns");
    }
    unknowns(two_ ? "Unknown" : "InitialUnknown", false);
    if (two_) xml_.CloseElement();
    xml_.CloseElement();
  }

  const Part& part_;
  const PartFacts& facts_;
  bool two_;
  const std::vector<std::string>& sources_;
  tinyxml2::XMLPrinter xml_;
};

}  // namespace

std::string describe(const Part& part, const PartFacts& facts, Version version,
                     const std::vector<std::string>& sources) {
  return Description(part, facts, version, sources).text();
}

}  // namespace knuckleboom::fmi
