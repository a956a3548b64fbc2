#include "app/telemetry/mcap_writer.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <zlib.h>
#include <zstd.h>

#include "app/telemetry/little_endian.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::string_view kMcapMagic("\x89MCAP0\r\n", 8);
constexpr std::string_view kMcapProgram = "knuckleboom ";  // how the program's name in them begins
constexpr std::string_view kMcapCompression = "zstd";
constexpr int kMcapEffort = 3;                             // zstd's own default
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;  // before compression

}  // namespace

enum class McapRecord : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kStatistics = 0x0B,
  kMetadata = 0x0C,
  kMetadataIndex = 0x0D,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

namespace {

// With its length in front.
void add_text(std::string_view text, std::string& out) {
  add_number(static_cast<std::uint32_t>(text.size()), out);
  out += text;
}

void add_record(McapRecord kind, std::string_view content, std::string& out) {
  out += static_cast<char>(kind);
  add_number(static_cast<std::uint64_t>(content.size()), out);
  out += content;
}

std::uint32_t crc_on(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

// Memory of the compressor, and of what it makes.
class McapWriter::Squeezer {
 public:
  std::string_view squeeze(std::string_view bytes) {
    out_.resize(ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compressCCtx(context_.get(), out_.data(), out_.size(),
                                               bytes.data(), bytes.size(), kMcapEffort);
    if (ZSTD_isError(size) != 0U) throw std::runtime_error(ZSTD_getErrorName(size));
    return std::string_view(out_).substr(0, size);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
  std::string out_;
};

void McapWriter::Span::add(std::uint64_t time_ns) {
  first = any ? std::min(first, time_ns) : time_ns;
  last = any ? std::max(last, time_ns) : time_ns;
  any = true;
}

McapWriter::McapWriter(const std::filesystem::path& path, std::string_view program)
    : file_(path), squeezer_(std::make_unique<Squeezer>()) {
  put(kMcapMagic);
  std::string header;
  add_text({}, header);  // no profile
  add_text(program, header);
  put(McapRecord::kHeader, header);
}

McapWriter::~McapWriter() = default;

void McapWriter::put(std::string_view bytes) {
  file_.write(bytes);
  crc_ = crc_on(crc_, bytes);
  written_ += bytes.size();
}

void McapWriter::put(McapRecord kind, std::string_view content) {
  std::string front(1, static_cast<char>(kind));
  add_number(static_cast<std::uint64_t>(content.size()), front);
  put(front);
  put(content);
}

void McapWriter::describe(std::string_view name,
                          const std::vector<std::pair<std::string, std::string>>& texts) {
  std::string map, content, index;
  for (const auto& [key, text] : texts) {
    add_text(key, map);
    add_text(text, map);
  }
  add_text(name, content);
  add_text(map, content);
  add_number(written_, index);
  put(McapRecord::kMetadata, content);
  add_number(std::uint64_t{9 + content.size()}, index);
  add_text(name, index);
  add_record(McapRecord::kMetadataIndex, index, metadata_indexes_);
  ++described_;
}

std::uint16_t McapWriter::add(const McapChannel& channel) {
  const auto number = static_cast<std::uint16_t>(counts_.size());
  const auto schema_number = static_cast<std::uint16_t>(number + 1);  // 0 means: none
  std::string schema, record;
  add_number(schema_number, schema);
  add_text(channel.schema_name, schema);
  add_text(channel.schema_language, schema);
  add_text(channel.schema, schema);
  add_number(number, record);
  add_number(schema_number, record);
  add_text(channel.topic, record);
  add_text(channel.language, record);
  add_text({}, record);  // no further texts
  for (std::string* const to : {&schemas_, &chunk_}) add_record(McapRecord::kSchema, schema, *to);
  for (std::string* const to : {&channels_, &chunk_}) add_record(McapRecord::kChannel, record, *to);
  counts_.push_back(0);
  return number;
}

void McapWriter::write(std::uint16_t channel, std::uint64_t time_ns, std::string_view message) {
  entries_[channel].push_back({time_ns, chunk_.size()});
  std::string front;
  add_number(channel, front);
  add_number(static_cast<std::uint32_t>(counts_[channel]), front);
  add_number(time_ns, front);
  add_number(time_ns, front);
  chunk_ += static_cast<char>(McapRecord::kMessage);
  add_number(static_cast<std::uint64_t>(front.size() + message.size()), chunk_);
  chunk_ += front;
  chunk_ += message;
  chunk_span_.add(time_ns);
  span_.add(time_ns);
  ++counts_[channel];
  ++messages_;
  if (chunk_.size() >= kChunkBytes) close_chunk();
}

void McapWriter::close_chunk() {
  if (chunk_.empty()) return;
  const std::string_view squeezed = squeezer_->squeeze(chunk_);
  std::string front;
  add_number(chunk_span_.first, front);
  add_number(chunk_span_.last, front);
  add_number(static_cast<std::uint64_t>(chunk_.size()), front);
  add_number(crc_on(0, chunk_), front);
  add_text(kMcapCompression, front);
  add_number(static_cast<std::uint64_t>(squeezed.size()), front);
  const std::uint64_t begin = written_;
  std::string record(1, static_cast<char>(McapRecord::kChunk));
  add_number(static_cast<std::uint64_t>(front.size() + squeezed.size()), record);
  put(record);
  put(front);
  put(squeezed);
  const std::uint64_t end = written_;

  std::string offsets;
  for (const auto& [channel, entries] : entries_) {
    std::string list, index;
    for (const Entry& entry : entries) {
      add_number(entry.time_ns, list);
      add_number(entry.offset, list);
    }
    add_number(channel, index);
    add_text(list, index);
    add_number(channel, offsets);
    add_number(written_, offsets);
    put(McapRecord::kMessageIndex, index);
  }
  std::string index;
  add_number(chunk_span_.first, index);
  add_number(chunk_span_.last, index);
  add_number(begin, index);
  add_number(end - begin, index);
  add_text(offsets, index);
  add_number(written_ - end, index);
  add_text(kMcapCompression, index);
  add_number(static_cast<std::uint64_t>(squeezed.size()), index);
  add_number(static_cast<std::uint64_t>(chunk_.size()), index);
  add_record(McapRecord::kChunkIndex, index, chunk_indexes_);
  ++chunks_;
  chunk_.clear();
  entries_.clear();
  chunk_span_ = {};
}

// From its first record up to the checksum in the footer.
std::string McapWriter::summary() {
  std::string counts, statistics;
  for (std::size_t channel = 0; channel < counts_.size(); ++channel) {
    add_number(static_cast<std::uint16_t>(channel), counts);
    add_number(counts_[channel], counts);
  }
  add_number(messages_, statistics);
  add_number(static_cast<std::uint16_t>(counts_.size()), statistics);
  add_number(static_cast<std::uint32_t>(counts_.size()), statistics);
  add_number(std::uint32_t{0}, statistics);  // attachments
  add_number(described_, statistics);
  add_number(chunks_, statistics);
  add_number(span_.first, statistics);
  add_number(span_.last, statistics);
  add_text(counts, statistics);
  std::string statistics_record;
  add_record(McapRecord::kStatistics, statistics, statistics_record);

  std::string out, offsets;
  const std::pair<McapRecord, const std::string*> groups[] = {
      {McapRecord::kSchema, &schemas_},
      {McapRecord::kChannel, &channels_},
      {McapRecord::kStatistics, &statistics_record},
      {McapRecord::kChunkIndex, &chunk_indexes_},
      {McapRecord::kMetadataIndex, &metadata_indexes_}};
  for (const auto& [kind, records] : groups) {
    if (records->empty()) continue;
    std::string offset;
    add_number(static_cast<std::uint8_t>(kind), offset);
    add_number(written_ + out.size(), offset);
    add_number(static_cast<std::uint64_t>(records->size()), offset);
    add_record(McapRecord::kSummaryOffset, offset, offsets);
    out += *records;
  }
  std::string footer;
  add_number(written_, footer);
  add_number(written_ + out.size(), footer);
  out += offsets;
  out += static_cast<char>(McapRecord::kFooter);
  add_number(static_cast<std::uint64_t>(footer.size() + sizeof(std::uint32_t)), out);
  return out + footer;
}

void McapWriter::close() {
  close_chunk();
  std::string end;
  add_number(crc_, end);
  put(McapRecord::kDataEnd, end);
  std::string tail = summary();
  add_number(crc_on(0, tail), tail);
  put(tail);
  put(kMcapMagic);
  file_.close();
}

bool is_our_mcap(const std::filesystem::path& file) {
  constexpr std::size_t kProgram = kMcapMagic.size() + 9 + 4 + 4;  // record, no profile, length
  std::ifstream stream(file, std::ios::binary);
  std::string begin(kProgram + kMcapProgram.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream && begin.starts_with(kMcapMagic) &&
         begin[kMcapMagic.size()] == static_cast<char>(McapRecord::kHeader) &&
         begin.ends_with(kMcapProgram);
}

}  // namespace knuckleboom::app
