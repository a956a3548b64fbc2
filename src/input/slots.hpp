// Assignment of attached devices to those of the setup. Pure: a function of the attached devices.
//
// A device takes a slot by itself only in unambiguous cases: 1. its serial, or else its port, is
// that slot's and no other's;
//  2. it newly arrives while exactly one device of its model is away, and that one has a slot;
//  3. at the start, by the order of attachment, if as many are there as there are slots of the model.
// In any other case (two equal levers were unplugged and one comes back) it waits, and moves
// nothing, until the user assigns it. A waiting device never takes a slot that becomes free.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/lever_setup.hpp"

namespace knuckleboom::input {

struct AttachedDevice {
  int id = -1;
  command::DeviceIdentity identity;
};

enum class Recognised {
  kBySerial,
  kByPort,
  kAsOnlyOne,  // the only missing device of its model
  kByOrder,    // at the start
  kByUser,
};
std::string_view to_string(Recognised how);

struct SlotChange {
  enum class Kind {
    kLost,     // the slot's device is gone
    kFilled,   // a device took the slot
    kUnclear,  // a device returned and may be any of several; it waits for the user
    kUnused,   // a device without a slot was attached
  };
  Kind kind = Kind::kLost;
  int slot = -1;    // of kLost and kFilled
  int device = -1;  // id
  Recognised how = Recognised::kByOrder;
};

class SlotTable {
 public:
  SlotTable() = default;
  explicit SlotTable(std::vector<command::DeviceSlot> slots);

  // attached: in order of attachment.
  std::vector<SlotChange> update(const std::vector<AttachedDevice>& attached);

  int slots() const { return static_cast<int>(slots_.size()); }
  // With the port and serial of its present device.
  const command::DeviceSlot& slot(int index) const { return slots_[at(index)].description; }
  int device_in(int slot) const { return slots_[at(slot)].device; }  // -1: missing
  int slot_of(int device) const;                                     // -1: none
  // Devices that wait for the user, in order of attachment.
  const std::vector<int>& unclear() const { return unclear_; }

  // The user's assignment. The device leaves its slot, if any; the previous device of `slot` waits.
  // False if there is no such device or slot, or their models differ.
  bool assign(int slot, int device, std::vector<SlotChange>& changes);
  // The slot that an unclear device would get by the order of attachment; -1: none.
  int proposed_slot(int device) const;
  int proposed_device(int slot) const;
  // Accepts all proposals.
  void confirm(std::vector<SlotChange>& changes);
  // Exchanges the present or proposed devices of two slots of the same model; proposals are thereby
  // accepted. False for slots of different models.
  bool swap(int a, int b, std::vector<SlotChange>& changes);

 private:
  struct Slot {
    command::DeviceSlot description;
    int device = -1;
  };
  struct Model {
    std::string guid;
    int most = 0;  // largest number of devices attached at once
  };
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  const AttachedDevice* find(int device) const;
  void fill(int slot, int device, Recognised how, std::vector<SlotChange>& changes);
  void drop_gone(std::vector<SlotChange>& changes);
  void settle(const std::string& guid, const std::vector<int>& arrivals,
              std::vector<SlotChange>& changes);
  void settle_rest(const std::string& guid, std::vector<SlotChange>& changes);
  int identified_slot(const AttachedDevice& device, Recognised& how) const;
  std::vector<int> missing_of(const std::string& guid) const;
  std::vector<int> unclear_of(const std::string& guid) const;
  int attached_of(const std::string& guid) const;
  int& most_of(const std::string& guid);

  std::vector<Slot> slots_;
  std::vector<AttachedDevice> attached_;
  std::vector<int> unclear_;
  std::vector<Model> models_;
  bool started_ = false;
};

}  // namespace knuckleboom::input
