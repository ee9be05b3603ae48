#include "inject/gpu_metrics/sampling.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "inject/cupti/clock.h"
#include "inject/driver.h"
#include "inject/exit_order.h"
#include "inject/gpu_metrics/places.h"
#include "inject/gpu_metrics/report_samples.h"
#include "inject/gpu_metrics/sampler.h"
#include "inject/name_table.h"
#include "inject/own_thread.h"
#include "inject/thread_chunk.h"

namespace sonde::inject::gpu_metrics {
namespace {

using wire::Phase;
using wire::SamplingState;

/// Between two looks at the GPUs: well within what the hardware and a decoding hold.
constexpr int64_t kDecodeNs = 20'000'000;
constexpr int64_t kFastDecodeNs = 5'000'000;
constexpr uint32_t kFastHz = 40'000;
/// Between two tries to get a GPU that another process samples.
constexpr int64_t kTryNs = 200'000'000;
constexpr int64_t kMaxExitNs = 5'000'000'000;
constexpr uint32_t kMostGpus = 64;

enum class Life : uint32_t { none, running, asked_to_end, ended };

enum class Stand : uint32_t {
  none,     ///< not asked for
  waiting,  ///< nothing was done yet, or another process samples it
  open,     ///< the counters are this process's
  on,       ///< sampled
  gone,     ///< it cannot be sampled, which was reported
};

struct Gpu {
  Stand stand = Stand::none;
  uint8_t uuid[16] = {};
  Sampler sampler;
};

constinit Bell bell;
constinit Bell ended;
constinit std::atomic<Life> life{Life::none};
constinit std::atomic<uint64_t> sampled_process{0};
constinit PmSampling sampling;
constinit Gpu gpus[kMostGpus];
constinit uint32_t gpus_on = 0;
constinit int64_t tried_at = 0;

bool is_asked_to_end() noexcept { return life.load(std::memory_order_acquire) != Life::running; }

void pause_for(int64_t ns) noexcept {
  const uint32_t seen = bell.rung();
  if (!is_asked_to_end()) bell.wait(seen, ns);
}

/// Longer and longer pauses between tries of what works once the program has come so far.
class Patience {
 public:
  void pause() noexcept {
    constexpr int64_t kMaxPauseNs = 100'000'000;
    pause_for(next_ns_);
    next_ns_ = 2 * next_ns_ < kMaxPauseNs ? 2 * next_ns_ : kMaxPauseNs;
  }

 private:
  int64_t next_ns_ = 2'000'000;
};

/// The driver is still being initialized when the thread begins. Where that fails it stays so.
int await_devices() noexcept {
  constexpr int64_t kMaxWaitNs = 60'000'000'000;
  const int64_t until = now_ns() + kMaxWaitNs;
  Patience patience;
  while (!is_driver_ready() && now_ns() < until && !is_asked_to_end() && phase() != Phase::ended) patience.pause();
  const int result = result_of_initialization();
  if (result > 0) report(SamplingState::no_gpu, wire::kNoGpu, "", result);
  int count = 0;
  return result == 0 && the_driver().device_count(&count) == 0 ? count : 0;
}

/// It fails until the program has a context: with 999 within cuInit() (seen on an H100).
bool initialize_profiler(const cupti::Library& library) noexcept {
  metrics::InitializeParams params;
  Result result = sampling.initialize(&params);
  Patience patience;
  while (result != Result::ok && !is_asked_to_end() && phase() != Phase::ended) {
    patience.pause();
    if (!is_asked_to_end()) result = sampling.initialize(&params);
  }
  if (result != Result::ok) report_failure(library, wire::kNoGpu, "cuptiProfilerInitialize", result);
  return result == Result::ok;
}

bool open_cupti() noexcept {
  const cupti::Library* const library = cupti::open_library();
  if (library == nullptr) {
    report(SamplingState::no_cupti, wire::kNoGpu, cupti::why_not_open());
    return false;
  }
  const char* const missing = find_functions(sampling, *library);
  if (missing != nullptr) {
    report(SamplingState::too_old, wire::kNoGpu, missing, static_cast<int32_t>(library->version));
    return false;
  }
  const Result clock = cupti::set_clock();
  if (clock != Result::ok) {
    report_failure(*library, wire::kNoGpu, "cuptiGetTimestamp", clock);
    return false;
  }
  cupti::open_helpers(*library);
  return initialize_profiler(*library);
}

/// Where all GPUs are asked for, those that are not there were not meant.
void choose_gpus(uint32_t count) noexcept {
  const uint64_t wanted = attachment.header->gpu_metrics.devices;
  for (uint32_t device = 0; device < kMostGpus; ++device) {
    if ((wanted >> device & 1U) == 0) continue;
    if (device < count) {
      gpus[device].stand = Stand::waiting;
      const bool known = the_driver().device_uuid(gpus[device].uuid, static_cast<int>(device)) == 0;
      if (!known) gpus[device].uuid[0] = static_cast<uint8_t>(device + 1);
    } else if (wanted != ~uint64_t{0}) {
      report(SamplingState::no_device, device);
    }
  }
}

void hold_records(bool holds) noexcept {
  if (holds) {
    attachment.header->samplers_active.fetch_add(1);
  } else {
    attachment.header->samplers_active.fetch_sub(1);
  }
}

void give_up(Gpu& gpu) noexcept {
  gpu.sampler.close();
  give_place_back(gpu.uuid);
  gpu.stand = Stand::gone;
}

void switch_on(Gpu& gpu, uint32_t device) noexcept {
  if (gpu.stand == Stand::waiting) {
    if (!take_place(gpu.uuid)) return;
    gpu.stand = Stand::open;
    const bool opened = gpu.sampler.open(sampling, device, attachment.header->gpu_metrics.frequency_hz);
    end_before_libraries();  // CUPTI may have loaded some for it
    if (!opened) return give_up(gpu);
  }
  if (!gpu.sampler.start()) return give_up(gpu);
  gpu.stand = Stand::on;
  if (gpus_on++ == 0) hold_records(true);
}

void note_off() noexcept {
  if (--gpus_on == 0) hold_records(false);
}

void sample() noexcept {
  const bool tries = now_ns() - tried_at >= kTryNs;
  if (tries) tried_at = now_ns();
  for (uint32_t device = 0; device < kMostGpus; ++device) {
    Gpu& gpu = gpus[device];
    if (gpu.stand == Stand::open || (gpu.stand == Stand::waiting && tries)) {
      switch_on(gpu, device);
    } else if (gpu.stand == Stand::on && !gpu.sampler.decode()) {
      give_up(gpu);
      note_off();
    }
  }
}

void switch_off() noexcept {
  for (Gpu& gpu : gpus) {
    if (gpu.stand != Stand::on) continue;
    gpu.sampler.stop();
    gpu.stand = Stand::open;
    note_off();
  }
}

void follow_recording() noexcept {
  const bool fast = attachment.header->gpu_metrics.frequency_hz > kFastHz;
  while (!is_asked_to_end() && phase() != Phase::ended) {
    phase() == Phase::recording ? sample() : switch_off();
    pause_for(fast && gpus_on > 0 ? kFastDecodeNs : kDecodeNs);
  }
  switch_off();
  for (Gpu& gpu : gpus) {
    if (gpu.stand == Stand::open) give_up(gpu);
  }
}

void* work(void*) noexcept {
  static_cast<void>(write_definition(wire::Kind::thread_name, 0, static_cast<uint32_t>(syscall(SYS_gettid)),
                                     text_of("Sonde's sampler")));
  const int count = await_devices();
  if (count > 0 && phase() != Phase::ended && open_cupti()) {
    choose_gpus(static_cast<uint32_t>(count));
    follow_recording();
  }
  life.store(Life::ended, std::memory_order_release);
  ended.ring();
  return nullptr;
}

/// Waits for what was sampled last. A child of fork() has no such thread.
void on_exit() noexcept {
  if (sampled_process.load() != attachment.guard->load()) return;
  Life running = Life::running;
  if (!life.compare_exchange_strong(running, Life::asked_to_end)) return;
  bell.ring();
  const int64_t until = now_ns() + kMaxExitNs;
  while (life.load(std::memory_order_acquire) != Life::ended) {
    const uint32_t seen = ended.rung();
    const int64_t left = until - now_ns();
    if (left <= 0) return;
    if (life.load(std::memory_order_acquire) != Life::ended) ended.wait(seen, left);
  }
}

}  // namespace

bool is_sampling() noexcept {
  const Life now = life.load(std::memory_order_acquire);
  return now != Life::none && now != Life::ended && sampled_process.load() == attachment.guard->load();
}

void begin_sampling() noexcept {
  if (attachment.header == nullptr || (attachment.header->wanted & wire::kWantGpuMetrics) == 0) return;
  announce();
  Life none = Life::none;
  if (!life.compare_exchange_strong(none, Life::running)) return;
  sampled_process.store(attachment.guard->load());
  if (!start_own_thread(work)) {
    life.store(Life::ended);
    return report(SamplingState::failed, wire::kNoGpu, "no thread could be started in the program");
  }
  end_at_exit(on_exit);
}

}  // namespace sonde::inject::gpu_metrics
