#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>

#include "inject/encode.h"
#include "inject/export.h"
#include "inject/thread_chunk.h"
#include "wire/os_calls.h"

/// The C library's functions that may block, in its place: each calls it and writes down how long that took. They stand
/// under names of their own, and an assembler label gives them the C library's, so that its headers do not object.
///
/// A thread that is cancelled while it waits unwinds through these functions: they are not noexcept, hold nothing that
/// would have to be released, and are built with unwind tables.
namespace sonde::inject {
namespace {

using wire::OsCall;

constinit std::atomic<void*> originals[wire::kOsCalls] = {};

/// The C library's own. Conditions have an older version of the same names, which dlsym() would find.
void* find_original(OsCall call) noexcept {
  const char* name = wire::kOsCallNames[static_cast<uint16_t>(call)];
  void* found = nullptr;
#ifdef __x86_64__
  if (strncmp(name, "pthread_cond_", 13) == 0) found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
  return found != nullptr ? found : dlsym(RTLD_NEXT, name);
}

/// Null where this C library has no such function.
void* original(OsCall call) noexcept {
  std::atomic<void*>& known = originals[static_cast<uint16_t>(call)];
  void* found = known.load(std::memory_order_relaxed);
  if (found != nullptr) return found;
  const int error = errno;
  found = find_original(call);
  known.store(found, std::memory_order_relaxed);
  errno = error;
  return found;
}

/// The calls that do not wait, by the locks, which stand last. Called by their symbols they could be those of a
/// sanitizer in the program, which would see one lock taken twice.
constexpr auto kFirstLock = static_cast<uint16_t>(OsCall::pthread_mutex_lock);
constinit std::atomic<void*> try_locks[wire::kOsCalls - kFirstLock] = {};

std::atomic<void*>& try_lock_of(OsCall lock) noexcept { return try_locks[static_cast<uint16_t>(lock) - kFirstLock]; }

/// Before the program runs: looking a name up allocates, which must not happen in a signal handler.
__attribute__((constructor)) void find_all() noexcept {
  for (uint16_t i = 0; i < wire::kOsCalls; ++i) static_cast<void>(original(static_cast<OsCall>(i)));
#define SONDE_OS_CALL(result, name, parameters, arguments)
#define SONDE_OS_LOCK(name, type, try_name) try_lock_of(OsCall::name).store(dlsym(RTLD_NEXT, #try_name));
#include "wire/os_calls.inc"
#undef SONDE_OS_CALL
}

template <typename T>
int64_t number_of(T value) noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<intptr_t>(value);
  } else {
    return static_cast<int64_t>(value);
  }
}

void write_call(OsCall call, int64_t start, int64_t end, int64_t result) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::OsCallBody);
  std::byte* at = begin_record(kBytes);
  if (at == nullptr) return;
  put(put_head(at, wire::Kind::os_call, kBytes, 0, static_cast<uint16_t>(call), start), wire::OsCallBody{end, result});
  commit_record(kBytes);
}

/// Of a call that began at `start` and has just come back.
void note(OsCall call, int64_t start, int64_t result) noexcept {
  const int64_t end = now_ns();
  if (end - start < attachment.header->os_threshold_ns) return;
  const int error = errno;
  write_call(call, start, end, result);
  errno = error;
}

template <typename Result>
Result missing() noexcept {
  errno = ENOSYS;
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return static_cast<Result>(-1);
  }
}

template <typename Result, typename... Arguments>
Result timed(OsCall call, Arguments... arguments) {
  const auto function = reinterpret_cast<Result (*)(Arguments...)>(original(call));
  if (function == nullptr) return missing<Result>();
  if (!records(wire::kWantOsCalls)) return function(arguments...);
  const int64_t start = now_ns();
  const Result result = function(arguments...);
  note(call, start, number_of(result));
  return result;
}

/// A lock that is free is taken without looking at the clock: it blocks nobody, and programs take millions of them.
bool take_free(int (*try_lock)(pthread_mutex_t*), pthread_mutex_t* lock, int& result) {
  result = try_lock(lock);
  return result != EBUSY;
}
bool take_free(int (*try_lock)(pthread_rwlock_t*), pthread_rwlock_t* lock, int& result) {
  result = try_lock(lock);
  return result != EBUSY;
}
bool take_free(int (*try_wait)(sem_t*), sem_t* semaphore, int& result) {
  pthread_testcancel();  // sem_wait() does, and sem_trywait() does not
  const int error = errno;
  result = try_wait(semaphore);
  if (result == 0) return true;
  errno = error;
  return false;
}

template <typename Lock>
int timed_lock(OsCall call, Lock* lock) {
  const auto try_lock = reinterpret_cast<int (*)(Lock*)>(try_lock_of(call).load(std::memory_order_relaxed));
  int result = 0;
  if (try_lock != nullptr && records(wire::kWantOsCalls) && take_free(try_lock, lock, result)) return result;
  return timed<int>(call, lock);
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses, bugprone-reserved-identifier): the rows are types and parameter lists.
#define SONDE_OS_CALL(result, name, parameters, arguments)                  \
  extern "C" SONDE_EXPORT result sonde_os_##name parameters __asm__(#name); \
  extern "C" result sonde_os_##name parameters { return call_with<result>(OsCall::name) arguments; }
#define SONDE_OS_LOCK(name, type, try_name)                               \
  extern "C" SONDE_EXPORT int sonde_os_##name(type* lock) __asm__(#name); \
  extern "C" int sonde_os_##name(type* lock) { return timed_lock(OsCall::name, lock); }

namespace {

/// So that a row's arguments can stand behind it in their own parentheses.
template <typename Result>
struct Call {
  OsCall call;
  template <typename... Arguments>
  Result operator()(Arguments... arguments) const {
    return timed<Result>(call, arguments...);
  }
};

template <typename Result>
Call<Result> call_with(OsCall call) {
  return {call};
}

}  // namespace

#include "wire/os_calls.inc"
// NOLINTEND(bugprone-macro-parentheses, bugprone-reserved-identifier)

}  // namespace sonde::inject
