#include <algorithm>
#include <ctime>
#include <deque>

#include <map>
#include <memory>
#include <mutex>

#include "parts.h"
#include "pm_host.h"

// CUPTI's PM sampling as CUDA 12.6 and later have it (cupti_pmsampling.h). Its times are those of the activities, as an
// H100's were. The first sample since the start begins long before the others, as in NVIDIA's tutorial. A sample's
// values are known by construction: see value_of(). What a full buffer of the hardware's and a full image lose is as
// others measured it on an H100: everything until sampling is begun again, and all that had no room.
#if FAKE_CUPTI_VERSION >= 24
namespace fake_cuda::cupti {
namespace {

constexpr uint32_t kOutOfMemory = 8, kNotSupported = 27;
constexpr int64_t kFirstSampleNs = 168'000'000;
constexpr size_t kHardwareBytesPerSample = 4096;
constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kSysClockHz = 1'250'000'000;
constexpr double kGpcClockHz = 1'500'000'000;
constexpr double kPercent = 100;
constexpr size_t kMostBefore = 1000;  ///< kernels that are known when sampling begins

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * kNsPerSecond + now.tv_nsec;
}

struct Kernel {
  int64_t start;
  int64_t end;
};

struct Sampler {
  uint32_t device = 0;
  std::vector<std::string> metrics;
  int64_t interval = 0;
  uint64_t capacity = 0;  ///< samples that the hardware's buffer holds
  bool started = false;
  bool overflown = false;
  int64_t begin = 0;
  int64_t end = 0;     ///< of sampling; 0: it goes on
  uint64_t taken = 0;  ///< samples decoded since it began
  uint32_t decodes = 0;
};

std::mutex mutex;
std::map<uint32_t, std::unique_ptr<Sampler>> samplers;
std::map<uint32_t, std::deque<Kernel>> kernels;

int64_t busy_ns(uint32_t device, int64_t start, int64_t end) {
  int64_t busy = 0;
  for (const Kernel& kernel : kernels[device]) {
    busy += std::max<int64_t>(0, std::min(kernel.end, end) - std::max(kernel.start, start));
  }
  return std::min(busy, end - start);
}

/// SMs and the engine: the part of the time in which kernels ran. Clocks: fixed. Issue: the number of the sample, up to
/// 100. All else: the length of the metric's name.
double value_of(const std::string& metric, const Sampler& sampler, uint64_t index) {
  const int64_t start = sampler.begin + static_cast<int64_t>(index) * sampler.interval;
  if (metric.starts_with("sm__cycles_active") || metric.starts_with("gr__cycles_active")) {
    return kPercent * static_cast<double>(busy_ns(sampler.device, start, start + sampler.interval)) /
           static_cast<double>(sampler.interval);
  }
  if (metric.starts_with("gpc__cycles_elapsed")) return kGpcClockHz;
  if (metric.starts_with("sys__cycles_elapsed")) return static_cast<double>(kSysClockHz);
  if (metric.starts_with("sm__inst_executed")) return static_cast<double>(index % 101);
  return static_cast<double>(metric.size());
}

/// A kernel of before the next sample is of no more use.
void forget_kernels(const Sampler& sampler) {
  const int64_t next = sampler.begin + static_cast<int64_t>(sampler.taken) * sampler.interval;
  std::erase_if(kernels[sampler.device], [&](const Kernel& kernel) { return kernel.end < next; });
}

void write_sample(uint8_t* image, const Sampler& sampler, uint64_t index) {
  static std::atomic<uint32_t> turn{0};
  auto& head = *reinterpret_cast<PmImage*>(image);
  PmSample* const sample = pm_sample(image, head.samples++);
  const int64_t start = sampler.begin + static_cast<int64_t>(index) * sampler.interval;
  const int64_t end = start + sampler.interval + faults().pm_displaced;
  const bool timeless = is_due(faults().pm_timeless, turn);
  const int64_t shown = index == 0 ? end - kFirstSampleNs : start + faults().pm_displaced;
  *sample = timeless ? PmSample{} : PmSample{on_client_clock(shown), on_client_clock(end)};
  for (size_t i = 0; i < sampler.metrics.size(); ++i)
    pm_values(sample)[i] = value_of(sampler.metrics[i], sampler, index);
}

}  // namespace

void note_for_sampling(const Operation& operation) {
  if (operation.sort != Sort::kernel) return;
  const std::lock_guard lock(mutex);
  std::deque<Kernel>& of_device = kernels[operation.device];
  of_device.push_back({operation.start, operation.end});
  if (!samplers.contains(operation.device) && of_device.size() > kMostBefore) of_device.pop_front();
}

#define FIELDS \
  size_t size; \
  void* reserved

struct PmAvailability {
  FIELDS;
  size_t device;
  size_t bytes;
  uint8_t* image;
};
struct PmEnable {
  FIELDS;
  size_t device;
  Sampler* sampler;
};
struct PmOfSampler {
  FIELDS;
  Sampler* sampler;
};
struct PmSetConfig {
  FIELDS;
  Sampler* sampler;
  size_t config_bytes;
  const uint8_t* config;
  size_t hardware_bytes;
  uint64_t interval;
  uint32_t trigger, append;
};
struct PmDecode {
  FIELDS;
  Sampler* sampler;
  uint8_t* image;
  size_t bytes;
  uint32_t stop_reason;
  uint8_t overflow;
};
struct PmImageSize {
  FIELDS;
  Sampler* sampler;
  const char** names;
  size_t count;
  uint32_t most_samples;
  size_t bytes;
};
struct PmImageInit {
  FIELDS;
  Sampler* sampler;
  size_t bytes;
  uint8_t* image;
};
struct PmImageInfo {
  FIELDS;
  const uint8_t* image;
  size_t bytes, total, populated, completed;
};
struct PmSampleInfo {
  FIELDS;
  Sampler* sampler;
  const uint8_t* image;
  size_t bytes, index;
  uint64_t start, end;
};

EXPORT uint32_t cuptiPmSamplingGetCounterAvailability(PmAvailability* p) {
  constexpr size_t kBytes = 8;
  if (faults().pm_fails != 0) return faults().pm_fails;
  if (p->image != nullptr && p->bytes < kBytes) return kInvalidParameter;
  p->bytes = kBytes;
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingEnable(PmEnable* p) {
  if (p->device >= driver()->devices()) return kInvalidParameter;
  if (!attach()) return kNotInitialized;
  const std::lock_guard lock(mutex);
  auto& sampler = samplers[static_cast<uint32_t>(p->device)];
  if (sampler != nullptr) return kInvalidOperation;
  sampler = std::make_unique<Sampler>();
  sampler->device = static_cast<uint32_t>(p->device);
  p->sampler = sampler.get();
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingDisable(PmOfSampler* p) {
  const std::lock_guard lock(mutex);
  return samplers.erase(p->sampler->device) == 1 ? kSuccess : kInvalidParameter;
}

/// Cycles or nanoseconds; the Turings know cycles only.
EXPORT uint32_t cuptiPmSamplingSetConfig(PmSetConfig* p) {
  constexpr uint32_t kByTime = 1;
  const std::lock_guard lock(mutex);
  Sampler& sampler = *p->sampler;
  const bool by_time = p->trigger == kByTime;
  if (sampler.started) return kInvalidOperation;
  if (by_time == (pm_chip()[0] == 'T')) return kNotSupported;
  sampler.metrics = names_of_config(p->config, p->config_bytes);
  if (sampler.metrics.empty() || p->interval == 0 || p->append != 0) return kInvalidParameter;
  if (faults().pm_fit != 0 && sampler.metrics.size() > faults().pm_fit) return kNotSupported;
  const auto interval = static_cast<int64_t>(p->interval);
  sampler.interval = by_time ? interval : interval * kNsPerSecond / kSysClockHz;
  sampler.capacity = p->hardware_bytes / kHardwareBytesPerSample;
  sampler.overflown = false;
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingStart(PmOfSampler* p) {
  const std::lock_guard lock(mutex);
  Sampler& sampler = *p->sampler;
  if (sampler.started || sampler.metrics.empty()) return kInvalidOperation;
  sampler.started = true;
  sampler.begin = now_ns();
  sampler.end = 0;
  sampler.taken = 0;
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingStop(PmOfSampler* p) {
  const std::lock_guard lock(mutex);
  if (!p->sampler->started) return kInvalidOperation;
  p->sampler->started = false;
  p->sampler->end = now_ns();
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingGetCounterDataSize(PmImageSize* p) {
  if (p->count != p->sampler->metrics.size() || p->most_samples == 0) return kInvalidParameter;
  p->bytes = pm_image_bytes(p->count, p->most_samples);
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingCounterDataImageInitialize(PmImageInit* p) {
  constexpr uint32_t kMagic = 0x49535450;
  const auto metrics = static_cast<uint32_t>(p->sampler->metrics.size());
  const size_t room = (p->bytes - sizeof(PmImage)) / (pm_image_bytes(metrics, 1) - sizeof(PmImage));
  *reinterpret_cast<PmImage*>(p->image) = {kMagic, metrics, static_cast<uint32_t>(room), 0};
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingDecodeData(PmDecode* p) {
  constexpr uint32_t kImageFull = 1, kEndOfRecords = 2;
  const std::lock_guard lock(mutex);
  Sampler& sampler = *p->sampler;
  auto& head = *reinterpret_cast<PmImage*>(p->image);
  const int64_t until = sampler.end == 0 ? now_ns() : sampler.end;
  const auto all = static_cast<uint64_t>((until - sampler.begin) / sampler.interval);
  ++sampler.decodes;
  sampler.overflown |= all - sampler.taken > sampler.capacity || sampler.decodes == faults().pm_overflow;
  p->overflow = sampler.overflown ? 1 : 0;
  if (sampler.overflown) return kOutOfMemory;
  for (uint64_t index = sampler.taken; index < all && head.samples < head.room; ++index) {
    write_sample(p->image, sampler, index);
  }
  p->stop_reason = head.samples < all - sampler.taken ? kImageFull : kEndOfRecords;
  sampler.taken = all;
  forget_kernels(sampler);
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingGetCounterDataInfo(PmImageInfo* p) {
  const auto& head = *reinterpret_cast<const PmImage*>(p->image);
  p->total = head.room;
  p->populated = p->completed = head.samples;
  return kSuccess;
}

EXPORT uint32_t cuptiPmSamplingCounterDataGetSampleInfo(PmSampleInfo* p) {
  auto* const image = const_cast<uint8_t*>(p->image);
  if (p->index >= reinterpret_cast<const PmImage*>(image)->samples) return kInvalidParameter;
  const PmSample& sample = *pm_sample(image, p->index);
  p->start = sample.start;
  p->end = sample.end;
  return kSuccess;
}

}  // namespace fake_cuda::cupti
#else
namespace fake_cuda::cupti {
void note_for_sampling(const Operation&) {}
}  // namespace fake_cuda::cupti
#endif
