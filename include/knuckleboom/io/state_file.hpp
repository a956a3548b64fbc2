// State files: one SimState, from which a run can be resumed with the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// Format of the file, and of hash and record of states in sessions.
inline constexpr std::uint32_t kStateFormat = 7;

// Written in full or not at all. The hashes name the machine and the scenario the state belongs to,
// the method the way it was computed, such as "converged-full".
void write_state(const std::filesystem::path& path, const sim::SimState& state,
                 const ContentHash& machine, const ContentHash& scenario,
                 const std::string& method = {});

// The bytes of such a file.
std::string state_bytes(const sim::SimState& state, const ContentHash& machine,
                        const ContentHash& scenario, const std::string& method = {});

// Throws FileError with one sentence for a file that is no state, cut short, damaged, of another
// machine or scenario than these, or that holds what is no state of them (sim::check_state). One of another
// program is read by the names of its fields. method: receives what was written.
sim::SimState read_state(const std::filesystem::path& path, const ContentHash& machine,
                         const ContentHash& scenario, const sim::Simulation& simulation,
                         std::string* method = nullptr);

// The same of the bytes of a file; name: what errors call it.
sim::SimState state_from_bytes(std::string_view bytes, const std::string& name,
                               const ContentHash& machine, const ContentHash& scenario,
                               const sim::Simulation& simulation, std::string* method = nullptr);

// state::hash as 16 hexadecimal digits: equal for equal results, bit by bit.
template <class State>
std::string state_hash(const State& state) {
  return fmt::format("{:016x}", state::hash(state));
}

}  // namespace knuckleboom::io
