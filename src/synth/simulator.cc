#include "synth/simulator.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sonde::synth {
namespace {

/// From the end of a launching call to when the GPU can begin with it.
constexpr int64_t kSubmitNs = 1500;
/// From the end of the work waited for to the return of the waiting call.
constexpr int64_t kWakeNs = 2200;
constexpr int64_t kRangeNs = 120;
constexpr int64_t kPostNs = 400;
/// Waits below this are not seen as blocking: Nsight leaves out OS calls below a microsecond too.
constexpr int64_t kBlockedNs = 1000;
constexpr int64_t kHostSpreadPermille = 90;
constexpr int64_t kRecorderSpreadPermille = 150;

}  // namespace

Simulator::Simulator(const Program& program, uint64_t seed, int32_t iterations, Observer* observer,
                     const RecordingModel& recording)
    : program_(program),
      noise_(seed),
      iterations_(iterations),
      observer_(observer),
      recording_(recording),
      gpus_(program, noise_, observer),
      semaphores_(program.semaphores.size()),
      events_(program.events) {
  for (const HostThread& code : program.threads) {
    Thread thread;
    thread.code = &code;
    thread.id = static_cast<uint32_t>(threads_.size());
    threads_.push_back(thread);
  }
  for (size_t i = 0; i < semaphores_.size(); ++i)
    semaphores_[i].posts.assign(static_cast<size_t>(program.semaphores[i]), 0);
}

Result<int64_t> Simulator::run(Progress& progress) {
  while (Thread* thread = next_thread()) {
    int64_t limit = std::numeric_limits<int64_t>::max();
    for (const Thread& t : threads_) {
      if (&t != thread && !t.suspended && t.section != Section::done) limit = std::min(limit, t.time);
    }
    run_until_behind(*thread, limit, progress);
  }
  int64_t end = gpus_.last_end();
  for (const Thread& t : threads_) {
    if (t.suspended) return fail("deadlock in the program {} on thread {}", program_.name, t.code->name);
    end = std::max(end, t.time);
  }
  return end;
}

/// Steps are taken in the order of their time, so that what a call sees of other threads is what has happened by then.
Simulator::Thread* Simulator::next_thread() {
  Thread* next = nullptr;
  for (Thread& t : threads_) {
    if (t.suspended || t.section == Section::done) continue;
    if (next == nullptr || t.time < next->time) next = &t;
  }
  return next;
}

void Simulator::run_until_behind(Thread& thread, int64_t limit, Progress& progress) {
  while (thread.time <= limit && !thread.suspended) {
    const Step* step = step_at(thread, progress);
    if (step == nullptr) return;
    gpus_.set_now(thread.time);
    if (thread.began == kUnknown) thread.began = thread.time;
    if (try_step(thread, *step)) {
      thread.began = kUnknown;
      thread.waits_for.clear();
      ++thread.next;
    } else {
      thread.suspended = true;
    }
    // A thread that was woken may be behind this one.
    if (wake_threads()) return;
  }
}

/// The step to be taken next, passing over those that this iteration leaves out.
const Step* Simulator::step_at(Thread& t, Progress& progress) const {
  for (;;) {
    const Steps& steps = t.section == Section::before      ? t.code->before
                         : t.section == Section::iteration ? t.code->iteration
                                                           : t.code->after;
    if (t.next < steps.size()) {
      const Step& step = steps[t.next];
      if (t.iteration < step.until && (t.iteration < 0 || t.iteration % step.every == 0)) return &step;
      ++t.next;
      continue;
    }
    t.next = 0;
    if (t.section == Section::after) {
      t.section = Section::done;
      return nullptr;
    }
    ++t.iteration;
    if (t.id == 0) progress.advance(1);
    t.section = t.iteration < iterations_ ? Section::iteration : Section::after;
  }
}

bool Simulator::wake_threads() {
  for (const uint32_t id : gpus_.take_woken()) {
    threads_[id].suspended = false;
    woke_ = true;
  }
  return std::exchange(woke_, false);
}

bool Simulator::try_step(Thread& t, const Step& s) {
  switch (s.kind) {
    case StepKind::push_range:
    case StepKind::pop_range: range_step(t, s); return true;
    case StepKind::library_begin:
    case StepKind::library_end: library_step(t, s); return true;
    case StepKind::host_work: host_work(t, s); return true;
    case StepKind::launch:
    case StepKind::collective:
    case StepKind::set:
    case StepKind::graph:
    case StepKind::record_event:
    case StepKind::stream_wait: return launch(t, s, s.call);
    case StepKind::copy: return copy(t, s);
    case StepKind::sync_event: return synchronize(t, s, ApiCall::synchronize_event);
    case StepKind::sync_stream: return synchronize(t, s, ApiCall::synchronize_stream);
    case StepKind::sync_device: return synchronize(t, s, ApiCall::synchronize_device);
    case StepKind::release: return release(t, s);
    case StepKind::allocate:
    case StepKind::make_graph:
    case StepKind::call: plain_call(t, s, s.call); return true;
    case StepKind::os_call: os_call(t, s); return true;
    case StepKind::post: post(t, s); return true;
    case StepKind::wait: return wait_semaphore(t, s);
    case StepKind::unified_read:
    case StepKind::unified_write: migrate(t, s); return true;
  }
  return true;
}

int64_t Simulator::cost_of(const Thread& t, const Step& s, ApiCall call) const {
  return plain_cost_of(t, s, call) * host_warmup_permille(t.iteration) / 1000;
}

int64_t Simulator::plain_cost_of(const Thread& t, const Step& s, ApiCall call) const {
  return noise_.vary(info_of(call).cost_ns, kHostSpreadPermille, Purpose::call, s.site, t.iteration) +
         recording_ns(recording_.call_ns / 2, t, s);
}

int64_t Simulator::recording_ns(int64_t cost, const Thread& t, const Step& s) const {
  return cost == 0 ? 0 : noise_.vary(cost, kRecorderSpreadPermille, Purpose::recorder, s.site, t.iteration);
}

void Simulator::end_call(Thread& t, const Step& s, ApiCall call, uint32_t correlation, int64_t cpu_ns, int64_t end) {
  if (observer_ != nullptr) {
    observer_->on_cpu(t.id, t.began, t.began + cpu_ns);
    observer_->on_call(t.id, s, call, correlation, t.began, end);
  }
  t.time = end + recording_ns(recording_.call_ns / 2, t, s);
}

bool Simulator::launch(Thread& t, const Step& s, ApiCall call) {
  const auto room = gpus_.room(s.stream, t.id);
  if (!room) return false;
  const int64_t cost = cost_of(t, s, call);
  const int64_t end = std::max(t.time, *room) + cost;
  Operation op{&s, t.iteration, ++correlation_, end + kSubmitNs, {}, false, 0};
  const bool waits = s.kind == StepKind::stream_wait;
  if (waits && events_[s.what]) op.dependency = *events_[s.what];
  // Waiting for an event that was never recorded is over at once, as CUDA defines it.
  if (!waits || events_[s.what]) {
    const Position at = gpus_.enqueue(s.stream, op);
    if (s.kind == StepKind::record_event) events_[s.what] = at;
  }
  end_call(t, s, call, op.correlation, cost, end);
  return true;
}

/// Pageable memory is staged: the call returns when the copy is over. So does every copy that is not asynchronous.
bool Simulator::copy(Thread& t, const Step& s) {
  const bool blocks = s.host_memory == MemoryKind::pageable || s.call == ApiCall::copy;
  if (!blocks) return launch(t, s, s.call);
  const int64_t cost = cost_of(t, s, s.call);
  if (t.waits_for.empty()) {
    const auto room = gpus_.room(s.stream, t.id);
    if (!room) return false;
    const int64_t ready = std::max(t.time, *room) + cost;
    t.waits_for.push_back(gpus_.enqueue(s.stream, {&s, t.iteration, ++correlation_, ready, {}, false, 0}));
    t.copy_correlation = correlation_;
  }
  int64_t end = t.time + cost;
  if (!await_all(t, end)) return false;
  end_call(t, s, s.call, t.copy_correlation, cost, end);
  return true;
}

std::vector<Position> Simulator::targets_of(const Thread& t, const Step& s) const {
  std::vector<Position> targets;
  const auto add = [&](const std::optional<Position>& p) {
    if (p) targets.push_back(*p);
  };
  if (s.kind == StepKind::sync_event) add(events_[s.what]);
  if (s.kind == StepKind::sync_stream) add(gpus_.last(s.stream));
  if (s.kind == StepKind::sync_device || s.kind == StepKind::release) {
    for (size_t i = 0; i < program_.streams.size(); ++i) {
      if (program_.streams[i].gpu == t.code->gpu) add(gpus_.last(static_cast<uint16_t>(i)));
    }
  }
  return targets;
}

/// Moves `end` behind everything that the step waits for; false while some of that has no known end.
bool Simulator::await_all(Thread& t, int64_t& end) {
  for (const Position& position : t.waits_for) {
    const auto over = gpus_.end_of(position, t.id);
    if (!over) return false;
    end = std::max(end, *over + kWakeNs);
  }
  return true;
}

bool Simulator::synchronize(Thread& t, const Step& s, ApiCall call) {
  if (t.waits_for.empty()) t.waits_for = targets_of(t, s);
  const int64_t cost = cost_of(t, s, call);
  int64_t end = t.time + cost;
  if (!await_all(t, end)) return false;
  end_call(t, s, call, ++correlation_, cost, end);
  return true;
}

/// cudaFree waits for the whole GPU before it takes the memory.
bool Simulator::release(Thread& t, const Step& s) {
  if (t.waits_for.empty()) t.waits_for = targets_of(t, s);
  int64_t ready = t.time;
  if (!await_all(t, ready)) return false;
  const int64_t cost = plain_cost_of(t, s, s.call);
  end_call(t, s, s.call, ++correlation_, cost, ready + cost);
  return true;
}

bool Simulator::wait_semaphore(Thread& t, const Step& s) {
  Semaphore& semaphore = semaphores_[s.what];
  if (semaphore.posts.empty()) {
    semaphore.waiter = t.id;
    return false;
  }
  const int64_t posted = semaphore.posts.front();
  semaphore.posts.pop_front();
  const int64_t end = std::max(t.time, posted + kWakeNs);
  if (observer_ != nullptr && end - t.began >= kBlockedNs) {
    observer_->on_os_call(t.id, static_cast<uint32_t>(s.amount), t.began, end, true);
  }
  t.time = end;
  return true;
}

void Simulator::post(Thread& t, const Step& s) {
  Semaphore& semaphore = semaphores_[s.what];
  t.time += kPostNs;
  semaphore.posts.push_back(t.time);
  if (!semaphore.waiter) return;
  threads_[*semaphore.waiter].suspended = false;
  woke_ = true;
  semaphore.waiter.reset();
}

void Simulator::host_work(Thread& t, const Step& s) {
  const int64_t varied = noise_.vary(s.amount, kHostSpreadPermille, Purpose::host, s.site, t.iteration);
  const int64_t end = t.time + (s.steady ? varied : varied * host_warmup_permille(t.iteration) / 1000);
  if (observer_ != nullptr) observer_->on_cpu(t.id, t.time, end);
  t.time = end;
}

void Simulator::os_call(Thread& t, const Step& s) {
  const int64_t end = t.time + noise_.vary(s.amount, kHostSpreadPermille, Purpose::os, s.site, t.iteration);
  if (observer_ != nullptr) observer_->on_os_call(t.id, s.what, t.time, end, false);
  t.time = end;
}

void Simulator::plain_call(Thread& t, const Step& s, ApiCall call) {
  const int64_t cost = plain_cost_of(t, s, call);
  end_call(t, s, call, ++correlation_, cost, t.time + cost);
}

/// The host reads managed memory that is on the GPU, page by page, and waits for it; what the GPU pulls back moves
/// while the host continues.
void Simulator::migrate(Thread& t, const Step& s) {
  const bool read = s.kind == StepKind::unified_read;
  const CopyKind kind = read ? CopyKind::unified_device_to_host : CopyKind::unified_host_to_device;
  const int64_t start = gpus_.migrate(t.code->gpu, kind, t.time, s.amount);
  const int64_t end = start + GpuQueues::copy_ns(s.amount, kind, MemoryKind::managed);
  if (observer_ != nullptr) observer_->on_migration(t.id, s, start, end);
  if (read) t.time = end + kWakeNs;
}

void Simulator::range_step(Thread& t, const Step& s) {
  const bool push = s.kind == StepKind::push_range;
  const uint32_t range = push ? s.what : t.open.back();
  const bool recorded = program_.ranges[range].level == RangeLevel::op;
  const int64_t outside = recorded ? recording_ns(recording_.gap_ns / 2, t, s) : 0;
  const int64_t all = recorded ? recording_ns(recording_.operator_ns / 2, t, s) : 0;
  const int64_t inside = kRangeNs + all - outside;
  if (push) {
    t.time += outside;
    if (observer_ != nullptr) observer_->on_push(t.id, range, t.iteration, t.time);
    if (t.id == 0 && t.open.empty()) steps_.emplace_back(t.time, kUnknown);
    t.open.push_back(range);
    t.time += inside;
    return;
  }
  t.time += inside;
  t.open.pop_back();
  if (t.id == 0 && t.open.empty()) steps_.back().second = t.time;
  if (observer_ != nullptr) observer_->on_pop(t.id, t.time);
  t.time += outside;
}

void Simulator::library_step(Thread& t, const Step& s) {
  t.time += kRangeNs;
  if (s.kind == StepKind::library_begin) {
    t.library_began = t.time;
    t.library = s.what;
  } else if (observer_ != nullptr) {
    observer_->on_library(t.id, t.library, t.library_began, t.time);
  }
}

}  // namespace sonde::synth
