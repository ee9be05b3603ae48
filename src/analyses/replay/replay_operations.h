#pragma once

#include <limits>
#include <vector>

#include "analyses/gpus/collectives.h"
#include "analyses/replay/replay.h"

/// What a replay (replay.h) replays.
namespace sonde {

inline constexpr int64_t kNeverInReplay = std::numeric_limits<int64_t>::min() / 4;

/// An operation on a GPU.
struct ReplayOperation {
  const GpuOps* table;  ///< of the trace
  Row row;
  int64_t start;
  int64_t end;
  StreamId stream;
  Row launch;                   ///< of `api`
  uint32_t engine = kNone;      ///< of a copy: GPU and direction
  int64_t changed_ns = 0;       ///< its duration in the replay
  bool ahead = false;           ///< nothing on the GPU waits for it
  StreamId behind = kNone;      ///< of one to the host that is ahead: the stream whose results it takes
  uint32_t collective = kNone;  ///< of Collectives::all
  uint32_t group = kNone;       ///< of Change::side_by_side
  bool computes = false;        ///< a kernel
  bool pull = false;            ///< pages of managed memory that come to a GPU
  int64_t replayed_start = kNeverInReplay;
  int64_t replayed_end = kNeverInReplay;
};

/// Those that start in `extent`, by start, as the change has them. Streams behind those of the trace, two to each GPU,
/// are those of copies made ahead: to the GPU, and from it. Pages that come while a kernel runs are in that kernel's
/// time.
[[nodiscard]] std::vector<ReplayOperation> replay_operations(const Trace& trace, const Gpus& gpus,
                                                             const Collectives& collectives, Span extent,
                                                             const Change& change);

}  // namespace sonde
