// libgpu_probe.so: what CUPTI and the driver answer on this host, within cuInit() and a second after the first context.
// It is loaded as a recorder is: CUDA_INJECTION64_PATH names it. Prints lines to the file that GPU_PROBE_OUT names.
// Asks in the order that made a difference on real GPUs; nothing here is taken for granted, every answer is printed.

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "inject/gpu_metrics/pm_sampling.h"
#include "inject/instructions/sass_metrics.h"
#include "inject/metrics/profiler.h"

namespace {

namespace metrics = sonde::inject::metrics;
namespace pm = sonde::inject::gpu_metrics;
namespace sass = sonde::inject::instructions;

constexpr uint32_t kDevice = 8, kContext = 9, kUnifiedMemory = 25, kLastKind = 64;  // CUpti_ActivityKind
constexpr size_t kBufferBytes = 1 << 20;

FILE* out = nullptr;
void* cupti = nullptr;
unsigned records[kLastKind];

__attribute__((format(printf, 1, 2))) void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
  fflush(out);  // the next call may end the program
}

/// What the function gives; -1: this CUPTI has none of that name.
template <typename... Arguments>
int ask(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(cupti, name));
  return function == nullptr ? -1 : function(arguments...);
}

template <typename... Arguments>
int say(const char* name, Arguments... arguments) {
  print("%s: ...", name);
  const int result = ask(name, arguments...);
  print("%s: %d", name, result);
  return result;
}

uint64_t now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

void say_times() {
  uint64_t time = 0;
  const int result = ask("cuptiGetTimestamp", &time);
  print("cuptiGetTimestamp: %d: realtime %+lld ns, monotonic %+lld ns, monotonic_raw %+lld ns", result,
        static_cast<long long>(now(CLOCK_REALTIME) - time), static_cast<long long>(now(CLOCK_MONOTONIC) - time),
        static_cast<long long>(now(CLOCK_MONOTONIC_RAW) - time));
}

/// Each kind is enabled and disabled: what one of them does stays out of the answers of the next.
void say_kinds() {
  for (uint32_t kind = 1; kind < kLastKind; ++kind) {
    const int result = ask("cuptiActivityEnable", kind);
    if (result == 0) ask("cuptiActivityDisable", kind);
    if (result != 0) print("cuptiActivityEnable(%u): %d", kind, result);
  }
}

void say_unified_memory() {
  struct {
    uint32_t scope, kind, device, enable;
  } config[] = {{1, 1, 0, 1}, {1, 2, 0, 1}, {1, 4, 0, 1}};  // CUpti_ActivityUnifiedMemoryCounterConfig
  const int configured = ask("cuptiActivityConfigureUnifiedMemoryCounter", config, 3U);
  print("cuptiActivityConfigureUnifiedMemoryCounter: %d, then cuptiActivityEnable(25): %d", configured,
        ask("cuptiActivityEnable", kUnifiedMemory));
}

void give_buffer(uint8_t** buffer, size_t* bytes, size_t* most) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *most = 0;
}

void take_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  uint8_t* record = nullptr;
  while (valid > 0 && ask("cuptiActivityGetNextRecord", buffer, valid, &record) == 0) {
    uint32_t kind = 0;
    memcpy(&kind, record, sizeof kind);
    if (kind < kLastKind) ++records[kind];
  }
  free(buffer);
}

void say_records(const char* when) {
  ask("cuptiActivityFlushAll", 1U);
  for (uint32_t kind = 0; kind < kLastKind; ++kind) {
    if (records[kind] > 0) print("records of kind %u %s: %u", kind, when, records[kind]);
    records[kind] = 0;
  }
}

/// What profilers need of nvperf: first as CUPTI finds it, then with the libraries of its folder opened.
void open_nvperf() {
  Dl_info info;
  if (dladdr(dlsym(cupti, "cuptiGetVersion"), &info) == 0) return;
  const char* const slash = strrchr(info.dli_fname, '/');
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", slash == nullptr ? 0 : static_cast<int>(slash + 1 - info.dli_fname),
             info.dli_fname, name);
    print("dlopen(%s): %s", path, dlopen(path, RTLD_NOW | RTLD_GLOBAL) == nullptr ? dlerror() : "ok");
  }
}

struct Host {
  metrics::HostInitializeParams initialized;
  bool is_open = false;
};

Host open_host(uint32_t profiler, const uint8_t* availability) {
  Host host;
  metrics::ChipNameParams chip;
  if (say("cuptiDeviceGetChipName", &chip) != 0) return host;
  print("chip: %s", chip.name);
  host.initialized.profiler = profiler;
  host.initialized.chip = chip.name;
  host.initialized.availability = availability;
  host.is_open = say("cuptiProfilerHostInitialize", &host.initialized) == 0;
  return host;
}

void say_profiler() {
  metrics::InitializeParams initialize;
  if (say("cuptiProfilerInitialize", &initialize) != 0) return;
  const Host host = open_host(0, nullptr);
  if (!host.is_open) return;
  sass::PropertiesParams properties;
  properties.chip = host.initialized.chip;
  properties.name = "smsp__sass_inst_executed";
  say("cuptiSassMetricsGetProperties", &properties);
}

/// Starts sampling of one counter, and prints when its first samples were beside CUPTI's clock.
void say_pm_sampling() {
  const char* const names[] = {"sm__cycles_active.avg"};
  const char** const list = const_cast<const char**>(names);
  pm::AvailabilityParams availability;
  if (say("cuptiPmSamplingGetCounterAvailability", &availability) != 0) return;
  availability.image = static_cast<uint8_t*>(calloc(1, availability.bytes));
  if (say("cuptiPmSamplingGetCounterAvailability", &availability) != 0) return;
  const Host host = open_host(pm::kPmSamplingProfiler, availability.image);
  if (!host.is_open) return;
  metrics::AddMetricsParams add;
  add.host = host.initialized.host;
  add.names = list;
  add.count = 1;
  metrics::ConfigSizeParams size;
  size.host = add.host;
  if (say("cuptiProfilerHostConfigAddMetrics", &add) != 0 || say("cuptiProfilerHostGetConfigImageSize", &size) != 0)
    return;
  metrics::ConfigImageParams image;
  image.host = add.host;
  image.bytes = size.bytes;
  image.image = static_cast<uint8_t*>(calloc(1, size.bytes));
  pm::EnableParams enable;
  if (say("cuptiProfilerHostGetConfigImage", &image) != 0 || say("cuptiPmSamplingEnable", &enable) != 0) return;
  pm::SetConfigParams config;
  config.sampler = enable.sampler;
  config.config = image.image;
  config.config_bytes = image.bytes;
  config.hardware_bytes = 32U << 20U;
  config.interval = 1'000'000;
  pm::ImageSizeParams data_size;
  data_size.sampler = enable.sampler;
  data_size.names = list;
  data_size.count = 1;
  data_size.most_samples = 1000;
  if (say("cuptiPmSamplingSetConfig", &config) != 0 || say("cuptiPmSamplingGetCounterDataSize", &data_size) != 0)
    return;
  pm::ImageParams data;
  data.sampler = enable.sampler;
  data.bytes = data_size.bytes;
  data.image = static_cast<uint8_t*>(calloc(1, data_size.bytes));
  pm::SamplerParams sampler;
  sampler.sampler = enable.sampler;
  uint64_t started = 0;
  if (say("cuptiPmSamplingCounterDataImageInitialize", &data) != 0) return;
  ask("cuptiGetTimestamp", &started);
  if (say("cuptiPmSamplingStart", &sampler) != 0) return;
  usleep(200'000);
  pm::DecodeParams decode;
  decode.sampler = enable.sampler;
  decode.image = data.image;
  decode.bytes = data.bytes;
  say("cuptiPmSamplingDecodeData", &decode);
  uint64_t decoded = 0;
  ask("cuptiGetTimestamp", &decoded);
  pm::ImageInfoParams info;
  info.image = data.image;
  info.bytes = data.bytes;
  say("cuptiPmSamplingGetCounterDataInfo", &info);
  print("samples: %zu; decoded %lld ns after the start", info.completed, static_cast<long long>(decoded - started));
  for (size_t i = 0; i < info.completed; ++i) {
    if (i >= 3 && i + 1 != info.completed) continue;
    pm::SampleInfoParams sample;
    sample.sampler = enable.sampler;
    sample.image = data.image;
    sample.bytes = data.bytes;
    sample.sample = i;
    if (ask("cuptiPmSamplingCounterDataGetSampleInfo", &sample) != 0) break;
    print("sample %zu: from %+lld to %+lld ns after the start", i, static_cast<long long>(sample.start - started),
          static_cast<long long>(sample.end - started));
  }
  say("cuptiPmSamplingStop", &sampler);
  say("cuptiPmSamplingDisable", &sampler);
}

void say_all() {
  say_times();
  say_kinds();
  say_unified_memory();
  say_profiler();
}

/// Waits for the first context; false where none comes within a minute.
bool await_context() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const state = reinterpret_cast<int (*)(int, unsigned*, int*)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  for (int i = 0; i < 600; ++i) {
    unsigned flags = 0;
    int is_active = 0;
    usleep(100'000);
    if (state == nullptr || (state(0, &flags, &is_active) == 0 && is_active != 0)) return true;
  }
  return false;
}

void* later(void*) {
  if (!await_context()) {
    print("no context within a minute");
    return nullptr;
  }
  sleep(1);
  print("\na second after the first context");
  say_records("so far");
  print("late cuptiActivityEnable(DEVICE): %d, (CONTEXT): %d", ask("cuptiActivityEnable", kDevice),
        ask("cuptiActivityEnable", kContext));
  usleep(100'000);
  say_records("after the late DEVICE and CONTEXT");
  say_all();
  print("\nwith the nvperf libraries of CUPTI's folder");
  open_nvperf();
  say_profiler();
  say_pm_sampling();
  say_records("at the end");
  print("done");
  return nullptr;
}

void* open_cupti() {
  if (const char* path = getenv("SONDE_CUPTI")) return dlopen(path, RTLD_NOW);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"}) {
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* const path = getenv("GPU_PROBE_OUT");
  out = path == nullptr ? nullptr : fopen(path, "w");
  if (out == nullptr) out = stderr;
  cupti = open_cupti();
  if (cupti == nullptr) {
    print("no CUPTI: %s", dlerror());
    return 1;
  }
  uint32_t version = 0;
  void* subscriber = nullptr;
  print("within cuInit");
  say("cuptiGetVersion", &version);
  print("version: %u", version);
  const auto ignore = +[](void*, uint32_t, uint32_t, const void*) {};
  say("cuptiSubscribe", &subscriber, ignore, static_cast<void*>(nullptr));
  print("cuptiActivityRegisterCallbacks: %d", ask("cuptiActivityRegisterCallbacks", give_buffer, take_buffer));
  say_all();
  pthread_t thread;
  if (pthread_create(&thread, nullptr, later, nullptr) == 0) pthread_detach(thread);
  return 1;
}
