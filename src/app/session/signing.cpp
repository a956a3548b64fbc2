#include "app/session/signing.hpp"

#include <cerrno>
#include <exception>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "endpoint/station.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/recording/journal_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/recording/session_signatures.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStationsHead = "knuckleboom stations 1";

io::Descriptor opened(const fs::path& path, int flags) {
  io::Descriptor out(::open(path.c_str(), flags | O_CLOEXEC));
  if (out.get() < 0)
    throw io::FileError(path.string(), fmt::format("cannot be opened: {}", io::error_text(errno)));
  return out;
}

std::string signed_message(const std::string& digest) {
  return "knuckleboom session\n" + digest + "\n";
}

// Person, levers and no help: what a countersignature says.
std::string witnessed_message(const std::string& digest) {
  return "knuckleboom invigilated\n" + digest + "\n";
}

fs::path in_user_folder(const char* name) {
  const fs::path folder = user_folder();
  return folder.empty() ? folder : folder / name;
}

fs::path trusted_stations_file() { return in_user_folder("stations.txt"); }

}  // namespace

fs::path own_station_file() { return in_user_folder("station.key"); }

fs::path instructor_pin_file() { return in_user_folder("instructor.pin"); }

fs::path own_instructor_file() { return in_user_folder("instructor.key"); }

namespace {
endpoint::WireKey key_in(const fs::path& file) {
  if (file.empty())
    throw UserError("there is no folder for a key: neither XDG_CONFIG_HOME nor HOME is set");
  try {
    return endpoint::station_key(file);
  } catch (const endpoint::EndpointError& error) {
    throw UserError(error.what());
  }
}
}  // namespace

endpoint::WireKey own_station() { return key_in(own_station_file()); }
endpoint::WireKey own_instructor() { return key_in(own_instructor_file()); }

std::vector<TrustedStation> trusted_stations() {
  std::vector<TrustedStation> out;
  const fs::path path = trusted_stations_file();
  std::error_code error;
  if (path.empty() || (!fs::exists(path, error) && !error)) return out;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kStationsHead)
    throw UserError(
        fmt::format("{} is no list of stations; move it away and trust them anew with 'knuckleboom "
                    "station trust'",
                    path.string()));
  for (int number = 2; std::getline(file, line); ++number) {
    const std::size_t blank = line.find(' ');
    TrustedStation one{line.substr(0, blank),
                       blank == std::string::npos ? std::string() : line.substr(blank + 1)};
    if (!endpoint::is_public_key(one.key) || one.name.empty())
      throw UserError(
          fmt::format("{} line {}: expected a public key and a name", path.string(), number));
    out.push_back(std::move(one));
  }
  return out;
}

void keep_trusted_stations(const std::vector<TrustedStation>& stations) {
  const fs::path path = trusted_stations_file();
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::string text = fmt::format("{}\n", kStationsHead);
  for (const TrustedStation& one : stations) text += fmt::format("{} {}\n", one.key, one.name);
  io::write_file(path, text);
}

std::string sign_session(const fs::path& file) noexcept {
  try {
    if (own_station_file().empty() || file.extension() == io::kJournalSuffix) return {};
    const endpoint::WireKey station = own_station();
    const io::Descriptor session = opened(file, O_RDWR);
    const std::string digest = endpoint::content_digest(session.get(), io::kSessionContentBegin);
    io::put_signatures(session.get(), file.string(),
                       {.station = endpoint::public_key(station),
                        .signature = endpoint::sign(station, signed_message(digest)),
                        .witness = {},
                        .countersignature = {}});
    return {};
  } catch (const std::exception& error) {
    try {
      return fmt::format("the session is recorded, but not signed: {}", error.what());
    } catch (...) {
      return "the session is not signed";
    }
  }
}

void countersign_session(const fs::path& file, const endpoint::WireKey& instructor) {
  const io::Descriptor session = opened(file, O_RDWR);
  io::SessionSignatures signatures = io::read_signatures(session.get(), file.string());
  if (signatures.signature.empty())
    throw UserError(
        fmt::format("{}: it is not signed by the computer that recorded it", file.string()));
  try {
    signatures.witness = endpoint::public_key(instructor);
    signatures.countersignature = endpoint::sign(
        instructor,
        witnessed_message(endpoint::content_digest(session.get(), io::kSessionContentBegin)));
  } catch (const endpoint::EndpointError& error) {
    throw io::FileError(file.string(), error.what());
  }
  io::put_signatures(session.get(), file.string(), signatures);
}

SignedBy signed_by(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored) || io::is_journal(file)) return {};
  const io::Descriptor session = opened(file, O_RDONLY);
  const io::SessionSignatures signatures = io::read_signatures(session.get(), file.string());
  SignedBy out;
  try {
    out.digest = endpoint::content_digest(session.get(), io::kSessionContentBegin);
  } catch (const endpoint::EndpointError& error) {
    throw io::FileError(file.string(), error.what());
  }
  if (signatures.station.empty() && signatures.signature.empty()) return out;
  if (!endpoint::is_signed(signatures.station, signed_message(out.digest), signatures.signature))
    throw io::FileError(file.string(),
                        "its signature is not one of its content: it was changed after it was "
                        "signed, or the signature is another session's");
  out.station = signatures.station;
  const bool witnessed = !signatures.witness.empty() || !signatures.countersignature.empty();
  if (witnessed && !endpoint::is_signed(signatures.witness, witnessed_message(out.digest),
                                        signatures.countersignature))
    throw io::FileError(file.string(), "its countersignature is not one of its content");
  out.witness = signatures.witness;
  try {
    std::error_code ignored;
    if (witnessed && fs::exists(own_instructor_file(), ignored) &&
        endpoint::public_key(own_instructor()) == out.witness)
      out.witness_name = "this computer's instructor";
    out.own = fs::exists(own_station_file(), ignored) &&
              endpoint::public_key(own_station()) == out.station;
    for (const TrustedStation& one : trusted_stations()) {
      if (one.key == out.station) out.name = one.name;
      if (one.key == out.witness) out.witness_name = one.name;
    }
  } catch (const UserError&) {
    // A key or a list that cannot be read makes nobody trusted.
  }
  return out;
}

}  // namespace knuckleboom::app
