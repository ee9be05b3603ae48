#include "findings/evidence/serialized_kernels.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/system/sort_runs.h"
#include "findings/evidence/event_waits.h"
#include "trace/columns.h"
#include "trace/stream_flags.h"

namespace sonde {
namespace {

struct Op {
  SideBySide::Operation id;
  StreamId stream;
  int64_t start;
  int64_t end;
  Row launch;  ///< of `api`
  [[nodiscard]] int64_t duration() const { return end - start; }
};
using Ops = std::vector<Op>;
using OpsByStream = std::map<StreamId, Ops>;

OpsByStream ops_by_stream(const Trace& trace) {
  OpsByStream by_stream;
  const std::vector<size_t> counts = operation_count_by_stream(trace);
  for (StreamId stream = 0; stream < counts.size(); ++stream) {
    if (counts[stream] > 0) by_stream[stream].reserve(counts[stream]);
  }
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      const Row launch = ops.launch.empty() ? kNone : ops.launch[row];
      by_stream[ops.stream[row]].push_back({{&ops, row}, ops.stream[row], ops.start[row], ops.end[row], launch});
    }
  });
  return by_stream;
}

Ops merged(const OpsByStream& by_stream, const std::vector<StreamId>& streams) {
  Ops all;
  size_t count = 0;
  for (const StreamId stream : streams) count += by_stream.at(stream).size();
  all.reserve(count);
  for (const StreamId stream : streams) {
    const Ops& ops = by_stream.at(stream);
    all.insert(all.end(), ops.begin(), ops.end());
  }
  sort_runs(all, &Op::start);
  return all;
}

std::vector<Span> spans_of(const Ops& ops, const GpuOps* only = nullptr) {
  std::vector<Span> spans;
  for (const Op& op : ops) {
    if (only == nullptr || op.id.table == only) spans.emplace_back(op.start, op.end);
  }
  merge_spans(spans);
  return spans;
}

/// What of a GPU operations take.
class Room {
 public:
  explicit Room(const Facts& facts) : facts_(facts), trace_(facts.trace), occupancy_(facts) {}

  /// Waves of a kernel, 0 for a copy or a set. Absent for what is not known to leave room.
  [[nodiscard]] std::optional<double> taken_by(const Op& op) {
    if (op.id.table == &trace_.copies || op.id.table == &trace_.sets) return 0;
    if (op.id.table != &trace_.kernels || facts_.communication[op.id.row] != CommunicationKind::none)
      return std::nullopt;
    const auto& launch = occupancy_.of(op.id.row);
    if (!launch || !launch->waves || launch->occupancy.upper_bound) return std::nullopt;
    return launch->waves->count;
  }

 private:
  const Facts& facts_;
  const Trace& trace_;
  JudgedOccupancy occupancy_;
};

/// Puts operations in the order of their starts into groups of those that could run side by side.
class KernelGrouping {
 public:
  explicit KernelGrouping(const Facts& facts) : facts_(facts), room_(facts) {}

  [[nodiscard]] const Op* last() const { return last_ ? &*last_ : nullptr; }
  [[nodiscard]] bool has(StreamId stream) const { return group_.waves.contains(stream); }
  [[nodiscard]] int64_t last_kernel_ns() const { return last_kernel_ns_; }
  [[nodiscard]] int64_t called(const Op& op) const { return facts_.trace.api.start[op.launch]; }

  /// Whether the operation was launched while the last one still ran, and leaves it its room.
  [[nodiscard]] bool could_run_beside(const Op& op) {
    if (!last_ || op.launch == kNone || op.start < last_->end) return false;
    if (called(op) < called(*last_) || facts_.trace.api.end[op.launch] >= last_->end) return false;
    const auto waves = room_.taken_by(op);
    if (!waves) return false;
    double sum = 0;
    for (const auto& [stream, most] : group_.waves) sum += stream == op.stream ? 0 : most;
    const auto own = group_.waves.find(op.stream);
    return sum + std::max(*waves, own == group_.waves.end() ? 0 : own->second) <= 1;
  }
  void join(const Op& op, const Ops& between = {}) {
    for (const Op& b : between) {
      group_.operations.push_back(b.id);
      group_.held_apart_by.push_back(b.id);
    }
    add(op);
  }
  void begin_with(const Op& op) {
    finish();
    if (op.id.table == &facts_.trace.kernels && op.launch != kNone && room_.taken_by(op).value_or(1) < 1) add(op);
  }
  void finish() {
    if (group_.waves.size() > 1) groups_.push_back(std::move(group_));
    group_ = {};
    last_.reset();
  }
  [[nodiscard]] std::vector<SerializedKernels> take() {
    finish();
    return std::move(groups_);
  }

 private:
  void add(const Op& op) {
    group_.operations.push_back(op.id);
    last_ = op;
    if (op.id.table != &facts_.trace.kernels) return;
    group_.kernels.push_back(op.id.row);
    double& most = group_.waves[op.stream];
    most = std::max(most, room_.taken_by(op).value_or(1));
    last_kernel_ns_ = op.duration();
  }

  const Facts& facts_;
  Room room_;
  SerializedKernels group_;
  std::optional<Op> last_;
  int64_t last_kernel_ns_ = 0;
  std::vector<SerializedKernels> groups_;
};

/// The default stream of each context and the streams that may wait for it.
std::map<StreamId, std::vector<StreamId>> blocking_streams(const Trace& trace, const OpsByStream& by_stream) {
  const auto context = [&](StreamId s) {
    return std::tuple(trace.streams[s].process, trace.streams[s].ordinal, trace.streams[s].context);
  };
  std::map<StreamId, std::vector<StreamId>> of_default;
  for (const auto& [null_stream, ops] : by_stream) {
    if (!trace.streams[null_stream].is_default) continue;
    const std::vector<Span> taken = spans_of(ops);
    for (const auto& [stream, others] : by_stream) {
      const bool beside = context(stream) == context(null_stream) && !trace.streams[stream].is_default;
      if (!beside || trace.streams[stream].flags == kStreamNonBlocking) continue;
      if (overlap_ns(taken, spans_of(others)) == 0) of_default[null_stream].push_back(stream);
    }
  }
  return of_default;
}

/// Groups the operations of one context.
class DefaultStreamOrder {
 public:
  DefaultStreamOrder(const Facts& facts, const EventWaits& waits, KernelGrouping& grouping)
      : facts_(facts), waits_(waits), grouping_(grouping) {}

  void visit(const Op& op) {
    if (facts_.trace.streams[op.stream].is_default) {
      between_.push_back(op);
      return;
    }
    if (held_apart(op) && grouping_.could_run_beside(op)) {
      grouping_.join(op, between_);
    } else {
      grouping_.begin_with(op);
    }
    between_.clear();
  }

 private:
  /// What works for longer than this share of the kernel before it is more than a barrier: it may well read what the
  /// kernel wrote.
  static constexpr int64_t kShortShare = 2;

  [[nodiscard]] bool is_barrier(const Op& op) const {
    if (op.launch == kNone || op.id.table == &facts_.trace.graph_launches) return false;
    // The entry points of per-thread default streams.
    const std::string_view name = facts_.trace.name(facts_.trace.api.name[op.launch]);
    return !name.contains("_ptsz") && !name.contains("_ptds");
  }
  [[nodiscard]] bool held_apart(const Op& op) const {
    const Op* last = grouping_.last();
    if (last == nullptr || op.launch == kNone) return false;
    if (!waits_.on(op.stream, grouping_.called(*last), grouping_.called(op)).empty()) return false;
    if (between_.empty()) return grouping_.has(op.stream) || op.stream == last->stream;
    int64_t time = 0;
    for (const Op& b : between_) {
      if (!is_barrier(b) || grouping_.called(b) < grouping_.called(*last) ||
          grouping_.called(b) > grouping_.called(op)) {
        return false;
      }
      time += b.duration();
    }
    return time * kShortShare <= grouping_.last_kernel_ns();
  }

  const Facts& facts_;
  const EventWaits& waits_;
  KernelGrouping& grouping_;
  Ops between_;  ///< on the default stream since the last operation on another
};

/// Two streams that wait for each other again and again.
using StreamPair = std::pair<StreamId, StreamId>;

std::vector<StreamPair> waiting_pairs(const Facts& facts, const EventWaits& waits, const OpsByStream& by_stream) {
  std::map<StreamPair, size_t> count;  // by who waits, and for whom
  for (const auto& [stream, of_stream] : waits.by_stream()) {
    for (const EventWaits::Wait& wait : of_stream) {
      if (facts.judged_on_host(wait.called) && wait.awaited != kNone && wait.awaited != stream)
        ++count[{stream, wait.awaited}];
    }
  }
  std::vector<StreamPair> pairs;
  for (const auto& [pair, waited] : count) {
    const auto [a, b] = pair;
    if (a > b || !by_stream.contains(a) || !by_stream.contains(b)) continue;
    if (facts.gpus.of_stream[a] != facts.gpus.of_stream[b]) continue;
    const auto back = count.find({b, a});
    if (waited < kMinEventWaits || back == count.end() || back->second < kMinEventWaits) continue;
    const GpuOps* kernels = &facts.trace.kernels;
    if (overlap_ns(spans_of(by_stream.at(a), kernels), spans_of(by_stream.at(b), kernels)) == 0) pairs.push_back(pair);
  }
  return pairs;
}

bool held_apart_by_events(const Op& op, const EventWaits& waits, const KernelGrouping& grouping,
                          const StreamPair& pair) {
  const Op* last = grouping.last();
  if (last == nullptr || op.launch == kNone) return false;
  const StreamId other = op.stream == pair.first ? pair.second : pair.first;
  const auto awaited = waits.on(op.stream, grouping.called(*last), grouping.called(op));
  const bool only_other = std::ranges::all_of(awaited, [&](const auto& wait) { return wait.awaited == other; });
  return only_other && (op.stream == last->stream || !awaited.empty());
}

}  // namespace

std::vector<SerializedKernels> serialized_by_default_stream(const Facts& facts) {
  // The default stream and two others.
  if (std::ranges::count_if(operation_count_by_stream(facts.trace), [](size_t count) { return count > 0; }) < 3)
    return {};
  const OpsByStream by_stream = ops_by_stream(facts.trace);
  const EventWaits waits(facts.trace);
  KernelGrouping grouping(facts);
  for (const auto& [null_stream, others] : blocking_streams(facts.trace, by_stream)) {
    if (others.size() < 2) continue;
    std::vector<StreamId> streams = others;
    streams.push_back(null_stream);
    DefaultStreamOrder order(facts, waits, grouping);
    for (const Op& op : merged(by_stream, streams)) {
      if (facts.judged(op.start)) order.visit(op);
    }
    grouping.finish();
  }
  return grouping.take();
}

std::vector<SerializedKernels> serialized_by_events(const Facts& facts) {
  const EventWaits waits(facts.trace);
  if (waits.by_stream().empty()) return {};
  const OpsByStream by_stream = ops_by_stream(facts.trace);
  KernelGrouping grouping(facts);
  for (const StreamPair& pair : waiting_pairs(facts, waits, by_stream)) {
    for (const Op& op : merged(by_stream, {pair.first, pair.second})) {
      if (!facts.judged(op.start)) continue;
      if (held_apart_by_events(op, waits, grouping, pair) && grouping.could_run_beside(op)) {
        grouping.join(op);
      } else {
        grouping.begin_with(op);
      }
    }
    grouping.finish();
  }
  return grouping.take();
}

}  // namespace sonde
