#include "inject/cupti/activities.h"

#include <atomic>

#include "inject/attachment.h"
#include "inject/cupti/buffers.h"
#include "inject/cupti/cheap_calls.h"
#include "inject/cupti/clock.h"
#include "inject/cupti/layouts.h"
#include "inject/cupti/state_record.h"
#include "inject/cupti/subscriber.h"
#include "inject/cupti/timeline.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaState;

/// CUpti_CallbackIdResource.
constexpr uint32_t kContextCreated = 1;
constexpr uint32_t kContextEnds = 2;

/// An activity, and what of wire::CudaExtra it needs or excludes.
struct Choice {
  Activity activity;
  uint32_t needs = 0;
  uint32_t excluded_by = 0;
  bool is_vital = false;  ///< a recording without it is reported as one that lacks something
};

/// Beside kernels, without which there is no recording.
constexpr Choice kChoices[] = {
    {.activity = Activity::graph, .excluded_by = wire::kCudaGraphNodes},
    {.activity = Activity::copy, .is_vital = true},
    {.activity = Activity::peer_copy, .is_vital = true},
    {.activity = Activity::set, .is_vital = true},
    {.activity = Activity::synchronization, .is_vital = true},
    {.activity = Activity::event},
    {.activity = Activity::memory, .needs = wire::kCudaMemory, .is_vital = true},
    {.activity = Activity::overhead},
    {.activity = Activity::runtime, .is_vital = true},
    {.activity = Activity::driver, .is_vital = true},
};

/// Enabled late they tell nothing of those that are there already (seen on an H100).
constexpr Activity kObjects[] = {Activity::device, Activity::context, Activity::stream};

bool is_wanted(const Choice& choice) noexcept {
  const uint32_t extras = attachment.header->cuda.extras;
  return (extras & choice.needs) == choice.needs && (extras & choice.excluded_by) == 0;
}

/// CUpti_ActivityUnifiedMemoryCounterConfig.
struct UnifiedMemoryConfig {
  uint32_t scope;
  uint32_t kind;
  uint32_t device;
  uint32_t enable;
};

/// Migrations always; page faults where they were asked for: there can be millions.
void choose_unified_memory(const Library& library) noexcept {
  constexpr uint32_t kAllDevices = 2;
  constexpr uint32_t kHostToDevice = 1;
  constexpr uint32_t kDeviceToHost = 2;
  constexpr uint32_t kCpuPageFault = 3;
  constexpr uint32_t kGpuPageFault = 4;
  constexpr uint32_t kDeviceToDevice = 8;
  const uint32_t extras = attachment.header->cuda.extras;
  UnifiedMemoryConfig configs[] = {
      {kAllDevices, kHostToDevice, 0, 1},
      {kAllDevices, kDeviceToHost, 0, 1},
      {kAllDevices, kDeviceToDevice, 0, 1},
      {kAllDevices, kCpuPageFault, 0, (extras & wire::kCudaCpuPageFaults) != 0 ? 1U : 0U},
      {kAllDevices, kGpuPageFault, 0, (extras & wire::kCudaGpuPageFaults) != 0 ? 1U : 0U},
  };
  static_cast<void>(library.configure_unified_memory(static_cast<void*>(configs),
                                                     static_cast<uint32_t>(sizeof configs / sizeof configs[0])));
}

/// They are off in CUPTI: taking them costs, and may make streams wait for each other.
void choose_event_times(const Library& library) noexcept {
  if ((attachment.header->cuda.extras & wire::kCudaEventTimes) == 0) return;
  const Result result = library.event_times(uint8_t{1});
  if (result == Result::absent) {
    report_state(CudaState::lacks, 0, "times of CUDA events: CUPTI provides them since CUDA 12.8");
  } else if (result != Result::ok) {
    report_failure(CudaState::lacks, library, "cuptiActivityEnableCudaEventDeviceTimestamps", "", result);
  }
}

Result enable(const Library& library, Activity activity) noexcept {
  return library.activity_enable(static_cast<uint32_t>(activity));
}

void disable(const Library& library, Activity activity) noexcept {
  static_cast<void>(library.activity_disable(static_cast<uint32_t>(activity)));
}

void report_refusal(CudaState state, const Library& library, Activity activity, Result result) noexcept {
  report_failure(state, library, "cuptiActivityEnable", layout_of(static_cast<uint32_t>(activity))->name, result);
}

constinit std::atomic<bool> is_recording{false};

/// Within cuInit() CUPTI is not ready for it (seen on an H100): then it is enabled at the first context. A machine
/// without unified memory refuses, which says nothing of the recording unless page faults were asked for.
void enable_unified_memory(const Library& library) noexcept {
  choose_unified_memory(library);
  const Result result = enable(library, Activity::unified_memory);
  const bool asked = (attachment.header->cuda.extras & (wire::kCudaCpuPageFaults | wire::kCudaGpuPageFaults)) != 0;
  if (result != Result::ok && result != Result::not_ready && asked)
    report_refusal(CudaState::lacks, library, Activity::unified_memory, result);
}

constinit std::atomic<bool> had_one{false};  ///< context

/// A context that ends takes with it what CUPTI has not given away of it.
void on_context(Domain domain, uint32_t id, const void*) noexcept {
  if (domain != Domain::resource) return;
  if (id == kContextEnds) return fetch_here();
  if (id != kContextCreated || had_one.exchange(true)) return;
  if (is_recording.load()) enable_unified_memory(*library());
}

}  // namespace

bool set_up_activities(const Library& library) noexcept {
  constexpr uint32_t kSystemIds = 1;  // CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
  static_cast<void>(library.thread_id_type(kSystemIds));
  const Result clock = set_clock();
  if (clock != Result::ok) {
    report_failure(CudaState::failed, library, "cuptiGetTimestamp", "", clock);
    return false;
  }
  choose_event_times(library);
  add_handler(on_context);
  static_cast<void>(watch(library, Domain::resource, kContextCreated, true));
  static_cast<void>(watch(library, Domain::resource, kContextEnds, true));
  const Result result = library.register_buffers(request_buffer, take_buffer);
  if (result != Result::ok) {
    report_failure(CudaState::failed, library, "cuptiActivityRegisterCallbacks", "", result);
    return false;
  }
  for (const Activity object : kObjects) static_cast<void>(enable(library, object));
  return true;
}

void disable_objects(const Library& library) noexcept {
  for (const Activity object : kObjects) disable(library, object);
}

bool had_context() noexcept { return had_one.load(); }

void note_context() noexcept { had_one.store(true); }

bool enable_activities(const Library& library) noexcept {
  const Result kernels = enable(library, Activity::kernel);
  if (kernels != Result::ok) {
    report_refusal(CudaState::failed, library, Activity::kernel, kernels);
    return false;
  }
  for (const Choice& choice : kChoices) {
    if (!is_wanted(choice)) continue;
    const Result result = enable(library, choice.activity);
    if (result != Result::ok && choice.is_vital) report_refusal(CudaState::lacks, library, choice.activity, result);
  }
  if ((attachment.header->cuda.extras & wire::kCudaAllApis) == 0) disable_cheap_calls(library);
  is_recording.store(true);
  enable_unified_memory(library);
  return true;
}

void disable_activities(const Library& library) noexcept {
  is_recording.store(false);
  disable(library, Activity::unified_memory);
  disable(library, Activity::kernel);
  for (const Choice& choice : kChoices) {
    if (is_wanted(choice)) disable(library, choice.activity);
  }
}

}  // namespace sonde::inject::cupti
