#include "mcap_file.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace knuckleboom::test {
namespace {

constexpr std::string_view kMark("\x89MCAP0\r\n", 8);

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (std::size_t i = bytes.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::string_view take(std::size_t size) {
    const std::string_view out = left_.substr(0, size);
    if (out.size() < size) good_ = false;
    left_.remove_prefix(out.size());
    return out;
  }
  std::string_view text() { return take(number(4)); }
  std::string_view rest() { return take(left_.size()); }
  bool more() const { return good_ && !left_.empty(); }

 private:
  std::string_view left_;
  bool good_ = true;
};

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  McapFile read() {
    const std::size_t footer = file_.size() - kMark.size() - 29;
    expect(file_.starts_with(kMark) && file_.ends_with(kMark), "marks");
    expect(file_[footer] == 0x02, "footer");
    Bytes foot(file_.substr(footer + 9));
    const std::uint64_t summary = foot.number(8), offsets = foot.number(8);
    expect(foot.number(4) == checksum(file_.substr(summary, footer + 25 - summary)),
           "checksum of the summary");
    read_records(file_.substr(kMark.size(), summary - kMark.size()), kMark.size());
    in_summary_ = true;
    read_records(file_.substr(summary, offsets - summary), summary);
    read_records(file_.substr(offsets, footer - offsets), offsets);
    expect(counted_ == out_.messages, "number of messages");
    expect(chunks_ == indexed_chunks_, "number of chunks");
    return std::move(out_);
  }

 private:
  void expect(bool right, std::string_view fault) {
    if (!right) out_.faults.emplace_back(fault);
  }

  void read_records(std::string_view bytes, std::uint64_t begin) {
    Bytes records(bytes);
    for (std::uint64_t at = begin; records.more();) {
      const auto kind = static_cast<int>(records.number(1));
      const std::string_view content = records.take(records.number(8));
      read_record(kind, content, at);
      at += 9 + content.size();
    }
  }

  void read_record(int kind, std::string_view content, std::uint64_t at) {
    Bytes bytes(content);
    switch (kind) {
      case 0x01:
        bytes.text();
        out_.program = bytes.text();
        return;
      case 0x03: {
        const std::uint64_t number = bytes.number(2);
        const std::string name(bytes.text()), language(bytes.text());
        schemas_[number] = {language, name, language, std::string(bytes.text()), {}};
        return;
      }
      case 0x04: {
        const std::uint64_t number = bytes.number(2), schema = bytes.number(2);
        const std::string topic(bytes.text());
        if (in_summary_) return expect(topics_[number] == topic, "channels of the summary");
        topics_[number] = topic;
        McapTopic& to = out_.topics[topic] = schemas_.at(schema);
        to.language = bytes.text();
        return;
      }
      case 0x05: {
        const std::uint64_t channel = bytes.number(2);
        bytes.number(4);
        const std::uint64_t time = bytes.number(8);
        expect(bytes.number(8) == time, "times of a message");
        out_.topics.at(topics_.at(channel)).messages.push_back({time, std::string(bytes.rest())});
        times_at_[{channel, at}] = time;
        ++counted_;
        return;
      }
      case 0x06:
        return read_chunk(bytes);
      case 0x07: {
        const std::uint64_t channel = bytes.number(2);
        Bytes entries(bytes.text());
        while (entries.more()) {
          const std::uint64_t time = entries.number(8);
          const auto found = times_at_.find({channel, entries.number(8)});
          expect(found != times_at_.end() && found->second == time, "index of a message");
          ++indexed_;
        }
        return;
      }
      case 0x08:
        ++indexed_chunks_;
        bytes.number(8);
        bytes.number(8);
        return expect(file_[bytes.number(8)] == 0x06, "place of a chunk");
      case 0x0B:
        out_.messages = bytes.number(8);
        expect(bytes.number(2) == schemas_.size(), "number of schemas");
        return expect(bytes.number(4) == topics_.size(), "number of channels");
      case 0x0C: {
        std::map<std::string, std::string>& texts = out_.texts[std::string(bytes.text())];
        Bytes map(bytes.text());
        while (map.more()) {
          const std::string name(map.text());
          texts[name] = map.text();
        }
        return;
      }
      case 0x0D:
        return expect(file_[bytes.number(8)] == 0x0C, "place of texts");
      case 0x0E: {
        const auto group = static_cast<char>(bytes.number(1));
        return expect(file_[bytes.number(8)] == group, "place of a part of the summary");
      }
      case 0x0F:
        expect(bytes.number(4) == checksum(file_.substr(0, at)), "checksum of the data");
        return expect(indexed_ == counted_, "number of indexed messages");
      default:
        return expect(false, fmt::format("record of kind {}", kind));
    }
  }

  void read_chunk(Bytes& bytes) {
    ++chunks_;
    times_at_.clear();
    bytes.number(8);
    bytes.number(8);
    const std::uint64_t size = bytes.number(8);
    const auto crc = static_cast<std::uint32_t>(bytes.number(4));
    expect(bytes.text() == "zstd", "compression");
    const std::string_view squeezed = bytes.take(bytes.number(8));
    std::string records(size, '\0');
    expect(ZSTD_decompress(records.data(), size, squeezed.data(), squeezed.size()) == size,
           "size of a chunk");
    expect(checksum(records) == crc, "checksum of a chunk");
    read_records(records, 0);
  }

  std::string_view file_;
  McapFile out_;
  bool in_summary_ = false;
  std::map<std::uint64_t, McapTopic> schemas_;
  std::map<std::uint64_t, std::string> topics_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> times_at_;  // of the last chunk
  std::uint64_t counted_ = 0, indexed_ = 0, chunks_ = 0, indexed_chunks_ = 0;
};

}  // namespace

McapFile read_mcap(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  if (file.size() >= 100) return Reader(file).read();
  McapFile out;
  out.faults.emplace_back("it is too short");
  return out;
}

double number_in(const std::string& json, const std::string& name, int& missing) {
  const std::string key = '"' + name + "\":";
  const std::size_t at = json.find(key);
  if (at == std::string::npos) ++missing;
  if (at == std::string::npos || json.compare(at + key.size(), 4, "null") == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return std::strtod(json.c_str() + at + key.size(), nullptr);
}

}  // namespace knuckleboom::test
