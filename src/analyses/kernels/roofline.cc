#include "analyses/kernels/roofline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "metrics/counter_value.h"

namespace sonde {
namespace {

/// One of several counters of scalar arithmetic: FLOP of a thread's instruction.
struct FlopCounter {
  std::string_view operation;
  double flop;
};

struct Precision {
  std::string_view kind;
  std::array<FlopCounter, 3> counters;  ///< the last one is the fused multiply-add, which makes the ceiling
};

// FP16 instructions are taken to be packed: two values each.
constexpr std::array kPrecisions = {
    Precision{"FP32", {{{"fadd", 1}, {"fmul", 1}, {"ffma", 2}}}},
    Precision{"FP64", {{{"dadd", 1}, {"dmul", 1}, {"dfma", 2}}}},
    Precision{"FP16", {{{"hadd", 2}, {"hmul", 2}, {"hfma", 4}}}},
};

/// Counted by sub-partition, and by SM in what people collect by hand.
std::optional<double> operations_per_second(const Trace& trace, const KernelProfile& kernel,
                                            std::string_view operation) {
  const std::string counter = fmt::format("__sass_thread_inst_executed_op_{}_pred_on", operation);
  const auto rate = counter_per_second(trace, kernel, "smsp" + counter);
  return rate ? rate : counter_per_second(trace, kernel, "sm" + counter);
}

std::optional<double> flop_per_second(const Trace& trace, const KernelProfile& kernel, const Precision& precision) {
  double sum = 0;
  for (const auto& [operation, flop] : precision.counters) {
    const auto rate = operations_per_second(trace, kernel, operation);
    if (!rate) return std::nullopt;
    sum += flop * *rate;
  }
  return sum;
}

std::optional<double> ceiling_flop_per_second(const Trace& trace, const KernelProfile& kernel,
                                              const Precision& precision) {
  const auto& [operation, flop] = precision.counters.back();
  const std::string counter = fmt::format("__sass_thread_inst_executed_op_{}_pred_on", operation);
  const auto peak = counter_peak_per_second(trace, kernel, "sm" + counter);
  return scaled(peak ? peak : counter_peak_per_second(trace, kernel, "smsp" + counter), flop);
}

constexpr std::string_view kTensorOps = "sm__ops_path_tensor_";

/// Counters of operations of tensor cores by type (from 2023.2 on). Their counts are FLOP.
void add_tensor_types(const Trace& trace, const KernelProfile& kernel, std::vector<Arithmetic>& kinds) {
  std::vector<std::string_view> counters;
  for (const Metric& metric : kernel.metrics) {
    const std::string_view name = trace.name(metric.name);
    if (name.starts_with(kTensorOps)) counters.push_back(name.substr(0, name.find('.')));
  }
  std::ranges::sort(counters);
  const auto repeated = std::ranges::unique(counters);
  counters.erase(repeated.begin(), repeated.end());
  for (const std::string_view counter : counters) {
    const auto rate = counter_per_second(trace, kernel, counter);
    if (!rate) continue;
    std::string_view type = counter.substr(kTensorOps.size());
    if (type.starts_with("src_")) type.remove_prefix(4);
    kinds.push_back({fmt::format("tensor {}", type), true, rate, counter_peak_per_second(trace, kernel, counter)});
  }
}

/// Older charts have instructions of the tensor pipe times a number of FLOP that is in the metric's name:
/// derived__smsp__inst_executed_pipe_tensor_x512 (per cycle), and the peak with sm__.
void add_tensor_instructions(const Trace& trace, const KernelProfile& kernel, std::vector<Arithmetic>& kinds) {
  constexpr std::string_view kAchieved = "derived__smsp__";
  constexpr std::string_view kPipe = "inst_executed_pipe_tensor";
  for (const Metric& metric : kernel.metrics) {
    const std::string_view name = trace.name(metric.name);
    if (!name.starts_with("derived__smsp__inst_executed_pipe_tensor") || !metric.value.number()) continue;
    const std::string_view rest = name.substr(kAchieved.size());
    const std::string_view type = rest.substr(kPipe.size(), rest.rfind("_x") - kPipe.size());
    const auto rate = scaled(clock_hz(trace, kernel, "smsp__inst_executed"), *metric.value.number());
    const auto peak = metric_number(trace, kernel, fmt::format("derived__sm__{}", rest));
    const auto clock = clock_hz(trace, kernel, "sm__inst_executed");
    if (!rate) continue;
    kinds.push_back(
        {fmt::format("tensor{}", type), true, rate, clock && peak ? std::optional(*clock * *peak) : std::nullopt});
  }
}

/// Which of the overlapping countings of tensor work a row belongs to: by type, by type and sparsity, by instruction,
/// or instructions of older charts.
size_t tensor_count_of(std::string_view kind) {
  if (!kind.starts_with("tensor ")) return 3;
  if (kind.starts_with("tensor op_")) return 2;
  return kind.contains("_sparsity_") ? 1 : 0;
}

}  // namespace

std::vector<Arithmetic> arithmetic_of(const Trace& trace, const KernelProfile& kernel) {
  std::vector<Arithmetic> kinds;
  for (const Precision& precision : kPrecisions) {
    if (const auto rate = flop_per_second(trace, kernel, precision)) {
      kinds.push_back({std::string(precision.kind), false, rate, ceiling_flop_per_second(trace, kernel, precision)});
    }
  }
  add_tensor_types(trace, kernel, kinds);
  add_tensor_instructions(trace, kernel, kinds);
  return kinds;
}

std::optional<double> tensor_pipe_percent(const Trace& trace, const KernelProfile& kernel) {
  return first_number(trace, kernel,
                      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                       "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                       "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed",
                       "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"});
}

std::optional<double> flop_of(const Trace& trace, const KernelProfile& kernel) {
  const auto seconds = duration_s(trace, kernel);
  const std::vector<Arithmetic> kinds = arithmetic_of(trace, kernel);
  if (!seconds || kinds.empty()) return std::nullopt;
  double scalar = 0;
  std::array<double, 4> tensor{};  // ways of counting the same work
  for (const Arithmetic& a : kinds)
    (a.tensor ? tensor.at(tensor_count_of(a.kind)) : scalar) += a.flop_per_second.value_or(0);
  const bool counts_tensor = std::ranges::any_of(kinds, &Arithmetic::tensor);
  if (!counts_tensor && tensor_pipe_percent(trace, kernel).value_or(0) > 0) return std::nullopt;
  return (scalar + std::ranges::max(tensor)) * *seconds;
}

std::optional<double> arithmetic_intensity(const Arithmetic& arithmetic, const MemoryTraffic& traffic) {
  if (!arithmetic.flop_per_second || traffic.bytes_per_second.value_or(0) <= 0) return std::nullopt;
  return *arithmetic.flop_per_second / *traffic.bytes_per_second;
}

/// The roof at intensity I is min(F, I * B); achieved f = I * b, so that f over the roof is max(f / F, b / B).
RooflinePoint roofline_point(const Arithmetic& arithmetic, const MemoryTraffic& traffic) {
  RooflinePoint point;
  point.flop_per_byte = arithmetic_intensity(arithmetic, traffic);
  const auto& flop = arithmetic.ceiling_flop_per_second;
  const auto& bytes = traffic.ceiling_bytes_per_second;
  if (!flop || !bytes || *flop <= 0 || *bytes <= 0) return point;
  point.ridge_flop_per_byte = *flop / *bytes;
  if (!arithmetic.flop_per_second || !traffic.bytes_per_second) return point;
  const double of_arithmetic = *arithmetic.flop_per_second / *flop;
  const double of_memory = *traffic.bytes_per_second / *bytes;
  point.percent_of_roof = 100 * std::max(of_arithmetic, of_memory);
  point.bound_by_memory = of_memory > of_arithmetic;
  return point;
}

}  // namespace sonde
