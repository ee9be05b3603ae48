#include "analyses/gpus/gpu_shares.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/system/sort_runs.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Nanoseconds in units of 2^-32: what thirds and fifths lose stays below a nanosecond over any run.
using Fine = __int128;
constexpr int kFineBits = 32;

/// One operation of a GPU.
struct SharedOperation {
  int64_t start;
  int64_t end;
  int64_t* share;
};

/// Time as an operation feels it: it advances by 1/n a nanosecond while n operations run, so that what an operation
/// gets is the difference between its end and its start.
class FeltTime {
 public:
  void advance_to(int64_t now, size_t running) {
    if (running > 0) felt_ += (static_cast<Fine>(now - now_) << kFineBits) / static_cast<Fine>(running);
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

/// What each operation gets, in fine units. `operations` are sorted by start.
std::vector<Fine> fine_shares(const std::vector<SharedOperation>& operations) {
  std::vector<Fine> shares(operations.size(), 0);
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  FeltTime time;
  const auto end_until = [&](int64_t now) {
    while (!running.empty() && running.top().end <= now) {
      const Running ended = running.top();
      time.advance_to(ended.end, running.size());
      running.pop();
      shares[ended.operation] += time.felt();
    }
    time.advance_to(now, running.size());
  };
  for (size_t i = 0; i < operations.size(); ++i) {
    end_until(operations[i].start);
    if (operations[i].end <= operations[i].start) continue;
    shares[i] = -time.felt();
    running.push({operations[i].end, i});
  }
  while (!running.empty()) end_until(running.top().end);
  return shares;
}

/// Rounds the running sum, not the shares: what one loses the next one gets. Gives back the sum.
int64_t round_shares(const std::vector<SharedOperation>& operations, const std::vector<Fine>& fine) {
  constexpr Fine kHalf = Fine{1} << (kFineBits - 1);
  Fine sum = 0;
  int64_t given = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    sum += fine[i];
    const auto rounded = static_cast<int64_t>((sum + kHalf) >> kFineBits);
    *operations[i].share = rounded - given;
    given = rounded;
  }
  return given;
}

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
  std::vector<std::vector<SharedOperation>> of_gpu(gpus.gpus.size());
  const auto collect = [&](const GpuOps& ops, Longs& column) {
    column.assign(row_count(ops), 0);
    for (Row row = 0; row < row_count(ops); ++row) {
      const int64_t start = std::max(ops.start[row], extent.first);
      const int64_t end = std::min(ops.end[row], extent.second);
      of_gpu[gpus.of_stream[ops.stream[row]]].push_back({start, end, &column[row]});
    }
  };
  collect(trace.kernels, shares.kernels);
  collect(trace.copies, shares.copies);
  collect(trace.sets, shares.sets);
  collect(trace.graph_launches, shares.graph_launches);
  for (std::vector<SharedOperation>& operations : of_gpu) {
    sort_runs(operations, &SharedOperation::start);
    shares.busy_ns.push_back(round_shares(operations, fine_shares(operations)));
  }
  return shares;
}

}  // namespace sonde
