#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/container_hash/hash.hpp>

#include "analyses/kernels/kernel_caption.h"
#include "analyses/kernels/launch_occupancy.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport cuda_gpu_kern_occ_sum_report;

namespace cuda_gpu_kern_occ_sum {
namespace {

/// Launches with one occupancy: the same kernel in the same shape on GPUs with the same limits.
struct Launch {
  KernelCaption caption;
  Dim3 grid{};
  Dim3 block{};
  LaunchResources resources;
  uint32_t limits = 0;  ///< number in Gpus
  friend bool operator==(const Launch&, const Launch&) = default;
  friend size_t hash_value(const Launch& l) {
    size_t seed = hash_value(l.caption);
    boost::hash_combine(seed, l.grid);
    boost::hash_combine(seed, l.block);
    for (const auto resource : {l.resources.registers_per_thread, l.resources.shared_bytes, l.resources.carve_out_bytes,
                                l.resources.cluster_blocks}) {
      boost::hash_combine(seed, resource.value_or(kUnknown));
    }
    boost::hash_combine(seed, l.limits);
    return seed;
  }
};

/// The different limits of the trace's streams: eight GPUs of one kind are one.
class Gpus {
 public:
  explicit Gpus(const Trace& trace) {
    for (StreamId stream = 0; stream < trace.streams.size(); ++stream) {
      number_of_stream_.push_back(number_of(limits_of_stream(trace, stream)));
    }
  }
  [[nodiscard]] uint32_t of_stream(StreamId stream) const {
    return stream < number_of_stream_.size() ? number_of_stream_[stream] : 0;
  }
  [[nodiscard]] const std::optional<SmLimits>& limits(uint32_t number) const { return limits_[number]; }

 private:
  uint32_t number_of(const std::optional<SmLimits>& limits) {
    const auto found = std::ranges::find(limits_, limits);
    const auto number = static_cast<uint32_t>(found - limits_.begin());
    if (found == limits_.end()) limits_.push_back(limits);
    return number;
  }
  std::vector<std::optional<SmLimits>> limits_{std::nullopt};
  std::vector<uint32_t> number_of_stream_;
};

struct KernelGroups {
  Groups<Launch> launches;
  std::vector<Row> first;  ///< a kernel of each group
};

KernelGroups group_launches(const Trace& trace, const Gpus& gpus, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  KernelGroups groups;
  groups.launches.reserve(row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    const Launch launch{caption_of_kernel(trace, row, arguments), k.grid[row], k.block[row],
                        resources_of_row(trace, row), gpus.of_stream(k.stream[row])};
    groups.launches.add(launch, k.end[row] - k.start[row]);
    if (groups.launches.keys().size() > groups.first.size()) groups.first.push_back(row);
  }
  return groups;
}

std::string limiters(const Occupancy& occupancy) {
  std::vector<std::string_view> names;
  for (const OccupancyLimit limit : occupancy.limits_that_bind()) names.push_back(name_of(limit));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The columns that say how a launch fits its GPU.
class FitColumns {
 public:
  explicit FitColumns(Table& table)
      : table_(table),
        percent_(table.reals("Occupancy", Unit::percent, 2)),
        bound_(table.texts("Bound")),
        limiter_(table.texts("Limiter")),
        blocks_(table.integers("Blocks/SM")),
        warps_(table.integers("Warps/SM")),
        waves_(table.reals("Waves/SM", Unit::none, 2)),
        tail_(table.reals("Tail", Unit::percent, 1)) {}

  void add(const std::optional<LaunchOccupancy>& launch) {
    const Occupancy* o = launch ? &launch->occupancy : nullptr;
    percent_.push_back(o != nullptr ? o->percent : kAbsent);
    bound_.push_back(o == nullptr ? std::string_view() : o->upper_bound ? "at most" : "exact");
    limiter_.push_back(o != nullptr ? table_.keep(limiters(*o)) : std::string_view());
    blocks_.push_back(o != nullptr ? o->blocks_per_sm : kUnknown);
    warps_.push_back(o != nullptr ? o->warps_per_sm : kUnknown);
    const Waves* waves = launch && launch->waves ? &*launch->waves : nullptr;
    waves_.push_back(waves != nullptr ? waves->count : kAbsent);
    tail_.push_back(waves != nullptr ? waves->tail_percent.value_or(kAbsent) : kAbsent);
  }

 private:
  Table& table_;
  Column::Reals& percent_;
  Column::Texts& bound_;
  Column::Texts& limiter_;
  Column::Integers& blocks_;
  Column::Integers& warps_;
  Column::Reals& waves_;
  Column::Reals& tail_;
};

void add_times(Table& table, std::span<const Distribution> figures) {
  double listed = 0;
  for (const Distribution& d : figures) listed += static_cast<double>(d.total);
  auto& share = table.reals("Time", Unit::percent, 1);
  auto& total = table.integers("Total Time", Unit::nanoseconds);
  auto& instances = table.integers("Instances");
  for (const Distribution& d : figures) {
    share.push_back(listed > 0 ? 100 * static_cast<double>(d.total) / listed : 0);
    total.push_back(d.total);
    instances.push_back(d.count);
  }
}

void add_shapes(Table& table, const Trace& trace, std::span<const Launch> launches) {
  auto& registers = table.integers("Reg/Trd");
  auto& shared = table.integers("SMem/Block", Unit::bytes);
  auto& carve_out = table.integers("SMem/SM", Unit::bytes);
  auto& grids = table.texts("GridXYZ");
  auto& blocks = table.texts("BlockXYZ");
  auto& names = table.texts("Name");
  for (const Launch& launch : launches) {
    registers.push_back(launch.resources.registers_per_thread.value_or(kUnknown));
    shared.push_back(launch.resources.shared_bytes.value_or(kUnknown));
    carve_out.push_back(launch.resources.carve_out_bytes.value_or(kUnknown));
    grids.push_back(shape_cell(table, launch.grid));
    blocks.push_back(shape_cell(table, launch.block));
    names.push_back(caption_text(table, trace, launch.caption));
  }
}

Fields fields(const ReportArguments& arguments) { return caption_fields(arguments) | launch_occupancy_fields(); }

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  const Gpus gpus(trace);
  KernelGroups groups = group_launches(trace, gpus, arguments);
  const auto figures = groups.launches.distributions();
  const auto& launches = groups.launches.keys();
  Table table = table_of(cuda_gpu_kern_occ_sum_report);
  add_times(table, figures);
  FitColumns fit(table);
  for (size_t i = 0; i < launches.size(); ++i) {
    fit.add(occupancy_of_row(trace, groups.first[i], gpus.limits(launches[i].limits)));
  }
  add_shapes(table, trace, launches);
  table.select_rows(order_by_total(figures, std::get<Column::Texts>(table.columns.back().values)));
  return table;
}

}  // namespace
}  // namespace cuda_gpu_kern_occ_sum

const StatsReport cuda_gpu_kern_occ_sum_report{
    .name = "cuda_gpu_kern_occ_sum",
    .usage = "cuda_gpu_kern_occ_sum[:nvtx-name][:base|:mangled]",
    .title = "CUDA GPU Kernel Occupancy Summary",
    .description = R"(Theoretical occupancy of each kernel, calculated from its launch; no counters are needed.

Time (%)      share of the sum of Total Time, not of the run's wall time
Total Time    sum of their durations
Instances     number of instances
Occupancy     theoretical occupancy: warps of this kernel that fit on an SM, as a share of the SM's maximum
Bound         exact, or "at most" if the shared memory of an SM in this launch is unknown or blocks are in clusters
Limiter       the resource that prevents one more block on an SM
Blocks/SM, Warps/SM  blocks and warps of this kernel that fit on an SM
Waves/SM      blocks of the grid divided by the blocks that fit on the GPU at once
Tail          share of the kernel's time lost in its partial last wave if all blocks take equally long; empty below one wave
Reg/Trd       registers per thread
SMem/Block    shared memory per block, static and dynamic
SMem/SM       shared memory per SM that the driver configured for this launch
GridXYZ, BlockXYZ  blocks per grid, threads per block
Name          the kernel

A cell is empty if the file does not contain the value or the GPU's limits are unknown.)",
    .data = "CUDA kernel",
    .in_default_set = false,
    .fields = cuda_gpu_kern_occ_sum::fields,
    .run = cuda_gpu_kern_occ_sum::run,
};

}  // namespace sonde
