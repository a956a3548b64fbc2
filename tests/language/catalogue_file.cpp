#include "language/catalogue_file.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>

namespace knuckleboom::testing_texts {
namespace {

std::string unquoted(const std::string& line) {
  const std::size_t begin = line.find('"'), end = line.rfind('"');
  if (begin == std::string::npos || end <= begin) throw std::runtime_error("no text: " + line);
  std::string out;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (line[i] != '\\') {
      out += line[i];
      continue;
    }
    ++i;
    out += line[i] == 'n' ? '\n' : line[i] == 't' ? '\t' : line[i];
  }
  return out;
}

}  // namespace

Messages read_catalogue(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot be read: " + file.string());
  Messages out;
  std::string context, text;
  Message message;
  std::string* part = nullptr;
  const auto finish = [&] {
    if (!message.translations.empty() && !text.empty()) out[{context, text}] = std::move(message);
    context.clear();
    text.clear();
    message = {};
    part = nullptr;
  };
  std::string line;
  bool fuzzy = false;
  while (std::getline(stream, line)) {
    if (line.empty()) {
      finish();
    } else if (line.starts_with("#,")) {
      fuzzy = line.find("fuzzy") != std::string::npos;
    } else if (line.starts_with("msgctxt ")) {
      context = unquoted(line);
      part = &context;
    } else if (line.starts_with("msgid ")) {
      text = unquoted(line);
      part = &text;
      message.fuzzy = std::exchange(fuzzy, false);
    } else if (line.starts_with("msgid_plural ")) {
      message.plural = unquoted(line);
      part = &message.plural;
    } else if (line.starts_with("msgstr")) {
      message.translations.push_back(unquoted(line));
      part = &message.translations.back();
    } else if (line.starts_with("\"") && part != nullptr) {
      *part += unquoted(line);
    }
  }
  finish();
  return out;
}

std::vector<std::string> values_of(const std::string& text) {
  std::vector<std::string> out;
  int bare = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') continue;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      ++i;
      continue;
    }
    // A precision may be a value of its own: {:.{}f}.
    std::size_t end = i + 1;
    for (int depth = 1; end < text.size() && depth > 0; ++end)
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    std::string value = text.substr(i + 1, end - i - 2);
    if (value.empty() || value.front() == ':') value.insert(0, std::to_string(bare++));
    if (const std::size_t nested = value.find("{}"); nested != std::string::npos)
      value.insert(nested + 1, std::to_string(bare++));
    out.push_back(value);
    i = end - 1;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace knuckleboom::testing_texts
