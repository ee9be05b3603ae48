#include "pm_host.h"

#include <cstring>

#include "parts.h"

#if FAKE_CUPTI_VERSION >= 24
namespace fake_cuda::cupti {
namespace {

constexpr uint32_t kHostMagic = 0x48535450, kConfigMagic = 0x43535450;
constexpr uint32_t kUnknownMetric = 17, kInvalidChip = 46;

struct Config {
  uint32_t magic;
  uint32_t metrics;
  uint32_t bytes;  ///< of the names behind it, each with a zero
};

/// As a GH100 and the Turings differ in Sonde's set: those without NVLink, counters of tensor pipes of their own time,
/// one asynchronous copy engine.
bool is_known(const std::string& name) {
  const bool turing = pm_chip()[0] == 'T';
  if (name.find("__") == std::string::npos || name.starts_with("nvl") || name.find("missing") != std::string::npos) {
    return false;
  }
  if (name.starts_with("dramc__") || name.starts_with("sm__pipe_tensor")) return !turing || name.starts_with("dramc__");
  return !name.starts_with("gpu__engine_cycles_active_any_asyncce") || turing;
}

std::string bytes_of_names(const PmHost& host) {
  std::string bytes;
  for (const std::string& name : host.metrics) bytes += name + '\0';
  return bytes;
}

PmHost* host_of(void* host) { return is_pm_host(host) ? static_cast<PmHost*>(host) : nullptr; }

}  // namespace

const char* pm_chip() { return faults().pm_turing ? "TU102" : "FAKE100"; }

bool is_pm_host(const void* host) { return host != nullptr && *static_cast<const uint32_t*>(host) == kHostMagic; }

size_t pm_image_bytes(size_t metrics, size_t samples) {
  return sizeof(PmImage) + samples * (sizeof(PmSample) + metrics * sizeof(double));
}

PmSample* pm_sample(uint8_t* image, size_t index) {
  const auto& head = *reinterpret_cast<PmImage*>(image);
  return reinterpret_cast<PmSample*>(image + pm_image_bytes(head.metrics, index));
}

std::vector<std::string> names_of_config(const uint8_t* bytes, size_t size) {
  Config config{};
  std::vector<std::string> names;
  if (size < sizeof config) return names;
  memcpy(&config, bytes, sizeof config);
  if (config.magic != kConfigMagic || size < sizeof config + config.bytes) return names;
  const char* name = reinterpret_cast<const char*>(bytes) + sizeof config;
  for (uint32_t i = 0; i < config.metrics; ++i, name += strlen(name) + 1) names.emplace_back(name);
  return names;
}

#define FIELDS \
  size_t size; \
  void* reserved

struct PmChipName {
  FIELDS;
  size_t device;
  const char* name;
};
struct PmHostInitialize {
  FIELDS;
  uint32_t profiler;
  const char* chip;
  const uint8_t* availability;
  void* host;
};
struct PmHostOnly {
  FIELDS;
  void* host;
};
struct PmProperties {
  FIELDS;
  void* host;
  const char* metric;
};
struct PmAddMetrics {
  FIELDS;
  void* host;
  const char** names;
  size_t count;
};
struct PmConfigImage {
  FIELDS;
  void* host;
  size_t bytes;
  uint8_t* image;
};
struct PmPasses {
  FIELDS;
  size_t bytes;
  uint8_t* image;
  size_t passes;
};
struct PmEvaluate {
  FIELDS;
  void* host;
  const uint8_t* image;
  size_t bytes, range;
  const char** names;
  size_t count;
  double* values;
};

namespace {

uint32_t initialize(PmHostInitialize* p) {
  if (p->availability == nullptr) return kInvalidParameter;
  if (faults().pm_unknown_chip || strcmp(p->chip, pm_chip()) != 0) return kInvalidChip;
  p->host = new PmHost{kHostMagic, {}};
  return kSuccess;
}

uint32_t deinitialize(PmHostOnly* p) {
  PmHost* const host = host_of(p->host);
  if (host == nullptr) return kInvalidParameter;
  host->magic = 0;
  delete host;
  return kSuccess;
}

uint32_t properties(PmProperties* p) {
  if (host_of(p->host) == nullptr) return kInvalidParameter;
  return is_known(p->metric) ? uint32_t{kSuccess} : kUnknownMetric;
}

uint32_t add_metrics(PmAddMetrics* p) {
  PmHost* const host = host_of(p->host);
  if (host == nullptr || p->count == 0) return kInvalidParameter;
  for (size_t i = 0; i < p->count; ++i) {
    if (!is_known(p->names[i])) return kUnknownMetric;
    host->metrics.emplace_back(p->names[i]);
  }
  return kSuccess;
}

uint32_t config_size(PmConfigImage* p) {
  const PmHost* const host = host_of(p->host);
  if (host == nullptr) return kInvalidParameter;
  p->bytes = sizeof(Config) + bytes_of_names(*host).size();
  return kSuccess;
}

uint32_t config_image(PmConfigImage* p) {
  const PmHost* const host = host_of(p->host);
  if (host == nullptr) return kInvalidParameter;
  const std::string names = bytes_of_names(*host);
  const Config config{kConfigMagic, static_cast<uint32_t>(host->metrics.size()), static_cast<uint32_t>(names.size())};
  if (p->bytes < sizeof config + names.size()) return kInvalidParameter;
  memcpy(p->image, &config, sizeof config);
  memcpy(p->image + sizeof config, names.data(), names.size());
  return kSuccess;
}

/// One for as many metrics as fit; of those that a fault names by their number none fits.
uint32_t passes(PmPasses* p) {
  const size_t metrics = names_of_config(p->image, p->bytes).size();
  const uint32_t fit = faults().pm_fit;
  p->passes = fit != 0 && metrics > fit ? 2 : 1;
  return metrics == 0 ? kInvalidParameter : kSuccess;
}

uint32_t evaluate(PmEvaluate* p) {
  const PmHost* const host = host_of(p->host);
  auto* const image = const_cast<uint8_t*>(p->image);
  if (host == nullptr || p->range >= reinterpret_cast<const PmImage*>(image)->samples) return kInvalidParameter;
  const double* const values = pm_values(pm_sample(image, p->range));
  for (size_t i = 0; i < p->count; ++i) {
    size_t place = 0;
    while (place < host->metrics.size() && host->metrics[place] != p->names[i]) ++place;
    if (place == host->metrics.size()) return kUnknownMetric;
    p->values[i] = values[place];
  }
  return kSuccess;
}

template <typename Params>
uint32_t call(uint32_t (*function)(Params*), void* params) {
  return function(static_cast<Params*>(params));
}

}  // namespace

std::optional<uint32_t> answer_for_sampling(const char* function, void* params) {
  const std::string name = function;
  if (name == "ProfilerHostInitialize") {
    const bool is_ours = static_cast<PmHostInitialize*>(params)->profiler == kPmSampling;
    return is_ours ? std::optional(call(initialize, params)) : std::nullopt;
  }
  if (name == "DeviceGetChipName" && faults().pm_turing) {
    static_cast<PmChipName*>(params)->name = pm_chip();
    return kSuccess;
  }
  if (name == "ProfilerHostGetNumOfPasses") {
    const auto& passes_of = *static_cast<PmPasses*>(params);
    if (names_of_config(passes_of.image, passes_of.bytes).empty()) return std::nullopt;
    return call(passes, params);
  }
  if (!name.starts_with("ProfilerHost") || !is_pm_host(static_cast<PmHostOnly*>(params)->host)) return std::nullopt;
  if (name == "ProfilerHostDeinitialize") return call(deinitialize, params);
  if (name == "ProfilerHostGetMetricProperties") return call(properties, params);
  if (name == "ProfilerHostConfigAddMetrics") return call(add_metrics, params);
  if (name == "ProfilerHostGetConfigImageSize") return call(config_size, params);
  if (name == "ProfilerHostGetConfigImage") return call(config_image, params);
  if (name == "ProfilerHostEvaluateToGpuValues") return call(evaluate, params);
  return std::nullopt;
}

}  // namespace fake_cuda::cupti
#endif
