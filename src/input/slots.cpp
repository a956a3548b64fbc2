#include "input/slots.hpp"

#include <algorithm>
#include <utility>

#include "language/text.hpp"

namespace knuckleboom::input {
namespace {

using command::DeviceIdentity;

// Both serials are known and differ: certainly another device.
bool contradicts(const DeviceIdentity& a, const DeviceIdentity& b) {
  return !a.serial.empty() && !b.serial.empty() && a.serial != b.serial;
}

bool same_serial(const DeviceIdentity& a, const DeviceIdentity& b) {
  return a.guid == b.guid && !a.serial.empty() && a.serial == b.serial;
}

bool same_port(const DeviceIdentity& a, const DeviceIdentity& b) {
  return a.guid == b.guid && !a.port.empty() && a.port == b.port && !contradicts(a, b);
}

template <typename List, typename Test>
int count(const List& list, Test test) {
  return static_cast<int>(std::count_if(list.begin(), list.end(), test));
}

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::string_view to_string(Recognised how) {
  constexpr std::string_view kTexts[] = {msgid("recognised by its serial"),
                                         msgid("recognised by its port"),
                                         msgid("the only one of its model that was wanted"),
                                         msgid("by order of attachment"), msgid("as you said")};
  return kTexts[static_cast<int>(how)];
}

SlotTable::SlotTable(std::vector<command::DeviceSlot> slots) {
  for (command::DeviceSlot& slot : slots) slots_.push_back({std::move(slot), -1});
}

// --- What is there ------------------------------------------------------------

const AttachedDevice* SlotTable::find(int device) const {
  for (const AttachedDevice& attached : attached_)
    if (attached.id == device) return &attached;
  return nullptr;
}

int SlotTable::slot_of(int device) const {
  for (int i = 0; i < slots(); ++i)
    if (device >= 0 && device_in(i) == device) return i;
  return -1;
}

std::vector<int> SlotTable::missing_of(const std::string& guid) const {
  std::vector<int> missing;
  for (int i = 0; i < slots(); ++i)
    if (device_in(i) < 0 && slot(i).identity.guid == guid) missing.push_back(i);
  return missing;
}

std::vector<int> SlotTable::unclear_of(const std::string& guid) const {
  std::vector<int> list;
  for (const int device : unclear_)
    if (find(device)->identity.guid == guid) list.push_back(device);
  return list;
}

int SlotTable::attached_of(const std::string& guid) const {
  return count(attached_, [&guid](const AttachedDevice& d) { return d.identity.guid == guid; });
}

int& SlotTable::most_of(const std::string& guid) {
  for (Model& model : models_)
    if (model.guid == guid) return model.most;
  const int wanted =
      count(slots_, [&guid](const Slot& s) { return s.description.identity.guid == guid; });
  models_.push_back({guid, wanted});
  return models_.back().most;
}

// --- What follows -------------------------------------------------------------

void SlotTable::fill(int slot, int device, Recognised how, std::vector<SlotChange>& changes) {
  Slot& s = slots_[at(slot)];
  s.device = device;
  const DeviceIdentity& found = find(device)->identity;
  DeviceIdentity& kept = s.description.identity;
  if (!found.port.empty()) kept.port = found.port;
  if (!found.serial.empty()) kept.serial = found.serial;
  std::erase(unclear_, device);
  changes.push_back({SlotChange::Kind::kFilled, slot, device, how});
}

void SlotTable::drop_gone(std::vector<SlotChange>& changes) {
  for (int i = 0; i < slots(); ++i) {
    const int device = device_in(i);
    if (device < 0 || find(device) != nullptr) continue;
    slots_[at(i)].device = -1;
    changes.push_back({SlotChange::Kind::kLost, i, device, Recognised::kByOrder});
  }
  std::erase_if(unclear_, [this](int device) { return find(device) == nullptr; });
}

int SlotTable::identified_slot(const AttachedDevice& device, Recognised& how) const {
  const DeviceIdentity& d = device.identity;
  const auto unique = [&](auto same) {
    if (count(slots_, [&](const Slot& s) { return same(s.description.identity, d); }) != 1 ||
        count(attached_, [&](const AttachedDevice& a) { return same(a.identity, d); }) != 1)
      return -1;
    for (int i = 0; i < slots(); ++i)
      if (same(slot(i).identity, d)) return device_in(i) < 0 ? i : -1;
    return -1;
  };
  how = Recognised::kBySerial;
  if (const int slot = unique(same_serial); slot >= 0) return slot;
  how = Recognised::kByPort;
  return unique(same_port);
}

// Newly attached devices of one model that cannot be distinguished by themselves.
void SlotTable::settle(const std::string& guid, const std::vector<int>& arrivals,
                       std::vector<SlotChange>& changes) {
  const std::vector<int> missing = missing_of(guid);
  const auto fits = [&](std::size_t k) {
    return !contradicts(slot(missing[k]).identity, find(arrivals[k])->identity);
  };
  if (missing.empty()) {
    for (const int device : arrivals)
      changes.push_back({SlotChange::Kind::kUnused, -1, device, Recognised::kByOrder});
    return;
  }
  const int came = static_cast<int>(arrivals.size());
  const int away = most_of(guid) - (attached_of(guid) - came);
  bool clear = unclear_of(guid).empty() && arrivals.size() == missing.size();
  for (std::size_t k = 0; clear && k < missing.size(); ++k) clear = fits(k);
  if (started_) clear = clear && missing.size() == 1 && away == 1;
  for (std::size_t k = 0; k < arrivals.size(); ++k) {
    if (clear) {
      fill(missing[k], arrivals[k],
           missing.size() == 1 ? Recognised::kAsOnlyOne : Recognised::kByOrder, changes);
    } else {
      unclear_.push_back(arrivals[k]);
      changes.push_back({SlotChange::Kind::kUnclear, -1, arrivals[k], Recognised::kByOrder});
    }
  }
}

std::vector<SlotChange> SlotTable::update(const std::vector<AttachedDevice>& attached) {
  std::vector<int> arrivals;
  for (const AttachedDevice& device : attached)
    if (find(device.id) == nullptr) arrivals.push_back(device.id);
  attached_ = attached;
  std::vector<SlotChange> changes;
  drop_gone(changes);
  std::vector<int> anonymous;
  for (const int device : arrivals) {
    Recognised how = Recognised::kByOrder;
    const int slot = identified_slot(*find(device), how);
    if (slot >= 0)
      fill(slot, device, how, changes);
    else
      anonymous.push_back(device);
  }
  while (!anonymous.empty()) {
    const std::string guid = find(anonymous.front())->identity.guid;
    std::vector<int> alike;
    for (const int device : anonymous)
      if (find(device)->identity.guid == guid) alike.push_back(device);
    std::erase_if(anonymous, [&alike](int device) { return contains(alike, device); });
    settle(guid, alike, changes);
  }
  // A device identified by its serial or port may have left only one place for a waiting one.
  for (const int device : std::vector<int>(unclear_))
    if (contains(unclear_, device)) settle_rest(find(device)->identity.guid, changes);
  for (const AttachedDevice& device : attached_) {
    int& most = most_of(device.identity.guid);
    most = std::max(most, attached_of(device.identity.guid));
  }
  started_ = true;
  return changes;
}

// --- The user's word ----------------------------------------------------------

// After a choice the rest may be unambiguous: no place left, or one place for the last device while
// no other of its model is missing.
void SlotTable::settle_rest(const std::string& guid, std::vector<SlotChange>& changes) {
  const std::vector<int> missing = missing_of(guid);
  const std::vector<int> waiting = unclear_of(guid);
  if (missing.empty()) {
    for (const int device : waiting) {
      std::erase(unclear_, device);
      changes.push_back({SlotChange::Kind::kUnused, -1, device, Recognised::kByOrder});
    }
    return;
  }
  const bool none_away = most_of(guid) <= attached_of(guid);
  if (missing.size() == 1 && waiting.size() == 1 && none_away &&
      !contradicts(slot(missing.front()).identity, find(waiting.front())->identity))
    fill(missing.front(), waiting.front(), Recognised::kAsOnlyOne, changes);
}

bool SlotTable::assign(int slot, int device, std::vector<SlotChange>& changes) {
  const AttachedDevice* attached = find(device);
  if (attached == nullptr || slot < 0 || slot >= slots() ||
      attached->identity.guid != this->slot(slot).identity.guid)
    return false;
  const int before = slot_of(device);
  if (before == slot) return true;
  if (before >= 0) {
    slots_[at(before)].device = -1;
    changes.push_back({SlotChange::Kind::kLost, before, device, Recognised::kByUser});
  }
  if (const int displaced = device_in(slot); displaced >= 0) {
    unclear_.push_back(displaced);
    changes.push_back({SlotChange::Kind::kUnclear, -1, displaced, Recognised::kByUser});
  }
  fill(slot, device, Recognised::kByUser, changes);
  settle_rest(attached->identity.guid, changes);
  return true;
}

int SlotTable::proposed_slot(int device) const {
  if (!contains(unclear_, device)) return -1;
  const std::string& guid = find(device)->identity.guid;
  const std::vector<int> missing = missing_of(guid);
  const std::vector<int> waiting = unclear_of(guid);
  const auto place =
      static_cast<std::size_t>(std::find(waiting.begin(), waiting.end(), device) - waiting.begin());
  return place < missing.size() ? missing[place] : -1;
}

int SlotTable::proposed_device(int slot) const {
  for (const int device : unclear_)
    if (proposed_slot(device) == slot) return device;
  return -1;
}

void SlotTable::confirm(std::vector<SlotChange>& changes) {
  std::vector<std::pair<int, int>> accepted;  // slot, device
  for (const int device : unclear_)
    if (const int slot = proposed_slot(device); slot >= 0) accepted.emplace_back(slot, device);
  for (const auto& [slot, device] : accepted) fill(slot, device, Recognised::kByUser, changes);
  for (const int device : std::vector<int>(unclear_))
    if (contains(unclear_, device)) settle_rest(find(device)->identity.guid, changes);
}

bool SlotTable::swap(int a, int b, std::vector<SlotChange>& changes) {
  if (a < 0 || b < 0 || a >= slots() || b >= slots() || a == b ||
      slot(a).identity.guid != slot(b).identity.guid)
    return false;
  const auto content = [this](int i) {
    return device_in(i) >= 0 ? device_in(i) : proposed_device(i);
  };
  const int in_a = content(a);
  const int in_b = content(b);
  for (const auto& [slot, device] : {std::pair(a, in_b), std::pair(b, in_a)}) {
    const int before = device_in(slot);
    slots_[at(slot)].device = -1;
    if (device < 0 && before >= 0)
      changes.push_back({SlotChange::Kind::kLost, slot, before, Recognised::kByUser});
  }
  if (in_b >= 0) fill(a, in_b, Recognised::kByUser, changes);
  if (in_a >= 0) fill(b, in_a, Recognised::kByUser, changes);
  settle_rest(slot(a).identity.guid, changes);
  return true;
}

}  // namespace knuckleboom::input
