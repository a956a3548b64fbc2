// Trace bundles: a run and what is expected of it, as a folder. docs/reference/bundle_file.md
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/log_file.hpp"

namespace knuckleboom::io {

struct BundleChannel {
  std::string name;       // of the run; its column in the reference is in Bundle::reference
  LogQuantity tolerance;  // largest deviation allowed; not given: any
  LogQuantity rms;        // largest root mean square allowed; not given: any
  double from_s, to_s;    // compared between these times
  double time_s = 0.0;    // by which the run may be early or late
};

struct Bundle {
  std::filesystem::path folder;
  std::string name;  // the folder's
  std::string description;
  std::string origin;  // where the reference comes from
  // The run: a scenario, recorded levers, or a machine driven by the reference's own columns. Names, or
  // files relative to the folder.
  std::string machine, scenario;
  std::filesystem::path input;
  std::string fidelity;                  // empty: reduced, or as the exercise says
  std::vector<std::string> assignments;  // as after --set

  std::filesystem::path reference;  // the table; empty: external data whose place nobody has named
  std::string external;             // its path below the folder of external data; empty: own
  // Columns of the reference that drive the machine, behind those of the channels in `map`.
  std::size_t drive_count = 0;
  std::vector<std::pair<std::string, double>> delay_s;  // of drive columns that have one
  // Positions of joints that the log does not show [rad, m].
  std::vector<std::pair<std::string, double>> start;
  double rest_s = 0.0;   // the reference's first part, which shows the machine at rest
  double rate_Hz = 0.0;  // at which an update writes it
  LogMap map;            // of its columns, in the order of the channels
  std::vector<BundleChannel> channels;
};

// The environment variable that names the folder of external data.
inline constexpr const char* kExternalData = "KNUCKLEBOOM_DATA";

// path: the folder, or the bundle.toml in it. data: the folder of external data, empty: none. Throws
// FileError with all that is wrong in the file.
Bundle read_bundle(const std::filesystem::path& path, const std::filesystem::path& data);
Bundle read_bundle_text(std::string_view text, const std::string& file_name,
                        const std::filesystem::path& data);

// Appends to the bundle's log of updates, history.txt. Line ends in the reason become blanks.
void log_bundle_update(const Bundle& bundle, const std::string& date, const std::string& program,
                       const std::string& reason);

}  // namespace knuckleboom::io
