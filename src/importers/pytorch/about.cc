#include "importers/pytorch/about.h"

#include <array>

#include <simdjson.h>

#include "base/files/json_scan.h"
#include "base/text/decimal.h"

namespace sonde::pytorch {
namespace {

namespace dom = simdjson::dom;

/// What is longer (lists of log lines, settings of a whole training) is no line of a report.
constexpr size_t kLongestCapture = 1000;

std::string text_of(std::string_view raw) { return unescape_json(without_quotes(raw)); }

std::optional<int64_t> integer_at(dom::object object, std::string_view key) {
  int64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

std::optional<int> small_at(dom::object object, std::string_view key) {
  const auto value = integer_at(object, key);
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  return value && *value >= 0 && *value <= kMost ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::string text_at(dom::object object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

struct DeviceValue {
  std::string_view key;
  std::optional<int64_t> Device::* value;
};

constexpr std::array kDeviceValues = {
    DeviceValue{"totalGlobalMem", &Device::total_memory_bytes},
    DeviceValue{"computeMajor", &Device::compute_major},
    DeviceValue{"computeMinor", &Device::compute_minor},
    DeviceValue{"maxThreadsPerBlock", &Device::max_threads_per_block},
    DeviceValue{"regsPerBlock", &Device::max_registers_per_block},
    DeviceValue{"regsPerMultiprocessor", &Device::max_registers_per_sm},
    DeviceValue{"warpSize", &Device::threads_per_warp},
    DeviceValue{"sharedMemPerBlock", &Device::max_shared_bytes_per_block},
    DeviceValue{"sharedMemPerBlockOptin", &Device::max_shared_bytes_per_block_optin},
    DeviceValue{"sharedMemPerMultiprocessor", &Device::max_shared_bytes_per_sm},
    DeviceValue{"maxSharedMemoryPerMultiProcessor", &Device::max_shared_bytes_per_sm},
    DeviceValue{"numSms", &Device::sm_count},
};

void read_device(dom::object object, RankId rank, Trace& trace) {
  const auto id = integer_at(object, "id");
  if (!id) return;
  Device device;
  device.rank = rank;
  device.id = *id;
  device.cuda_ordinal = id;
  device.name = text_at(object, "name");
  for (const auto& [key, value] : kDeviceValues) {
    if (const auto found = integer_at(object, key)) device.*value = found;
  }
  const auto threads = integer_at(object, "maxThreadsPerMultiprocessor");
  if (threads && device.threads_per_warp.value_or(0) > 0) device.max_warps_per_sm = *threads / *device.threads_per_warp;
  trace.devices.push_back(std::move(device));
}

void read_devices(std::string_view json, RankId rank, Trace& trace) {
  dom::parser parser;
  dom::array devices;
  if (json.empty() || parser.parse(json.data(), json.size()).get(devices) != simdjson::SUCCESS) return;
  for (const dom::element element : devices) {
    dom::object device;
    if (element.get(device) == simdjson::SUCCESS) read_device(device, rank, trace);
  }
}

void read_job(std::string_view json, Rank& rank) {
  dom::parser parser;
  dom::object job;
  if (json.empty() || parser.parse(json.data(), json.size()).get(job) != simdjson::SUCCESS) return;
  rank.rank = small_at(job, "rank");
  rank.world_size = small_at(job, "world_size");
  rank.backend = text_at(job, "backend");
}

std::string product(const Document& document) {
  // What `sonde convert` and `sonde synth` write (exporters/pytorch): another profiler ran, or none, or as it says.
  if (text_of(document.member("traceName")) == "Sonde") {
    const std::string_view recorded_by = document.member("recordedBy");
    return recorded_by.empty() ? "PyTorch trace of Sonde" : text_of(recorded_by);
  }
  if (document.member("schemaVersion").empty()) return "PyTorch profiler";
  if (!document.member("roctracer_version").empty()) return "PyTorch profiler (Kineto, roctracer)";
  return "PyTorch profiler (Kineto)";
}

void read_capture(const Document& document, Rank& rank) {
  constexpr std::array<std::string_view, 5> kTold = {"schemaVersion", "deviceProperties", "distributedInfo",
                                                     "displayTimeUnit", "baseTimeNanoseconds"};
  for (const auto& [key, value] : document.members()) {
    if (value.size() > kLongestCapture || std::ranges::find(kTold, key) != kTold.end()) continue;
    const bool container = value.starts_with('{') || value.starts_with('[');
    rank.capture.emplace_back(unescape_json(key), container ? one_line_json(value) : text_of(value));
  }
}

}  // namespace

void read_about(const Document& document, const Fields& fields, Rank& rank, Trace& trace) {
  rank.product = product(document);
  rank.schema_version = text_of(document.member("schemaVersion"));
  read_job(document.member("distributedInfo"), rank);
  read_devices(document.member("deviceProperties"), static_cast<RankId>(trace.ranks.size()), trace);
  if (fields.has(Field::capture)) read_capture(document, rank);
}

std::optional<int64_t> base_time_ns(const Document& document) {
  return scaled_decimal(without_quotes(document.member("baseTimeNanoseconds")), 0);
}

}  // namespace sonde::pytorch
