// Which device is which: what may be decided without the user, and what may not.

#include "input/slots.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::input::slots_test {
namespace {

using Kind = SlotChange::Kind;

command::DeviceIdentity stick(const std::string& port = "", const std::string& serial = "") {
  return {"model", port, serial, "stick"};
}

SlotTable two_slots(const command::DeviceIdentity& left = stick(),
                    const command::DeviceIdentity& right = stick()) {
  return SlotTable({{"left", left}, {"right", right}});
}

using Desk = std::vector<AttachedDevice>;

void expect_slots(const SlotTable& table, int left, int right) {
  EXPECT_EQ(table.device_in(0), left);
  EXPECT_EQ(table.device_in(1), right);
}

TEST(Slots, areFilledByOrderAtTheStart) {
  SlotTable table = two_slots();
  const auto changes = table.update({{1, stick()}, {2, stick()}});
  expect_slots(table, 1, 2);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].how, Recognised::kByOrder);
}

TEST(Slots, askWhenOneOfTwoEqualLeversIsThereAtTheStart) {
  SlotTable table = two_slots();
  table.update({{1, stick()}});
  expect_slots(table, -1, -1);
  EXPECT_EQ(table.unclear(), std::vector<int>{1});
}

TEST(Slots, knowSerialsWhateverTheOrder) {
  SlotTable table = two_slots(stick("", "A"), stick("", "B"));
  table.update({{1, stick("", "B")}, {2, stick("", "A")}});
  expect_slots(table, 2, 1);
}

TEST(Slots, preferTheSerialToThePort) {
  SlotTable table = two_slots(stick("p1", "A"), stick("p2", "B"));
  table.update({{1, stick("p1", "B")}, {2, stick("p2", "A")}});
  expect_slots(table, 2, 1);
}

TEST(Slots, knowPortsWhereMakersGiveAllTheSameSerial) {
  SlotTable table = two_slots(stick("p1", "0001"), stick("p2", "0001"));
  table.update({{1, stick("p2", "0001")}, {2, stick("p1", "0001")}});
  expect_slots(table, 2, 1);
}

TEST(Slots, doNotTakeAnotherSerialForTheirOwn) {
  SlotTable table = two_slots(stick("p1", "A"), stick("p2", "B"));
  table.update({{1, stick("p1", "C")}, {2, stick("p2", "B")}});
  expect_slots(table, -1, 2);
  EXPECT_EQ(table.unclear(), std::vector<int>{1});
}

TEST(Slots, takeBackTheOnlyLeverThatWasAway) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  EXPECT_EQ(table.update({{2, stick()}})[0].kind, Kind::kLost);
  expect_slots(table, -1, 2);
  const auto changes = table.update({{2, stick()}, {3, stick()}});
  expect_slots(table, 3, 2);
  EXPECT_EQ(changes[0].how, Recognised::kAsOnlyOne);
}

TEST(Slots, askWhenBothWereAway) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  table.update({});
  table.update({{3, stick()}});
  expect_slots(table, -1, -1);
  table.update({{3, stick()}, {4, stick()}});
  expect_slots(table, -1, -1);
  EXPECT_EQ(table.proposed_slot(3), 0);
  EXPECT_EQ(table.proposed_slot(4), 1);

  std::vector<SlotChange> changes;
  SlotTable agreed = table;
  agreed.confirm(changes);
  expect_slots(agreed, 3, 4);
  ASSERT_TRUE(table.swap(0, 1, changes));
  expect_slots(table, 4, 3);
  EXPECT_TRUE(table.unclear().empty());
}

TEST(Slots, askWhenBothVanishAndReturnBetweenTwoLooks) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  table.update({{3, stick()}, {4, stick()}});
  expect_slots(table, -1, -1);
  EXPECT_EQ(table.unclear().size(), 2U);
}

TEST(Slots, followFromTheUsersChoiceOfOne) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  table.update({});
  table.update({{3, stick()}, {4, stick()}});
  std::vector<SlotChange> changes;
  ASSERT_TRUE(table.assign(0, 4, changes));
  expect_slots(table, 4, 3);  // nothing else is left for the other one
}

TEST(Slots, keepAStandByDeviceOutOfAFreeSlot) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  table.update({{1, stick()}, {2, stick()}, {9, stick()}});
  EXPECT_TRUE(table.unclear().empty());
  table.update({{2, stick()}, {9, stick()}});
  expect_slots(table, -1, 2);
  table.update({{2, stick()}, {9, stick()}, {10, stick()}});
  expect_slots(table, 10, 2);
}

TEST(Slots, askWhenAStandByDeviceMayBeTheOneThatReturns) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  table.update({{1, stick()}, {2, stick()}, {9, stick()}});
  table.update({{2, stick()}});
  table.update({{2, stick()}, {10, stick()}});
  expect_slots(table, -1, 2);
  EXPECT_EQ(table.unclear(), std::vector<int>{10});
}

TEST(Slots, learnTheNewPortOfALever) {
  SlotTable table = two_slots(stick("p1"), stick("p2"));
  table.update({{1, stick("p1")}, {2, stick("p2")}});
  table.update({{2, stick("p2")}});
  table.update({{2, stick("p2")}, {3, stick("p3")}});
  EXPECT_EQ(table.slot(0).identity.port, "p3");
  table.update({});
  table.update({{4, stick("p3")}});
  expect_slots(table, 4, -1);
}

TEST(Slots, areExchangedWithTheirIdentities) {
  SlotTable table = two_slots(stick("", "A"), stick("", "B"));
  table.update({{1, stick("", "A")}, {2, stick("", "B")}});
  std::vector<SlotChange> changes;
  ASSERT_TRUE(table.swap(0, 1, changes));
  expect_slots(table, 2, 1);
  table.update({});
  table.update({{3, stick("", "A")}});
  expect_slots(table, -1, 3);
}

TEST(Slots, refuseAnotherModel) {
  SlotTable table({{"left", stick()}, {"right", {"other", "", "", "other"}}});
  table.update({{1, stick()}, {2, {"other", "", "", "other"}}});
  expect_slots(table, 1, 2);
  std::vector<SlotChange> changes;
  EXPECT_FALSE(table.swap(0, 1, changes));
  EXPECT_FALSE(table.assign(0, 2, changes));
  EXPECT_FALSE(table.assign(0, 77, changes));
  EXPECT_FALSE(table.assign(5, 1, changes));
  expect_slots(table, 1, 2);
}

TEST(Slots, exchangeWhenALeverIsGivenAnothersPlace) {
  SlotTable table = two_slots();
  table.update({{1, stick()}, {2, stick()}});
  std::vector<SlotChange> changes;
  ASSERT_TRUE(table.assign(0, 2, changes));
  expect_slots(table, 2, 1);
}

}  // namespace
}  // namespace knuckleboom::input::slots_test
