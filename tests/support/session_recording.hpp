// Recorded sessions for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::test {

// A shipped exercise with its complete session header.
struct DescribedSession {
  std::unique_ptr<training::Session> session;
  io::SessionHeader header;
};
// variant: as drawn for an exam; 0: none.
DescribedSession described_session(const std::string& exercise, int variant = 0);

// Random lever input: each axis moves to a new position every 50 to 500 ms, at the speed of a hand;
// positions come as a USB device sends them, every `every` ticks in 16 bits. Some commands in
// between.
std::vector<training::InputEvent> random_input(std::uint32_t seed, std::int64_t ticks,
                                               std::int64_t every = 8);

// Runs the session with the input and records it into the file. Returns the last state.
training::SessionState record_session(const DescribedSession& described,
                                      const std::vector<training::InputEvent>& input,
                                      const std::filesystem::path& file);

}  // namespace knuckleboom::test
