// Emulations as a bench, for tests: their texts, and a run with all kinds of input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/recording/emulation_texts.hpp"

namespace knuckleboom::test {

// A shipped emulation, and a signal file in which the operator, a force, a joint and a motor of
// peg_on_plane may come from outside.
io::EmulationTexts shipped_emulation_texts(const std::string& emulation,
                                           std::vector<std::string> assignments = {});
// Its plan alone, with the machines it names.
emulation::EmulationPlan shipped_emulation(const std::string& name);

// External input of a bench: lost and late packets, NaN values, changes of source, tuning, holds,
// stops and resets.
struct OutsideRun {
  std::vector<io::EmulationTickCommand> commands;
  std::vector<exchange::ExchangeInput> inputs;  // one for each tick
};
OutsideRun outside_run(const emulation::HilBench& bench, std::int64_t ticks, std::uint32_t seed);

// Runs it and records it into the file, with a thread or without. Returns the last state.
emulation::HilState record_emulation(const io::EmulationTexts& texts,
                                     const emulation::HilBench& bench, const OutsideRun& run,
                                     const std::string& file);

}  // namespace knuckleboom::test
