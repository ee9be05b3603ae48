#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "parts.h"

// Records go into a buffer of the client's; a full one is given back by the worker thread as soon as each of its
// records is whole, any other only by cuptiActivityFlushAll(), on the thread that calls it. As cupti_activity.h says,
// the flush period gives back nothing but full buffers. From CUDA 13.0 on each thread has a buffer of its own, and
// before 12.9 a client that gives none ends the program, as CUPTI's release notes tell.
namespace fake_cuda::cupti {
namespace {

using Requested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using Completed = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);

/// A record that is not whole yet.
struct Open {
  size_t times;  ///< where its start stands; the end is behind it
  int64_t complete;
};

struct Buffer {
  uint8_t* data = nullptr;
  size_t size = 0;
  size_t max_records = 0;
  size_t used = 0;
  size_t records = 0;
  size_t middle = 0;  ///< where some record in it begins
  int64_t complete = 0;
  std::vector<Open> open;
};

struct Buffers {
  std::mutex mutex;
  std::condition_variable changed;
  Requested requested = nullptr;
  Completed completed = nullptr;
  std::map<std::thread::id, Buffer> current;  ///< of each thread, or one; without data: none
  std::deque<Buffer> full;
  uint32_t delivering = 0;
  size_t dropped = 0;
  bool has_worker = false;
  std::atomic<uint32_t> turn_dropped{0}, turn_new{0}, turn_bad{0};
};

/// Never destroyed: the worker goes on while the process ends.
Buffers& buffers() {
  static Buffers& the = *new Buffers;
  return the;
}

Buffer& current_buffer(Buffers& all) {
  return all.current[kVersion >= kCuda13_0 ? std::this_thread::get_id() : std::thread::id()];
}

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

size_t valid_bytes(Buffers& all, const Buffer& buffer) {
  const Faults& f = faults();
  constexpr uint32_t kUnreadable = 0x7777;
  if (is_due(f.bad_kinds, all.turn_bad)) memcpy(buffer.data + buffer.middle, &kUnreadable, sizeof kUnreadable);
  if (f.truncated && buffer.used >= 8) return buffer.used - 4;
  if (f.odd_size && buffer.used + 4 <= buffer.size) {
    memset(buffer.data + buffer.used, 0, 4);
    return buffer.used + 4;
  }
  return buffer.used;
}

/// Without the lock: the client may call anything of ours.
void deliver(Buffers& all, const Buffer& buffer) {
  for (const Open& open : buffer.open) {
    if (open.complete > now_ns()) memset(buffer.data + open.times, 0, 2 * sizeof(uint64_t));
  }
  if (faults().empty_buffers) {
    uint8_t* data = nullptr;
    size_t size = 0;
    size_t most = 0;
    all.requested(&data, &size, &most);
    if (data != nullptr) all.completed(nullptr, 0, data, size, 0);
  }
  all.completed(nullptr, 0, buffer.data, buffer.size, valid_bytes(all, buffer));
}

void deliver_unlocked(Buffers& all, std::unique_lock<std::mutex>& lock, const Buffer& buffer) {
  ++all.delivering;
  lock.unlock();
  deliver(all, buffer);
  lock.lock();
  --all.delivering;
  all.changed.notify_all();
}

/// The first that may go.
bool take_full(Buffers& all, bool is_forced, Buffer& taken) {
  for (auto at = all.full.begin(); at != all.full.end(); ++at) {
    if (!is_forced && at->complete > now_ns()) continue;
    taken = std::move(*at);
    all.full.erase(at);
    return true;
  }
  return false;
}

bool take_current(Buffers& all, bool is_forced, Buffer& taken) {
  for (auto& [thread, current] : all.current) {
    if (current.data == nullptr || (!is_forced && current.complete > now_ns())) continue;
    taken = std::move(current);
    current = Buffer{};
    return true;
  }
  return false;
}

void work() {
  Buffers& all = buffers();
  std::unique_lock lock(all.mutex);
  for (;;) {
    Buffer buffer;
    if (take_full(all, false, buffer)) {
      deliver_unlocked(all, lock, buffer);
    } else if (all.full.empty()) {
      all.changed.wait(lock);
    } else {
      all.changed.wait_for(lock, std::chrono::milliseconds(1));
    }
  }
}

void retire(Buffers& all, Buffer& current) {
  if (current.data == nullptr) return;
  all.full.push_back(std::move(current));
  current = Buffer{};
  if (!all.has_worker) std::thread(work).detach();
  all.has_worker = true;
  all.changed.notify_all();
}

bool make_room(Buffers& all, size_t bytes) {
  Buffer& current = current_buffer(all);
  const bool is_full =
      current.used + bytes > current.size || (current.max_records != 0 && current.records == current.max_records);
  if (current.data != nullptr && is_full) retire(all, current);
  if (current.data == nullptr) all.requested(&current.data, &current.size, &current.max_records);
  if (current.data == nullptr && kVersion < kCuda12_9) abort();
  if (current.data == nullptr || current.size < bytes || reinterpret_cast<uintptr_t>(current.data) % 8 != 0) {
    current = Buffer{};
    return false;
  }
  return true;
}

void put(Buffers& all, const void* record, size_t bytes, int64_t complete, int times) {
  if (!make_room(all, bytes)) {
    ++all.dropped;
    return;
  }
  Buffer& to = current_buffer(all);
  memcpy(to.data + to.used, record, bytes);
  if (times >= 0 && complete > now_ns()) to.open.push_back({to.used + static_cast<size_t>(times), complete});
  if (to.records % 2 == 0) to.middle = to.used;
  to.complete = std::max(to.complete, complete);
  to.used += bytes;
  ++to.records;
}

}  // namespace

void write(const void* record, size_t bytes, int64_t complete, int times) {
  constexpr OtherRecord kNewer = {60, {}};
  Buffers& all = buffers();
  if (is_forked()) return;
  const std::lock_guard lock(all.mutex);
  if (all.requested == nullptr) return;
  if (is_due(faults().dropped, all.turn_dropped)) {
    ++all.dropped;
    return;
  }
  if (is_due(faults().new_kinds, all.turn_new)) put(all, &kNewer, sizeof kNewer, 0, -1);
  put(all, record, bytes, complete, times);
}

EXPORT uint32_t cuptiActivityRegisterCallbacks(Requested requested, Completed completed) {
  if (requested == nullptr || completed == nullptr) return kInvalidParameter;
  if (faults().register_fails != 0) return faults().register_fails;
  const std::lock_guard lock(buffers().mutex);
  buffers().requested = requested;
  buffers().completed = completed;
  return kSuccess;
}

namespace {
std::atomic<bool> finalized{false};
}  // namespace

void note_call(const char* function) {
  if (finalized && !has_subscriber()) fprintf(stderr, "fake CUPTI: %s() behind cuptiFinalize()\n", function);
}

EXPORT uint32_t cuptiActivityFlushAll(uint32_t flags) {
  note_call("cuptiActivityFlushAll");
  if (is_forked()) return kNotInitialized;
  if (faults().flush_fails != 0) return faults().flush_fails;
  Buffers& all = buffers();
  const bool is_forced = (flags & 1U) != 0;
  std::unique_lock lock(all.mutex);
  if (all.completed == nullptr) return kInvalidOperation;
  Buffer buffer;
  while (take_full(all, is_forced, buffer)) deliver_unlocked(all, lock, buffer);
  while (take_current(all, is_forced, buffer)) deliver_unlocked(all, lock, buffer);
  all.changed.wait(lock, [&] { return all.delivering == 0; });
  return kSuccess;
}

EXPORT uint32_t cuptiActivityFlush(void*, uint32_t, uint32_t flags) { return cuptiActivityFlushAll(flags); }

/// Full buffers are given back at once anyway.
EXPORT uint32_t cuptiActivityFlushPeriod(uint32_t) { return driver() == nullptr ? kUnknown : kSuccess; }

EXPORT uint32_t cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (dropped == nullptr) return kInvalidParameter;
  if (is_forked()) return kNotInitialized;
  const std::lock_guard lock(buffers().mutex);
  *dropped = buffers().dropped;
  buffers().dropped = 0;
  return kSuccess;
}

EXPORT uint32_t cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, uint8_t** record) {
  if (buffer == nullptr || record == nullptr) return kInvalidParameter;
  size_t at = 0;
  uint32_t kind = 0;
  if (*record != nullptr) {
    memcpy(&kind, *record, sizeof kind);
    at = static_cast<size_t>(*record - buffer) + record_bytes(kind);
  }
  if (at >= valid) return kMaxLimitReached;
  if (valid - at < sizeof kind) return kInvalidKind;
  memcpy(&kind, buffer + at, sizeof kind);
  if (record_bytes(kind) == 0 || record_bytes(kind) > valid - at) return kInvalidKind;
  *record = buffer + at;
  return kSuccess;
}

/// Records that were not flushed before are gone.
EXPORT uint32_t cuptiFinalize() {
  if (driver() == nullptr) return kUnknown;
  if (has_subscriber()) fprintf(stderr, "fake CUPTI: cuptiFinalize() with a subscriber\n");
  finalized = true;
  driver()->listen(nullptr);
  forget_subscriber();
  forget_kinds();
  const std::lock_guard lock(buffers().mutex);
  buffers().current.clear();
  return kSuccess;
}

}  // namespace fake_cuda::cupti
