#pragma once

#include <vector>

#include "record/spool.h"
#include "wire/reader.h"

namespace sonde::record {

/// When a record was written: its time, and of a call, which is written when it comes back, its end.
[[nodiscard]] int64_t written_at(const wire::Record& record);

/// The slices of a spool, those of a thread one behind the other and in the order in which it wrote them.
struct Slices {
  std::vector<Slice> all;
  std::vector<Slice> cpu = {};  ///< what Linux told of the CPU's work, in the order in which it was taken
  size_t unread_bytes = 0;      ///< at the end of the file, that are no slice
};

[[nodiscard]] Slices ordered_slices(std::span<const std::byte> spool);

}  // namespace sonde::record
