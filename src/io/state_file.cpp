#include "knuckleboom/io/state_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <xxhash.h>

#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/version.hpp"

namespace knuckleboom::io {
namespace {

constexpr char kMagic[8] = {'K', 'B', 'S', 'T', 'A', 'T', 'E', '\n'};
constexpr std::size_t kHashDigits = 32;
constexpr std::size_t kProgramBytes = 64;
constexpr std::size_t kMethodBytes = 24;

// The file is this header and then the bytes of the state. Plain numbers in the byte order of the
// machine: a state is for going on with the same build, not for exchange.
struct Header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t state_bytes;
  char machine[kHashDigits];
  char scenario[kHashDigits];
  char program[kProgramBytes];  // version and revision that wrote it, ended by zeros
  char method[kMethodBytes];    // ended by zeros
  std::int64_t tick;
  std::uint64_t checksum;  // XXH3-64 of all bytes before it and of the state
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 184);

std::string_view bytes_of(const sim::SimState& state) {
  return {reinterpret_cast<const char*>(&state), sizeof state};
}

std::uint64_t checksum(const Header& header, const sim::SimState& state) {
  const XXH64_hash_t seed =
      XXH3_64bits(reinterpret_cast<const char*>(&header), offsetof(Header, checksum));
  return XXH3_64bits_withSeed(&state, sizeof state, seed);
}

void copy_text(char* field, std::size_t size, const std::string& text) {
  std::memset(field, 0, size);
  std::copy_n(text.data(), std::min(size, text.size()), field);
}

bool same_text(const char* field, std::size_t size, const std::string& text) {
  return std::string_view(field, size) == text;
}

std::string program_of(const Header& header) {
  return {header.program, strnlen(header.program, kProgramBytes)};
}

// At most limit bytes of a regular file.
std::string read_bytes(const std::filesystem::path& path, std::size_t limit) {
  const std::string file = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw FileError(file, "there is no such file; expected a state that run --save has written");
  if (error) throw FileError(file, fmt::format("cannot be read: {}", error.message()));
  if (!std::filesystem::is_regular_file(status))
    throw FileError(file,
                    "this is not a regular file; expected a state that run --save has written");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::string bytes(limit, '\0');
  bytes.resize(std::fread(bytes.data(), 1, limit, stream.get()));
  if (std::ferror(stream.get()) != 0)
    throw FileError(file,
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  return bytes;
}

}  // namespace

void write_state(const std::filesystem::path& path, const sim::SimState& state,
                 const ContentHash& machine, const ContentHash& scenario,
                 const std::string& method) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kStateFormat;
  header.state_bytes = sizeof state;
  copy_text(header.machine, kHashDigits, machine.hex);
  copy_text(header.scenario, kHashDigits, scenario.hex);
  copy_text(header.program, kProgramBytes, fmt::format("{} ({})", kVersion, kRevision));
  copy_text(header.method, kMethodBytes, method);
  header.tick = state.tick;
  header.checksum = checksum(header, state);
  std::string content(reinterpret_cast<const char*>(&header), sizeof header);
  content += bytes_of(state);
  write_file(path, content);
}

sim::SimState read_state(const std::filesystem::path& path, const ContentHash& machine,
                         const ContentHash& scenario, std::string* method) {
  const std::string file = path.string();
  // One byte more than a state has, to see whether there is more.
  const std::string bytes = read_bytes(path, sizeof(Header) + sizeof(sim::SimState) + 1);
  const auto fail = [&file](const std::string& message) { throw FileError(file, message); };
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    fail("this is not a state file; expected one that run --save has written");
  Header header{};
  if (bytes.size() < sizeof header) fail("the state file is cut short; save the state again");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.format != kStateFormat || header.state_bytes != sizeof(sim::SimState))
    fail(
        fmt::format("the state was saved by another version of the program, {}; this is {} ({}); "
                    "save it again with this one",
                    program_of(header), kVersion, kRevision));
  if (bytes.size() < sizeof header + sizeof(sim::SimState))
    fail("the state file is cut short; save the state again");
  if (bytes.size() > sizeof header + sizeof(sim::SimState))
    fail("the state file is longer than a state; save the state again");
  sim::SimState state;
  std::memcpy(static_cast<void*>(&state), bytes.data() + sizeof header, sizeof state);
  if (header.checksum != checksum(header, state))
    fail("the state file is damaged (its checksum is wrong); save the state again");
  if (!same_text(header.machine, kHashDigits, machine.hex))
    fail(
        "the state belongs to another machine, or the machine file or its --set values have "
        "changed "
        "since; resume with those it was saved with");
  if (!same_text(header.scenario, kHashDigits, scenario.hex))
    fail(
        "the state belongs to another scenario, or the scenario file or its --set values have "
        "changed since; resume with those it was saved with");
  if (method != nullptr) *method = {header.method, strnlen(header.method, kMethodBytes)};
  return state;
}

std::string state_hash(const sim::SimState& state) {
  return fmt::format("{:016x}", XXH3_64bits(&state, sizeof state));
}

std::uint64_t hash_of(const training::SessionState& state) {
  // Not xxHash's choice of wide vectors at run time: woken for a microsecond every 100 ticks they cost the
  // tick more than they save.
  return XXH3_64bits(&state, sizeof state);
}

std::string state_hash(const training::SessionState& state) {
  return fmt::format("{:016x}", hash_of(state));
}

}  // namespace knuckleboom::io
