// modelDescription.xml, read by a parser, against what FMI asks of it.
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include "fmi/export.hpp"
#include "fmi/unit.hpp"
#include "knuckleboom/io/scratch_folder.hpp"

namespace knuckleboom::test {
namespace {

using fmi::base_unit;
using tinyxml2::XMLElement;

void expect_unit(const char* label, double factor, double kg, double m, double s, double A,
                 double rad) {
  const auto unit = base_unit(label);
  ASSERT_TRUE(unit) << label;
  EXPECT_NEAR(unit->factor, factor, 1e-12 * factor) << label;
  EXPECT_EQ(unit->kg, kg) << label;
  EXPECT_EQ(unit->m, m) << label;
  EXPECT_EQ(unit->s, s) << label;
  EXPECT_EQ(unit->A, A) << label;
  EXPECT_EQ(unit->rad, rad) << label;
}

// Factors and exponents as tables of units have them.
TEST(FmiUnit, isTakenApartIntoBaseUnits) {
  expect_unit("Pa", 1.0, 1, -1, -2, 0, 0);
  expect_unit("V", 1.0, 1, 2, -3, -1, 0);
  expect_unit("kN m/rad", 1e3, 1, 2, -2, 0, -1);
  expect_unit("l/min", 1e-3 / 60.0, 0, 3, -1, 0, 0);
  expect_unit("l/(min bar)", 1e-3 / 60.0 / 1e5, -1, 4, 1, 0, 0);
  expect_unit("cm3/rev", 1e-6 / 6.283185307179586, 0, 3, 0, 0, -1);
  expect_unit("V/(deg s)", 180.0 / 3.141592653589793, 1, 2, -4, -1, -1);
  expect_unit("rpm", 0.10471975511965977, 0, 0, -1, 0, 1);
  expect_unit("kg/(m4 s)", 1.0, 1, -4, -1, 0, 0);
  expect_unit("mm2", 1e-6, 0, 2, 0, 0, 0);
  expect_unit("1/s", 1.0, 0, 0, -1, 0, 0);
  // Half exponents, which FMI cannot say.
  EXPECT_FALSE(base_unit("m3/(s sqrt(Pa))")->whole());
  for (const char* wrong : {"", "of the figure", "m/", "m/(s", "furlong", "m3x"})
    EXPECT_FALSE(base_unit(wrong)) << wrong;
}

TEST(FmiDescription, holdsWhatImportersRelyOn) {
  fmi::ExportRequest request;
  request.machine = "harvester_wheeled";
  request.fidelity = "reduced";
  request.inputs = fmi::Inputs::kReferences;
  const io::ScratchFolder folder;
  const fmi::PartFacts facts = fmi::write_resources(request, folder.path());
  const std::unique_ptr<fmi::Part> part = fmi::open_part(folder.path(), facts);
  for (const fmi::Version version : {fmi::Version::k2, fmi::Version::k3}) {
    const bool two = version == fmi::Version::k2;
    tinyxml2::XMLDocument xml;
    ASSERT_EQ(xml.Parse(fmi::describe(*part, facts, version).c_str()), tinyxml2::XML_SUCCESS);
    const XMLElement* root = xml.RootElement();
    EXPECT_STREQ(root->Attribute("fmiVersion"), two ? "2.0" : "3.0");
    EXPECT_EQ(root->Attribute(two ? "guid" : "instantiationToken"), facts.token);
    EXPECT_STREQ(root->FirstChildElement("CoSimulation")->Attribute("modelIdentifier"),
                 "harvester_wheeled");
    EXPECT_EQ(root->FirstChildElement("ModelExchange"), nullptr);

    std::set<std::string> units;
    for (const XMLElement* unit = root->FirstChildElement("UnitDefinitions")->FirstChildElement();
         unit != nullptr; unit = unit->NextSiblingElement())
      EXPECT_TRUE(units.insert(unit->Attribute("name")).second);

    std::set<std::string> names;
    std::set<unsigned> outputs;
    unsigned number = 0;
    for (const XMLElement* one = root->FirstChildElement("ModelVariables")->FirstChildElement();
         one != nullptr; one = one->NextSiblingElement(), ++number) {
      const std::string name = one->Attribute("name"), causality = one->Attribute("causality");
      EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
      EXPECT_EQ(one->UnsignedAttribute("valueReference"), number);
      const XMLElement* type = two ? one->FirstChildElement() : one;
      if (const char* unit = type->Attribute("unit")) {
        EXPECT_TRUE(units.contains(unit)) << unit;
      }
      EXPECT_EQ(type->Attribute("start") != nullptr,
                causality == "input" || causality == "parameter")
          << name;
      if (causality == "output") outputs.insert(two ? number + 1 : number);
    }
    EXPECT_TRUE(names.contains("boom_rad"));
    EXPECT_TRUE(names.contains("input.boom_ref_rad"));

    const XMLElement* structure = root->FirstChildElement("ModelStructure");
    std::set<unsigned> listed;
    for (const XMLElement* one = two ? structure->FirstChildElement("Outputs")->FirstChildElement()
                                     : structure->FirstChildElement("Output");
         one != nullptr; one = one->NextSiblingElement(two ? "Unknown" : "Output"))
      listed.insert(one->UnsignedAttribute(two ? "index" : "valueReference"));
    EXPECT_EQ(listed, outputs);
  }
}

}  // namespace
}  // namespace knuckleboom::test
