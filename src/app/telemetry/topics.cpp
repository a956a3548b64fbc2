#include "app/telemetry/topics.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "knuckleboom/core/emulation/hil_signals.hpp"
#include "knuckleboom/core/sim/channel_family.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/training/channels.hpp"

namespace knuckleboom::app {
namespace {

// A joint, wheel or loop has so many channels; a column of somebody else that only ends alike has fewer.
constexpr int kLeastOfOwner = 3;

// Where families are shown, by what stands for their owners in the declaration.
struct TopicPlace {
  std::string_view owner, topic;
  bool each = false;  // a topic for each owner
};
constexpr TopicPlace kTopicPlaces[] = {{"J", "/joints/", true},     {"WHEEL", "/wheels/", true},
                                       {"LOOP", "/loops/", true},   {"AXIS", "/levers"},
                                       {"FUNCTION", "/levers"},     {"FIGURE", "/score"},
                                       {"OBSTACLE", "/collisions"}, {"", ""}};
constexpr std::string_view kMachineTopic = "/machine", kSessionTopic = "/session",
                           kOtherTopic = "/channels", kBenchTopic = "/bench";

// The names of a family's members, for one kind of position, force and axis.
struct ChannelPattern {
  std::string before, behind;  // the owner's name; of one without owners all is before it
  bool owned = false;
  std::string unit;
  std::string_view description;
  TopicPlace place;
};

void add_patterns(const std::vector<sim::FamilyRow>& rows, std::string_view alone,
                  std::vector<ChannelPattern>& out) {
  for (const sim::FamilyRow& row : rows) {
    TopicPlace place = *std::find_if(std::begin(kTopicPlaces), std::end(kTopicPlaces) - 1,
                                     [&](const TopicPlace& one) { return one.owner == row.owner; });
    const std::size_t star = row.name.find('*');
    if (star == std::string_view::npos) place = {"", alone};
    for (const std::string_view axis : sim::kAxes)
      for (const bool slides : {false, true}) {
        sim::MemberNames names{.owner = {}, .axis = axis};
        if (slides) names = {{}, "m", "N", axis};
        ChannelPattern one{sim::filled(row.name.substr(0, star), names),
                           {},
                           star != std::string_view::npos,
                           // Each figure has its own.
                           row.owner == "FIGURE" ? std::string() : sim::filled(row.unit, names),
                           row.description,
                           place};
        if (one.owned) one.behind = sim::filled(row.name.substr(star + 1), names);
        const bool known = std::any_of(out.begin(), out.end(), [&one](const ChannelPattern& other) {
          return other.before == one.before && other.behind == one.behind &&
                 other.owned == one.owned && other.description == one.description;
        });
        if (!known) out.push_back(std::move(one));
      }
  }
}

// Signals of an emulation are known by the dots in the names of most; without any, a column "mode" is none.
std::vector<ChannelPattern> patterns(std::span<const std::string_view> names) {
  const bool bench = std::any_of(names.begin(), names.end(), [](std::string_view name) {
    return name.find('.') != std::string_view::npos;
  });
  std::vector<ChannelPattern> out;
  add_patterns(sim::channel_rows(), kMachineTopic, out);
  add_patterns(training::session_channel_rows(), kSessionTopic, out);
  if (bench) add_patterns(emulation::hil_signal_rows(), kBenchTopic, out);
  return out;
}

struct ChannelMember {
  const ChannelPattern* family = nullptr;
  std::string_view owner;
};

// By the family that says most of the name; one that says how it begins before one that says how it ends, as
// score_max_rad_s is a figure.
ChannelMember member_of(std::string_view name, const std::vector<ChannelPattern>& families) {
  ChannelMember best;
  std::array<std::size_t, 3> most{};
  for (const ChannelPattern& one : families) {
    const std::size_t said = one.before.size() + one.behind.size();
    if (one.owned
            ? !(name.size() > said && name.starts_with(one.before) && name.ends_with(one.behind))
            : name != one.before)
      continue;
    const std::array<std::size_t, 3> worth{one.owned ? 0U : 1U, one.before.empty() ? 0U : 1U, said};
    if (best.family != nullptr && worth <= most) continue;
    most = worth;
    best = {&one,
            one.owned ? name.substr(one.before.size(), name.size() - said) : std::string_view()};
  }
  return best;
}

// Each column's member, nothing where an owner has too few to be one.
std::vector<ChannelMember> members_of(std::span<const std::string_view> names,
                                      const std::vector<ChannelPattern>& families) {
  std::vector<ChannelMember> out;
  std::map<std::pair<std::string_view, std::string_view>, int> owned;
  for (const std::string_view name : names) {
    out.push_back(member_of(name, families));
    const ChannelMember& one = out.back();
    if (one.family != nullptr && one.family->place.each)
      ++owned[{one.family->place.topic, one.owner}];
  }
  for (ChannelMember& one : out)
    if (one.family != nullptr && one.family->place.each &&
        owned[{one.family->place.topic, one.owner}] < kLeastOfOwner)
      one = {};
  return out;
}

std::string topic_name(std::string_view channel, const ChannelMember& member) {
  if (const std::size_t dot = channel.rfind('.'); dot != std::string_view::npos) {
    std::string name = "/" + std::string(channel.substr(0, dot));
    std::replace(name.begin(), name.end(), '.', '/');
    return name;
  }
  if (member.family == nullptr) return std::string(kOtherTopic);
  std::string name(member.family->place.topic);
  if (member.family->place.each) name += member.owner;
  return name;
}

}  // namespace

std::vector<Topic> topics_of(std::span<const io::ChannelInfo> channels) {
  std::vector<std::string_view> names;
  for (const io::ChannelInfo& one : channels) names.push_back(one.name);
  const std::vector<ChannelPattern> families = patterns(names);
  const std::vector<ChannelMember> members = members_of(names, families);
  std::vector<Topic> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const io::ChannelInfo& channel = channels[i];
    const std::string name = topic_name(channel.name, members[i]);
    const auto [place, first] = places.try_emplace(name, out.size());
    if (first) out.push_back({name, {}});
    std::vector<TopicField>& fields = out[place->second].fields;
    std::string field = channel.name.substr(channel.name.rfind('.') + 1);
    const bool taken = std::any_of(fields.begin(), fields.end(),
                                   [&field](const TopicField& one) { return one.name == field; });
    fields.push_back({taken ? channel.name : field, channel.unit, channel.description, i});
  }
  return out;
}

std::vector<io::ChannelInfo> described(std::span<const std::string> columns) {
  const std::vector<std::string_view> names(columns.begin(), columns.end());
  const std::vector<ChannelPattern> families = patterns(names);
  const std::vector<ChannelMember> members = members_of(names, families);
  std::vector<io::ChannelInfo> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    io::ChannelInfo one{columns[i], {}, {}};
    if (const ChannelPattern* family = members[i].family) {
      one.unit = family->unit;
      one.description = family->description;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace knuckleboom::app
