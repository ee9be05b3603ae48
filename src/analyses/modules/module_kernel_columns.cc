#include "analyses/modules/module_kernel_columns.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/quantities.h"

namespace sonde {
namespace {

/// A column that takes counters. Exactly one of the functions is there.
struct CounterColumn {
  std::string_view title;
  Unit unit = Unit::none;
  int decimals = 0;                 ///< of bytes: where they are shown as megabytes
  std::string_view collected_by{};  ///< ncu's option; empty where an empty cell says something of the module
  std::string_view quantity{};      ///< whose absence explains that of the column (metrics/quantities.h)
  std::optional<double> (*number)(const MeasuredKernels& kernels) = nullptr;
  std::string_view (*text)(const MeasuredKernels& kernels) = nullptr;
};

constexpr int kOfMegabytes = 2;
constexpr std::string_view kTables = "--section MemoryWorkloadAnalysis_Tables";

template <Figure figure>
std::optional<double> total_of(const MeasuredKernels& kernels) {
  return kernels.total(figure);
}

constexpr std::array kModuleColumns = {
    CounterColumn{.title = "Measured",
                  .unit = Unit::percent,
                  .decimals = 1,
                  .number = [](const MeasuredKernels& k) { return k.matched_percent(); }},
    CounterColumn{.title = "DRAM Read",
                  .unit = Unit::bytes,
                  .decimals = kOfMegabytes,
                  .collected_by = kTables,
                  .quantity = "dram_read_bytes",
                  .number = total_of<Figure::dram_read_bytes>},
    CounterColumn{.title = "DRAM Write",
                  .unit = Unit::bytes,
                  .decimals = kOfMegabytes,
                  .collected_by = kTables,
                  .quantity = "dram_write_bytes",
                  .number = total_of<Figure::dram_write_bytes>},
    CounterColumn{.title = "L2 Read",
                  .unit = Unit::bytes,
                  .decimals = kOfMegabytes,
                  .collected_by = kTables,
                  .number = total_of<Figure::l2_read_bytes>},
    CounterColumn{.title = "L2 Write",
                  .unit = Unit::bytes,
                  .decimals = kOfMegabytes,
                  .collected_by = kTables,
                  .number = total_of<Figure::l2_write_bytes>},
    CounterColumn{.title = "Intensity",
                  .unit = Unit::flop_per_byte,
                  .decimals = 3,
                  .collected_by = "--set roofline",
                  .number = [](const MeasuredKernels& k) { return k.flop_per_byte(); }},
    CounterColumn{.title = "Bound",
                  .collected_by = "--section SpeedOfLight",
                  .quantity = "compute_sol",
                  .text = [](const MeasuredKernels& k) { return name_of(k.bound()); }},
    CounterColumn{.title = "Occupancy",
                  .unit = Unit::percent,
                  .decimals = 1,
                  .collected_by = "--section Occupancy",
                  .quantity = "achieved_occupancy",
                  .number = [](const MeasuredKernels& k) { return k.mean(Figure::achieved_occupancy); }},
};

bool has_cell(const CounterColumn& column, const MeasuredKernels& kernels) {
  return column.number != nullptr ? column.number(kernels).has_value() : !column.text(kernels).empty();
}

void add_texts(Table& table, const CounterColumn& column, const std::vector<MeasuredKernels>& lines) {
  auto& texts = table.texts(std::string(column.title));
  for (const MeasuredKernels& line : lines) {
    const std::string_view text = column.text(line);
    texts.push_back(text.empty() ? std::string_view() : text);
  }
}

void add_whole_numbers(Table& table, const CounterColumn& column, const std::vector<MeasuredKernels>& lines) {
  auto& numbers = table.integers(std::string(column.title), column.unit);
  for (const MeasuredKernels& line : lines) numbers.push_back(integer_cell(column.number(line)));
}

/// Bytes as megabytes.
void add_numbers(Table& table, const CounterColumn& column, const std::vector<MeasuredKernels>& lines) {
  const bool bytes = column.unit == Unit::bytes;
  const double scale = bytes ? 1e-6 : 1;
  auto& numbers = table.reals(std::string(column.title), bytes ? Unit::megabytes : column.unit, column.decimals);
  for (const MeasuredKernels& line : lines) numbers.push_back(column.number(line).value_or(kAbsent) * scale);
}

/// Why a matched kernel lacks it: the GPU's fault where its counters do not exist there.
void explain(ColumnGap& gap, const CounterColumn& column, const KernelJoin& join) {
  gap.detail = fmt::format("ncu {}", column.collected_by);
  const auto quantity = find_quantity(column.quantity);
  if (!quantity) return;
  for (const KernelProfile& profile : join.reports->kernel_profiles) {
    const auto found = resolve(**quantity, *join.reports, profile);
    if (found || found.error().why != MissingQuantity::Why::not_on_this_gpu) continue;
    gap.why = ColumnGap::Why::not_on_this_gpu;
    gap.detail = found.error().detail;
    return;
  }
}

}  // namespace

void add_kernel_columns(Table& table, const std::vector<MeasuredKernels>& lines, bool for_people) {
  for (const CounterColumn& column : kModuleColumns) {
    const auto has = [&](const MeasuredKernels& line) { return has_cell(column, line); };
    if (for_people && std::ranges::none_of(lines, has)) continue;
    if (column.text != nullptr) {
      add_texts(table, column, lines);
    } else if (column.unit == Unit::bytes && !for_people) {
      add_whole_numbers(table, column, lines);
    } else {
      add_numbers(table, column, lines);
    }
  }
}

std::vector<ColumnGap> module_kernel_gaps(const KernelJoin& join, const ModuleKernels& kernels) {
  std::vector<ColumnGap> gaps;
  if (kernels.whole.matched == 0) return gaps;
  for (const CounterColumn& column : kModuleColumns) {
    if (column.collected_by.empty() || has_cell(column, kernels.whole)) continue;
    const auto has = [&](const MeasuredKernels& module) { return has_cell(column, module); };
    ColumnGap gap;
    gap.title = column.title;
    gap.every_row = !std::ranges::any_of(kernels.self, has) && !has(kernels.outside);
    explain(gap, column, join);
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

}  // namespace sonde
