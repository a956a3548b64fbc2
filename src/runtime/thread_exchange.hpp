// Data exchanged between the simulation thread and its owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/latest_value.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"

namespace knuckleboom::runtime {

struct StampedInput {
  command::OperatorInput input;
  std::int64_t event_ns;
};

struct ThreadExchange {
  static constexpr std::size_t kEvents = 256;
  static constexpr std::size_t kRecorded = 32768;
  using Recording = EventQueue<training::InputEvent, kRecorded>;

  // To the simulation.
  EventQueue<ThreadEvent, kEvents> events;
  LatestValue<StampedInput> input;
  std::atomic<bool> stopping{false};
  std::atomic<std::uint32_t> calls{0};  // changes whenever a paused thread should check its events

  // From the simulation.
  LatestValue<Published> published;
  std::unique_ptr<Recording> recording;  // null: not wanted
  std::atomic<std::int64_t> recording_lost{0};
};

}  // namespace knuckleboom::runtime
