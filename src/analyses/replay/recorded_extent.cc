#include "analyses/replay/recorded_extent.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "analyses/gpus/operations_by_start.h"
#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "base/system/parallel.h"
#include "base/system/sort_runs.h"
#include "trace/columns.h"
#include "trace/stream_flags.h"

namespace sonde {
namespace {

bool pulls_pages(const Trace& trace, const RecordedOperation& op) {
  return op.table == &trace.copies &&
         trace.copies.kind[op.row] == static_cast<uint8_t>(CopyKind::unified_host_to_device);
}

/// The driver takes a large copy of pageable memory to its own in pieces, and returns before the last one is on the
/// GPU.
bool is_staged(const Trace& trace, const RecordedOperation& op) {
  const Copies& copies = trace.copies;
  const auto pageable = static_cast<uint8_t>(MemoryKind::pageable);
  return op.table == &copies && copies.bytes[op.row] > kStagedBytes && copies.source[op.row] == pageable;
}

/// Some drivers let an operation start before its launch has returned. A call that returns when its operation is over
/// has put it on the stream at its beginning.
int64_t launched_at(const Trace& trace, const RecordedOperation& op) {
  if (op.launch == kNone) return op.start;
  constexpr int64_t kCallNs = 5'000;  // what putting a copy on a stream takes at most, usually
  const bool blocked = trace.api.end[op.launch] >= (is_staged(trace, op) ? op.start : op.end);
  return std::min(op.start, blocked ? trace.api.start[op.launch] + kCallNs : trace.api.end[op.launch]);
}

RecordedOperation recorded_operation(const Trace& trace, const GpuOps& ops, Row row, Span extent) {
  RecordedOperation op{
      .table = &ops,
      .start = ops.start[row],
      .end = ops.end[row],
      .launched = 0,
      .row = row,
      .launch = ops.launch[row],
      .stream = ops.stream[row],
  };
  op.launched = launched_at(trace, op);
  op.launched_before = op.launch != kNone && trace.api.end[op.launch] < extent.first;
  return op;
}

/// Beyond this even the low delays are waits.
constexpr int64_t kMaxDelayNs = 20'000;

uint16_t up_to_most(int64_t delay_ns) { return static_cast<uint16_t>(std::clamp<int64_t>(delay_ns, 0, kMaxDelayNs)); }

/// Delays, counted by their length up to kMaxDelayNs.
class Delays {
 public:
  void add(uint16_t ns) {
    ++count_[ns];
    ++all_;
  }
  /// A tenth are shorter.
  [[nodiscard]] int64_t low() const {
    size_t shorter = 0;
    for (size_t ns = 0; ns < count_.size(); ++ns) {
      shorter += count_[ns];
      if (shorter > all_ / 10) return static_cast<int64_t>(ns);
    }
    return 0;
  }

 private:
  std::vector<size_t> count_ = std::vector<size_t>(kMaxDelayNs + 1, 0);
  size_t all_ = 0;
};

}  // namespace

RecordedExtent::RecordedExtent(const Trace& of, const Gpus& gpus, const Collectives& collectives,
                               const std::vector<ApiKind>& api_kinds, Span time)
    : trace(of),
      extent{time.first, time.second},
      group_of(groups_of_threads(of, gpus)),
      gpu_of_stream_(gpus.of_stream) {
  add_operations(collectives);
  take_out_pulls(gpus);
  run_together({[&] { find_places(); }, [&] { learn_delays(); }, [&] { find_streams(gpus); },
                [&] { find_meetings(collectives); }});
  find_next();
  find_calls(api_kinds);
  find_calls_of_operations();
}

void RecordedExtent::add_operations(const Collectives& collectives) {
  size_t count = 0;
  for_each_gpu_table(trace, [&](const GpuOps& ops) { count += row_count(ops); });
  operations.reserve(count);
  for_each_operation_by_start(
      trace,
      [&](const GpuOps& ops, Row row) {
        RecordedOperation op = recorded_operation(trace, ops, row, extent);
        if (&ops == &trace.copies) {
          op.to_host = trace.copies.kind[row] == static_cast<uint8_t>(CopyKind::device_to_host);
        }
        if (&ops == &trace.kernels) op.collective = collectives.of_kernel[row];
        operations.push_back(op);
      },
      extent.first, extent.second);
}

/// Pages that come while a kernel runs are that kernel's: it takes no less than they do, and nothing else waits for
/// them.
void RecordedExtent::take_out_pulls(const Gpus& gpus) {
  Ids running(gpus.gpus.size(), kNone);  // of the kernels that have started, the last to end
  uint32_t kept = 0;
  for (const RecordedOperation& op : operations) {
    const bool pulls = pulls_pages(trace, op);
    if (pulls || op.table == &trace.kernels) {
      uint32_t& kernel = running[gpus.of_stream[op.stream]];
      if (!pulls && (kernel == kNone || operations[kernel].end < op.end)) kernel = kept;
      if (pulls && kernel != kNone && operations[kernel].end >= op.end) {
        pulled.push_back({op.row, kernel});
        continue;
      }
    }
    operations[kept++] = op;
  }
  operations.resize(kept);
}

void RecordedExtent::find_places() {
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const auto first = std::ranges::lower_bound(ops.start, extent.first) - ops.start.begin();
    const auto end = std::ranges::lower_bound(ops.start, extent.second) - ops.start.begin();
    places_.push_back(
        {&ops, static_cast<Row>(first), Ids(static_cast<size_t>(std::max<ptrdiff_t>(end - first, 0)), kNone)});
  });
  for (uint32_t i = 0; i < operations.size(); ++i) {
    Place& place = *std::ranges::find(places_, operations[i].table, &Place::table);
    place.operations[operations[i].row - place.first] = i;
  }
}

uint32_t RecordedExtent::operation_of(const GpuOps& table, Row row) const {
  const Place& place = *std::ranges::find(places_, &table, &Place::table);
  if (row < place.first || row - place.first >= place.operations.size()) return kNone;
  return place.operations[row - place.first];
}

StreamId RecordedExtent::ahead_stream(const RecordedOperation& copy) const {
  return static_cast<StreamId>(trace.streams.size()) + 2 * gpu_of_stream_[copy.stream] + (copy.to_host ? 1 : 0);
}

/// Streams of a GPU are one group, those too on which no call put anything (migrations). A context's null stream waits
/// for its blocking streams, and they for it.
void RecordedExtent::find_streams(const Gpus& gpus) {
  streams.resize(trace.streams.size() + 2 * gpus.gpus.size());
  Ids of_gpu(gpus.gpus.size(), kNone);
  for (const RecordedOperation& op : operations) {
    if (op.launch != kNone) of_gpu[gpus.of_stream[op.stream]] = group_of_call(op.launch);
  }
  for (const RecordedOperation& op : operations) streams[op.stream].group = of_gpu[gpus.of_stream[op.stream]];
  for (size_t i = trace.streams.size(); i < streams.size(); ++i) {
    streams[i].group = of_gpu[(i - trace.streams.size()) / 2];
  }
  const auto context = [](const auto& s) { return std::tuple(s.process, s.ordinal, s.context); };
  for (StreamId null_stream = 0; null_stream < trace.streams.size(); ++null_stream) {
    if (!trace.streams[null_stream].is_default) continue;
    for (StreamId stream = 0; stream < trace.streams.size(); ++stream) {
      const bool waits = trace.streams[stream].flags == kStreamBlocking && stream != null_stream;
      if (!waits || context(trace.streams[stream]) != context(trace.streams[null_stream])) continue;
      streams[null_stream].awaited.push_back(stream);
      streams[stream].awaited.push_back(null_stream);
    }
  }
}

/// Participants whose operation is not replayed entered as recorded.
void RecordedExtent::find_meetings(const Collectives& collectives) {
  meetings.resize(collectives.all.size());
  for (const RecordedOperation& op : operations) {
    if (op.collective != kNone) ++meetings[op.collective].inside;
  }
  for (size_t c = 0; c < meetings.size(); ++c) {
    RecordedMeeting& meeting = meetings[c];
    meeting.last_entry = collectives.all[c].last().entry_ns;
    for (const Participant& p : collectives.all[c].participants) {
      const bool replayed = p.entry_ns >= extent.first && p.entry_ns < extent.second;
      if (!replayed) meeting.entered_outside = std::max(meeting.entered_outside, p.entry_ns);
    }
  }
}

/// Low, since what starting took also holds waits. An operation that was launched shortly before the one before it on
/// its stream ended may have waited for its launch. Where another operation ended behind the one before, that may be
/// what was waited for.
void RecordedExtent::learn_delays() {
  Delays behind_launch;
  struct Gap {
    uint16_t ns;
    uint16_t launched_before;  ///< the end of the one before
  };
  std::vector<Gap> behind_operation;
  std::vector<int64_t> stream_end(trace.streams.size(), kNeverInReplay);
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> running;  // by end
  int64_t last_end = kNeverInReplay;
  for (const RecordedOperation& op : operations) {
    int64_t& before = stream_end[op.stream];
    for (; !running.empty() && running.top() <= op.start; running.pop()) last_end = running.top();
    running.push(op.end);
    if (before > op.launched) {
      if (last_end <= before)
        behind_operation.push_back({up_to_most(op.start - before), up_to_most(before - op.launched)});
    } else if (op.launch != kNone) {
      behind_launch.add(up_to_most(op.start - op.launched));
    }
    before = std::max(before, op.end);
  }
  launch_delay = behind_launch.low();
  Delays gaps;
  for (const Gap& gap : behind_operation) {
    if (gap.launched_before >= launch_delay) gaps.add(gap.ns);
  }
  operation_delay = gaps.low();
}

/// Copies from behind the extent are made ahead and do not count.
void RecordedExtent::find_next() {
  std::vector<RecordedOperation> first(group_of.size(), RecordedOperation{});  // of each group
  const auto look_at = [&](const GpuOps& ops) {
    const auto begin = std::ranges::lower_bound(ops.start, extent.second) - ops.start.begin();
    for (auto row = static_cast<Row>(begin); row < ops.launch.size(); ++row) {
      const uint32_t group = ops.launch[row] == kNone ? kNone : group_of_call(ops.launch[row]);
      if (group == kNone || (first[group].table != nullptr && first[group].start <= ops.start[row])) continue;
      first[group] = recorded_operation(trace, ops, row, extent);
    }
  };
  look_at(trace.kernels);
  look_at(trace.graph_launches);
  std::vector<bool> acts_later(first.size() + 1, false);
  for (size_t group = 0; group < first.size(); ++group) acts_later[group] = first[group].table != nullptr;
  find_host_ends(acts_later);
  std::erase_if(first, [&](const RecordedOperation& op) {
    return op.table == nullptr || trace.api.end[op.launch] >= extent.second;
  });
  std::ranges::stable_sort(first, {}, &RecordedOperation::start);
  next.assign(host_ends.size(), kNone);
  first_next = operations.size();
  for (const RecordedOperation& op : first) {
    next[group_of_call(op.launch)] = static_cast<uint32_t>(operations.size());
    operations.push_back(op);
  }
}

/// The extent's end; of groups that launch nothing behind it the last end of a call or range in it.
void RecordedExtent::find_host_ends(const std::vector<bool>& acts_later) {
  host_ends.assign(group_of.size() + 1, kNeverInReplay);
  bool any_done = false;
  for (const uint32_t group : group_of) {
    if (group == kNone) continue;
    host_ends[group] = acts_later[group] ? extent.second : extent.first;
    any_done |= !acts_later[group];
  }
  if (!any_done) return;
  const auto look_at = [&](const auto& table) {
    for (Row row = 0; row < row_count(table); ++row) {
      const uint32_t group = group_of_thread(table.thread[row]);
      if (group == kNone || acts_later[group] || table.start[row] >= extent.second || table.end[row] == kUnknown)
        continue;
      host_ends[group] = std::max(host_ends[group], std::min(extent.second, table.end[row]));
    }
  };
  look_at(trace.api);
  look_at(trace.ranges);
}

void RecordedExtent::find_calls(const std::vector<ApiKind>& kinds) {
  const Calls& api = trace.api;
  Ids sync_of_call(row_count(api), kNone);
  for (Row row = 0; row < row_count(trace.syncs); ++row) {
    const Row call = trace.syncs.launch.empty() ? kNone : trace.syncs.launch[row];
    if (call != kNone) sync_of_call[call] = row;
  }
  for (Row row = 0; row < trace.cuda_events.event.size(); ++row) {
    const StreamId stream = trace.cuda_events.stream[row];
    if (stream != kNone) recorded_on[{trace.streams[stream].process, trace.cuda_events.event[row]}].insert(stream);
  }
  Ids operation_of_call(row_count(api), kNone);
  std::vector<bool> launches(row_count(api), false);
  for (uint32_t i = 0; i < operations.size(); ++i) {
    const RecordedOperation& op = operations[i];
    if (op.launch == kNone) continue;
    launches[op.launch] = true;
    if (op.start <= api.end[op.launch]) operation_of_call[op.launch] = i;
  }
  calls.reserve(row_count(api));
  for (Row row = 0; row < row_count(api); ++row) {
    const std::optional<WaitingCall> waits = waiting_call(row, kinds[row], sync_of_call[row], operation_of_call[row]);
    if (waits) learn_shortest(*waits, api.end[row] - api.start[row]);
    const bool inside = api.end[row] >= extent.first && api.start[row] < extent.second;
    if (!inside || (!waits && !launches[row]) || group_of_call(row) == kNone) continue;
    calls.push_back({row, waits ? static_cast<uint32_t>(waiting.size()) : kNone});
    if (waits) waiting.push_back(*waits);
  }
  sort_runs(calls, [&](const RecordedCall& call) { return api.end[call.row]; });
}

void RecordedExtent::find_calls_of_operations() {
  Ids call_of_row(row_count(trace.api), kNone);
  for (uint32_t i = 0; i < calls.size(); ++i) call_of_row[calls[i].row] = i;
  for (RecordedOperation& op : operations) {
    if (op.launch != kNone) op.call = call_of_row[op.launch];
  }
}

void RecordedExtent::learn_shortest(const WaitingCall& call, int64_t length_ns) {
  if (call.awaited == Awaited::operation || call.awaited == Awaited::nothing) return;
  int64_t& shortest = call.awaited == Awaited::release ? shortest_release : shortest_wait;
  shortest = std::min(shortest, length_ns);
}

std::optional<WaitingCall> RecordedExtent::waiting_call(Row row, ApiKind kind, Row sync, uint32_t operation) const {
  const Syncs& syncs = trace.syncs;
  WaitingCall call;
  if (sync != kNone && syncs.kind[sync] == static_cast<uint8_t>(SyncKind::stream_waits_event)) {
    call.gated = syncs.stream[sync];
    call.event = syncs.event[sync];
  }
  if (kind == ApiKind::synchronize) {
    const std::string_view name = trace.name(trace.api.name[row]);
    const bool of_stream =
        sync != kNone && syncs.kind[sync] == static_cast<uint8_t>(SyncKind::stream) && syncs.stream[sync] != kNone;
    const bool of_device = name.contains("DeviceSynchronize") || name.contains("CtxSynchronize");
    call.awaited = of_stream ? Awaited::stream : of_device ? Awaited::device : Awaited::event;
    if (of_stream) call.stream = syncs.stream[sync];
  } else if ((kind == ApiKind::allocate || kind == ApiKind::load) &&
             releases_after_device(trace.name(trace.api.name[row]))) {
    call.awaited = Awaited::release;
  } else if ((kind == ApiKind::copy_blocking || kind == ApiKind::copy_async) && operation != kNone) {
    // A call that returned before its copy was over has not waited for it, but for the part that was staged.
    const RecordedOperation& op = operations[operation];
    if (op.end <= trace.api.end[row] || is_staged(trace, op)) {
      call.awaited = Awaited::operation;
      call.operation = operation;
    }
  }
  if (call.awaited == Awaited::nothing && call.gated == kNone) return std::nullopt;
  return call;
}

}  // namespace sonde
