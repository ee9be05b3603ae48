#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/fnv.h"

namespace sonde::wire {

/// A thread's open push/pop ranges beyond so many, of all domains, do not count for its place.
inline constexpr uint32_t kDeepestPlace = 32;

/// The place of a range within the place around it (0: none): a hash (FNV-1a) of the names from the outermost on,
/// digits left out, so that it is equal for the layers of a model and for steps. Domains do not count.
constexpr uint64_t add_to_place(uint64_t place, const char* name, size_t bytes) noexcept {
  place ^= kFnvBasis;
  for (size_t i = 0; i < bytes; ++i) {
    if (name[i] < '0' || name[i] > '9') place = add_to_fnv(place, static_cast<uint8_t>(name[i]));
  }
  return place;
}

}  // namespace sonde::wire
