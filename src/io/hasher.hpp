// XXH3-128 over a sequence of texts.
#pragma once

#include <memory>
#include <string_view>

#include "knuckleboom/io/content_hash.hpp"

namespace knuckleboom::io {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  // The length goes in too, so that the border between two texts counts.
  void add(std::string_view text);
  ContentHash result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace knuckleboom::io
