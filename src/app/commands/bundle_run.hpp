// The run of a bundle: as its file says, or otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/content_keys.hpp"
#include "knuckleboom/io/file_kinds.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::app {

struct BundleFile {
  io::FileKind kind;
  std::filesystem::path path;
};

struct BundleRun {
  std::string title;
  std::vector<std::string> header;  // remarks of a reference made from it
  std::vector<sim::Channel> channels;
  io::Trace trace;
  std::int64_t sample_ticks = 1;
  double tick_s = 0.0;
  bool finite = true;
  std::vector<std::string> remarks;
  std::vector<BundleFile> files;  // that it was made from
};

struct BundleChange {
  std::vector<std::string> assignments;  // as after --set, on top of the bundle's own
  int finer = 1;                         // so many ticks in place of one
};

// Recorded levers to their end, without title, header and files. look: called with the state after each tick but
// the last. Nothing if it was interrupted.
std::optional<BundleRun> run_levers(
    const training::Session& session, std::span<const training::InputEvent> events,
    std::span<const training::Command> opening = {},
    const std::function<void(const training::SessionState&)>& look = {});

// Nothing if it was interrupted. Throws UserError, io::FileError or std::invalid_argument.
std::optional<BundleRun> run_bundle(const io::Bundle& bundle, const BundleChange& change);

// Each key of these files, as changed by the bundle and by the change. Throws as run_bundle does.
std::vector<io::ContentKey> bundle_keys(const io::Bundle& bundle, const BundleChange& change,
                                        const std::vector<BundleFile>& files);

// A remark of a reference.
std::string machine_line(const std::string& name, const io::ContentHash& hash);

// Today, by this program. Throws io::FileError.
void log_update(const io::Bundle& bundle, const std::string& reason);

// Infinite: any.
double largest_allowed(const io::LogQuantity& asked);

// The table of a reference. Throws UserError.
std::string reference_text(const io::Bundle& bundle, const BundleRun& run);

}  // namespace knuckleboom::app
