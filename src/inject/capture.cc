#include "inject/capture.h"

#include "inject/cupti/timeline.h"
#include "inject/cupti/worker.h"
#include "inject/name_table.h"
#include "inject/thread_chunk.h"
#include "wire/rounds.h"

namespace sonde::inject {

constinit thread_local CaptureRange capture_range{};

namespace {

/// The start/end range that began the round; numbers are given again in each process, and a child of fork() ends none
/// of its parent's.
struct StartedRange {
  std::atomic<uint64_t> token{0};
  std::atomic<uint64_t> id{0};
};
constinit StartedRange started_range;

bool is_text(const Text& text, const char* wanted, uint32_t bytes) noexcept {
  return text.bytes == bytes && memcmp(text.data, wanted, bytes) == 0;
}

bool is_wanted(uint16_t domain, const Text& name) noexcept {
  const wire::Capture& capture = attachment.header->capture;
  if (!is_text(name, capture.text, capture.text_bytes)) return false;
  return capture.any_domain != 0 || is_text(text_of_name(domains, domain), capture.domain, capture.domain_bytes);
}

bool take_range(wire::Capture& capture) noexcept {
  uint32_t left = capture.ranges_left.load(std::memory_order_relaxed);
  while (left > 0 && !capture.ranges_left.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) continue;
  return left > 0;
}

}  // namespace

bool begin_capture(wire::Trigger trigger) noexcept {
  wire::Header* header = attachment.header;
  if (header == nullptr || header->trigger.load(std::memory_order_acquire) != trigger) return false;
  if (!take_range(header->capture)) return false;
  if (wire::begin_round(*header, now_ns)) {
    cupti::begin_with_range();
    return true;
  }
  header->capture.ranges_left.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void end_capture(wire::Trigger trigger) noexcept {
  wire::Header* header = attachment.header;
  if (header == nullptr || header->trigger.load(std::memory_order_acquire) != trigger) return;
  if (header->capture.ends != 0 && wire::end_round(*header, now_ns)) cupti::wake_worker();
}

bool begin_capture_of(uint16_t domain, const Text& name) noexcept {
  return is_wanted(domain, name) && begin_capture(wire::Trigger::nvtx);
}

void enter_capture_range(uint16_t domain) noexcept {
  if (capture_range.domain == domain) ++capture_range.depth;
}

void leave_capture_range(uint16_t domain) noexcept {
  if (capture_range.domain != domain || --capture_range.depth != 0) return;
  const bool own = capture_range.token == own_token();
  capture_range = {};
  if (own) end_capture(wire::Trigger::nvtx);
}

void remember_capture_range(uint64_t id) noexcept {
  started_range.id.store(id, std::memory_order_relaxed);
  started_range.token.store(own_token(), std::memory_order_release);
}

void forget_capture_range(uint64_t id) noexcept {
  if (started_range.token.load(std::memory_order_acquire) != own_token()) return;
  if (started_range.id.load(std::memory_order_relaxed) != id) return;
  started_range.token.store(0, std::memory_order_relaxed);
  end_capture(wire::Trigger::nvtx);
}

}  // namespace sonde::inject
