#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "synth/noise.h"
#include "synth/program.h"

namespace sonde::synth {

/// A place in a stream: the operation that was the `number`-th to be enqueued there.
struct Position {
  uint16_t stream = 0;
  uint64_t number = 0;
};

/// What a host thread put on a stream.
struct Operation {
  const Step* step = nullptr;
  int32_t iteration = 0;
  uint32_t correlation = 0;
  int64_t ready = 0;     ///< when it has reached the GPU
  Position dependency;   ///< of a stream_wait
  bool noticed = false;  ///< it waits already: for its dependency, or for the other GPUs
  int64_t entered = 0;   ///< a collective: when its kernel starts, which then waits for the others
};

/// Told of each operation as soon as its times are known, in the order of each stream.
class OperationSink {
 public:
  virtual ~OperationSink() = default;
  virtual void on_operation(const Operation& op, uint16_t stream, int64_t start, int64_t end) = 0;
};

/// One transfer at a time. Copies that are ready earlier fill gaps that later ones left.
class CopyEngine {
 public:
  /// The start of a copy that is ready at `ready`; nothing will ask for times before `now` any more.
  [[nodiscard]] int64_t reserve(int64_t ready, int64_t duration, int64_t now);

 private:
  std::deque<std::pair<int64_t, int64_t>> busy_;
};

/// The GPUs: streams run their operations in order, different streams side by side, copies one by one on each engine,
/// collectives from when each comes to them until all have and the data are moved. The null stream and blocking ones
/// wait for each other. Times are given as soon as all that they depend on is known.
class GpuQueues {
 public:
  /// CUDA lets about this many operations of a stream be outstanding; launching one more blocks the host.
  static constexpr uint64_t kDepth = 1024;

  GpuQueues(const Program& program, const Noise& noise, OperationSink* sink);

  /// When one more operation may be put on the stream: nullopt while that depends on work whose times are not known,
  /// which is what wake() then tells of `thread`.
  [[nodiscard]] std::optional<int64_t> room(uint16_t stream, uint32_t thread);
  Position enqueue(uint16_t stream, Operation op);
  /// The last operation put on the stream so far.
  [[nodiscard]] std::optional<Position> last(uint16_t stream) const;
  /// When the operation ended; nullopt and a later wake of `thread` where that is not known.
  [[nodiscard]] std::optional<int64_t> end_of(Position position, uint32_t thread);

  /// Threads to be run again since the last call.
  [[nodiscard]] std::vector<uint32_t> take_woken();
  /// A unified-memory migration: takes the engine without a stream.
  [[nodiscard]] int64_t migrate(uint16_t gpu, CopyKind kind, int64_t ready, int64_t bytes);
  /// No event happens before this time any more.
  void set_now(int64_t now) { now_ = std::max(now_, now); }
  [[nodiscard]] int64_t last_end() const { return last_end_; }

  /// A copy's time: fixed costs and bytes by bandwidth.
  [[nodiscard]] static int64_t copy_ns(int64_t bytes, CopyKind kind, MemoryKind host_memory);

  /// How long a kernel waits for managed memory that it touches, beside other copies.
  [[nodiscard]] static int64_t fault_ns(const Step& launch);

 private:
  struct Waiter {
    uint64_t number;
    bool is_thread;
    uint32_t id;  ///< thread or stream
  };
  struct Queue {
    std::deque<Operation> pending;
    uint64_t enqueued = 0;
    uint64_t resolved = 0;
    int64_t last_end = 0;
    uint64_t collectives = 0;
    std::vector<int64_t> ends = std::vector<int64_t>(kDepth, 0);
    std::vector<Waiter> waiters;
    std::map<uint16_t, uint64_t> awaited;  ///< by stream that it waits for without a call: how many operations there
  };
  struct Meeting {
    uint16_t arrived = 0;
    uint16_t left = 0;
    int64_t last_entry = 0;
    int64_t end = 0;  ///< 0 until all have arrived
  };

  Position put(uint16_t stream, const Operation& op);
  void wait_implicitly(uint16_t stream, int32_t iteration);
  void pump(uint16_t stream);
  bool resolve_head(uint16_t stream);
  std::optional<std::pair<int64_t, int64_t>> times_of(Operation& op, uint16_t stream);
  std::optional<std::pair<int64_t, int64_t>> meet(Operation& op, uint16_t stream, int64_t ready);
  std::optional<int64_t> known_end(Position position) const;
  void finish(uint16_t stream, int64_t end);
  void wake_waiters(Queue& queue);
  [[nodiscard]] int64_t work_ns(const Operation& op) const;
  CopyEngine& engine(uint16_t gpu, CopyKind kind);

  const Program& program_;
  const Noise& noise_;
  OperationSink* sink_;
  std::vector<Queue> queues_;
  std::vector<std::array<CopyEngine, 2>> engines_;
  std::deque<Meeting> meetings_;
  uint64_t first_meeting_ = 0;
  std::vector<uint16_t> to_pump_;
  std::vector<uint32_t> woken_;
  int64_t now_ = 0;
  int64_t last_end_ = 0;
};

/// How much slower than later ones an iteration is, in permille: caches, lazily loaded modules, clocks.
[[nodiscard]] int64_t host_warmup_permille(int32_t iteration);
[[nodiscard]] int64_t kernel_warmup_permille(int32_t iteration);

}  // namespace sonde::synth
