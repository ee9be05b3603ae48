#pragma once

#include <cstdint>
#include <vector>

#include "record/rounds/mapping.h"
#include "record/rounds/sink.h"

namespace sonde::record {

/// Copies what recorded programs wrote from the mapping to a sink, and makes their chunks free again.
class Drain : public Source {
 public:
  Drain(Mapping& mapping, Sink& sink);

  /// Takes all that is new. Gives the bytes that it took.
  int64_t sweep() override;

  /// Places in which the mapping held what no library of ours writes there; their records are lost.
  [[nodiscard]] int64_t damaged() const override { return damaged_; }

 private:
  struct Known {
    uint32_t taken = 0;        ///< bytes of the chunk that the sink has
    uint32_t idle_sweeps = 0;  ///< without anything new
  };

  int64_t take_new(uint32_t index, uint64_t owner);
  void release(uint32_t index);

  Mapping& mapping_;
  Sink& sink_;
  std::vector<Known> known_;
  uint32_t in_use_ = 0;  ///< chunks at the last sweep
  int64_t damaged_ = 0;
};

}  // namespace sonde::record
