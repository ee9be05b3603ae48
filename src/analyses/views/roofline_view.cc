#include <algorithm>

#include "analyses/kernels/roofline.h"
#include "analyses/views/kernel_view.h"

namespace sonde {
namespace roofline {
namespace {

constexpr double kGiga = 1e-9;

double giga(std::optional<double> value) { return value ? *value * kGiga : kAbsent; }

struct RooflineTable {
  Table table;
  Column::Texts& kinds = table.texts("Arithmetic");
  Column::Texts& levels = table.texts("Memory level");
  Column::Reals& achieved = table.reals("Achieved", Unit::gigaflop_per_second, 1);
  Column::Reals& ceiling = table.reals("Ceiling", Unit::gigaflop_per_second, 1);
  Column::Reals& intensity = table.reals("Intensity", Unit::flop_per_byte, 3);
  Column::Reals& ridge = table.reals("Ridge", Unit::flop_per_byte, 3);
  Column::Reals& traffic = table.reals("Traffic", Unit::gigabytes_per_second, 2);
  Column::Reals& bandwidth = table.reals("Bandwidth", Unit::gigabytes_per_second, 2);
  Column::Reals& percent = table.reals("Of the roof", Unit::percent, 1);
  Column::Texts& bound = table.texts("Roof there");

  void add_arithmetic(const Arithmetic& arithmetic) {
    kinds.push_back(table.keep(arithmetic.kind));
    achieved.push_back(giga(arithmetic.flop_per_second));
    ceiling.push_back(giga(arithmetic.ceiling_flop_per_second));
  }

  void add_memory(const MemoryTraffic& memory) {
    levels.push_back(name_of(memory.level));
    traffic.push_back(giga(memory.bytes_per_second));
    bandwidth.push_back(giga(memory.ceiling_bytes_per_second));
  }

  void add_point(const RooflinePoint& point, std::string_view roof) {
    intensity.push_back(point.flop_per_byte.value_or(kAbsent));
    ridge.push_back(point.ridge_flop_per_byte.value_or(kAbsent));
    percent.push_back(point.percent_of_roof.value_or(kAbsent));
    bound.push_back(point.percent_of_roof ? roof : std::string_view());
  }

  void add(const Arithmetic& arithmetic, const MemoryTraffic& memory) {
    add_arithmetic(arithmetic);
    add_memory(memory);
    const RooflinePoint point = roofline_point(arithmetic, memory);
    add_point(point, point.bound_by_memory.value_or(false) ? name_of(memory.level) : kinds.back());
  }

  /// Arithmetic that has no place on a roofline: none was executed, or no traffic was collected.
  void add_alone(const Arithmetic& arithmetic) {
    add_arithmetic(arithmetic);
    levels.emplace_back();
    traffic.push_back(kAbsent);
    bandwidth.push_back(kAbsent);
    add_point({}, {});
  }

  /// Traffic of a launch without arithmetic, a copy for example.
  void add_alone(const MemoryTraffic& memory) {
    kinds.emplace_back("no FLOP");
    achieved.push_back(kAbsent);
    ceiling.push_back(kAbsent);
    add_memory(memory);
    RooflinePoint point;
    if (memory.ceiling_bytes_per_second.value_or(0) > 0) {
      point.percent_of_roof = 100 * *memory.bytes_per_second / *memory.ceiling_bytes_per_second;
    }
    add_point(point, name_of(memory.level));
  }
};

bool is_executed(const Arithmetic& arithmetic) { return arithmetic.flop_per_second.value_or(0) > 0; }

/// Whether a kind that did nothing gets a row: of the many types of tensor cores only those that did something.
bool is_shown_idle(const Arithmetic& arithmetic) {
  return !arithmetic.tensor || !arithmetic.kind.starts_with("tensor ");
}

std::string note_of(const Trace& trace, const KernelProfile& kernel, const std::vector<Arithmetic>& kinds) {
  std::string note =
      "FP32, FP64 and FP16 count scalar instructions only. They do not include tensor core work, so a matrix product "
      "on "
      "tensor cores appears idle.";
  if (const auto busy = tensor_pipe_percent(trace, kernel)) {
    note += fmt::format(" The tensor pipe was busy for {:.1f} % of the time.", *busy);
  }
  if (std::ranges::none_of(kinds, &Arithmetic::tensor)) {
    note += " Arithmetic of tensor cores: not collected (ncu --section SpeedOfLight_HierarchicalTensorRooflineChart).";
  } else if (std::ranges::none_of(kinds, [](const Arithmetic& a) { return a.tensor && is_executed(a); })) {
    note += " No tensor core operations were counted.";
  } else {
    note += " Tensor rows can overlap (a type and its instructions), so do not add them.";
  }
  return note;
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  const std::vector<Arithmetic> kinds = arithmetic_of(trace, kernel);
  const std::vector<MemoryTraffic> levels = memory_traffic(trace, kernel);
  if (kinds.empty()) {
    return fail(
        "not collected: smsp__sass_thread_inst_executed_op_<fadd, fmul, ffma>_pred_on and dram__bytes (ncu --section "
        "SpeedOfLight_RooflineChart, or --set roofline)");
  }
  RooflineTable rows;
  for (const Arithmetic& arithmetic : kinds) {
    if (!is_executed(arithmetic) || levels.empty()) {
      if (is_executed(arithmetic) || is_shown_idle(arithmetic)) rows.add_alone(arithmetic);
      continue;
    }
    for (const MemoryTraffic& memory : levels) rows.add(arithmetic, memory);
  }
  if (std::ranges::none_of(kinds, is_executed)) {
    for (const MemoryTraffic& memory : levels) rows.add_alone(memory);
  }
  rows.table.note = note_of(trace, kernel, kinds);
  return std::move(rows.table);
}

}  // namespace
}  // namespace roofline

extern const KernelView roofline_view;
const KernelView roofline_view{
    .name = "roofline",
    .title = "Roofline",
    .section = "SpeedOfLight_RooflineChart",
    .description =
        "Achieved arithmetic by kind, relative to the traffic of each memory level: intensity = FLOP / "
        "byte, "
        "ridge = ceiling / bandwidth, roof = min(ceiling, intensity * bandwidth). 'Roof there' names the lower roof. A "
        "kind without executed operations has one row without a level.",
    .run = roofline::run,
};

}  // namespace sonde
