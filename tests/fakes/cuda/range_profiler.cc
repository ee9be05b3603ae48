#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "parts.h"
#include "pm_host.h"

// CUPTI's range profiler and the host functions that go with it, as CUDA 12.6 and later have them. The order of calls
// is checked; what a launch measures is known by construction: see value_of(). By the variable SONDE_FAKE_PROFILER it
// does things wrong: FUNCTION=RESULT for any of these functions by the end of its name, StopTakesMs=MS, with commas
// between.
#if FAKE_CUPTI_VERSION >= 24
namespace fake_cuda::cupti {
namespace {

constexpr uint32_t kUnknownMetric = 17, kNotSupported = 27, kTooSmall = 10;
constexpr uint32_t kHostMagic = 0x54534F48, kConfigMagic = 0x464E4F43, kCounterMagic = 0x544E5543;
constexpr uint32_t kMetricsPerPass = 4;

/// Number that SONDE_FAKE_PROFILER gives the function; 0: none.
uint32_t wanted_failure(const char* function) {
  const char* text = getenv("SONDE_FAKE_PROFILER");
  const std::string words = text == nullptr ? "" : std::string(",") + text + ",";
  const size_t at = words.find(std::string(",") + function + "=");
  return at == std::string::npos ? 0
                                 : static_cast<uint32_t>(strtoul(words.c_str() + words.find('=', at) + 1, nullptr, 10));
}

struct Host {
  uint32_t magic = kHostMagic;
  std::set<std::string> metrics;
};

/// What a configuration holds of its metrics.
struct Config {
  uint32_t magic;
  uint32_t metrics;
};

struct Measured {
  uint64_t threads;
  int64_t ns;
};

/// One range of room.
struct CounterImage {
  uint32_t magic;
  uint32_t ranges;
  Measured measured;
};

struct Profiler {
  const void* context = nullptr;
  uint32_t context_id = 0;
  bool configured = false;
  bool started = false;
  bool stopped = false;
  CounterImage* image = nullptr;
  std::vector<Measured> seen;
};
/// It does not outlive its context; another one may lie where that lay.
bool is_alive(const Profiler& profiler) { return driver()->context_of(profiler.context).id == profiler.context_id; }

std::mutex mutex;  ///< of `running` and what it has seen: launches come from many threads
Profiler* running = nullptr;
bool initialized = false;

bool has_unit(const std::string& name) {
  for (const char* unit : {"sm__", "smsp__", "l1tex__", "lts__", "dram__", "gpu__", "gpc__", "pcie__"}) {
    if (name.rfind(unit, 0) == 0) return true;
  }
  return false;
}

/// The chip has counters of those units, but none of the newer tensor pipes and none that is called "missing".
bool is_known(const std::string& name) {
  return has_unit(name) && name.find("_v2") == std::string::npos && name.find("missing") == std::string::npos;
}

/// Times are the kernel's; percentages the length of the metric's name; all else is that times the launch's threads.
/// Bytes of device memory are those read and written; a rate is the count over the time.
double value_of(const std::string& metric, const Measured& launch) {
  if (metric.rfind("gpu__time_duration", 0) == 0) return static_cast<double>(launch.ns);
  if (const size_t rate = metric.find(".sum.per_second"); rate != std::string::npos) {
    return value_of(metric.substr(0, rate + 4), launch) * 1e9 / static_cast<double>(launch.ns);
  }
  if (metric == "dram__bytes.sum") {
    return value_of("dram__bytes_read.sum", launch) + value_of("dram__bytes_write.sum", launch);
  }
  const auto length = static_cast<double>(metric.size());
  return metric.find("pct") != std::string::npos ? length : length * static_cast<double>(launch.threads);
}

/// As cuLaunchKernel_params begins.
struct LaunchParameters {
  const Kernel* function;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared;
  void* stream;
  void** arguments;
};

void observe(const ApiCall& call) {
  const std::lock_guard lock(mutex);
  if (running == nullptr || !running->started) return;
  const auto& launch = *static_cast<const LaunchParameters*>(call.parameters);
  uint64_t threads = 1;
  for (const uint32_t axis : launch.grid) threads *= axis;
  for (const uint32_t axis : launch.block) threads *= axis;
  running->seen.push_back({threads, *static_cast<const int64_t*>(launch.arguments[0])});
}

bool is_host(const void* host) { return host != nullptr && static_cast<const Host*>(host)->magic == kHostMagic; }

template <typename Params>
bool is_sound(const Params* params) {
  return params != nullptr && params->size >= offsetof(Params, reserved) + sizeof(void*) && params->reserved == nullptr;
}

#define FIELDS \
  size_t size; \
  void* reserved

}  // namespace

struct Plain {
  FIELDS;
};
struct ChipName {
  FIELDS;
  size_t device;
  const char* name;
};
struct Availability {
  FIELDS;
  void* context;
  size_t bytes;
  uint8_t* image;
};
struct HostInitialize {
  FIELDS;
  uint32_t profiler;
  const char* chip;
  const uint8_t* availability;
  void* host;
};
struct HostOnly {
  FIELDS;
  void* host;
};
struct BaseMetrics {
  FIELDS;
  void* host;
  uint32_t type;
  const char** names;
  size_t count;
};
struct Properties {
  FIELDS;
  void* host;
  const char* metric;
  const char* text[3];
  uint32_t type;
};
struct AddMetrics {
  FIELDS;
  void* host;
  const char** names;
  size_t count;
};
struct ConfigSize {
  FIELDS;
  void* host;
  size_t bytes;
};
struct ConfigImage {
  FIELDS;
  void* host;
  size_t bytes;
  uint8_t* image;
};
struct Passes {
  FIELDS;
  size_t bytes;
  uint8_t* image;
  size_t passes;
};
struct Evaluate {
  FIELDS;
  void* host;
  const uint8_t* image;
  size_t bytes, range;
  const char** names;
  size_t count;
  double* values;
};
struct Enable {
  FIELDS;
  void* context;
  Profiler* profiler;
};
struct OfProfiler {
  FIELDS;
  Profiler* profiler;
};
struct SetConfig {
  FIELDS;
  Profiler* profiler;
  size_t config_bytes;
  const uint8_t* config;
  size_t counter_bytes;
  uint8_t* counters;
  uint32_t range, replay;
  size_t most_ranges;
  uint16_t levels, first_level;
  size_t pass;
  uint16_t target;
};
struct Stop {
  FIELDS;
  Profiler* profiler;
  size_t pass, level;
  uint8_t all_submitted;
};
struct Decode {
  FIELDS;
  Profiler* profiler;
  size_t dropped;
};
struct CounterSize {
  FIELDS;
  Profiler* profiler;
  const char** names;
  size_t count, most_ranges;
  uint32_t nodes;
  size_t bytes;
};
struct CounterInit {
  FIELDS;
  Profiler* profiler;
  size_t bytes;
  uint8_t* image;
};
struct CounterInfo {
  FIELDS;
  const uint8_t* image;
  size_t bytes, ranges;
};

/// A function that may be made to fail, and whose parameters must be sound.
#define FUNCTION(name, Params)                                                        \
  static uint32_t name##_body(Params* p);                                             \
  EXPORT uint32_t cupti##name(Params* p) {                                            \
    if (const uint32_t failure = wanted_failure(#name); failure != 0) return failure; \
    if (const auto answer = answer_for_sampling(#name, p)) return *answer;            \
    return is_sound(p) ? name##_body(p) : uint32_t{kInvalidParameter};                \
  }                                                                                   \
  static uint32_t name##_body([[maybe_unused]] Params* p)

/// The libraries that lie beside the real one, which are opened by their names.
static bool are_helpers_loaded() {
  const auto is_loaded = [](const char* name) { return dlopen(name, RTLD_NOW | RTLD_NOLOAD) != nullptr; };
  return is_loaded("libnvperf_host.so") && is_loaded("libnvperf_target.so");
}

/// As seen on an H100.
FUNCTION(ProfilerInitialize, Plain) {
  if (!are_helpers_loaded()) return kNotInitialized;
  ContextInfo context;
  if (driver() == nullptr || driver()->contexts(&context, 1) == 0) return kUnknown;
  initialized = true;
  return kSuccess;
}

FUNCTION(DeviceGetChipName, ChipName) {
  p->name = "FAKE100";
  return kSuccess;
}

FUNCTION(ProfilerGetCounterAvailability, Availability) {
  constexpr size_t kBytes = 8;
  if (!initialized) return kNotInitialized;
  if (p->image != nullptr && p->bytes < kBytes) return kTooSmall;
  p->bytes = kBytes;
  if (p->image != nullptr) memset(p->image, 1, kBytes);
  return kSuccess;
}

FUNCTION(ProfilerHostInitialize, HostInitialize) {
  if (p->chip == nullptr || p->profiler != 0 || strcmp(p->chip, "FAKE100") != 0) return kInvalidParameter;
  p->host = new Host;
  knows_chip = true;
  return kSuccess;
}

FUNCTION(ProfilerHostDeinitialize, HostOnly) {
  if (!is_host(p->host)) return kInvalidParameter;
  delete static_cast<Host*>(p->host);
  return kSuccess;
}

FUNCTION(ProfilerHostGetBaseMetrics, BaseMetrics) {
  static const char* counters[] = {"sm__cycles_active", "sm__cycles_elapsed", "dram__bytes_read", "gpu__time_duration"};
  p->names = counters;
  p->count = p->type == 0 ? 4 : 0;
  return is_host(p->host) ? kSuccess : kInvalidParameter;
}

FUNCTION(ProfilerHostGetMetricProperties, Properties) {
  return is_known(p->metric) ? uint32_t{kSuccess} : kUnknownMetric;
}

FUNCTION(ProfilerHostConfigAddMetrics, AddMetrics) {
  if (!is_host(p->host)) return kInvalidParameter;
  auto& metrics = static_cast<Host*>(p->host)->metrics;
  for (size_t i = 0; i < p->count; ++i) {
    const std::string name = p->names[i];
    if (!is_known(name) || name.find('.') == std::string::npos) return kUnknownMetric;
    if (name.rfind("pcie__", 0) == 0 && p->count > 1) return kNotSupported;
    metrics.insert(name);
  }
  return kSuccess;
}

FUNCTION(ProfilerHostGetConfigImageSize, ConfigSize) {
  p->bytes = sizeof(Config);
  return is_host(p->host) ? kSuccess : kInvalidParameter;
}

FUNCTION(ProfilerHostGetConfigImage, ConfigImage) {
  if (!is_host(p->host) || p->bytes < sizeof(Config)) return kInvalidParameter;
  const Config config{kConfigMagic, static_cast<uint32_t>(static_cast<Host*>(p->host)->metrics.size())};
  memcpy(p->image, &config, sizeof config);
  return kSuccess;
}

FUNCTION(ProfilerHostGetNumOfPasses, Passes) {
  Config config{};
  if (p->bytes < sizeof config) return kInvalidParameter;
  memcpy(&config, p->image, sizeof config);
  p->passes = (config.metrics + kMetricsPerPass - 1) / kMetricsPerPass;
  return config.magic == kConfigMagic ? kSuccess : kInvalidParameter;
}

FUNCTION(RangeProfilerEnable, Enable) {
  if (!initialized || p->context == nullptr) return kInvalidOperation;
  Counters nobody = Counters::nobody;
  if (!counters_of.compare_exchange_strong(nobody, Counters::range_profiler) && nobody != Counters::range_profiler) {
    return kNotCompatible;
  }
  p->profiler = new Profiler{.context = p->context, .context_id = driver()->context_of(p->context).id, .seen = {}};
  launch_observer = observe;
  return kSuccess;
}

FUNCTION(RangeProfilerDisable, OfProfiler) {
  const std::lock_guard lock(mutex);
  if (running == p->profiler) running = nullptr;
  counters_of = Counters::nobody;
  delete p->profiler;
  return kSuccess;
}

FUNCTION(RangeProfilerGetCounterDataSize, CounterSize) {
  if (p->count == 0 || p->most_ranges != 1 || p->nodes < p->most_ranges) return kInvalidParameter;
  p->bytes = sizeof(CounterImage);
  return kSuccess;
}

FUNCTION(RangeProfilerCounterDataImageInitialize, CounterInit) {
  if (p->bytes < sizeof(CounterImage)) return kInvalidParameter;
  const CounterImage empty{kCounterMagic, 0, {}};
  memcpy(p->image, &empty, sizeof empty);
  return kSuccess;
}

FUNCTION(RangeProfilerSetConfig, SetConfig) {
  constexpr uint32_t kAutoRange = 1, kKernelReplay = 2;
  if (!is_alive(*p->profiler)) return kInvalidContext;
  Config config{};
  auto* image = reinterpret_cast<CounterImage*>(p->counters);
  if (p->config_bytes < sizeof config || p->range != kAutoRange || p->replay != kKernelReplay || p->levels != 1 ||
      p->most_ranges != 1 || image->magic != kCounterMagic || p->counter_bytes < sizeof *image ||
      p->profiler->started) {
    return kInvalidParameter;
  }
  memcpy(&config, p->config, sizeof config);
  if (config.magic != kConfigMagic || config.metrics == 0) return kInvalidParameter;
  *p->profiler = {.context = p->profiler->context,
                  .context_id = p->profiler->context_id,
                  .configured = true,
                  .image = image,
                  .seen = {}};
  return kSuccess;
}

FUNCTION(RangeProfilerStart, OfProfiler) {
  const std::lock_guard lock(mutex);
  if (!p->profiler->configured || p->profiler->started) return kInvalidOperation;
  p->profiler->started = true;
  running = p->profiler;
  return kSuccess;
}

FUNCTION(RangeProfilerStop, Stop) {
  if (!p->profiler->started) return kInvalidOperation;
  usleep(wanted_failure("StopTakesMs") * 1000);
  const std::lock_guard lock(mutex);
  p->profiler->started = false;
  p->profiler->stopped = true;
  p->all_submitted = 1;
  return kSuccess;
}

FUNCTION(RangeProfilerDecodeData, Decode) {
  Profiler& profiler = *p->profiler;
  if (!profiler.stopped) return kInvalidOperation;
  p->dropped = profiler.seen.size() > 1 ? profiler.seen.size() - 1 : 0;
  profiler.image->ranges = static_cast<uint32_t>(profiler.seen.size());
  if (!profiler.seen.empty()) profiler.image->measured = profiler.seen.front();
  return kSuccess;
}

FUNCTION(RangeProfilerGetCounterDataInfo, CounterInfo) {
  const auto* image = reinterpret_cast<const CounterImage*>(p->image);
  if (p->bytes < sizeof *image || image->magic != kCounterMagic) return kInvalidParameter;
  p->ranges = image->ranges;
  return kSuccess;
}

FUNCTION(ProfilerHostEvaluateToGpuValues, Evaluate) {
  const auto* image = reinterpret_cast<const CounterImage*>(p->image);
  if (!is_host(p->host) || image->magic != kCounterMagic || p->range >= image->ranges) return kInvalidParameter;
  const auto& metrics = static_cast<Host*>(p->host)->metrics;
  for (size_t i = 0; i < p->count; ++i) {
    if (!metrics.contains(p->names[i])) return kUnknownMetric;
    p->values[i] = value_of(p->names[i], image->measured);
  }
  return kSuccess;
}

}  // namespace fake_cuda::cupti
#endif
