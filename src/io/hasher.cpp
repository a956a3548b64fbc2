#include "hasher.hpp"

#include <cstdint>
#include <new>

#include <fmt/format.h>
#include <xxhash.h>

namespace knuckleboom::io {

struct Hasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;

void Hasher::add(std::string_view text) {
  // Written byte by byte: the hash must not depend on the byte order of the machine.
  unsigned char length[8];
  for (int i = 0; i < 8; ++i)
    length[i] =
        static_cast<unsigned char>((static_cast<std::uint64_t>(text.size()) >> (8 * i)) & 255);
  XXH3_128bits_update(state_->xxh, length, sizeof length);
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
}

ContentHash Hasher::result() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return {fmt::format("{:016x}{:016x}", hash.high64, hash.low64)};
}

}  // namespace knuckleboom::io
