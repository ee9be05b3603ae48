#pragma once

#include <memory>
#include <vector>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/collectives.h"
#include "analyses/gpus/gpus.h"
#include "analyses/steps/run_extent.h"
#include "trace/trace.h"

namespace sonde {

inline constexpr Fields kReplayFields = kGpuWork | Fields{Field::streams, Field::launches,    Field::api,
                                                          Field::syncs,   Field::cuda_events, Field::kernel_resources};

/// Up to this a copy from pageable memory to the GPU returns before it is done; above, when all of it is staged, which
/// is shortly before (CUDA Runtime API, "API synchronization behavior").
inline constexpr int64_t kStagedBytes = 64 << 10;

/// Time of a thread that a changed program would not spend. Calls that lie in it are not made, and what they launched
/// does not run. A call whose end alone lies in one is made and no longer waits for the GPU.
struct Cut {
  ThreadId thread = kNone;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  /// What the calls in it launched runs all the same, launched at the cut's start: each behind the one before it on
  /// its stream, at once.
  bool as_graph = false;
  /// It lies between calls: those without a length at its ends are made.
  bool between_calls = false;
};

/// Operations that run one after the other as recorded and side by side in the changed program. The first starts as
/// before, the others as soon as it has started, they are launched and the one before on their stream is over. What
/// waited for one of them waits for those before it too.
struct SideBySide {
  struct Operation {
    const GpuOps* table;  ///< of the trace
    Row row;
    auto operator<=>(const Operation&) const = default;
  };
  std::vector<Operation> operations;  ///< by recorded start
  bool without_events = false;        ///< nor do the others wait for events
};

/// A changed program.
struct Change {
  std::vector<Cut> cuts;  ///< of one thread disjoint
  struct Resized {
    Row row;
    int64_t duration_ns;
  };
  std::vector<Resized> kernels;  ///< that take another time
  std::vector<Resized> copies;
  std::vector<Resized> sets;
  /// Copies made on a stream of their own, those to a GPU so early that nothing waits for them. Those to the host still
  /// come behind the work whose results they take, and calls wait for them.
  std::vector<Row> ahead;
  std::vector<SideBySide> side_by_side;  ///< disjoint
  /// What a node of a CUDA graph waits less behind the node before it on its stream; it keeps a part of that wait.
  int64_t node_gap_ns = 0;

  [[nodiscard]] bool empty() const {
    return cuts.empty() && kernels.empty() && copies.empty() && sets.empty() && ahead.empty() && side_by_side.empty() &&
           node_gap_ns == 0;
  }
};

/// A recorded time, and when it comes in a changed program.
struct ReplayedTime {
  int64_t recorded;
  int64_t replayed;
};

/// When everything happens in a changed program.
struct ReplayedRun {
  struct Operation {
    const GpuOps* table;  ///< of the trace
    Row row;
    int64_t start_ns;
    int64_t end_ns;
  };
  std::vector<Operation> operations;
  std::vector<uint32_t> group_of;  ///< of each thread, kNone of those that launch nothing
  /// Of each group of threads, by time; both times rise. Host time between two of them passes evenly.
  std::vector<std::vector<ReplayedTime>> host;
};

class RecordedExtent;

/// Changed programs of which an extent of time was recorded, by replaying what was recorded:
/// - An operation starts when it is launched, the one before it on its stream is over, blocking streams and the null
///   stream have waited for each other and, where none explains when it started, when the operation that ended last
///   before it is over. A copy engine does one copy a direction.
///   What starting took beyond that stays as recorded, and so do durations. Pages of managed memory that come while a
///   kernel runs are its own: it takes no less than they do, and nothing else waits for them.
/// - A collective (collectives.h) waits for its last participant, and takes as long behind that as recorded: what one
///   GPU saves is saved where all save it. A kernel of it that takes another time takes that off the transfer.
/// - Host work takes as long as recorded. Threads of one group are taken to hand over to each other: what one saves is
///   saved on all. A call that waits for the GPU (synchronization, blocking copy) returns when what it waited for is
///   over, as late behind that as recorded. So does a release of memory that waited for the device.
/// - The extent ends when its operations are over and the host has come to its end. Where the host had launched later
///   work by then, that work's start counts instead.
/// Without a change this gives back the recording. The difference to the end without a change is the most that can be
/// saved: operations that come to run side by side are taken not to slow each other down, and other threads (data
/// loading) to keep up. Reads GPU work, streams, api with launches and, where there are any, syncs. O(n log n).
class Replays {
 public:
  /// Keeps a reference to the trace alone. O(n log n).
  Replays(const Trace& trace, const Gpus& gpus, const Collectives& collectives, const std::vector<ApiKind>& api_kinds,
          Span extent);
  /// When the extent ends in a changed program. O(n), and safe from several threads.
  [[nodiscard]] int64_t end_ns(const Change& change) const;
  /// The same, and when everything in the extent happens in it.
  [[nodiscard]] ReplayedRun run(const Change& change) const;

 private:
  std::shared_ptr<const RecordedExtent> recorded_;
};

}  // namespace sonde
