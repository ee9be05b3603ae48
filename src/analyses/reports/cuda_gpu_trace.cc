#include <algorithm>

#include <fmt/format.h>

#include "analyses/gpus/memory_operations.h"
#include "analyses/kernels/kernel_caption.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/reports/shared_stats_report.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport cuda_gpu_trace_report;

namespace cuda_gpu_trace {
namespace {

Fields fields(const ReportArguments& arguments) {
  return caption_fields(arguments) | Fields{Field::copies,           Field::sets,    Field::kernel_grid,
                                            Field::kernel_resources, Field::streams, Field::launches};
}

constexpr double kMegabyte = 1e6;

double megabytes(int64_t bytes) {
  return bytes == kUnknown || bytes == kUnknown32 ? kAbsent : static_cast<double>(bytes) / kMegabyte;
}

/// As in the output of nsys 2024.6 to 2026.3: bytes by the whole number of times that the duration fits into a second.
double throughput(int64_t bytes, int64_t duration_ns) {
  if (bytes == kUnknown || duration_ns <= 0) return kAbsent;
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t times = kSecond / duration_ns;
  return static_cast<double>(bytes) * static_cast<double>(times) / kMegabyte;
}

/// "NVIDIA RTX A4500 (0)": the device's name, where the file has it, and its number in the process.
class DeviceNames {
 public:
  DeviceNames(const Trace& trace, Table& table) : names_(trace.streams.size()) {
    for (size_t s = 0; s < names_.size(); ++s) {
      const Stream& stream = trace.streams[s];
      const std::string name = stream.device == kNone ? std::string() : trace.devices[stream.device].name;
      names_[s] = table.keep(fmt::format("{}{}({})", name, name.empty() ? "" : " ", stream.ordinal));
    }
  }
  [[nodiscard]] std::string_view of(StreamId stream) const { return names_[stream]; }

 private:
  std::vector<std::string_view> names_;
};

/// The columns of the table, filled one operation at a time.
class Columns {
 public:
  Columns(const Trace& trace, Table& table)
      : trace_(trace),
        start_(table.integers("Start", Unit::nanoseconds)),
        duration_(table.integers("Duration", Unit::nanoseconds)),
        correlation_(table.integers("CorrId")),
        shape_{&table.integers("GrdX"), &table.integers("GrdY"), &table.integers("GrdZ"),
               &table.integers("BlkX"), &table.integers("BlkY"), &table.integers("BlkZ")},
        registers_(table.integers("Reg/Trd")),
        static_shared_(table.reals("StcSMem", Unit::megabytes, 3)),
        dynamic_shared_(table.reals("DymSMem", Unit::megabytes, 3)),
        bytes_(table.reals("Bytes", Unit::megabytes, 3)),
        throughput_(table.reals("Throughput", Unit::megabytes_per_second, 3)),
        source_(table.texts("SrcMemKd")),
        destination_(table.texts("DstMemKd")),
        device_(table.texts("Device")),
        context_(table.integers("Ctx")),
        green_context_(table.integers("GreenCtx")),
        stream_(table.integers("Strm")),
        name_(table.texts("Name")),
        devices_(trace, table) {}

  void add_kernel(Row row, std::string_view name) {
    const Kernels& k = trace_.kernels;
    add_common(k, row, name);
    for (size_t i = 0; i < 3; ++i) {
      shape_[i]->push_back(is_known(k.grid[row]) ? k.grid[row][i] : kUnknown);
      shape_[i + 3]->push_back(is_known(k.block[row]) ? k.block[row][i] : kUnknown);
    }
    registers_.push_back(k.registers[row] == kUnknown32 ? kUnknown : k.registers[row]);
    static_shared_.push_back(megabytes(k.static_shared_bytes[row]));
    dynamic_shared_.push_back(megabytes(k.dynamic_shared_bytes[row]));
    bytes_.push_back(kAbsent);
    throughput_.push_back(kAbsent);
    source_.emplace_back();
    destination_.emplace_back();
  }

  template <typename Ops>
  void add_memory_operation(const Ops& ops, Row row, std::string_view name, std::string_view source,
                            std::string_view destination) {
    add_common(ops, row, name);
    for (auto* column : shape_) column->push_back(kUnknown);
    registers_.push_back(kUnknown);
    static_shared_.push_back(kAbsent);
    dynamic_shared_.push_back(kAbsent);
    bytes_.push_back(megabytes(ops.bytes[row]));
    throughput_.push_back(throughput(ops.bytes[row], ops.end[row] - ops.start[row]));
    source_.push_back(source);
    destination_.push_back(destination);
  }

  [[nodiscard]] const Column::Integers& starts() const { return start_; }

 private:
  void add_common(const GpuOps& ops, Row row, std::string_view name) {
    const Stream& stream = trace_.streams[ops.stream[row]];
    start_.push_back(ops.start[row]);
    duration_.push_back(ops.end[row] - ops.start[row]);
    correlation_.push_back(ops.correlation[row]);
    device_.push_back(devices_.of(ops.stream[row]));
    context_.push_back(stream.context);
    green_context_.push_back(stream.green_context == kNone ? kUnknown : stream.green_context);
    stream_.push_back(stream.stream);
    name_.push_back(name);
  }

  const Trace& trace_;
  Column::Integers& start_;
  Column::Integers& duration_;
  Column::Integers& correlation_;
  std::array<Column::Integers*, 6> shape_;
  Column::Integers& registers_;
  Column::Reals& static_shared_;
  Column::Reals& dynamic_shared_;
  Column::Reals& bytes_;
  Column::Reals& throughput_;
  Column::Texts& source_;
  Column::Texts& destination_;
  Column::Texts& device_;
  Column::Integers& context_;
  Column::Integers& green_context_;
  Column::Integers& stream_;
  Column::Texts& name_;
  DeviceNames devices_;
};

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(cuda_gpu_trace_report);
  Columns columns(trace, table);
  for (Row row = 0; row < row_count(trace.kernels); ++row) {
    columns.add_kernel(row, caption_text(table, trace, caption_of_kernel(trace, row, arguments)));
  }
  const Copies& copies = trace.copies;
  for (Row row = 0; row < row_count(copies); ++row) {
    columns.add_memory_operation(copies, row, copy_operation(copies.kind[row]), memory_kind_name(copies.source[row]),
                                 memory_kind_name(copies.destination[row]));
  }
  for (Row row = 0; row < row_count(trace.sets); ++row) {
    columns.add_memory_operation(trace.sets, row, set_operation(), memory_kind_name(trace.sets.memory[row]), {});
  }
  const auto& starts = columns.starts();
  const auto order = sorted_order(starts.size(), [&](Row a, Row b) { return starts[a] < starts[b]; });
  if (!order.empty()) table.select_rows(order);
  return table;
}

}  // namespace
}  // namespace cuda_gpu_trace

const StatsReport cuda_gpu_trace_report{
    .name = "cuda_gpu_trace",
    .usage = "cuda_gpu_trace[:nvtx-name][:base|:mangled]",
    .title = "CUDA GPU Trace",
    .description = R"(Every kernel, copy and memset, in order of start.

Start, Duration  on the GPU
CorrId        correlation ID; the API call with the same ID launched it
GrdX..BlkZ    launch configuration of a kernel
Reg/Trd, StcSMem, DymSMem  registers per thread, static and dynamic shared memory
Bytes, Throughput  of a copy or memset; 1 MB is 10^6 bytes
SrcMemKd, DstMemKd  kinds of memory
Device, Ctx, GreenCtx, Strm  where it ran
Name          kernel or operation)",
    .data = "CUDA trace",
    .in_default_set = false,
    .fields = cuda_gpu_trace::fields,
    .run = cuda_gpu_trace::run,
};

}  // namespace sonde
