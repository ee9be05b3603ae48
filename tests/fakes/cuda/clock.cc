#include <ctime>

#include "faults.h"
#include "parts.h"

namespace fake_cuda::cupti {
namespace {

using Clock = uint64_t (*)();

/// Where no clock was given CUPTI takes one of its own: that of UTC.
struct ClientClock {
  std::atomic<Clock> read{nullptr};
  std::atomic<int64_t> ahead{0};  ///< of CLOCK_MONOTONIC
};
ClientClock client;

int64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

uint64_t utc() { return static_cast<uint64_t>(read_clock(CLOCK_REALTIME)); }

/// The tightest of some looks. A clock that never leaves what lies around it is CLOCK_MONOTONIC itself: 0, to the ns.
int64_t ahead_of_monotonic(Clock clock) {
  int64_t best = 0;
  int64_t width = INT64_MAX;
  bool may_be_same = true;
  for (int i = 0; i < 100; ++i) {
    const int64_t before = read_clock(CLOCK_MONOTONIC);
    const auto between = static_cast<int64_t>(clock());
    const int64_t after = read_clock(CLOCK_MONOTONIC);
    may_be_same = may_be_same && before <= between && between <= after;
    if (after - before < width) {
      width = after - before;
      best = between - before - width / 2;
    }
  }
  return may_be_same ? 0 : best;
}

}  // namespace

uint64_t timestamp() {
  const Clock clock = client.read.load(std::memory_order_relaxed);
  return clock == nullptr ? utc() : clock();
}

bool has_client_clock() { return client.read.load() != nullptr; }

uint64_t on_client_clock(int64_t time) {
  if (client.read.load() == nullptr && client.ahead.load() == 0) client.ahead = ahead_of_monotonic(utc);
  return static_cast<uint64_t>(time + client.ahead.load());
}

EXPORT uint32_t cuptiGetTimestamp(uint64_t* time) {
  if (time == nullptr) return kInvalidParameter;
  if (faults().timestamp_fails != 0) return faults().timestamp_fails;
  *time = timestamp();
  return kSuccess;
}

#if FAKE_CUPTI_VERSION >= 18
EXPORT uint32_t cuptiActivityRegisterTimestampCallback(Clock clock) {
  if (clock == nullptr) return kInvalidParameter;
  if (driver() == nullptr) return kUnknown;
  client.ahead = ahead_of_monotonic(clock);
  client.read = clock;
  return kSuccess;
}
#endif

}  // namespace fake_cuda::cupti
