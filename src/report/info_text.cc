#include "report/info_text.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/privacy.h"
#include "metrics/sections.h"
#include "report/log_text.h"
#include "report/product_text.h"
#include "report/quantity.h"
#include "trace/columns.h"

namespace sonde {
namespace {

std::string utc_text(int64_t utc_ns) {
  return moment_text(std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(utc_ns)).count(), ' ') + " UTC";
}

void add_fact(std::string& text, std::string_view name, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<14}{}\n", name, value);
}

void add_rank(std::string& text, const Rank& rank) {
  text += fmt::format("{}\n", rank.file);
  add_fact(text, "format", rank.format);
  add_fact(text, "recorded by", product_text(rank));
  add_fact(text, "schema", rank.schema_version);
  if (rank.utc_ns) add_fact(text, "time 0", utc_text(*rank.utc_ns));
  if (rank.capture_start_ns && rank.capture_end_ns) {
    add_fact(text, "recorded for", time_text(static_cast<double>(*rank.capture_end_ns - *rank.capture_start_ns)));
  }
  if (rank.rank) add_fact(text, "rank", fmt::format("{} of {}", *rank.rank, rank.world_size.value_or(0)));
  add_fact(text, "collectives", rank.backend);
}

std::string known(const std::optional<int64_t>& value, auto&& text) { return value ? text(*value) : std::string("-"); }

void add_devices(std::string& text, const Trace& trace) {
  if (trace.devices.empty()) return;
  text += "\ndevices\n";
  for (const Device& d : trace.devices) {
    const std::string compute = d.compute_major && d.compute_minor
                                    ? fmt::format("{}.{}", *d.compute_major, *d.compute_minor)
                                    : std::string("-");
    text +=
        fmt::format("  {} {}: compute capability {}, {} SMs, {} of memory at {}\n", d.id,
                    d.name.empty() ? "(not described)" : d.name, compute,
                    known(d.sm_count, [](int64_t v) { return fmt::format("{}", v); }),
                    known(d.total_memory_bytes, [](int64_t v) { return bytes_text(static_cast<double>(v)); }),
                    known(d.memory_bandwidth_bytes_per_s, [](int64_t v) { return rate_text(static_cast<double>(v)); }));
  }
}

void add_contents(std::string& text, const Trace& trace) {
  text += "\nholds\n";
  for_each_table(trace, [&](const auto& table, std::string_view name) {
    if (row_count(table) > 0)
      text += fmt::format("  {:<22}{:>14}\n", name, count_text(static_cast<int64_t>(row_count(table))));
  });
  if (!trace.kernel_profiles.empty()) {
    text += fmt::format("  {:<22}{:>14}\n", "profiled launches",
                        count_text(static_cast<int64_t>(trace.kernel_profiles.size())));
  }
  text += fmt::format("  {:<22}{:>14}\n", "processes", count_text(static_cast<int64_t>(trace.processes.size())));
  text += fmt::format("  {:<22}{:>14}\n", "threads", count_text(static_cast<int64_t>(trace.threads.size())));
  text += fmt::format("  {:<22}{:>14}\n", "streams", count_text(static_cast<int64_t>(trace.streams.size())));
}

struct Missing {
  bool missing;
  std::string_view what;
};

/// The sections that no launch of a kernel report has.
void add_missing_sections(std::string& text, const Trace& t) {
  std::string list;
  for (const SectionInfo& known : known_sections()) {
    const bool there = std::ranges::any_of(t.profile_sections, [&](const auto& s) { return t.name(s.id) == known.id; });
    if (!there) list += fmt::format("  {}: {}\n", known.id, known.meaning);
  }
  if (!list.empty()) text += "\nnot collected\n" + list;
}

void add_missing(std::string& text, const Trace& t) {
  if (!t.kernel_profiles.empty()) return add_missing_sections(text, t);
  const std::array missing = {
      Missing{row_count(t.kernels) == 0, "kernels: nothing can be said of them"},
      Missing{row_count(t.copies) == 0, "copies"},
      Missing{row_count(t.api) == 0, "CUDA API calls: GPU work belongs to no range and has no launch latency"},
      Missing{row_count(t.ranges) == 0, "ranges: time cannot be told by part of the model (trace nvtx, or annotate)"},
      Missing{row_count(t.os_calls) == 0, "OS runtime calls: waits of host threads are not explained (-t osrt)"},
      Missing{row_count(t.samples) == 0, "CPU samples"},
      Missing{row_count(t.counter_values) == 0, "GPU metrics over time (--gpu-metrics-devices)"},
      Missing{row_count(t.allocations) == 0, "allocations of device memory (--cuda-memory-usage)"},
      Missing{t.devices.empty(), "a description of the GPUs: peak rates and limits are unknown"}};
  std::string list;
  for (const Missing& m : missing) {
    if (m.missing) list += fmt::format("  {}\n", m.what);
  }
  if (!list.empty()) text += "\nnot in it\n" + list;
}

void add_inventory(std::string& text, const Trace& trace) {
  text += "\nin the source\n";
  for (const Rank& rank : trace.ranks) {
    for (const auto& [name, rows] : rank.holds) text += fmt::format("  {:<44}{:>14}\n", name, count_text(rows));
  }
}

void add_diagnostics(std::string& text, const Trace& trace, bool show_private) {
  constexpr int32_t kWarning = 2;
  std::string list;
  for (Row row = 0; row < row_count(trace.diagnostics); ++row) {
    if (trace.diagnostics.severity[row] < kWarning) continue;
    const std::string_view said = trace.name(trace.diagnostics.text[row]);
    list += fmt::format("  {}\n", show_private ? std::string(said) : without_paths(said));
  }
  if (!list.empty()) text += "\nwhat the recording tool said\n" + list;
}

void add_capture(std::string& text, const Trace& trace) {
  text += "\nhow it was taken (private)\n";
  for (const Rank& rank : trace.ranks) {
    for (const auto& [name, value] : rank.capture) text += fmt::format("  {} = {}\n", name, value);
  }
}

}  // namespace

std::string info_text(const Trace& trace, const InfoOptions& options) {
  std::string text;
  for (const Rank& rank : trace.ranks) add_rank(text, rank);
  add_devices(text, trace);
  add_contents(text, trace);
  add_missing(text, trace);
  add_inventory(text, trace);
  add_diagnostics(text, trace, options.show_private);
  if (options.show_private) add_capture(text, trace);
  if (!trace.log.empty()) text += "\n" + log_text(trace.log);
  return text;
}

}  // namespace sonde
