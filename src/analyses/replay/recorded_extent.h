#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyses/calls/api_kind.h"
#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/collectives.h"
#include "analyses/gpus/gpus.h"
#include "trace/trace.h"

/// What was recorded of the time that is replayed (replay.h): the same for every changed program, so built once.
namespace sonde {

inline constexpr int64_t kNeverInReplay = std::numeric_limits<int64_t>::min() / 4;

/// An operation on a GPU.
struct RecordedOperation {
  const GpuOps* table;  ///< of the trace
  int64_t start;
  int64_t end;
  int64_t launched;  ///< when it was on its stream; its start where no call launched it
  Row row;
  Row launch;  ///< of `api`
  StreamId stream;
  uint32_t call = kNone;         ///< its launch among RecordedExtent::calls
  uint32_t collective = kNone;   ///< of Collectives::all
  bool launched_before = false;  ///< its call returned before the extent
  bool to_host = false;          ///< a copy from the GPU

  [[nodiscard]] int64_t duration() const { return end - start; }
};

/// What a call waits for.
enum class Awaited : uint8_t {
  nothing,
  stream,     ///< all of one stream
  event,      ///< what ended last before it returned
  device,     ///< all streams that its threads use
  release,    ///< as device, to release memory
  operation,  ///< the copy that it started
};

/// A call that may wait, or lets a stream wait.
struct WaitingCall {
  Awaited awaited = Awaited::nothing;
  StreamId stream = kNone;     ///< that it waits for
  uint32_t operation = kNone;  ///< of RecordedExtent::operations
  StreamId gated = kNone;      ///< that waits for `event`
  uint32_t event = kNone;      ///< of CUDA
};

/// A call whose return matters: it launched something, or may wait.
struct RecordedCall {
  Row row;                   ///< of `api`
  uint32_t waiting = kNone;  ///< of RecordedExtent::waiting
};

/// Pages of managed memory that came while a kernel ran.
struct PulledPages {
  Row copy;
  uint32_t kernel;  ///< of RecordedExtent::operations
};

/// Of a collective: when its last participant entered, and who enters in the extent.
struct RecordedMeeting {
  int64_t last_entry = kNeverInReplay;
  int64_t entered_outside = kNeverInReplay;  ///< the last participant that is not replayed
  size_t inside = 0;
};

struct RecordedStream {
  uint32_t group = kNone;         ///< of the threads that use its GPU
  std::vector<StreamId> awaited;  ///< by each operation, without a call
};

class RecordedExtent {
 public:
  RecordedExtent(const Trace& of, const Gpus& gpus, const Collectives& collectives,
                 const std::vector<ApiKind>& api_kinds, Span time);

  const Trace& trace;
  const Span extent;
  std::vector<uint32_t> group_of;  ///< of each thread (thread_groups.h)
  /// Those that start in the extent, by start, without pages that came while a kernel ran. Then those of `next`.
  std::vector<RecordedOperation> operations;
  std::vector<PulledPages> pulled;
  std::vector<RecordedCall> calls;  ///< by end
  std::vector<WaitingCall> waiting;
  std::vector<RecordedMeeting> meetings;  ///< of each collective
  /// Those of the trace, then two of each GPU, which are those of copies made ahead: to the GPU, and from it.
  std::vector<RecordedStream> streams;
  std::map<std::pair<ProcessId, uint32_t>, std::set<StreamId>> recorded_on;  ///< by event
  /// When each group of threads has done its part. The last is that of threads without a group.
  Longs host_ends;
  /// The first kernel or graph of each group from behind the extent, if it was launched in it: of `operations`.
  Ids next;
  size_t first_next = 0;          ///< those of `next` are the operations from here on
  int64_t launch_delay = 0;       ///< what starting usually takes behind a launch
  int64_t operation_delay = 0;    ///< and behind an operation
  int64_t shortest_wait = 5'000;  ///< of calls that wait, which usually take no more where there is nothing to wait for
  int64_t shortest_release = std::numeric_limits<int64_t>::max();

  [[nodiscard]] uint32_t group_of_thread(ThreadId thread) const {
    return thread < group_of.size() ? group_of[thread] : kNone;
  }
  [[nodiscard]] uint32_t group_of_call(Row call) const { return group_of_thread(trace.api.thread[call]); }
  /// Of `operations`; kNone where it is not among them.
  [[nodiscard]] uint32_t operation_of(const GpuOps& table, Row row) const;
  /// The copy engine of a copy: GPU and direction.
  [[nodiscard]] uint32_t engine_of(const RecordedOperation& copy) const {
    return gpu_of_stream_[copy.stream] * 256 + trace.copies.kind[copy.row];
  }
  /// The stream of a copy that is made ahead.
  [[nodiscard]] StreamId ahead_stream(const RecordedOperation& copy) const;

 private:
  /// Of one table: the operation of each row from the first one in the extent.
  struct Place {
    const GpuOps* table;
    Row first;
    Ids operations;
  };

  void add_operations(const Collectives& collectives);
  void take_out_pulls(const Gpus& gpus);
  void find_places();
  void find_streams(const Gpus& gpus);
  void find_meetings(const Collectives& collectives);
  void find_calls(const std::vector<ApiKind>& kinds);
  void find_calls_of_operations();
  [[nodiscard]] std::optional<WaitingCall> waiting_call(Row row, ApiKind kind, Row sync, uint32_t operation) const;
  void learn_shortest(const WaitingCall& call, int64_t length_ns);
  void learn_delays();
  void find_next();
  void find_host_ends(const std::vector<bool>& acts_later);

  std::vector<uint32_t> gpu_of_stream_;
  std::vector<Place> places_;
};

}  // namespace sonde
