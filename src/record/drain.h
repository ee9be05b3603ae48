#pragma once

#include <cstdint>
#include <vector>

#include "record/mapping.h"
#include "record/spool.h"

namespace sonde::record {

/// Copies what recorded programs wrote from the mapping to the spool, and makes their chunks free again.
class Drain {
 public:
  Drain(Mapping& mapping, SpoolWriter& spool);

  /// Takes all that is new. Gives the bytes that it took.
  int64_t sweep();

  /// Places in which the mapping held what no library of ours writes there; their records are lost.
  [[nodiscard]] int64_t damaged() const { return damaged_; }

 private:
  struct Known {
    uint32_t taken = 0;        ///< bytes of the chunk that are in the spool
    uint32_t idle_sweeps = 0;  ///< without anything new
  };

  int64_t take_new(uint32_t index, uint64_t owner);
  void release(uint32_t index);

  Mapping& mapping_;
  SpoolWriter& spool_;
  std::vector<Known> known_;
  uint32_t in_use_ = 0;  ///< chunks at the last sweep
  int64_t damaged_ = 0;
};

}  // namespace sonde::record
