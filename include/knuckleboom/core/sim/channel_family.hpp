// Channels and signals are declared in families: one line says name, unit and meaning of all its
// members, such as the position of each joint. From the families of a layer follow its channels for a
// machine, and the tables of docs/reference.
//
// In names and units stand for what differs from member to member:
//   *  name of the joint, loop, lever or obstacle
//   #  unit of a position: rad, or m of what slides
//   ~  unit of a force: N m, or N of what slides
//   %  x, y and z: the family has three members in place of one
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace knuckleboom::sim {

inline constexpr std::string_view kAxes[3] = {"x", "y", "z"};

struct MemberNames {
  std::string_view owner;
  std::string_view position = "rad", effort = "N m";
  std::string_view axis = "x";
};

inline std::string filled(std::string_view pattern, const MemberNames& names) {
  std::string text;
  for (const char c : pattern) {
    if (c == '*')
      text += names.owner;
    else if (c == '#')
      text += names.position;
    else if (c == '~')
      text += names.effort;
    else if (c == '%')
      text += names.axis;
    else
      text += c;
  }
  return text;
}

// A family as the documentation shows it.
struct FamilyRow {
  std::string_view name, unit, description;
  std::string_view owner;  // what * stands for, in capitals: "JOINT"
  std::string_view of;     // which members there are: "each joint"; empty: one
  std::string_view in;     // where it is published, or what it is used for
};

// Calls use(family, member, axis) for all members. Families of the same owners that follow each other
// go together: everything about the first joint, then everything about the second. count(family.of):
// how many owners a machine has. axis: 0 where there are none.
template <class Family, std::size_t size, class Count, class Use>
void for_each_member(const Family (&families)[size], Count count, Use use) {
  for (const Family* first = families; first != std::end(families);) {
    const Family* last = std::find_if(first, std::end(families),
                                      [&](const Family& family) { return family.of != first->of; });
    const int members = count(first->of);
    for (int member = 0; member < members; ++member)
      for (const Family* family = first; family != last; ++family) {
        const int axes = family->name.find('%') == std::string_view::npos ? 1 : 3;
        for (int axis = 0; axis < axes; ++axis) use(*family, member, axis);
      }
    first = last;
  }
}

}  // namespace knuckleboom::sim
