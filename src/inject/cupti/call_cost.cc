#include "inject/cupti/call_cost.h"

#include <algorithm>

#include "inject/attachment.h"
#include "inject/cupti/cheap_calls.h"
#include "inject/driver.h"

namespace sonde::inject::cupti {
namespace {

constexpr int kRounds = 8;
constexpr int kCallsPerRound = 64;

/// A round that was interrupted is longer than the others.
int64_t call_time_ns() noexcept {
  int64_t shortest = INT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    void* context = nullptr;
    const int64_t began = now_ns();
    for (int i = 0; i < kCallsPerRound; ++i) static_cast<void>(the_driver().current_context(&context));
    shortest = std::min(shortest, now_ns() - began);
  }
  return shortest / kCallsPerRound;
}

}  // namespace

int64_t measure_call_cost(const Library& library) noexcept {
  if (!the_driver().current_context.is_there()) return 0;
  const bool is_recorded = (attachment.header->cuda.extras & wire::kCudaAllApis) != 0;
  if (is_recorded) return call_time_ns();
  if (library.choose_driver_call(kCurrentContextCall, uint8_t{1}) != Result::ok) return call_time_ns();
  const int64_t recorded = call_time_ns();
  static_cast<void>(library.choose_driver_call(kCurrentContextCall, uint8_t{0}));
  return std::max(int64_t{0}, recorded - call_time_ns());
}

}  // namespace sonde::inject::cupti
