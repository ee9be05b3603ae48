#pragma once

#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "importers/pytorch/entities.h"

namespace sonde::pytorch {

/// Which host process the GPU work of a trace belongs to. The trace does not say: it is the process whose API call has
/// the work's correlation id. Where ids of several processes collide, it is the process that the other work of the same
/// stream belongs to.
class Owners {
 public:
  /// `threads[i]` are the trace's threads for the thread ids of pieces[i].
  Owners(std::span<const Piece> pieces, std::span<const std::vector<ThreadId>> threads, Trace& trace,
         Entities& entities);

  [[nodiscard]] ProcessId owner(const GpuRow& row, const StreamKey& key) const;

 private:
  static constexpr ProcessId kSeveral = kNone - 1;

  void index_calls(std::span<const Piece> pieces, std::span<const std::vector<ThreadId>> threads, const Trace& trace);
  void vote(std::span<const Piece> pieces);

  ProcessId most_calls_ = kNone;  ///< the process of all GPU work, or the last resort
  bool only_one_ = true;
  boost::unordered_flat_map<uint32_t, ProcessId> of_correlation_;
  boost::unordered_flat_map<StreamKey, ProcessId> of_stream_;
};

}  // namespace sonde::pytorch
