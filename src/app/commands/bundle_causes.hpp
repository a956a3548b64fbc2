// Why a bundle fails: which keys have changed since its reference was made, and how far each of them explains it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/commands/bundle_run.hpp"

namespace knuckleboom::app {

// Keys of all files at the time of the reference, beside it.
std::filesystem::path keys_file(const io::Bundle& bundle);
// program: that made the reference. Throws io::FileError.
void write_keys(const io::Bundle& bundle, const std::string& program,
                const std::vector<io::ContentKey>& keys);

// How far a run is from the reference; 0 or less: within all tolerances.
using Apart = std::function<double(const BundleRun& run)>;

// Lines of the report on a bundle that fails. Runs it again with each key, and with pairs of them, put back.
// Stops at Ctrl-C. Throws io::FileError for a list of keys that cannot be read.
std::string causes(const io::Bundle& bundle, const BundleChange& change, const BundleRun& run,
                   const Apart& apart);

}  // namespace knuckleboom::app
