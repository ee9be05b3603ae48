#include "analyses/replay/replay.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "analyses/replay/ended_operations.h"
#include "analyses/replay/replay_operations.h"
#include "analyses/steps/thread_groups.h"
#include "base/system/sort_runs.h"
#include "trace/columns.h"
#include "trace/stream_flags.h"

namespace sonde {
namespace {

constexpr int64_t kNever = kNeverInReplay;
using Operation = ReplayOperation;

/// What happens on the recorded timeline, in its order: the replay visits each once.
struct Event {
  enum Kind : uint8_t { operation, call, cut, graph };
  int64_t time;
  Kind kind;
  uint32_t index;
};

/// A recorded time and when it comes in the replay.
struct Moment {
  int64_t recorded = kNever;
  int64_t replayed = kNever;
  void raise(const Moment& other) {
    recorded = std::max(recorded, other.recorded);
    replayed = std::max(replayed, other.replayed);
  }
};

/// A collective in the replay.
struct Meeting {
  int64_t last_entry = kNever;         ///< as recorded
  int64_t replayed_last = kNever;      ///< of those that have entered so far
  std::vector<uint32_t> entered = {};  ///< operations
  size_t missing = 0;                  ///< participants that have not entered yet
};

class Replay {
 public:
  Replay(const Trace& trace, const Gpus& gpus, const Collectives& collectives, const std::vector<ApiKind>& kinds,
         Span extent, const Change& change)
      : trace_(trace),
        kinds_(kinds),
        extent_(extent),
        change_(change),
        group_of_(groups_of_threads(trace, gpus)),
        operations_(replay_operations(trace, gpus, collectives, extent, change)),
        meetings_(collectives.all.size()),
        shift_(trace.threads.size() + 1, 0),
        call_shift_(row_count(trace.api), kUnknown),
        cut_call_(row_count(trace.api), false),
        no_wait_(row_count(trace.api), false),
        graph_of_call_(row_count(trace.api), kNone),
        graph_shift_(change.cuts.size(), 0),
        groups_(change.side_by_side.size()),
        op_of_call_(row_count(trace.api), kNone),
        sync_of_call_(row_count(trace.api), kNone),
        releases_(row_count(trace.api), false),
        streams_(trace.streams.size() + 2 * gpus.gpus.size()),
        ended_(shift_.size()) {
    find_groups(gpus);
    find_cut_calls();
    find_syncs();
    find_meetings(collectives);
    find_blocking_streams();
    learn_delays();
    next_ = next_operations();
    next_at_.assign(next_.size(), kNone);
    add_next_operations();
  }

  [[nodiscard]] int64_t end_ns() {
    replay_events();
    int64_t end = kNever;
    for (const int64_t host : host_ends()) end = std::max(end, host);
    for (const Operation& op : operations_) {
      // What still ran at the end of the extent ran beside what came next.
      if (op.end <= extent_.second) end = std::max(end, op.replayed_end);
    }
    return end;
  }

  [[nodiscard]] ReplayedRun times() {
    host_.resize(shift_.size());
    replay_events();
    ReplayedRun run{.operations = {}, .group_of = group_of_, .host = std::move(host_)};
    for (const Operation& op : operations_) {
      run.operations.push_back({op.table, op.row, op.replayed_start, op.replayed_end});
    }
    return run;
  }

 private:
  /// When each group of threads has done its part of the extent. A host that had launched later kernels before the
  /// extent's end was ahead of the GPU: it is done when the next of them starts, if not before. So was one that did
  /// nothing more.
  [[nodiscard]] Longs host_ends() const {
    Longs ends(shift_.size(), kNever);
    for (const uint32_t group : group_of_) {
      if (group != kNone) ends[group] = extent_.second;
    }
    end_at_last_acts(ends);
    for (size_t group = 0; group < ends.size(); ++group) {
      if (ends[group] == kNever) continue;
      ends[group] -= shift_[group];
      if (next_at_[group] == kNone) continue;
      const Operation& next = operations_[next_at_[group]];
      if (next.replayed_start == kNever) continue;
      ends[group] = std::min(ends[group], next.replayed_start - (next.start - extent_.second));
    }
    return ends;
  }

  /// The first kernel or graph of each group from behind the extent. Copies are made ahead.
  [[nodiscard]] std::vector<Operation> next_operations() const {
    std::vector<Operation> next(shift_.size());
    const auto look_at = [&](const GpuOps& ops) {
      const auto first = std::ranges::lower_bound(ops.start, extent_.second) - ops.start.begin();
      for (auto row = static_cast<Row>(first); row < ops.launch.size(); ++row) {
        const Row call = ops.launch[row];
        const uint32_t group = call == kNone ? kNone : group_of(trace_.api.thread[call]);
        if (group == kNone || (next[group].table != nullptr && next[group].start <= ops.start[row])) continue;
        next[group] = {&ops, row, ops.start[row], ops.end[row], ops.stream[row], call};
      }
    };
    look_at(trace_.kernels);
    look_at(trace_.graph_launches);
    return next;
  }

  /// Those that were launched before the extent's end.
  void add_next_operations() {
    for (size_t group = 0; group < next_.size(); ++group) {
      const Operation& next = next_[group];
      if (next.table == nullptr || trace_.api.end[next.launch] >= extent_.second) continue;
      next_at_[group] = static_cast<uint32_t>(operations_.size());
      operations_.push_back(next);
    }
  }

  /// Of groups that launch nothing behind the extent: the last end of a call or range in it.
  void end_at_last_acts(Longs& ends) const {
    std::vector<bool> done(ends.size(), false);
    for (size_t group = 0; group < ends.size(); ++group) {
      done[group] = ends[group] != kNever && next_[group].table == nullptr;
      if (done[group]) ends[group] = extent_.first;
    }
    if (std::ranges::none_of(done, std::identity())) return;
    const auto look_at = [&](const auto& table) {
      for (Row row = 0; row < row_count(table); ++row) {
        const uint32_t group = group_of(table.thread[row]);
        if (group == kNone || !done[group] || table.start[row] >= extent_.second || table.end[row] == kUnknown)
          continue;
        ends[group] = std::max(ends[group], std::min(extent_.second, table.end[row]));
      }
    };
    look_at(trace_.api);
    look_at(trace_.ranges);
  }

  void replay_events() {
    for (const Event& event : events()) {
      if (event.kind == Event::operation) replay_operation(operations_[event.index], event.index);
      if (event.kind == Event::call) replay_call(event.index);
      if (event.kind == Event::cut) replay_cut(change_.cuts[event.index]);
      if (event.kind == Event::graph) graph_shift_[event.index] = shift_of(change_.cuts[event.index].thread);
    }
  }

  void replay_cut(const Cut& cut) {
    int64_t& shift = shift_of(cut.thread);
    keep_time(cut.thread, cut.start_ns, shift);
    shift += length_of(cut);
    keep_time(cut.thread, cut.end_ns, shift);
  }

  /// Keeps when a host time of a thread comes in the replay, if times() asks.
  void keep_time(ThreadId thread, int64_t recorded, int64_t shift) {
    const uint32_t group = group_of(thread);
    if (host_.empty() || group == kNone) return;
    std::vector<ReplayedTime>& times = host_[group];
    if (!times.empty() && recorded < times.back().recorded) return;
    times.push_back({recorded, times.empty() ? recorded - shift : std::max(times.back().replayed, recorded - shift)});
  }

  static int64_t length_of(const Cut& cut) { return cut.end_ns - cut.start_ns; }
  [[nodiscard]] uint32_t group_of(ThreadId thread) const {
    return thread < group_of_.size() ? group_of_[thread] : kNone;
  }
  /// How much earlier a thread is than recorded.
  int64_t& shift_of(ThreadId thread) {
    const uint32_t group = group_of(thread);
    return shift_[group == kNone ? shift_.size() - 1 : group];
  }

  /// Streams of a GPU are one group, those too on which no call put anything (migrations).
  void find_groups(const Gpus& gpus) {
    std::vector<uint32_t> of_gpu(gpus.gpus.size(), kNone);
    const auto gpu_of = [&](StreamId stream) {
      return stream < gpus.of_stream.size() ? gpus.of_stream[stream] : (stream - gpus.of_stream.size()) / 2;
    };
    for (const Operation& op : operations_) {
      if (op.launch != kNone) of_gpu[gpu_of(op.stream)] = group_of(trace_.api.thread[op.launch]);
    }
    for (const Operation& op : operations_) streams_[op.stream].group = of_gpu[gpu_of(op.stream)];
  }

  void find_cut_calls() {
    std::map<ThreadId, std::map<int64_t, uint32_t>> cuts;
    for (uint32_t i = 0; i < change_.cuts.size(); ++i) cuts[change_.cuts[i].thread][change_.cuts[i].start_ns] = i;
    const Calls& api = trace_.api;
    for (Row row = 0; !cuts.empty() && row < row_count(api); ++row) {
      const auto of_thread = cuts.find(api.thread[row]);
      if (of_thread == cuts.end()) continue;
      const auto& starts = of_thread->second;
      auto cut = starts.upper_bound(api.start[row]);
      if (cut != starts.begin() && api.end[row] <= change_.cuts[std::prev(cut)->second].end_ns) {
        const uint32_t index = std::prev(cut)->second;
        cut_call_[row] = !change_.cuts[index].as_graph;
        if (change_.cuts[index].as_graph) graph_of_call_[row] = index;
      }
      cut = starts.lower_bound(api.end[row]);
      no_wait_[row] = cut != starts.begin() && api.end[row] <= change_.cuts[std::prev(cut)->second].end_ns;
    }
  }

  void find_syncs() {
    for (Row row = 0; row < row_count(trace_.syncs); ++row) {
      const Row call = trace_.syncs.launch.empty() ? kNone : trace_.syncs.launch[row];
      if (call != kNone) sync_of_call_[call] = row;
    }
    for (Row row = 0; row < trace_.cuda_events.event.size(); ++row) {
      const StreamId stream = trace_.cuda_events.stream[row];
      if (stream != kNone) recorded_on_[{trace_.streams[stream].process, trace_.cuda_events.event[row]}].insert(stream);
    }
    for (Row row = 0; row < row_count(trace_.api); ++row) {
      const bool may_release = kinds_[row] == ApiKind::allocate || kinds_[row] == ApiKind::load;
      releases_[row] = may_release && releases_after_device(trace_.name(trace_.api.name[row]));
      if (kinds_[row] != ApiKind::synchronize && !releases_[row]) continue;
      int64_t& shortest = wait_of(row).shortest;
      shortest = std::min(shortest, trace_.api.end[row] - trace_.api.start[row]);
    }
  }

  /// Participants whose operation is not replayed entered as recorded.
  void find_meetings(const Collectives& collectives) {
    for (const Operation& op : operations_) {
      if (op.collective != kNone) ++meetings_[op.collective].missing;
    }
    for (size_t c = 0; c < meetings_.size(); ++c) {
      Meeting& meeting = meetings_[c];
      meeting.last_entry = collectives.all[c].last().entry_ns;
      for (const Participant& p : collectives.all[c].participants) {
        const bool replayed = p.entry_ns >= extent_.first && p.entry_ns < extent_.second;
        if (!replayed) meeting.replayed_last = std::max(meeting.replayed_last, p.entry_ns);
      }
    }
  }

  void find_blocking_streams() {
    const auto& streams = trace_.streams;
    const auto context = [](const auto& s) { return std::tuple(s.process, s.ordinal, s.context); };
    for (StreamId null_stream = 0; null_stream < streams.size(); ++null_stream) {
      if (!streams[null_stream].is_default) continue;
      for (StreamId stream = 0; stream < streams.size(); ++stream) {
        const bool waits = streams[stream].flags == kStreamBlocking && stream != null_stream;
        if (!waits || context(streams[stream]) != context(streams[null_stream])) continue;
        streams_[null_stream].awaited.push_back(stream);
        streams_[stream].awaited.push_back(null_stream);
      }
    }
  }

  [[nodiscard]] std::vector<Event> events() const {
    std::vector<Event> events;
    events.reserve(operations_.size() + row_count(trace_.api) + 2 * change_.cuts.size());
    for (size_t i = 0; i < operations_.size(); ++i) {
      events.push_back({operations_[i].start, Event::operation, static_cast<uint32_t>(i)});
    }
    for (Row row = 0; row < row_count(trace_.api); ++row) {
      const bool inside = trace_.api.end[row] >= extent_.first && trace_.api.start[row] < extent_.second;
      if (inside && !cut_call_[row] && group_of(trace_.api.thread[row]) != kNone)
        events.push_back({trace_.api.end[row], Event::call, row});
    }
    for (uint32_t i = 0; i < change_.cuts.size(); ++i) {
      if (change_.cuts[i].as_graph) events.push_back({change_.cuts[i].start_ns, Event::graph, i});
      events.push_back({change_.cuts[i].end_ns, Event::cut, i});
    }
    sort_runs(events, [](const Event& e) { return std::tuple(e.time, e.kind); });
    return events;
  }

  /// Some drivers let an operation start before its launch has returned. A call that returns when its operation is over
  /// has put it on the stream at its beginning.
  [[nodiscard]] int64_t launched_at(const Operation& op) const {
    if (op.launch == kNone) return op.start;
    constexpr int64_t kCallNs = 5'000;  // what putting a copy on a stream takes at most, usually
    const bool blocked = trace_.api.end[op.launch] >= (is_staged(op) ? op.start : op.end);
    return std::min(op.start, blocked ? trace_.api.start[op.launch] + kCallNs : trace_.api.end[op.launch]);
  }

  /// What starting usually takes: behind a launch, and behind an operation. Low, since both also hold waits. Where
  /// another operation ended behind the one before on the stream, that may be what was waited for.
  void learn_delays() {
    std::vector<int64_t> behind_launch;
    std::vector<int64_t> behind_operation;
    std::vector<int64_t> stream_end(streams_.size(), kNever);
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> running;  // by end
    int64_t last_end = kNever;
    for (const Operation& op : operations_) {
      int64_t& before = stream_end[op.stream];
      for (; !running.empty() && running.top() <= op.start; running.pop()) last_end = running.top();
      running.push(op.end);
      if (before > launched_at(op)) {
        if (last_end <= before) behind_operation.push_back(std::max<int64_t>(0, op.start - before));
      } else if (op.launch != kNone) {
        behind_launch.push_back(op.start - launched_at(op));
      }
      before = std::max(before, op.end);
    }
    launch_delay_ = low(behind_launch);
    operation_delay_ = low(behind_operation);
  }

  static int64_t low(std::vector<int64_t>& values) {
    if (values.empty()) return 0;
    const auto tenth = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
    std::ranges::nth_element(values, tenth);
    constexpr int64_t kMaxNs = 20'000;  // beyond this even the low ones are waits
    return std::min(*tenth, kMaxNs);
  }

  void replay_operation(Operation& op, uint32_t index) {
    Stream& stream = streams_[op.stream];
    if (op.launch != kNone && cut_call_[op.launch]) {
      op.replayed_end = stream.end.replayed;
      stream.end.recorded = std::max(stream.end.recorded, op.end);
      finish(op, op.replayed_end);
      if (op.collective != kNone) enter(op.collective, kNever);
      return;
    }
    Moment start = launched(op);
    const bool in_graph = op.launch != kNone && graph_of_call_[op.launch] != kNone;
    start.raise({stream.end.recorded + operation_delay_, stream.end.replayed + (in_graph ? 0 : operation_delay_)});
    const bool beside = op.group != kNone && groups_[op.group].start != kNever;
    const bool gated = !beside || !change_.side_by_side[op.group].without_events;
    if (gated && stream.gate.recorded <= op.start) start.raise(stream.gate);
    if (op.behind != kNone) start.raise(streams_[op.behind].end);
    if (!beside) await_default_stream(op, start);
    if (beside) {
      start.replayed = std::max(start.replayed, groups_[op.group].start);
    } else if (!op.ahead && !in_graph) {
      start = explained(op, start);
    }
    if (op.engine != kNone) start.replayed = std::max(start.replayed, engine_free(op));
    start.replayed -= saved_node_gap(op, stream.last_launch, op.start - stream.end.recorded);
    stream.last_launch = op.launch;
    op.replayed_start = start.replayed;
    if (op.launch != kNone) op_of_call_[op.launch] = index;
    if (op.collective != kNone) {
      meetings_[op.collective].entered.push_back(index);
      enter(op.collective, start.replayed);
      return;
    }
    if (op.group != kNone) join_group(op, start.replayed);
    ends_at(op, start.replayed + op.changed_ns);
  }

  /// Nodes of one graph launch follow each other without the host. Those that were traced one by one started later.
  [[nodiscard]] int64_t saved_node_gap(const Operation& op, Row launch_before, int64_t gap) const {
    if (change_.node_gap_ns == 0 || op.launch == kNone || launch_before != op.launch) return 0;
    constexpr int64_t kKeptPart = 4;  // a quarter: with the one measured graph, 0.2 of 0.66 us
    return std::clamp<int64_t>(gap - gap / kKeptPart, 0, change_.node_gap_ns);
  }

  void ends_at(Operation& op, int64_t replayed_end) {
    op.replayed_end = replayed_end;
    Stream& stream = streams_[op.stream];
    stream.end.raise({op.end, op.replayed_end});
    if (op.engine != kNone) engines_[op.engine].raise({op.end, op.replayed_end});
    // Whoever waited for a copy that is made ahead still waits for what had ended before it.
    int64_t for_gpu = op.replayed_end;
    if (op.ahead) for_gpu = last_ended(stream.group, op.end, &EndedOperation::for_gpu_ns).replayed;
    if (op.group != kNone) for_gpu = groups_[op.group].end;
    finish(op, for_gpu);
  }

  /// Once all have entered, what came behind the last entry follows in the replay too. Nothing asks for an end before:
  /// whatever waits for it comes behind it on the recorded timeline, where all had entered.
  void enter(uint32_t collective, int64_t replayed_entry) {
    Meeting& meeting = meetings_[collective];
    meeting.replayed_last = std::max(meeting.replayed_last, replayed_entry);
    if (--meeting.missing > 0) return;
    for (const uint32_t index : meeting.entered) {
      Operation& op = operations_[index];
      const int64_t transfer = op.end - meeting.last_entry + op.changed_ns - (op.end - op.start);
      ends_at(op, meeting.replayed_last + std::max<int64_t>(0, transfer));
    }
  }

  /// The context's null stream waits for its blocking streams, and they for it, without a call.
  void await_default_stream(const Operation& op, Moment& start) const {
    for (const StreamId other : streams_[op.stream].awaited) {
      const Moment& end = streams_[other].end;
      if (end.recorded <= op.start) start.raise({end.recorded + operation_delay_, end.replayed + operation_delay_});
    }
  }

  /// The end of what has run so far of a group is that of all that runs side by side in it.
  void join_group(const Operation& op, int64_t replayed_start) {
    Group& group = groups_[op.group];
    if (group.start == kNever) group.start = replayed_start;
    group.end = std::max(group.end, replayed_start + op.changed_ns);
  }

  Moment launched(const Operation& op) {
    if (op.launch == kNone) return {};
    const int64_t at = launched_at(op) + launch_delay_;
    const uint32_t graph = graph_of_call_[op.launch];
    if (graph != kNone) return {at, change_.cuts[graph].start_ns + launch_delay_ - graph_shift_[graph]};
    const int64_t known = call_shift_[op.launch];
    const bool before = trace_.api.end[op.launch] < extent_.first;
    return {at, at - (before ? 0 : known == kUnknown ? shift_of(trace_.api.thread[op.launch]) : known)};
  }

  /// `start` moved to where the operation started as recorded.
  [[nodiscard]] Moment explained(const Operation& op, Moment start) const {
    const int64_t late = op.start - start.recorded;
    constexpr int64_t kDefaultSpread = 2'000;
    if (late > kDefaultSpread) {
      const Moment awaited = last_ended(streams_[op.stream].group, op.start, &EndedOperation::for_gpu_ns);
      if (awaited.recorded > start.recorded) {
        return {op.start, std::max(start.replayed, awaited.replayed + (op.start - awaited.recorded))};
      }
    }
    return {op.start, start.replayed + late};
  }

  [[nodiscard]] int64_t engine_free(const Operation& op) const {
    const auto engine = engines_.find(op.engine);
    return engine == engines_.end() || engine->second.recorded > op.start ? kNever : engine->second.replayed;
  }

  /// Keeps ended operations of each group of threads, since GPUs of different ones wait for each other in collectives
  /// only.
  void finish(const Operation& op, int64_t for_gpu) {
    ended_[place_of(streams_[op.stream].group)].add({op.end, for_gpu, op.behind == kNone ? for_gpu : op.replayed_end});
  }
  [[nodiscard]] size_t place_of(uint32_t group) const { return std::min<size_t>(group, ended_.size() - 1); }
  [[nodiscard]] Moment last_ended(uint32_t group, int64_t time, int64_t EndedOperation::* waiting) const {
    const auto last = ended_[place_of(group)].last_until(time);
    return last ? Moment{last->recorded_ns, *last.*waiting} : Moment{};
  }

  /// A stream that waits for an event waits for what its own stream has by then. What that begins later shows as an
  /// unexplained wait of the operation behind (explained()).
  void replay_stream_wait(Row sync) {
    const StreamId waiting = trace_.syncs.stream[sync];
    if (waiting == kNone) return;
    const auto streams = recorded_on_.find({trace_.streams[waiting].process, trace_.syncs.event[sync]});
    if (streams == recorded_on_.end()) return;
    for (const StreamId stream : streams->second) {
      if (stream != waiting) streams_[waiting].gate.raise(streams_[stream].end);
    }
  }

  void replay_call(Row row) {
    const Row sync = sync_of_call_[row];
    if (sync != kNone && trace_.syncs.kind[sync] == static_cast<uint8_t>(SyncKind::stream_waits_event))
      replay_stream_wait(sync);
    if (graph_of_call_[row] != kNone) return;
    const Calls& api = trace_.api;
    int64_t& shift = shift_of(api.thread[row]);
    const Moment awaited = awaited_by(row);
    if (awaited.recorded != kNever) {
      const int64_t length = api.end[row] - api.start[row];
      const bool blocked = awaited.recorded > api.start[row];
      Wait& wait = wait_of(row);
      const int64_t least = blocked ? std::min(length, wait.shortest) : length;
      const int64_t delay = blocked ? api.end[row] - awaited.recorded : wait.wake_delay;
      wait.wake_delay = std::max<int64_t>(delay, 0);
      const int64_t end = std::max(api.start[row] - shift + least, awaited.replayed + delay);
      // Without a wait in either, nothing moves.
      if (blocked || awaited.replayed + delay > api.end[row] - shift) {
        keep_time(api.thread[row], api.start[row], shift);
        shift = api.end[row] - end;
        keep_time(api.thread[row], api.end[row], shift);
      }
    }
    call_shift_[row] = shift;
  }

  /// The end of what a call waits for; none where it does not wait.
  [[nodiscard]] Moment awaited_by(Row row) const {
    if (no_wait_[row]) return {};
    if (kinds_[row] == ApiKind::synchronize) return awaited_by_sync(row);
    if (releases_[row]) return awaited_by_release(row);
    const bool copies = kinds_[row] == ApiKind::copy_blocking || kinds_[row] == ApiKind::copy_async;
    if (!copies || op_of_call_[row] == kNone) return {};
    const Operation& op = operations_[op_of_call_[row]];
    if (op.end > trace_.api.end[row] && !is_staged(op)) return {};
    return {op.end, op.replayed_end};
  }

  /// The driver takes a large copy of pageable memory to its own in pieces, and returns before the last one is on the
  /// GPU.
  [[nodiscard]] bool is_staged(const Operation& op) const {
    const Copies& copies = trace_.copies;
    const auto pageable = static_cast<uint8_t>(MemoryKind::pageable);
    return op.table == &copies && copies.bytes[op.row] > kStagedBytes && copies.source[op.row] == pageable;
  }

  [[nodiscard]] Moment awaited_by_sync(Row row) const {
    const Row sync = sync_of_call_[row];
    const int64_t returned = trace_.api.end[row];
    if (sync != kNone && trace_.syncs.kind[sync] == static_cast<uint8_t>(SyncKind::stream)) {
      const Moment& end = streams_[trace_.syncs.stream[sync]].end;
      return end.recorded <= returned ? end : Moment{};
    }
    const std::string_view name = trace_.name(trace_.api.name[row]);
    if (!name.contains("DeviceSynchronize") && !name.contains("CtxSynchronize")) {
      return last_ended(group_of(trace_.api.thread[row]), returned, &EndedOperation::for_host_ns);
    }
    Moment all;
    for (const Stream& stream : streams_) {
      if (is_of_thread(stream, row) && stream.end.recorded <= returned) all.raise(stream.end);
    }
    return all;
  }

  /// Not every driver waits in every release: one that returns before what runs has not.
  [[nodiscard]] Moment awaited_by_release(Row row) const {
    Moment all;
    for (const Stream& stream : streams_) {
      if (is_of_thread(stream, row)) all.raise(stream.end);
    }
    return all.recorded <= trace_.api.end[row] ? all : Moment{};
  }

  struct Stream {
    Moment end;
    Row last_launch = kNone;  ///< of the operation that ended last
    Moment gate;              ///< what of other streams its next operation waits for
    uint32_t group = kNone;
    std::vector<StreamId> awaited;  ///< by each operation, without a call
  };

  /// Operations side by side, as replayed.
  struct Group {
    int64_t start = kNever;
    int64_t end = kNever;
  };

  [[nodiscard]] bool is_of_thread(const Stream& stream, Row call) const {
    return stream.group == group_of(trace_.api.thread[call]);
  }

  /// What calls of one sort that wait take beside the wait.
  struct Wait {
    int64_t shortest = std::numeric_limits<int64_t>::max();  ///< of these calls
    int64_t wake_delay = 0;                                  ///< from the end of what was waited for, last time
  };
  Wait& wait_of(Row call) { return waits_[releases_[call] ? 1 : 0]; }

  const Trace& trace_;
  const std::vector<ApiKind>& kinds_;
  Span extent_;
  const Change& change_;
  std::vector<uint32_t> group_of_;
  std::vector<Operation> operations_;
  std::vector<Operation> next_;  ///< behind the extent, by group; no table where there is none
  Ids next_at_;                  ///< where they are in operations_, if the host was ahead
  std::vector<Meeting> meetings_;
  Longs shift_;       ///< by group; the last for threads without one
  Longs call_shift_;  ///< as each call returned
  std::vector<bool> cut_call_;
  std::vector<bool> no_wait_;
  Ids graph_of_call_;                            ///< the cut as whose graph the call's work runs
  Longs graph_shift_;                            ///< by cut: its thread's shift when the graph is launched
  std::vector<std::vector<ReplayedTime>> host_;  ///< by group; empty unless times() asks
  std::vector<Group> groups_;
  Ids op_of_call_;
  Ids sync_of_call_;
  std::vector<bool> releases_;
  std::vector<Stream> streams_;
  std::map<uint32_t, Moment> engines_;
  std::map<std::pair<ProcessId, uint32_t>, std::set<StreamId>> recorded_on_;  ///< by event
  std::vector<EndedOperations> ended_;  ///< by group; the last for streams without one
  int64_t launch_delay_ = 0;
  int64_t operation_delay_ = 0;
  /// Synchronization and blocking copies; releases. The former usually take no more where there is nothing to wait for.
  std::array<Wait, 2> waits_{Wait{.shortest = 5'000}, Wait{}};
};

/// Where clocks differ, who waited for whom is not known: none.
Collectives unmatched(const Collectives& collectives) {
  Collectives none;
  none.of_kernel.assign(collectives.of_kernel.size(), kNone);
  return none;
}

Replay replay_of(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                 const std::vector<ApiKind>& api_kinds, Span extent, const Change& change) {
  if (!std::ranges::all_of(collectives.all, &MatchedCollective::one_clock)) {
    return {trace, gpus, unmatched(collectives), api_kinds, extent, change};
  }
  return {trace, gpus, collectives, api_kinds, extent, change};
}

}  // namespace

int64_t replayed_end_ns(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                        const std::vector<ApiKind>& api_kinds, Span extent, const Change& change) {
  return replay_of(trace, gpus, collectives, api_kinds, extent, change).end_ns();
}

ReplayedRun replayed_run(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                         const std::vector<ApiKind>& api_kinds, Span extent, const Change& change) {
  return replay_of(trace, gpus, collectives, api_kinds, extent, change).times();
}

}  // namespace sonde
