#include "inject/cupti/buffers.h"

#include <atomic>
#include <cerrno>

#include "inject/attachment.h"
#include "inject/cupti/library.h"
#include "inject/cupti/timeline.h"
#include "inject/cupti/worker.h"
#include "inject/pages.h"

namespace sonde::inject::cupti {
namespace {

enum class Use : uint32_t { free, held, filled };

struct Buffer {
  std::atomic<Use> use{Use::free};
  std::atomic<uint8_t*> at{nullptr};
  std::atomic<uint64_t> order{0};  ///< of those that were returned
  size_t valid = 0;
};

constinit Buffer buffers[kBuffers];
constinit std::atomic<uint64_t> given_back{0};
constinit std::atomic<uint32_t> filled{0};
constinit std::atomic<uint64_t> filled_bytes{0};
constinit std::atomic<int64_t> spent_ns{0};

/// Adds what a callback took. The clock is read twice a buffer, not a record.
class Spent {
 public:
  Spent() noexcept : began_(now_ns()), error_(errno) {}
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;
  ~Spent() {
    spent_ns.fetch_add(now_ns() - began_, std::memory_order_relaxed);
    errno = error_;
  }

 private:
  int64_t began_;
  int error_;
};

uint8_t* claim() noexcept {
  for (Buffer& buffer : buffers) {
    Use free = Use::free;
    if (buffer.use.load(std::memory_order_relaxed) != free) continue;
    if (!buffer.use.compare_exchange_strong(free, Use::held, std::memory_order_acquire)) continue;
    uint8_t* at = buffer.at.load(std::memory_order_relaxed);
    if (at == nullptr) at = new_array<uint8_t>(kBufferBytes);
    buffer.at.store(at, std::memory_order_relaxed);
    if (at == nullptr) buffer.use.store(Use::free, std::memory_order_release);
    return at;
  }
  return nullptr;
}

Buffer* held_at(const uint8_t* at) noexcept {
  for (Buffer& buffer : buffers) {
    if (buffer.at.load(std::memory_order_relaxed) == at && buffer.use.load() == Use::held) return &buffer;
  }
  return nullptr;
}

/// Whether what came in a buffer may wait too.
bool has_room(size_t bytes) noexcept {
  return filled.load(std::memory_order_relaxed) < kMaxFilled &&
         filled_bytes.load(std::memory_order_relaxed) + bytes <= kMaxFilledBytes;
}

uint64_t count_records(uint8_t* at, size_t valid) noexcept {
  uint64_t count = 0;
  uint8_t* record = nullptr;
  while (count < valid / 8 && library()->next_record(at, valid, &record) == Result::ok) ++count;
  return count;
}

}  // namespace

void request_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) noexcept {
  const Spent spent;
  *buffer = claim();
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void take_buffer(void* /*context*/, uint32_t /*stream*/, uint8_t* at, size_t /*bytes*/, size_t valid) noexcept {
  const Spent spent;
  Buffer* const buffer = at == nullptr ? nullptr : held_at(at);
  if (buffer == nullptr) return;
  buffer->valid = valid < kBufferBytes ? valid : kBufferBytes;
  const bool own = is_own_process();
  if (!own || !has_room(buffer->valid)) {
    if (own) count(wire::Loss::worker, count_records(at, buffer->valid));
    buffer->use.store(Use::free, std::memory_order_release);
    return;
  }
  filled.fetch_add(1, std::memory_order_relaxed);
  filled_bytes.fetch_add(buffer->valid, std::memory_order_relaxed);
  buffer->order.store(given_back.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  buffer->use.store(Use::filled, std::memory_order_release);
  wake_worker();
}

FilledBuffer next_filled() noexcept {
  FilledBuffer first;
  uint64_t order = UINT64_MAX;
  for (uint32_t i = 0; i < kBuffers; ++i) {
    const Buffer& buffer = buffers[i];
    if (buffer.use.load(std::memory_order_acquire) != Use::filled || buffer.order.load() >= order) continue;
    order = buffer.order.load();
    first = {buffer.at.load(std::memory_order_relaxed), buffer.valid, i};
  }
  return first;
}

void free_buffer(const FilledBuffer& buffer) noexcept {
  filled.fetch_sub(1, std::memory_order_relaxed);
  filled_bytes.fetch_sub(buffer.valid, std::memory_order_relaxed);
  buffers[buffer.index].use.store(Use::free, std::memory_order_release);
}

int64_t callback_ns() noexcept { return spent_ns.load(std::memory_order_relaxed); }

}  // namespace sonde::inject::cupti
