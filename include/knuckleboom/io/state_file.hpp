// State files: one SimState, to go on from later with the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "knuckleboom/core/sim/state.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// Goes up with every change of what SimState holds; a state is only good for the layout it was made by.
inline constexpr std::uint32_t kStateFormat = 6;

// Written in full or not at all. The hashes name the machine and the scenario the state belongs to,
// the method the way it was computed, such as "converged-full".
void write_state(const std::filesystem::path& path, const sim::SimState& state,
                 const ContentHash& machine, const ContentHash& scenario,
                 const std::string& method = {});

// Throws FileError with one sentence for a file that is no state, cut short, damaged, of another
// version, or of another machine or scenario than these. method: receives what was written.
sim::SimState read_state(const std::filesystem::path& path, const ContentHash& machine,
                         const ContentHash& scenario, std::string* method = nullptr);

// XXH3-64 of the state's bytes, 16 hexadecimal digits: equal for equal results, bit by bit.
std::string state_hash(const sim::SimState& state);
std::string state_hash(const training::SessionState& state);
std::uint64_t hash_of(const training::SessionState& state);  // the same as a number

}  // namespace knuckleboom::io
