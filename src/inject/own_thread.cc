#include "inject/own_thread.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace sonde::inject {
namespace {

using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

bool is_of_this_library(void* function) noexcept {
  Dl_info there{};
  Dl_info here{};
  return dladdr(function, &there) != 0 && dladdr(reinterpret_cast<void*>(&is_of_this_library), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

/// The C library's, not this library's own, which would record it; ThreadSanitizer's where the program has that, whose
/// malloc() fails in threads that it did not start.
CreateThread thread_creator() noexcept {
  constexpr const char* kName = "pthread_create";
  void* const first = dlsym(RTLD_DEFAULT, kName);
  const bool is_sanitizers = dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr && !is_of_this_library(first);
  return reinterpret_cast<CreateThread>(is_sanitizers ? first : dlsym(RTLD_NEXT, kName));
}

bool create_detached(void* (*work)(void*)) noexcept {
  CreateThread create = thread_creator();
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

bool start_own_thread(void* (*work)(void*)) noexcept {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool created = create_detached(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return created;
}

void Bell::ring() noexcept {
  rung_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&rung_), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

void Bell::wait(uint32_t seen, int64_t most_ns) noexcept {
  constexpr int64_t kSecondNs = 1'000'000'000;
  const timespec limit{most_ns / kSecondNs, most_ns % kSecondNs};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&rung_), FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
}

}  // namespace sonde::inject
