#include <signal.h>

#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "parts.h"
#include "pm_host.h"

// CUPTI's SASS metrics, as CUDA 12.6 and later have them, of one device and context at a time. The order of calls is
// checked. A kernel's counts are known by construction: it has 4 + L % 5 instructions of 16 bytes, L the length of its
// name; warps execute instruction k so often: the kernel's nanoseconds times k. Of the 32 threads of each 31 are
// active, and the predicate is true for 30. Only kernels that are launched while it is on are counted, and those that
// still run are not to be had.
#if FAKE_CUPTI_VERSION >= 24 && !defined(FAKE_WITHOUT_PC_SAMPLING)
namespace fake_cuda::cupti {
namespace {

constexpr uint64_t kInstructionBytes = 16;
constexpr const char* kMetrics[] = {"smsp__sass_inst_executed", "smsp__sass_thread_inst_executed",
                                    "smsp__sass_thread_inst_executed_pred_on"};
constexpr uint64_t kThreads[] = {1, 31, 30};  ///< of each metric for a warp
constexpr uint64_t kFirstId = 7001;

struct Metric {
  uint64_t id;
  const char* name;
  const char* description;
};
struct Properties {
  size_t size;
  void* reserved;
  const char* chip;
  const char* name;
  Metric metric;
};
struct MetricConfig {
  uint64_t id;
  uint8_t granularity;
};
struct SetConfig {
  size_t size;
  void* reserved;
  size_t count;
  MetricConfig* configs;
  uint32_t device;
};
struct UnsetConfig {
  size_t size;
  void* reserved;
  uint32_t device;
};
struct Enable {
  size_t size;
  void* reserved;
  const void* context;
  uint8_t lazy;
};
struct Disable {
  size_t size;
  void* reserved;
  const void* context;
  size_t dropped;
};
struct Extent {
  size_t size;
  void* reserved;
  const void* context;
  size_t records;
  size_t instances;
};
struct Value {
  uint64_t id;
  uint64_t value;
};
struct Data {
  size_t size;
  void* reserved;
  uint32_t crc;
  uint32_t function_index;
  const char* function;
  uint32_t offset;
  Value* values;
};
struct Flush {
  size_t size;
  void* reserved;
  const void* context;
  size_t records;
  size_t instances;
  Data* data;
};

std::mutex mutex;
std::map<uint32_t, std::vector<uint64_t>> configured;  ///< metrics by device
const void* enabled = nullptr;                         ///< the context
ContextInfo counted{};
std::vector<Operation> kernels;

int64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// What is to be had of one instruction: of all metrics, or of one each.
struct Part {
  std::string function;
  uint32_t offset;
  std::vector<Value> values;
};

void add_parts(std::vector<Part>& parts, const std::string& function, uint32_t offset, uint64_t executed) {
  std::vector<Value> values;
  for (const uint64_t id : configured[counted.device]) values.push_back({id, executed * kThreads[id - kFirstId]});
  if (!faults().sass_split) return parts.push_back({function, offset, values});
  for (const Value& value : values) parts.push_back({function, offset, {value}});
}

std::vector<Part> parts_of_all() {
  std::vector<Part> parts;
  for (const Operation& kernel : kernels) {
    if (kernel.end > clock_ns()) continue;
    const std::string name = kernel.kernel->name;
    for (uint64_t k = 0; k < 4 + name.size() % 5; ++k) {
      add_parts(parts, name, static_cast<uint32_t>(k * kInstructionBytes),
                static_cast<uint64_t>(kernel.end - kernel.start) * k);
    }
    if (faults().sass_elsewhere > 0) add_parts(parts, "_Z6calledv", 0, faults().sass_elsewhere);
  }
  return parts;
}

size_t instances() { return faults().sass_split ? 1 : configured[counted.device].size(); }

template <typename Params>
bool is_sound(const Params* p, size_t size) {
  return p != nullptr && p->size == size && p->reserved == nullptr;
}

bool is_on(const void* context) { return enabled != nullptr && enabled == context; }

}  // namespace

void note_for_sass_metrics(const Operation& operation) {
  if (operation.sort != Sort::kernel || operation.kernel == nullptr) return;
  const std::lock_guard lock(mutex);
  if (enabled != nullptr && operation.context == counted.id) kernels.push_back(operation);
}

EXPORT uint32_t cuptiSassMetricsGetProperties(Properties* p) {
  if (!knows_chip) return kNotInitialized;  // as seen on an H100
  if (!is_sound(p, sizeof *p) || strcmp(p->chip, pm_chip()) != 0) return kInvalidParameter;
  for (uint64_t i = 0; i < 3; ++i) {
    if (strcmp(p->name, kMetrics[i]) != 0 || (faults().sass_unknown && i == 2)) continue;
    p->metric = {kFirstId + i, kMetrics[i], ""};
    return kSuccess;
  }
  return kInvalidParameter;
}

EXPORT uint32_t cuptiSassMetricsSetConfig(SetConfig* p) {
  const std::lock_guard lock(mutex);
  if (faults().sass_fails != 0) return faults().sass_fails;
  if (!is_sound(p, offsetof(SetConfig, device) + sizeof p->device) || p->count == 0) return kInvalidParameter;
  if (configured.contains(p->device)) return kInvalidOperation;
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < p->count; ++i) {
    if (p->configs[i].id < kFirstId || p->configs[i].id > kFirstId + 2 || p->configs[i].granularity != 0) {
      return kInvalidParameter;
    }
    ids.push_back(p->configs[i].id);
  }
  configured[p->device] = ids;
  return kSuccess;
}

EXPORT uint32_t cuptiSassMetricsUnsetConfig(UnsetConfig* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p, offsetof(UnsetConfig, device) + sizeof p->device)) return kInvalidParameter;
  if (enabled != nullptr || configured.erase(p->device) == 0) return kInvalidOperation;
  return kSuccess;
}

EXPORT uint32_t cuptiSassMetricsEnable(Enable* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p, offsetof(Enable, lazy) + sizeof p->lazy) || p->context == nullptr) return kInvalidParameter;
  const ContextInfo info = driver()->context_of(p->context);
  if (enabled != nullptr || !configured.contains(info.device)) return kInvalidOperation;
  if (p->lazy == 0) return kMaxLimitReached;  // all code of a large program at once: nobody wants to wait for that
  Counters nobody = Counters::nobody;
  if (!counters_of.compare_exchange_strong(nobody, Counters::sass_metrics)) return kNotCompatible;
  enabled = p->context;
  counted = info;
  kernels.clear();
  return kSuccess;
}

EXPORT uint32_t cuptiSassMetricsGetDataProperties(Extent* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p, sizeof *p) || !is_on(p->context)) return kInvalidOperation;
  p->records = parts_of_all().size();
  p->instances = instances();
  return kSuccess;
}

EXPORT uint32_t cuptiSassMetricsFlushData(Flush* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p, offsetof(Flush, instances) + sizeof p->instances) || !is_on(p->context)) return kInvalidOperation;
  if (faults().sass_kills) raise(SIGKILL);
  if (faults().sass_data_fails != 0) return faults().sass_data_fails;
  const std::vector<Part> parts = parts_of_all();
  if (p->records > parts.size() || p->instances != instances()) return kInvalidParameter;
  for (size_t i = 0; i < p->records; ++i) {
    Data& data = p->data[i];
    if (data.size != sizeof data || data.values == nullptr) return kInvalidParameter;
    data.crc = static_cast<uint32_t>(loaded_code());
    data.function_index = 0;
    data.function = strdup(parts[i].function.c_str());
    data.offset = parts[i].offset;
    for (size_t k = 0; k < parts[i].values.size(); ++k) data.values[k] = parts[i].values[k];
  }
  kernels.clear();
  return kSuccess;
}

EXPORT uint32_t cuptiSassMetricsDisable(Disable* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p, sizeof *p) || !is_on(p->context)) return kInvalidOperation;
  p->dropped = parts_of_all().size() * instances();
  enabled = nullptr;
  counters_of = Counters::nobody;
  return kSuccess;
}

}  // namespace fake_cuda::cupti
#else
namespace fake_cuda::cupti {
void note_for_sass_metrics(const Operation&) {}
}  // namespace fake_cuda::cupti
#endif
