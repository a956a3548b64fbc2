// Sessions made from a list of work elements, and how well the elements that are found agree with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
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
