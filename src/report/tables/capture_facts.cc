#include "report/tables/capture_facts.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "base/text/privacy.h"
#include "metrics/sections.h"
#include "report/tables/quantity.h"
#include "report/text/product_text.h"
#include "trace/columns.h"

namespace sonde {
namespace {

std::string utc_text(int64_t utc_ns) {
  return moment_text(std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(utc_ns)).count(), ' ') + " UTC";
}

std::string recorded_for(const Rank& rank) {
  if (!rank.capture_start_ns || !rank.capture_end_ns) return {};
  return time_text(static_cast<double>(*rank.capture_end_ns - *rank.capture_start_ns));
}

CaptureSubject facts_of_file(const Rank& rank) {
  return {rank.file,
          {{"format", rank.format},
           {"recorded by", product_text(rank)},
           {"schema", rank.schema_version},
           {"time 0", rank.utc_ns ? utc_text(*rank.utc_ns) : ""},
           {"recorded for", recorded_for(rank)},
           {"rank", rank.rank ? fmt::format("{} of {}", *rank.rank, rank.world_size.value_or(0)) : ""},
           {"collectives", rank.backend}}};
}

template <typename Text>
std::string known(const std::optional<int64_t>& value, Text text) {
  return value ? text(*value) : std::string();
}

CaptureSubject facts_of_device(const Device& d) {
  const bool has_compute = d.compute_major && d.compute_minor;
  return {fmt::format("{} {}", d.id, d.name.empty() ? "(not described)" : d.name),
          {{"compute capability", has_compute ? fmt::format("{}.{}", *d.compute_major, *d.compute_minor) : ""},
           {"SMs", known(d.sm_count, [](int64_t v) { return fmt::format("{}", v); })},
           {"memory", known(d.total_memory_bytes, [](int64_t v) { return bytes_text(static_cast<double>(v)); })},
           {"memory bandwidth",
            known(d.memory_bandwidth_bytes_per_s, [](int64_t v) { return rate_text(static_cast<double>(v)); })}}};
}

/// The sections that no launch of a kernel report has.
std::vector<MissingData> missing_sections(const Trace& t) {
  std::vector<MissingData> missing;
  for (const SectionInfo& section : known_sections()) {
    const auto is_it = [&](const ProfileSection& s) { return t.name(s.id) == section.id; };
    if (std::ranges::none_of(t.profile_sections, is_it)) {
      missing.push_back({std::string(section.id), std::string(section.meaning)});
    }
  }
  return missing;
}

}  // namespace

std::vector<CaptureSubject> facts_of_files(const Trace& trace) {
  std::vector<CaptureSubject> files;
  for (const Rank& rank : trace.ranks) files.push_back(facts_of_file(rank));
  return files;
}

std::vector<CaptureSubject> facts_of_devices(const Trace& trace) {
  std::vector<CaptureSubject> devices;
  for (const Device& device : trace.devices) devices.push_back(facts_of_device(device));
  return devices;
}

std::vector<CaptureFact> facts_of_contents(const Trace& trace) {
  std::vector<CaptureFact> facts;
  const auto add = [&](std::string_view name, size_t count) {
    facts.push_back({std::string(name), count_text(static_cast<int64_t>(count))});
  };
  for_each_table(trace, [&](const auto& table, std::string_view name) {
    if (row_count(table) > 0) add(name, row_count(table));
  });
  if (!trace.kernel_profiles.empty()) add("profiled launches", trace.kernel_profiles.size());
  add("processes", trace.processes.size());
  add("threads", trace.threads.size());
  add("streams", trace.streams.size());
  return facts;
}

std::vector<std::string> recorder_warnings(const Trace& trace, bool with_paths) {
  constexpr int32_t kWarning = 2;
  std::vector<std::string> warnings;
  for (Row row = 0; row < row_count(trace.diagnostics); ++row) {
    if (trace.diagnostics.severity[row] < kWarning) continue;
    const std::string_view said = trace.name(trace.diagnostics.text[row]);
    warnings.push_back(with_paths ? std::string(said) : without_paths(said));
  }
  return warnings;
}

std::vector<MissingData> missing_data(const Trace& t) {
  if (!t.kernel_profiles.empty()) return missing_sections(t);
  struct Kind {
    bool missing;
    std::string_view what;
    std::string_view meaning;
  };
  const std::array kinds = {
      Kind{row_count(t.kernels) == 0, "kernels", "kernel time cannot be analyzed"},
      Kind{row_count(t.copies) == 0, "copies", "the run made none, or they were not traced"},
      Kind{row_count(t.api) == 0, "CUDA API calls", "GPU work cannot be assigned to ranges and has no launch latency"},
      Kind{row_count(t.ranges) == 0, "ranges",
           "time cannot be assigned to parts of the model (trace nvtx, or annotate)"},
      Kind{row_count(t.os_calls) == 0, "OS runtime calls", "waits of host threads cannot be explained (-t osrt)"},
      Kind{row_count(t.samples) == 0, "CPU samples", "the host's work between calls is unknown (-s process-tree)"},
      Kind{row_count(t.counter_values) == 0, "GPU metrics over time",
           "SM utilization is unknown (--gpu-metrics-devices)"},
      Kind{row_count(t.allocations) == 0, "device memory allocations",
           "memory use over time is unknown (--cuda-memory-usage)"},
      Kind{t.devices.empty(), "description of the GPUs", "peak rates and limits are unknown"}};
  std::vector<MissingData> missing;
  for (const Kind& kind : kinds) {
    if (kind.missing) missing.push_back({std::string(kind.what), std::string(kind.meaning)});
  }
  return missing;
}

}  // namespace sonde
