#include "inject/cupti/worker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "inject/attachment.h"
#include "inject/cupti/reading.h"
#include "inject/cupti/timeline.h"
#include "inject/name_table.h"
#include "inject/own_thread.h"

namespace sonde::inject::cupti {
namespace {

/// How long a change of phase may stay unseen where nothing wakes the worker.
constexpr int64_t kLookNs = 20'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMaxExitNs = 10 * kSecondNs;

enum class Life : uint32_t { none, running, asked_to_end, ended };

constinit Bell bell;
constinit Bell ended;
constinit std::atomic<Life> life{Life::none};

void* work(void*) noexcept {
  static_cast<void>(write_definition(wire::Kind::thread_name, 0, static_cast<uint32_t>(syscall(SYS_gettid)),
                                     inject::text_of("Sonde's recorder")));
  while (life.load(std::memory_order_acquire) == Life::running && !is_timeline_over()) {
    const uint32_t seen = bell.rung();
    follow_phase();
    fetch_when_due();
    bell.wait(seen, kLookNs);
  }
  fetch_at_exit();
  life.store(Life::ended, std::memory_order_release);
  ended.ring();
  return nullptr;
}

}  // namespace

bool start_worker() noexcept {
  Life none = Life::none;
  if (!life.compare_exchange_strong(none, Life::running)) return true;
  const bool created = start_own_thread(work);
  if (!created) life.store(Life::ended);
  return created;
}

void wake_worker() noexcept { bell.ring(); }

void end_worker() noexcept {
  Life running = Life::running;
  if (!life.compare_exchange_strong(running, Life::asked_to_end)) return;
  const int64_t until = now_ns() + kMaxExitNs;
  wake_worker();
  while (life.load(std::memory_order_acquire) != Life::ended) {
    const uint32_t seen = ended.rung();
    const int64_t left = until - now_ns();
    if (left <= 0) return;
    if (life.load(std::memory_order_acquire) != Life::ended) ended.wait(seen, left);
  }
}

}  // namespace sonde::inject::cupti
