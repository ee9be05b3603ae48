#include "record/cpu/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "base/system/system_reason.h"

namespace sonde::record {
namespace {

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

Result<PerfRing> PerfRing::map(int event, size_t bytes) {
  for (size_t room = bytes; room >= kLeastBytes; room /= 2) {
    void* at = mmap(nullptr, room + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (at != MAP_FAILED) return PerfRing(event, static_cast<std::byte*>(at), room);
  }
  const int error = errno;
  close(event);
  return fail("cannot allocate its buffers: {}", system_reason(error));
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : event_(std::exchange(other.event_, -1)), at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}

PerfRing::~PerfRing() {
  if (at_ != nullptr) munmap(at_, bytes_ + page_bytes());
  if (event_ >= 0) close(event_);
}

void PerfRing::drain(std::vector<std::byte>& out) {
  auto* const page = reinterpret_cast<perf_event_mmap_page*>(at_);
  const std::byte* const data = at_ + page_bytes();
  const uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  uint64_t tail = page->data_tail;
  while (tail < head) {
    const size_t begin = tail % bytes_;
    const size_t count = std::min<size_t>(head - tail, bytes_ - begin);
    out.insert(out.end(), data + begin, data + begin + count);
    tail += count;
  }
  std::atomic_ref(page->data_tail).store(tail, std::memory_order_release);
}

}  // namespace sonde::record
