#include "analyses/kernel_label.h"
#include "analyses/launch_shape.h"
#include "analyses/sum_table.h"
#include "trace/columns.h"

namespace sonde {
namespace {

struct Launch {
  KernelName name;
  Dim3 grid;
  Dim3 block;
  bool operator==(const Launch&) const = default;
  friend size_t hash_value(const Launch& l) {
    size_t hash = hash_value(l.name);
    for (const Dim3& shape : {l.grid, l.block}) {
      for (const uint32_t extent : shape) hash = hash * 0x100000001B3ULL ^ extent;
    }
    return hash;
  }
};

Fields fields(const ReportArguments& arguments) { return kernel_label_fields(arguments) | Fields{Field::kernel_grid}; }

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  Groups<Launch> groups;
  groups.reserve(row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    groups.add({kernel_name(trace, row, arguments), k.grid[row], k.block[row]}, k.end[row] - k.start[row]);
  }
  Table table;
  SumLabel grids{"GridXYZ", {}};
  SumLabel blocks{"BlockXYZ", {}};
  SumLabel names{"Name", {}};
  for (const Launch& launch : groups.keys()) {
    grids.texts.push_back(table.keep(shape_text(launch.grid)));
    blocks.texts.push_back(table.keep(shape_text(launch.block)));
    names.texts.push_back(text_of(trace, launch.name, table));
  }
  fill_time_sum(table, groups.distributions(), "Instances", {std::move(grids), std::move(blocks), std::move(names)});
  return table;
}

}  // namespace

extern const StatsReport cuda_gpu_kern_gb_sum_report;
const StatsReport cuda_gpu_kern_gb_sum_report{
    "cuda_gpu_kern_gb_sum",
    "cuda_gpu_kern_gb_sum[:nvtx-name][:base|:mangled]",
    "CUDA GPU Kernel/Grid/Block Summary",
    "Kernels by name and launch configuration: the same kernel with another grid or block is a row of its own.",
    "CUDA kernel",
    false,
    fields,
    run};

}  // namespace sonde
