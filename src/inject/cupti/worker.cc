#include "inject/cupti/worker.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "inject/attachment.h"
#include "inject/cupti/reading.h"
#include "inject/cupti/timeline.h"
#include "inject/names.h"

namespace sonde::inject::cupti {
namespace {

/// How long a change of phase may stay unseen where nothing wakes the worker.
constexpr int64_t kLookNs = 20'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMostExitNs = 10 * kSecondNs;

enum class Life : uint32_t { none, running, asked_to_end, ended };

constinit std::atomic<uint32_t> bell{0};
constinit std::atomic<Life> life{Life::none};

/// The calls themselves: the C library's functions may be this library's own, and would be recorded.
void sleep_until_changed(std::atomic<uint32_t>& word, uint32_t seen, int64_t most_ns) noexcept {
  const timespec limit{most_ns / kSecondNs, most_ns % kSecondNs};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
}

void change(std::atomic<uint32_t>& word) noexcept {
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

constinit std::atomic<uint32_t> ended{0};

void* work(void*) noexcept {
  static_cast<void>(write_definition(wire::Kind::thread_name, 0, static_cast<uint32_t>(syscall(SYS_gettid)),
                                     inject::text_of("Sonde's recorder")));
  while (life.load(std::memory_order_acquire) == Life::running) {
    const uint32_t seen = bell.load(std::memory_order_acquire);
    follow_phase();
    fetch_when_due();
    sleep_until_changed(bell, seen, kLookNs);
  }
  fetch_at_exit();
  life.store(Life::ended, std::memory_order_release);
  change(ended);
  return nullptr;
}

using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

bool create_thread() noexcept {
  auto create = reinterpret_cast<CreateThread>(dlsym(RTLD_NEXT, "pthread_create"));
  if (create == nullptr) create = &pthread_create;
  pthread_t thread{};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool created = create(&thread, &attributes, work, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  return created;
}

}  // namespace

bool start_worker() noexcept {
  Life none = Life::none;
  if (!life.compare_exchange_strong(none, Life::running)) return true;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool created = create_thread();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!created) life.store(Life::ended);
  return created;
}

void wake_worker() noexcept { change(bell); }

void end_worker() noexcept {
  Life running = Life::running;
  if (!life.compare_exchange_strong(running, Life::asked_to_end)) return;
  const int64_t until = now_ns() + kMostExitNs;
  wake_worker();
  while (life.load(std::memory_order_acquire) != Life::ended) {
    const uint32_t seen = ended.load(std::memory_order_acquire);
    const int64_t left = until - now_ns();
    if (left <= 0) return;
    if (life.load(std::memory_order_acquire) != Life::ended) sleep_until_changed(ended, seen, left);
  }
}

}  // namespace sonde::inject::cupti
