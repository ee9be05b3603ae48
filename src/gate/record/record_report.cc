#include "gate/record/record_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analyses/gpus/gpus.h"
#include "analyses/measured/measured_launch.h"
#include "gate/record/measured_metrics.h"
#include "gate/record/shapes.h"
#include "metrics/quantities.h"

namespace sonde::gate {
namespace {

/// More than any launch asks for: what is above it in a damaged report is not known.
constexpr double kMostCells = 1 << 30;

std::optional<int64_t> integer(const Trace& trace, const KernelProfile& kernel, std::string_view metric) {
  const auto number = metric_number(trace, kernel, metric);
  const bool fits = number && *number >= 0 && *number <= kMostCells;
  return fits ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

std::optional<int64_t> shared_bytes(const Trace& trace, const KernelProfile& kernel) {
  const auto fixed = integer(trace, kernel, "launch__shared_mem_per_block_static");
  const auto dynamic = integer(trace, kernel, "launch__shared_mem_per_block_dynamic");
  return fixed && dynamic ? std::optional(*fixed + *dynamic) : std::nullopt;
}

/// The least of the limits that were collected.
std::optional<int64_t> blocks_per_sm(const Trace& trace, const KernelProfile& kernel) {
  std::optional<int64_t> least;
  for (const std::string_view limit : {"registers", "shared_mem", "warps", "blocks", "barriers"}) {
    const auto blocks = integer(trace, kernel, fmt::format("launch__occupancy_limit_{}", limit));
    if (blocks) least = std::min(least.value_or(*blocks), *blocks);
  }
  return least;
}

KernelShape shape_of(const Trace& trace, const KernelProfile& kernel) {
  KernelShape shape;
  shape.kernel = trace.name(kernel.name);
  shape.grid = kernel.grid;
  shape.block = kernel.block;
  shape.count = 1;
  shape.registers_per_thread = integer(trace, kernel, "launch__registers_per_thread");
  shape.shared_bytes_per_block = shared_bytes(trace, kernel);
  shape.blocks_per_sm = blocks_per_sm(trace, kernel);
  shape.theoretical_occupancy_percent = quantity_value("theoretical_occupancy", trace, kernel);
  return shape;
}

/// Bytes between local memory and L1: by its own counters, or by sectors of 32 bytes.
std::optional<double> local_bytes(const Trace& trace, const KernelProfile& kernel) {
  const auto both = [&](std::string_view what) -> std::optional<double> {
    const auto loaded = metric_number(trace, kernel, fmt::format("l1tex__t_{}_pipe_lsu_mem_local_op_ld.sum", what));
    const auto stored = metric_number(trace, kernel, fmt::format("l1tex__t_{}_pipe_lsu_mem_local_op_st.sum", what));
    return loaded && stored ? std::optional(*loaded + *stored) : std::nullopt;
  };
  if (const auto bytes = both("bytes")) return bytes;
  constexpr double kSectorBytes = 32;
  const auto sectors = both("sectors");
  return sectors ? std::optional(*sectors * kSectorBytes) : std::nullopt;
}

std::optional<double> cycles_of(const Trace& trace, const KernelProfile& kernel) {
  const auto cycles = quantity_value("elapsed_cycles", trace, kernel);
  return cycles ? cycles : metric_number(trace, kernel, "sm__cycles_elapsed.avg");
}

bool is_amount(const std::optional<double>& value) { return value && std::isfinite(*value) && *value >= 0; }

/// Absent where a damaged report has none.
std::optional<double> amount(const std::optional<double>& value) { return is_amount(value) ? value : std::nullopt; }

/// A figure of each launch of a kernel.
struct Figures {
  std::vector<double> values;
  void add(const std::optional<double>& value) {
    if (is_amount(value)) values.push_back(*value);
  }
  [[nodiscard]] std::optional<double> mean() const {
    if (values.empty()) return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
};

/// Gets figures of one launch, in the forms of measured_figures.inc.
struct FigureOf {
  const Trace& trace;
  const KernelProfile& kernel;
  const OpcodeCounts& counts;

  [[nodiscard]] std::optional<double> quantity(std::string_view name) const {
    return quantity_value(name, trace, kernel);
  }
  [[nodiscard]] std::optional<double> busy(std::string_view counter) const {
    const auto percent = metric_number(trace, kernel, fmt::format("{}.avg.pct_of_peak_sustained_elapsed", counter));
    const auto cycles = cycles_of(trace, kernel);
    return percent && cycles ? std::optional(*percent / 100 * *cycles) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> opcodes(std::initializer_list<std::string_view> names) const {
    if (counts.all() <= 0) return std::nullopt;
    double sum = 0;
    for (const std::string_view name : names) sum += counts.of(name);
    return sum;
  }
};

struct MeasuredKernel {
  size_t launches = 0;
  Figures duration, cycles, occupancy, spill;
  std::map<std::string, Figures, std::less<>> others;
  std::map<std::string_view, MeasuredFold> metrics;

  void add(const Trace& trace, const KernelProfile& kernel) {
    ++launches;
    duration.add(quantity_value("duration", trace, kernel));
    cycles.add(cycles_of(trace, kernel));
    occupancy.add(quantity_value("achieved_occupancy", trace, kernel));
    spill.add(local_bytes(trace, kernel));
    const auto duration_ns = amount(quantity_value("duration", trace, kernel));
    for (const MeasuredMetric& metric : measured_metrics()) {
      metrics[metric.metric].add(amount(quantity_value(metric.quantity, trace, kernel)), duration_ns);
    }
    const OpcodeCounts counts(trace, kernel);
    const FigureOf of{trace, kernel, counts};
#define SONDE_MEASURED_FIGURE(name, form) others[#name].add(of.form);
#include "gate/record/measured_figures.inc"
#undef SONDE_MEASURED_FIGURE
  }
  /// Cycles stand beside durations, launch by launch, so that all launches have them or none.
  [[nodiscard]] KernelMeasure measure(std::string_view name) const {
    KernelMeasure measure;
    measure.kernel = name;
    if (duration.values.size() == launches) measure.duration_ns = duration.values;
    if (cycles.values.size() == launches) measure.cycles = cycles.values;
    measure.achieved_occupancy_percent = occupancy.mean();
    measure.spill_bytes = spill.mean();
    for (const auto& [figure, values] : others) {
      if (const auto mean = values.mean()) measure.figures[figure] = *mean;
    }
    for (const MeasuredMetric& metric : measured_metrics()) {
      if (const auto value = metrics.at(metric.metric).folded(metric.fold)) {
        measure.metrics.emplace(metric.metric, *value);
      }
    }
    return measure;
  }
};

/// The mean clock of a GPU over the time of its kernels.
struct RecordClock {
  double weighted = 0;
  double ns = 0;
};

GpuOfRun gpu_of(const Trace& trace, DeviceId id, const RecordClock& clock) {
  GpuOfRun gpu;
  const Device* device = id < trace.devices.size() ? &trace.devices[id] : nullptr;
  gpu.ordinal = device == nullptr ? 0 : static_cast<int32_t>(device->cuda_ordinal.value_or(device->id));
  gpu.place = gpu_place(trace, device == nullptr ? 0 : device->rank, gpu.ordinal);
  if (device != nullptr) gpu.name = device->name;
  if (clock.ns > 0) gpu.sm_clock_hz = clock.weighted / clock.ns;
  return gpu;
}

std::vector<GpuOfRun> gpus_of_report(const Trace& trace) {
  std::map<DeviceId, RecordClock> clocks;
  for (const KernelProfile& kernel : trace.kernel_profiles) {
    RecordClock& clock = clocks[kernel.device];
    const auto hertz = quantity_value("sm_clock", trace, kernel);
    const auto ns = quantity_value("duration", trace, kernel);
    if (!is_amount(hertz) || !is_amount(ns)) continue;
    clock.weighted += *hertz * *ns;
    clock.ns += *ns;
  }
  std::vector<GpuOfRun> gpus;
  for (const auto& [device, clock] : clocks) gpus.push_back(gpu_of(trace, device, clock));
  return gpus;
}

}  // namespace

void record_report(const Trace& trace, RunRecord& record) {
  std::map<std::string_view, MeasuredKernel> kernels;
  std::vector<KernelShape> shapes;
  for (const KernelProfile& kernel : trace.kernel_profiles) {
    kernels[trace.name(kernel.name)].add(trace, kernel);
    shapes.push_back(shape_of(trace, kernel));
  }
  record.shapes = joined_shapes(std::move(shapes));
  for (const auto& [name, kernel] : kernels) record.measures.push_back(kernel.measure(name));
  record.gpus = gpus_of_report(trace);
}

}  // namespace sonde::gate
