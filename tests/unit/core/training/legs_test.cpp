// Figures of legs on made-up sessions of a crane with three joints and a rotator, and what padding does to
// them. The crane and the courses are those of a prototype in Python whose numbers stand here.

#include "knuckleboom/core/training/legs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/scorer.hpp"

namespace knuckleboom::legs_test {
namespace {

using training::Observation;
using training::Score;
using training::ScoreState;

constexpr double kDt = 0.02;
constexpr int kFunctions = 4;
// Full speeds of swing, boom, stick and rotator [rad/s].
constexpr double kFull[kFunctions] = {0.7, 0.45, 0.6, 1.2};

struct Pose {
  double q[kFunctions] = {};
};
using Course = std::vector<Pose>;

Vec3 tip_of(const Pose& pose) {
  const double r = 3.6 * std::cos(pose.q[1]) + 3.2 * std::cos(pose.q[1] + pose.q[2]);
  const double z = 1.5 + 3.6 * std::sin(pose.q[1]) + 3.2 * std::sin(pose.q[1] + pose.q[2]);
  return {r * std::cos(pose.q[0]), r * std::sin(pose.q[0]), z};
}

Pose pose_of(const Vec3& p) {
  const double r = std::hypot(p.x(), p.y()), z = p.z() - 1.5;
  Pose out;
  out.q[0] = std::atan2(p.y(), p.x());
  out.q[2] = -std::acos((r * r + z * z - 3.6 * 3.6 - 3.2 * 3.2) / (2.0 * 3.6 * 3.2));
  out.q[1] =
      std::atan2(z, r) - std::atan2(3.2 * std::sin(out.q[2]), 3.6 + 3.2 * std::cos(out.q[2]));
  return out;
}

double least_jerk(double s) { return s * s * s * (10.0 + s * (-15.0 + 6.0 * s)); }

int samples(double seconds) { return static_cast<int>(std::lround(seconds / kDt)); }

const Vec3 kFrom(5.0, -2.0, 1.0), kTo(3.0, 4.0, 2.2);

// The tip on a straight line.
Course straight(const Vec3& from, const Vec3& to, double seconds) {
  Course out;
  for (int i = 0; i <= samples(seconds); ++i)
    out.push_back(pose_of(from + least_jerk(1.0 * i / samples(seconds)) * (to - from)));
  return out;
}

void hold(Course& course, double seconds) {
  course.insert(course.end(), static_cast<std::size_t>(samples(seconds)), course.back());
}

// Some joints from where the course ends to q, together.
void move(Course& course, const Pose& q, std::uint32_t joints, double seconds) {
  const Pose from = course.back();
  for (int i = 1; i <= samples(seconds); ++i) {
    Pose now = from;
    for (int j = 0; j < kFunctions; ++j)
      if ((joints >> j & 1u) != 0)
        now.q[j] += least_jerk(1.0 * i / samples(seconds)) * (q.q[j] - from.q[j]);
    course.push_back(now);
  }
}

// There and back again, with rests.
void stroke(Course& course, std::uint32_t joints, double amplitude) {
  const Pose here = course.back();
  Pose there = here;
  for (int j = 0; j < 3; ++j) there.q[j] += (j == 2 ? -1.0 : 1.0) * amplitude;
  move(course, there, joints, 1.6);
  hold(course, 0.9);
  move(course, here, joints, 1.6);
  hold(course, 0.9);
}

// Three joints one after the other.
void one_by_one(Course& course, double slower = 1.0) {
  const Pose end = pose_of(kTo);
  const double seconds[3] = {3.0, 2.0, 2.0};
  for (unsigned j = 0; j < 3; ++j) {
    move(course, end, 1u << j, slower * seconds[j]);
    hold(course, 0.3);
  }
}

Course begun() { return {pose_of(kFrom)}; }

// The rotator turns at the end, or on the way.
void turn_late(Course& course, double angle = 1.4) {
  Pose end = course.back();
  end.q[3] += angle;
  move(course, end, 1u << 3, 1.2);
}
void turn_on_the_way(Course& course, double angle = 1.4) {
  const auto n = static_cast<double>(course.size() - 1);
  for (std::size_t i = 0; i < course.size(); ++i)
    course[i].q[3] += angle * least_jerk(static_cast<double>(i) / n);
}

// The course with half a second of rest before it and after it, as one leg.
Score score_of(const Course& course, double held_lever = 0.0) {
  Course whole(static_cast<std::size_t>(samples(0.5)), course.front());
  whole.insert(whole.end(), course.begin(), course.end());
  hold(whole, 0.5);
  ScoreState state{};
  Vec3 last = tip_of(whole.front());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Observation at{};
    at.ticks = static_cast<std::int64_t>(i);
    at.dt = kDt;
    at.held = -1;
    const Vec3 tip = tip_of(whole[i]);
    for (int c = 0; c < 3; ++c) at.tip_W[c] = tip(c);
    at.step_m = (tip - last).norm();
    last = tip;
    for (int j = 0; j < kFunctions; ++j) at.travel_s[j] = whole[i].q[j] / kFull[j];
    at.axis[0] = at.shaped[4] = held_lever;
    if (i == 0)
      training::set_start(at, state);
    else
      training::gather(false, at, state);
  }
  training::end_leg(state);
  return state.score;
}

TEST(Legs, AStraightLineAsInThePrototype) {
  Course late = straight(kFrom, kTo, 5.0), on_the_way = late;
  turn_late(late);
  turn_on_the_way(on_the_way);
  const Score score = score_of(on_the_way);
  EXPECT_EQ(score.legs, 1.0);
  EXPECT_EQ(score.movements_per_leg, 1.0);
  EXPECT_EQ(score.submovements_per_leg, 1.0);
  EXPECT_NEAR(score.smoothness, -5.32,
              0.1);  // the closed form; -5.08 in the prototype, without edges
  EXPECT_NEAR(score.together, 0.82, 0.04);
  EXPECT_NEAR(score_of(late).together, 0.29, 0.03);
  EXPECT_NEAR(score.extra_way_m, 0.0, 1e-9);
  EXPECT_NEAR(score.path_ratio, 1.0, 1e-9);
}

TEST(Legs, OneFunctionAfterTheOther) {
  Course course = begun();
  one_by_one(course);
  Course on_the_way = course;
  turn_on_the_way(on_the_way);
  turn_late(course);
  const Score score = score_of(course);
  EXPECT_EQ(score.movements_per_leg, 3.0);
  EXPECT_EQ(score.submovements_per_leg, 3.0);
  EXPECT_NEAR(score.smoothness, -8.4, 0.4);
  EXPECT_NEAR(score.together, 0.0, 0.02);
  EXPECT_NEAR(score_of(on_the_way).together, 0.24, 0.03);
}

TEST(Legs, AHeldLeverMovesNothing) {
  Course course = begun();
  one_by_one(course);
  const Score without = score_of(course), with = score_of(course, 1.0);
  for (double Score::*figure :
       {&Score::together, &Score::smoothness, &Score::movements_per_leg, &Score::still_s})
    EXPECT_EQ(with.*figure, without.*figure);
}

TEST(Legs, CreepingIsAMovement) {
  Course course = begun();
  const Pose end = pose_of(kTo);
  for (int i = 1; i <= samples(90.0); ++i) {
    Pose now = course.front();
    for (int j = 0; j < 3; ++j) now.q[j] += 1.0 * i / samples(90.0) * (end.q[j] - now.q[j]);
    course.push_back(now);
  }
  turn_on_the_way(course);
  const Score score = score_of(course);
  EXPECT_EQ(score.movements_per_leg, 1.0);
  EXPECT_NEAR(score.together, 0.90, 0.05);
  EXPECT_LT(score.smoothness, -15.0);  // it starts at once
}

TEST(Legs, FasterOrSlowerIsTheSame) {
  for (const double seconds : {2.5, 5.0, 10.0}) {
    Course course = straight(kFrom, kTo, seconds);
    turn_on_the_way(course);
    const Score score = score_of(course);
    EXPECT_NEAR(score.smoothness, -5.32, 0.2) << seconds;
    EXPECT_NEAR(score.together, 0.82, 0.04) << seconds;
  }
}

TEST(Legs, AMirroredCraneIsTheSame) {
  Course course = begun();
  one_by_one(course);
  turn_late(course);
  Course mirrored = course;
  for (Pose& pose : mirrored) {
    pose.q[0] = -pose.q[0];
    pose.q[3] = -pose.q[3];
  }
  const Score a = score_of(course), b = score_of(mirrored);
  EXPECT_NEAR(a.smoothness, b.smoothness, 1e-9);
  EXPECT_NEAR(a.together, b.together, 1e-3);
  EXPECT_EQ(a.movements_per_leg, b.movements_per_leg);
}

struct Padding {
  const char* name;
  void (*add)(Course&);
};
const Padding kPaddings[] = {{"small strokes of each joint",
                              [](Course& c) {
                                for (int i = 0; i < 18; ++i) stroke(c, 1u << (i % 3), 0.04);
                              }},
                             {"wiggles of all joints",
                              [](Course& c) {
                                for (int i = 0; i < 12; ++i) stroke(c, 7u, 0.04);
                              }},
                             {"a wide excursion", [](Course& c) { stroke(c, 7u, 0.5); }},
                             {"a pause", [](Course& c) { hold(c, 20.0); }},
                             {"a turn of the rotator and back", [](Course& c) {
                                turn_late(c, 1.0);
                                turn_late(c, -1.0);
                              }}};

// Padding before the leg's own motion, in its middle or after it: nothing improves. It moves the motions
// from bin to bin, which is worth up to 0.04 either way.
TEST(Legs, PaddingImprovesNoFigure) {
  for (const bool good : {false, true})
    for (const Padding& padding : kPaddings)
      for (const int where : {0, 1, 2}) {
        const auto driven = [&](bool padded) {
          Course course = begun();
          if (padded && where == 0) padding.add(course);
          if (good) {
            const Vec3 middle = 0.5 * (kFrom + kTo);
            Course half = straight(kFrom, middle, 3.0);
            course.insert(course.end(), half.begin(), half.end());
            hold(course, 0.4);
            if (padded && where == 1) padding.add(course);
            half = straight(middle, kTo, 3.0);
            course.insert(course.end(), half.begin(), half.end());
          } else {
            one_by_one(course);
          }
          if (padded && where == 2) padding.add(course);
          return score_of(course);
        };
        const Score plain = driven(false), padded = driven(true);
        const std::string what = std::string(padding.name) + (good ? ", good" : ", one by one") +
                                 ", place " + std::to_string(where);
        EXPECT_LE(padded.together, plain.together + (good ? 0.05 : 0.01)) << what;
        EXPECT_LE(padded.smoothness, plain.smoothness + 1e-6) << what;
        EXPECT_GE(padded.movements_per_leg, plain.movements_per_leg - 1e-9) << what;
        EXPECT_GE(padded.submovements_per_leg, plain.submovements_per_leg - 1e-9) << what;
        EXPECT_GE(padded.still_s, plain.still_s - 0.1) << what;
        EXPECT_GE(padded.extra_way_m, plain.extra_way_m - 1e-6) << what;
        EXPECT_GE(padded.energy_per_leg_J, plain.energy_per_leg_J) << what;
      }
}

// A driver who adds what may help, at random: the best of many gains nothing worth having.
TEST(Legs, ACheaterGainsNothing) {
  std::uint64_t seed = 7;
  const auto random = [&seed](unsigned below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(seed >> 33) % below;
  };
  Course plain = begun();
  one_by_one(plain);
  turn_late(plain);
  const Score honest = score_of(plain);
  double together = 0.0, smoothness = -100.0, movements = 100.0;
  for (int attempt = 0; attempt < 60; ++attempt) {
    Course course = begun();
    const auto pad = [&] {
      for (unsigned n = random(4); n > 0; --n)
        stroke(course, 1u + random(7), 0.01 + 0.01 * random(10));
      hold(course, 0.1 * random(20));
    };
    const Pose end = pose_of(kTo);
    pad();
    for (unsigned j = 0; j < 3; ++j) {
      move(course, end, 1u << j, j == 0 ? 3.0 : 2.0);
      hold(course, 0.3);
      pad();
    }
    turn_late(course);
    const Score score = score_of(course);
    together = std::max(together, score.together);
    smoothness = std::max(smoothness, score.smoothness);
    movements = std::min(movements, score.movements_per_leg);
  }
  EXPECT_LE(together, honest.together + 0.01);
  EXPECT_LE(smoothness, honest.smoothness + 0.01);
  EXPECT_GE(movements, honest.movements_per_leg);
}

// A log is lifted over the stakes and lowered: for the boom nothing is left of it, and yet it worked all the
// time together with the swing.
TEST(Legs, ACarryIsALiftAndALowering) {
  const auto carry = [](bool together_with_swing) {
    Course course = begun();
    Pose top = course.front(), end = course.front();
    top.q[1] += 0.5;
    top.q[0] += 0.7;
    end.q[0] += 1.4;
    if (together_with_swing) {
      move(course, top, 3u, 3.0);
      move(course, end, 3u, 3.0);
    } else {
      move(course, top, 2u, 2.0);
      move(course, end, 1u, 4.0);
      move(course, end, 2u, 2.0);
    }
    ScoreState state{};
    for (std::size_t i = 0; i < course.size(); ++i) {
      Observation at{};
      at.ticks = static_cast<std::int64_t>(i);
      at.dt = kDt;
      at.held = i + 1 < course.size() ? 0 : -1;
      const Vec3 tip = tip_of(course[i]);
      for (int c = 0; c < 3; ++c) at.tip_W[c] = tip(c);
      for (int j = 0; j < kFunctions; ++j) at.travel_s[j] = course[i].q[j] / kFull[j];
      if (i == 0)
        training::set_start(at, state);
      else
        training::gather(true, at, state);
    }
    EXPECT_EQ(state.score.legs, 1.0);
    return state.score.together;
  };
  EXPECT_GT(carry(true), 0.85);
  EXPECT_LT(carry(false), 0.1);
}

// The leg of a log ends at its release although it counts only when it has come to rest.
TEST(Legs, WhatComesAfterTheReleaseBelongsToTheNext) {
  const auto score = [](double afterwards) {
    ScoreState state{};
    Course course = straight(kFrom, kTo, 5.0);
    const std::size_t released = course.size();
    Course away = straight(kTo, kTo + Vec3(0.0, 0.0, 1.0), 2.0);
    course.insert(course.end(), away.begin(), away.begin() + samples(afterwards) + 1);
    for (std::size_t i = 0; i < course.size(); ++i) {
      Observation at{};
      at.ticks = static_cast<std::int64_t>(i);
      at.dt = kDt;
      at.held = i < released ? 0 : -1;
      const Vec3 tip = tip_of(course[i]);
      for (int c = 0; c < 3; ++c) at.tip_W[c] = tip(c);
      for (int j = 0; j < kFunctions; ++j) at.travel_s[j] = course[i].q[j] / kFull[j];
      if (i == 0)
        training::set_start(at, state);
      else
        training::gather(false, at, state);
    }
    training::end_leg(state);
    return state.score;
  };
  const Score at_once = score(0.0), later = score(1.6);
  EXPECT_NEAR(later.smoothness, at_once.smoothness, 1e-9);
  EXPECT_NEAR(later.together, at_once.together, 1e-9);
  EXPECT_EQ(later.movements_per_leg, 1.0);
  EXPECT_NEAR(later.shortest_m, (kTo - kFrom).norm(), 1e-3);
}

}  // namespace
}  // namespace knuckleboom::legs_test
