// MCAP files: messages of many topics over time, with an index, compressed. docs/reference/telemetry.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {

struct McapChannel {
  std::string topic;
  std::string schema_name, schema_language, schema;
  std::string language;  // of the messages
};

// Kinds of records in the format.
enum class McapRecord : std::uint8_t;

// The file appears under its name at close(). Throws io::FileError.
class McapWriter {
 public:
  // program: who writes it, named in the file.
  McapWriter(const std::filesystem::path& path, std::string_view program);
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  // Texts about the file as a whole, by a name.
  void describe(std::string_view name,
                const std::vector<std::pair<std::string, std::string>>& texts);
  // Its number.
  std::uint16_t add(const McapChannel& channel);
  void write(std::uint16_t channel, std::uint64_t time_ns, std::string_view message);
  void close();

  std::uint64_t messages() const { return messages_; }

 private:
  struct Span {  // of times
    std::uint64_t first = 0, last = 0;
    bool any = false;
    void add(std::uint64_t time_ns);
  };
  struct Entry {
    std::uint64_t time_ns, offset;
  };
  class Squeezer;

  void put(std::string_view bytes);
  void put(McapRecord kind, std::string_view content);
  void close_chunk();
  std::string summary();

  io::AtomicFile file_;
  std::unique_ptr<Squeezer> squeezer_;
  std::uint64_t written_ = 0;  // bytes
  std::uint32_t crc_ = 0;      // over them

  // The open chunk.
  std::string chunk_;
  std::map<std::uint16_t, std::vector<Entry>> entries_;
  Span chunk_span_;

  // For the summary: records by kind, as they are written.
  std::string schemas_, channels_, chunk_indexes_, metadata_indexes_;
  std::uint32_t chunks_ = 0, described_ = 0;
  std::vector<std::uint64_t> counts_;  // of messages, by channel
  std::uint64_t messages_ = 0;
  Span span_;
};

// Whether the file was written by a McapWriter of this program.
bool is_our_mcap(const std::filesystem::path& file);

}  // namespace knuckleboom::app
