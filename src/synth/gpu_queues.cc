#include "synth/gpu_queues.h"

#include <algorithm>
#include <utility>

namespace sonde::synth {
namespace {

/// From the end of one operation to the start of the next of its stream: what back-to-back kernels show on an H100.
constexpr int64_t kBetweenNs = 900;
constexpr int64_t kCopyFixedNs = 1400;
/// PCIe 5 x16 and pinned memory; pageable memory is staged through a small pinned buffer by the driver.
constexpr int64_t kPinnedBytesPerUs = 52000;
constexpr int64_t kPageableBytesPerUs = 9000;
constexpr int64_t kDeviceBytesPerUs = 1400000;
/// Migrations move 2 MiB at most at a time and handle faults meanwhile.
constexpr int64_t kUnifiedBytesPerUs = 12000;
constexpr int64_t kSpreadPermille = 40;

bool to_device(CopyKind kind) { return kind == CopyKind::host_to_device || kind == CopyKind::unified_host_to_device; }

int64_t bytes_per_us(CopyKind kind, MemoryKind host_memory) {
  switch (kind) {
    case CopyKind::host_to_device:
    case CopyKind::device_to_host: return host_memory == MemoryKind::pageable ? kPageableBytesPerUs : kPinnedBytesPerUs;
    case CopyKind::unified_host_to_device:
    case CopyKind::unified_device_to_host: return kUnifiedBytesPerUs;
    default: return kDeviceBytesPerUs;
  }
}

}  // namespace

int64_t host_warmup_permille(int32_t iteration) {
  constexpr std::array<int64_t, 3> kFirst = {6000, 2200, 1300};
  return iteration >= 0 && iteration < 3 ? kFirst[static_cast<size_t>(iteration)] : 1000;
}

int64_t kernel_warmup_permille(int32_t iteration) {
  constexpr std::array<int64_t, 3> kFirst = {1250, 1080, 1020};
  return iteration >= 0 && iteration < 3 ? kFirst[static_cast<size_t>(iteration)] : 1000;
}

int64_t CopyEngine::reserve(int64_t ready, int64_t duration, int64_t now) {
  while (!busy_.empty() && busy_.front().second < now) busy_.pop_front();
  int64_t start = ready;
  auto at = busy_.begin();
  for (; at != busy_.end() && at->first < start + duration; ++at) start = std::max(start, at->second);
  busy_.insert(at, {start, start + duration});
  return start;
}

GpuQueues::GpuQueues(const Program& program, const Noise& noise, OperationSink* sink)
    : program_(program), noise_(noise), sink_(sink), queues_(program.streams.size()), engines_(program.gpus) {}

int64_t GpuQueues::copy_ns(int64_t bytes, CopyKind kind, MemoryKind host_memory) {
  return kCopyFixedNs + bytes * 1000 / bytes_per_us(kind, host_memory);
}

int64_t GpuQueues::fault_ns(const Step& launch) {
  if (launch.kind != StepKind::launch || launch.amount == 0) return 0;
  return copy_ns(launch.amount, CopyKind::unified_host_to_device, MemoryKind::managed);
}

CopyEngine& GpuQueues::engine(uint16_t gpu, CopyKind kind) { return engines_[gpu][to_device(kind) ? 0 : 1]; }

std::optional<Position> GpuQueues::last(uint16_t stream) const {
  const Queue& q = queues_[stream];
  if (q.enqueued == 0) return std::nullopt;
  return Position{stream, q.enqueued - 1};
}

/// An operation that has left the window of remembered ends is one that the host has waited for: long over.
std::optional<int64_t> GpuQueues::known_end(Position position) const {
  const Queue& q = queues_[position.stream];
  if (position.number >= q.resolved) return std::nullopt;
  return position.number + kDepth < q.resolved ? 0 : q.ends[position.number % kDepth];
}

std::optional<int64_t> GpuQueues::end_of(Position position, uint32_t thread) {
  const auto end = known_end(position);
  if (!end) queues_[position.stream].waiters.push_back({position.number, true, thread});
  return end;
}

std::optional<int64_t> GpuQueues::room(uint16_t stream, uint32_t thread) {
  const Queue& q = queues_[stream];
  if (q.enqueued < kDepth) return 0;
  return end_of({stream, q.enqueued - kDepth}, thread);
}

Position GpuQueues::put(uint16_t stream, const Operation& op) {
  Queue& q = queues_[stream];
  q.pending.push_back(op);
  return {stream, q.enqueued++};
}

/// The null stream waits for what is on blocking streams by now, and they for what is on it.
void GpuQueues::wait_implicitly(uint16_t stream, int32_t iteration) {
  static const Step wait = [] {
    Step step;
    step.kind = StepKind::stream_wait;
    return step;
  }();
  const StreamInfo& own = program_.streams[stream];
  const auto streams = static_cast<uint16_t>(program_.streams.size());
  for (uint16_t s = 0; s < streams; ++s) {
    const StreamInfo& other = program_.streams[s];
    const bool waits = (own.is_default && other.blocking) || (own.blocking && other.is_default);
    if (!waits || other.gpu != own.gpu) continue;
    uint64_t& awaited = queues_[stream].awaited[s];
    const uint64_t enqueued = queues_[s].enqueued;
    if (std::exchange(awaited, enqueued) != enqueued) put(stream, {&wait, iteration, 0, 0, *last(s), false});
  }
}

Position GpuQueues::enqueue(uint16_t stream, Operation op) {
  wait_implicitly(stream, op.iteration);
  const Position position = put(stream, op);
  to_pump_.push_back(stream);
  while (!to_pump_.empty()) {
    const uint16_t next = to_pump_.back();
    to_pump_.pop_back();
    pump(next);
  }
  return position;
}

void GpuQueues::pump(uint16_t stream) {
  while (!queues_[stream].pending.empty() && resolve_head(stream)) {
  }
}

bool GpuQueues::resolve_head(uint16_t stream) {
  Queue& q = queues_[stream];
  const auto times = times_of(q.pending.front(), stream);
  if (!times) return false;
  const Operation op = q.pending.front();
  q.pending.pop_front();
  finish(stream, times->second);
  if (sink_ != nullptr) sink_->on_operation(op, stream, times->first, times->second);
  return true;
}

void GpuQueues::finish(uint16_t stream, int64_t end) {
  Queue& q = queues_[stream];
  q.ends[q.resolved++ % kDepth] = end;
  q.last_end = end;
  last_end_ = std::max(last_end_, end);
  if (!q.waiters.empty()) wake_waiters(q);
}

void GpuQueues::wake_waiters(Queue& queue) {
  std::erase_if(queue.waiters, [&](const Waiter& w) {
    if (w.number >= queue.resolved) return false;
    if (w.is_thread) {
      woken_.push_back(w.id);
    } else {
      to_pump_.push_back(static_cast<uint16_t>(w.id));
    }
    return true;
  });
}

std::vector<uint32_t> GpuQueues::take_woken() { return std::exchange(woken_, {}); }

int64_t GpuQueues::work_ns(const Operation& op) const {
  const Step& s = *op.step;
  if (s.kind == StepKind::copy || s.kind == StepKind::set) {
    const int64_t base = copy_ns(s.amount * s.slowness, s.copy_kind, s.host_memory);
    return noise_.vary(base, kSpreadPermille, Purpose::copy, s.site, op.iteration);
  }
  const int64_t base = s.kind == StepKind::graph ? s.amount : program_.kernels[s.what].duration_ns;
  const int64_t varied = noise_.vary(base, kSpreadPermille, Purpose::kernel, s.site, op.iteration);
  return fault_ns(s) + varied * kernel_warmup_permille(op.iteration) / 1000;
}

std::optional<std::pair<int64_t, int64_t>> GpuQueues::times_of(Operation& op, uint16_t stream) {
  const Queue& q = queues_[stream];
  const int64_t marker = std::max(op.ready, q.last_end);
  if (op.step->kind == StepKind::record_event) return std::pair{marker, marker};
  if (op.step->kind == StepKind::stream_wait) {
    const auto other = known_end(op.dependency);
    if (!other && !op.noticed) queues_[op.dependency.stream].waiters.push_back({op.dependency.number, false, stream});
    op.noticed = true;
    if (!other) return std::nullopt;
    const int64_t end = std::max(marker, *other);
    return std::pair{end, end};
  }
  const int64_t ready = std::max(op.ready, q.last_end == 0 ? 0 : q.last_end + kBetweenNs);
  if (op.step->kind == StepKind::collective) return meet(op, stream, ready);
  const int64_t duration = work_ns(op);
  const CopyKind kind = op.step->copy_kind;
  const bool engine_copy = kind == CopyKind::host_to_device || kind == CopyKind::device_to_host;
  const int64_t start = engine_copy ? engine(program_.streams[stream].gpu, kind).reserve(ready, duration, now_) : ready;
  return std::pair{start, start + duration};
}

/// The n-th collective of each stream meets the n-th of the others. Each starts when its GPU comes to it, as NCCL's
/// kernels do, which then wait for the others; data move when the last has come, and all end together.
std::optional<std::pair<int64_t, int64_t>> GpuQueues::meet(Operation& op, uint16_t stream, int64_t ready) {
  const uint64_t index = queues_[stream].collectives - first_meeting_;
  if (index >= meetings_.size()) meetings_.resize(index + 1);
  Meeting& meeting = meetings_[index];
  if (!op.noticed) {
    op.noticed = true;
    ++meeting.arrived;
    op.entered = ready;
    meeting.last_entry = std::max(meeting.last_entry, ready);
    if (meeting.arrived == program_.gpus) {
      meeting.end = meeting.last_entry + work_ns(op);
      for (size_t s = 0; s < queues_.size(); ++s) to_pump_.push_back(static_cast<uint16_t>(s));
    }
  }
  if (meeting.end == 0) return std::nullopt;
  ++queues_[stream].collectives;
  const std::pair times{op.entered, meeting.end};
  if (++meeting.left == program_.gpus && index == 0) {
    meetings_.pop_front();
    ++first_meeting_;
  }
  return times;
}

int64_t GpuQueues::migrate(uint16_t gpu, CopyKind kind, int64_t ready, int64_t bytes) {
  return engine(gpu, kind).reserve(ready, copy_ns(bytes, kind, MemoryKind::managed), now_);
}

}  // namespace sonde::synth
