#include "analyses/gpus/gpu_shares.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <utility>

#include "analyses/gpus/operations_by_start.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Nanoseconds in units of 2^-32: what thirds and fifths lose stays below a nanosecond over any run.
using Fine = __int128;
constexpr int kFineBits = 32;

/// Time as an operation feels it: it advances by 1/n a nanosecond while n operations run, so that what an operation
/// gets is the difference between its end and its start.
class FeltTime {
 public:
  void advance_to(int64_t now, size_t running) {
    const Fine passed = static_cast<Fine>(now - now_) << kFineBits;
    if (running > 0) felt_ += running == 1 ? passed : passed / static_cast<Fine>(running);
    now_ = now;
  }
  [[nodiscard]] Fine felt() const { return felt_; }

 private:
  int64_t now_ = 0;
  Fine felt_ = 0;
};

struct Running {
  int64_t end;
  size_t operation;
  friend bool operator>(const Running& a, const Running& b) { return a.end > b.end; }
};

/// Shares out the time of one GPU, whose operations come by start.
class GpuTime {
 public:
  void add(int64_t start, int64_t end, int64_t& share) {
    end_until(start);
    const bool runs = end > start;
    if (runs) running_.push({end, rounded_ + waiting_.size()});
    waiting_.push_back({&share, runs ? -time_.felt() : 0, runs});
    round();
  }

  /// The sum of all shares.
  [[nodiscard]] int64_t finish() {
    while (!running_.empty()) end_until(running_.top().end);
    round();
    return given_;
  }

 private:
  struct Waiting {
    int64_t* share;
    Fine fine;
    bool runs;
  };

  void end_until(int64_t now) {
    while (!running_.empty() && running_.top().end <= now) {
      const Running ended = running_.top();
      time_.advance_to(ended.end, running_.size());
      running_.pop();
      Waiting& operation = waiting_[ended.operation - rounded_];
      operation.fine += time_.felt();
      operation.runs = false;
    }
    time_.advance_to(now, running_.size());
  }

  /// Rounds the running sum, not the shares: what one loses the next one gets.
  void round() {
    constexpr Fine kHalf = Fine{1} << (kFineBits - 1);
    for (; !waiting_.empty() && !waiting_.front().runs; waiting_.pop_front(), ++rounded_) {
      sum_ += waiting_.front().fine;
      const auto rounded = static_cast<int64_t>((sum_ + kHalf) >> kFineBits);
      *waiting_.front().share = rounded - given_;
      given_ = rounded;
    }
  }

  FeltTime time_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::deque<Waiting> waiting_;  ///< from the first that still runs
  size_t rounded_ = 0;           ///< the operations before them
  Fine sum_ = 0;                 ///< of the shares of these
  int64_t given_ = 0;
};

}  // namespace

const Longs& GpuShares::of(const Trace& trace, const GpuOps& table) const {
  if (&table == &trace.kernels) return kernels;
  if (&table == &trace.copies) return copies;
  return &table == &trace.sets ? sets : graph_launches;
}

GpuShares share_gpu_time(const Trace& trace, const Gpus& gpus) {
  return share_gpu_time(trace, gpus, {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()});
}

GpuShares share_gpu_time(const Trace& trace, const Gpus& gpus, Span extent) {
  GpuShares shares;
  std::vector<std::pair<const GpuOps*, Longs*>> columns = {{&trace.kernels, &shares.kernels},
                                                           {&trace.copies, &shares.copies},
                                                           {&trace.sets, &shares.sets},
                                                           {&trace.graph_launches, &shares.graph_launches}};
  for (auto& [table, column] : columns) column->assign(row_count(*table), 0);
  std::vector<GpuTime> of_gpu(gpus.gpus.size());
  for_each_operation_by_start(trace, [&](const GpuOps& ops, Row row) {
    Longs& column = *std::ranges::find(columns, &ops, &std::pair<const GpuOps*, Longs*>::first)->second;
    of_gpu[gpus.of_stream[ops.stream[row]]].add(std::max(ops.start[row], extent.first),
                                                std::min(ops.end[row], extent.second), column[row]);
  });
  for (GpuTime& gpu : of_gpu) shares.busy_ns.push_back(gpu.finish());
  return shares;
}

}  // namespace sonde
