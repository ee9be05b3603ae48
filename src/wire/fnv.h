#pragma once

#include <cstddef>
#include <cstdint>

/// FNV-1a of 64 bits (draft-eastlake-fnv): `hash` continues where a part before ended.
namespace sonde::wire {

inline constexpr uint64_t kFnvBasis = 0xCBF29CE484222325;

/// `value` may be of more than a byte, where the like is only compared with its like.
constexpr uint64_t add_to_fnv(uint64_t hash, uint64_t value) noexcept { return (hash ^ value) * 0x100000001B3; }

constexpr uint64_t fnv(const char* text) noexcept {
  uint64_t hash = kFnvBasis;
  for (; *text != '\0'; ++text) hash = add_to_fnv(hash, static_cast<unsigned char>(*text));
  return hash;
}

}  // namespace sonde::wire
