// Sessions made from a list of work elements, and how well the elements that are found agree with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/elements.hpp"

namespace knuckleboom::elements_test {

using namespace training;

inline constexpr double kHz = 50.0;

struct TruePiece {
  Track track;
  Element element;
  int begin, end;  // samples
};
struct Made {
  std::vector<ElementSample> samples;  // tick: number of the sample
  std::vector<TruePiece> truth;
  bool head = false;
};

// Neighbours of one kind are one piece.
inline void merge(std::vector<TruePiece>& truth) {
  std::vector<TruePiece> out;
  for (const TruePiece& piece : truth)
    if (!out.empty() && out.back().track == piece.track && out.back().element == piece.element)
      out.back().end = piece.end;
    else
      out.push_back(piece);
  truth = out;
}

// Writes signals sample by sample.
class Writer {
 protected:
  Writer(unsigned seed, bool noise) : random_(seed), noise_(noise) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  // Mostly short, up to 30 s.
  int seconds(double low, double high) {
    const double t = low * std::pow(high / low, std::pow(uniform(0.0, 1.0), 1.5));
    return std::max(1, static_cast<int>(std::lround(t * kHz)));
  }
  int now() const { return static_cast<int>(made_.samples.size()); }
  // Turning on the spot in x and y, so that the way over half a second is the speed's.
  ElementSample& write(double speed) {
    at_.tip_m_s[0] = speed;
    at_.tip_m[0] += speed / kHz * side_;
    if (std::fabs(at_.tip_m[0]) > 6.0) side_ = -side_;
    at_.tick = now() + 1;
    made_.samples.push_back(at_);
    return made_.samples.back();
  }
  // other: another signal, and its noise over that of the tip.
  void add_noise(double ElementSample::*other, double share) {
    std::normal_distribution<double> way(0.0, 0.02);
    for (ElementSample& s : made_.samples) {
      for (int c = 0; c < 3; ++c) {
        s.tip_m[c] += way(random_);
        s.tip_m_s[c] += way(random_);
      }
      s.gap_m += way(random_);
      s.*other += share * way(random_);
    }
  }

  std::mt19937 random_;
  bool noise_;
  Made made_;
  ElementSample at_;
  double side_ = 1.0;
};

template <class Maker>
std::vector<Made> made(unsigned first_seed, bool noise) {
  const char* wanted = std::getenv("KNUCKLEBOOM_ELEMENT_SESSIONS");
  const int sessions = wanted != nullptr ? std::atoi(wanted) : 8;
  std::vector<Made> list;
  for (int i = 0; i < sessions; ++i)
    list.push_back(Maker(first_seed + static_cast<unsigned>(i), noise).make(20));
  return list;
}

// At a rate: the ticks of a sample are as many as lie in 20 ms.
inline std::vector<FinalPiece> pieces_of(const std::vector<ElementSample>& samples,
                                         int ticks_a_sample, bool head = false,
                                         const ElementLimits& limits = {}) {
  const double dt = kElementSample / ticks_a_sample;
  ElementState state = start_elements(head);
  std::vector<FinalPiece> pieces;
  for (ElementSample at : samples) {
    at.tick *= ticks_a_sample;
    follow_elements(dt, at, state, &pieces, limits);
  }
  const std::int64_t end = samples.empty() ? 0 : samples.back().tick * ticks_a_sample;
  finish_elements(dt, end, state, &pieces, limits);
  for (const ElementTrack& track : state.track) {
    std::int64_t sum = 0;
    for (const std::int64_t ticks : track.ticks) sum += ticks;
    EXPECT_EQ(sum, end);
  }
  return pieces;
}

// Each tick belongs to one element of each track, the same in seconds at each rate.
inline void expect_same_at_each_rate(const Made& made) {
  const std::vector<FinalPiece> at_250 = pieces_of(made.samples, 5, made.head);
  for (const int ticks : {10, 20, 40}) {
    const std::vector<FinalPiece> pieces = pieces_of(made.samples, ticks, made.head);
    ASSERT_EQ(pieces.size(), at_250.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(pieces[i].element, at_250[i].element);
      EXPECT_EQ(pieces[i].begin * 5, at_250[i].begin * ticks);
      EXPECT_EQ(pieces[i].end * 5, at_250[i].end * ticks);
    }
  }
}

// The pieces of a track follow each other from the first tick to the last, however early the session ends.
inline void expect_no_gap(const Made& made) {
  for (std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{77},
        made.samples.size() / 3, made.samples.size() / 2, made.samples.size()}) {
    const std::vector<ElementSample> some(made.samples.begin(),
                                          made.samples.begin() + static_cast<std::ptrdiff_t>(n));
    const std::vector<FinalPiece> pieces = pieces_of(some, 20, made.head);
    std::int64_t at[kTracks] = {0, 0};
    for (const FinalPiece& p : pieces) {
      EXPECT_EQ(p.begin, at[static_cast<std::size_t>(p.track)]);
      EXPECT_GT(p.end, p.begin);
      at[static_cast<std::size_t>(p.track)] = p.end;
    }
    for (const std::int64_t end : at) EXPECT_EQ(end, 20 * static_cast<std::int64_t>(n));
    std::int64_t single = 0;
    for (const FinalPiece& p : single_list(pieces)) single += p.end - p.begin;
    EXPECT_EQ(single, 20 * static_cast<std::int64_t>(n));
  }
}

struct Quality {
  std::vector<double> errors_s;
  std::map<Element, double> f1[kTracks];
  double worst_f1 = 1.0, worst_share = 0.0, median_s = 0.0, most_s = 0.0;
};

inline Quality compare(const std::vector<Made>& sessions, const ElementLimits& limits = {}) {
  Quality q;
  std::map<Element, double> hits[kTracks], is[kTracks], should[kTracks], time[kTracks];
  double total = 0.0;
  for (const Made& made : sessions) {
    const std::vector<FinalPiece> found = pieces_of(made.samples, 20, made.head, limits);
    total += static_cast<double>(made.samples.size()) / kHz;
    for (const FinalPiece& p : found) {
      const auto t = static_cast<std::size_t>(p.track);
      is[t][p.element] += 1.0;
      time[t][p.element] += static_cast<double>(p.end - p.begin) / (20.0 * kHz);
    }
    for (const TruePiece& p : made.truth) {
      const auto t = static_cast<std::size_t>(p.track);
      should[t][p.element] += 1.0;
      const double begin = p.begin / kHz, end = p.end / kHz;
      time[t][p.element] -= end - begin;
      double best = 0.0, error[2] = {10.0, 10.0};
      for (const FinalPiece& f : found) {
        if (f.track != p.track || f.element != p.element) continue;
        const double b = static_cast<double>(f.begin) / (20.0 * kHz);
        const double e = static_cast<double>(f.end) / (20.0 * kHz);
        const double both = std::min(e, end) - std::max(b, begin);
        if (both <= 0.0) continue;
        const double iou = both / (std::max(e, end) - std::min(b, begin));
        if (iou <= best) continue;
        best = iou;
        error[0] = std::fabs(b - begin);
        error[1] = std::fabs(e - end);
      }
      if (best > 0.5) hits[t][p.element] += 1.0;
      if (best > 0.0) q.errors_s.insert(q.errors_s.end(), {error[0], error[1]});
    }
  }
  for (std::size_t t = 0; t < kTracks; ++t)
    for (const auto& [element, count] : should[t]) {
      q.f1[t][element] = 2.0 * hits[t][element] / (count + is[t][element]);
      q.worst_f1 = std::min(q.worst_f1, q.f1[t][element]);
      q.worst_share = std::max(q.worst_share, std::fabs(time[t][element]) / total);
    }
  std::sort(q.errors_s.begin(), q.errors_s.end());
  q.median_s = q.errors_s[q.errors_s.size() / 2];
  q.most_s = q.errors_s[q.errors_s.size() * 95 / 100];
  return q;
}

inline void expect_accepted(const Quality& q, double f1) {
  EXPECT_LE(q.median_s, 0.1);
  EXPECT_LE(q.most_s, 0.3);
  EXPECT_LE(q.worst_share, 0.02);
  EXPECT_GE(q.worst_f1, f1);
  for (std::size_t t = 0; t < kTracks; ++t)
    for (const auto& [element, value] : q.f1[t])
      EXPECT_GE(value, f1) << kElementNames[static_cast<std::size_t>(element)];
  testing::Test::RecordProperty("median_s", std::to_string(q.median_s));
  testing::Test::RecordProperty("p95_s", std::to_string(q.most_s));
  testing::Test::RecordProperty("worst_f1", std::to_string(q.worst_f1));
  testing::Test::RecordProperty("worst_share", std::to_string(q.worst_share));
}

struct Outcome {
  std::string pieces;
  std::int64_t phases[kLoadPhases];
};
inline Outcome outcome(const std::vector<ElementSample>& samples, bool head,
                       const ElementLimits& limits) {
  ElementState state = start_elements(head);
  std::vector<FinalPiece> pieces;
  for (const ElementSample& at : samples)
    follow_elements(kElementSample, at, state, &pieces, limits);
  finish_elements(kElementSample, samples.back().tick, state, &pieces, limits);
  Outcome out{};
  for (const FinalPiece& p : pieces)
    out.pieces += std::string(kElementNames[static_cast<std::size_t>(p.element)]) + " " +
                  std::to_string(p.end) + (p.track == Track::kDrive ? "d " : " ");
  std::copy(std::begin(state.phase_ticks), std::end(state.phase_ticks), out.phases);
  return out;
}

// Each threshold, half as much more and less, changes something.
inline void expect_seen(const std::vector<ElementSample>& samples, bool head,
                        const std::vector<double ElementLimits::*>& thresholds) {
  const Outcome should = outcome(samples, head, {});
  for (double ElementLimits::*limit : thresholds)
    for (const double factor : {0.5, 1.5}) {
      ElementLimits other;
      other.*limit *= factor;
      const Outcome is = outcome(samples, head, other);
      EXPECT_TRUE(
          is.pieces != should.pieces ||
          !std::equal(std::begin(is.phases), std::end(is.phases), std::begin(should.phases)))
          << "threshold of " << ElementLimits{}.*limit << " times " << factor;
    }
}

}  // namespace knuckleboom::elements_test
