#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sonde {

/// A fast hash of short texts for hash tables in memory: eight bytes a step, each mixed by a 128-bit product.
/// Not stable between versions and not against an enemy.
struct BytesHash {
  using is_avalanching = void;

  [[nodiscard]] size_t operator()(std::string_view text) const noexcept {
    uint64_t hash = kSeed ^ text.size();
    const char* at = text.data();
    size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) hash = mix(hash ^ word(at, 8));
    if (left > 0) hash = mix(hash ^ word(at, left));
    return mix(hash);
  }

 private:
  static constexpr uint64_t kSeed = 0x9E3779B97F4A7C15;    // 2^64 / golden ratio
  static constexpr uint64_t kFactor = 0xD6E8FEB86659FD93;  // odd, bits evenly spread

  static uint64_t word(const char* at, size_t count) noexcept {
    uint64_t value = 0;
    std::memcpy(&value, at, count);
    return value;
  }

  static uint64_t mix(uint64_t value) noexcept {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(value ^ kSeed) * kFactor;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
};

}  // namespace sonde
