#include "inject/cupti/profiler_range.h"

#include <algorithm>

#include "inject/attachment.h"
#include "inject/capture.h"
#include "inject/cupti/state_record.h"
#include "inject/cupti/subscriber.h"
#include "inject/cupti/timeline.h"

namespace sonde::inject::cupti {
namespace {

/// CUPTI's numbers of the calls (cupti_driver_cbid.h, cupti_runtime_cbid.h), the same in all versions.
struct RangeCall {
  Domain domain;
  uint32_t id;
  bool begins;
};
constexpr RangeCall kCalls[] = {
    {Domain::driver, 308, true},
    {Domain::driver, 309, false},
    {Domain::runtime, 171, true},
    {Domain::runtime, 172, false},
};

/// The recording begins when the one call has come back, and ends before the other does anything. The runtime's calls
/// are the driver's within: the second of the two changes nothing. Behind the other some programs end at once, without
/// running what is to run at their exit.
void on_profiler_call(Domain domain, uint32_t id, const void* data) noexcept {
  const bool is_entry = static_cast<const CallbackData*>(data)->site == 0;
  for (const RangeCall& call : kCalls) {
    if (call.domain != domain || call.id != id || call.begins == is_entry) continue;
    if (call.begins) {
      begin_capture(wire::Trigger::cuda_profiler_api);
    } else {
      end_capture(wire::Trigger::cuda_profiler_api);
      fetch_soon();
    }
    follow_phase();
  }
}

}  // namespace

bool is_profiler_range(Domain domain, uint32_t call) noexcept {
  return std::ranges::any_of(kCalls, [&](const RangeCall& c) { return c.domain == domain && c.id == call; });
}

void watch_profiler_range(const Library& library) noexcept {
  add_handler(on_profiler_call);
  for (const RangeCall& call : kCalls) {
    const Result result = watch(library, call.domain, call.id, true);
    if (result == Result::ok) continue;
    report_failure(wire::CudaState::lacks, library, "cuptiEnableCallback", "the profiler's start and stop", result);
    return;
  }
}

}  // namespace sonde::inject::cupti
