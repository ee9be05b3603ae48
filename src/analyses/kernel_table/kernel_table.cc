#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernels/launch_occupancy.h"
#include "base/text/suggest.h"
#include "metrics/catalogue.h"
#include "metrics/metric_name.h"
#include "metrics/quantities.h"

namespace sonde {

#define SONDE_KERNEL_COLUMN(name) extern const KernelColumn name##_column;
#include "analyses/kernel_table/kernel_columns.inc"
#undef SONDE_KERNEL_COLUMN

namespace {

const std::array kTableColumns = {
#define SONDE_KERNEL_COLUMN(name) name##_column,
#include "analyses/kernel_table/kernel_columns.inc"
#undef SONDE_KERNEL_COLUMN
};

using NumberOf = std::function<std::optional<double>(const KernelLaunch&)>;

std::optional<double> summed(const KernelGroup& group, const NumberOf& number) {
  double sum = 0;
  for (const KernelLaunch& launch : group.launches) {
    const auto value = number(launch);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<double> averaged(const KernelGroup& group, const NumberOf& number) {
  if (group.launches.size() == 1) return number(group.launches.front());
  double sum = 0;
  double weights = 0;
  for (const KernelLaunch& launch : group.launches) {
    const double weight = launch.duration_ns().value_or(0);
    const auto value = weight > 0 ? number(launch) : std::nullopt;
    if (!value) continue;
    sum += *value * weight;
    weights += weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

std::optional<double> combined(const KernelGroup& group, Combine combine, const NumberOf& number) {
  switch (combine) {
    case Combine::sum: return summed(group, number);
    case Combine::mean_by_time: return averaged(group, number);
    case Combine::of_longest: return number(group.representative());
  }
  return std::nullopt;
}

/// Whole numbers where they are whole, so that bytes and launches are not printed with a point.
void add_numbers(Table& table, const KernelColumn& column, const std::vector<std::optional<double>>& numbers) {
  if (column.decimals == 0) {
    auto& values = table.integers(std::string(column.title), column.unit);
    for (const auto& n : numbers) values.push_back(n ? std::llround(*n) : kUnknown);
  } else {
    auto& values = table.reals(std::string(column.title), column.unit, column.decimals);
    for (const auto& n : numbers) values.push_back(n.value_or(kAbsent));
  }
}

void add_texts(Table& table, const KernelColumn& column, const std::vector<KernelGroup>& groups) {
  auto& values = table.texts(std::string(column.title));
  for (const KernelGroup& group : groups) {
    std::string text = column.text(group.representative());
    values.push_back(text.empty() ? std::string_view() : table.keep(std::move(text)));
  }
}

void add_column(Table& table, const KernelColumn& column, const std::vector<KernelGroup>& groups, double total_ns) {
  if (column.text != nullptr) {
    add_texts(table, column, groups);
    return;
  }
  std::vector<std::optional<double>> numbers;
  numbers.reserve(groups.size());
  for (const KernelGroup& group : groups) {
    numbers.push_back(column.of_group != nullptr ? column.of_group(group, total_ns)
                                                 : combined(group, column.combine, column.number));
  }
  add_numbers(table, column, numbers);
}

/// How a value in one of ncu's units is shown and combined.
struct Shown {
  Unit unit;
  int decimals;
  double factor;
  Combine combine;
};

Shown shown_as(std::string_view unit, std::string_view rollup) {
  constexpr double kMega = 1e-6;
  if (unit == "%") return {Unit::percent, 1, 1, Combine::mean_by_time};
  if (unit == "byte/s") return {Unit::megabytes_per_second, 1, kMega, Combine::mean_by_time};
  const bool amount = rollup == "sum" || rollup.empty();
  if (unit == "byte") return {Unit::bytes, 0, 1, amount ? Combine::sum : Combine::mean_by_time};
  if (unit == "ns") return {Unit::nanoseconds, 0, 1, amount ? Combine::sum : Combine::mean_by_time};
  if (unit == "inst" || unit == "sector" || unit == "request") {
    return {Unit::none, amount ? 0 : 2, 1, amount ? Combine::sum : Combine::mean_by_time};
  }
  return {Unit::none, 2, 1, Combine::mean_by_time};
}

/// A column that no row describes: of a quantity or a metric, with its unit in the header.
void add_values(Table& table, std::string_view title, std::string_view unit, std::string_view rollup,
                const NumberOf& number, const std::vector<KernelGroup>& groups) {
  const Shown shown = shown_as(unit, rollup);
  const bool in_header = shown.unit == Unit::none && !unit.empty();
  const std::string header = in_header ? fmt::format("{} ({})", title, unit) : std::string(title);
  const KernelColumn column{
      .name = title, .title = header, .description = {}, .unit = shown.unit, .decimals = shown.decimals};
  std::vector<std::optional<double>> numbers;
  for (const KernelGroup& group : groups) {
    const auto value = combined(group, shown.combine, number);
    numbers.push_back(value ? std::optional(*value * shown.factor) : std::nullopt);
  }
  add_numbers(table, column, numbers);
}

void add_quantity(Table& table, std::string_view title, const Quantity& quantity,
                  const std::vector<KernelGroup>& groups) {
  const auto number = [&](const KernelLaunch& launch) -> std::optional<double> {
    if (launch.profile == nullptr) return std::nullopt;
    const auto found = resolve(quantity, *launch.trace, *launch.profile);
    return found ? std::optional(found->value) : std::nullopt;
  };
  // A quantity per instruction is a ratio, whatever its unit.
  const bool ratio = quantity.name.starts_with("stall_");
  add_values(table, title, quantity.unit, ratio ? "ratio" : "", number, groups);
}

/// The metric's unit; requests to L1 are counted like those to L2, although ncu prints no unit for them.
std::string unit_of_column(std::string_view name) {
  const std::string unit = unit_of_metric(name);
  const MetricName parts = split_metric_name(name);
  const bool requests = unit.empty() && parts.submetric.empty() && parts.counter.contains("_requests");
  return requests ? "request" : unit;
}

void add_metric(Table& table, std::string_view name, const std::vector<KernelGroup>& groups) {
  const auto number = [&](const KernelLaunch& launch) -> std::optional<double> {
    return launch.profile == nullptr ? std::nullopt : metric_number(*launch.trace, *launch.profile, name);
  };
  add_values(table, name, unit_of_column(name), split_metric_name(name).rollup, number, groups);
}

Error unknown_column(std::string_view name) {
  std::vector<std::string_view> known;
  for (const KernelColumn& column : kTableColumns) known.push_back(column.name);
  for (const Quantity& quantity : quantities()) known.push_back(quantity.name);
  return {
      fmt::format("unknown column '{}'{}; `sonde kernels --list-columns` lists the columns, and metrics of the report "
                  "can be used by name",
                  name, did_you_mean(name, known))};
}

Status add_named(Table& table, std::string_view name, const Trace& trace, const std::vector<KernelGroup>& groups,
                 double total_ns) {
  const auto* const column = std::ranges::find(kTableColumns, name, &KernelColumn::name);
  if (column != kTableColumns.end()) {
    add_column(table, *column, groups, total_ns);
  } else if (const auto quantity = find_quantity(name)) {
    add_quantity(table, name, **quantity, groups);
  } else if (trace.names.find(name) != kNone || describe_metric(name)) {
    add_metric(table, name, groups);
  } else {
    return std::unexpected(unknown_column(name));
  }
  return {};
}

}  // namespace

std::span<const KernelColumn> kernel_columns() { return kTableColumns; }

std::vector<std::string> default_kernel_columns(bool measured) {
  if (measured) {
    return {"id",      "time_share", "total_time", "launches", "compute", "memory", "bound",  "occupancy", "achieved",
            "limiter", "dram_read",  "dram_write", "l2_hit",   "l1_hit",  "stall",  "advice", "name"};
  }
  return {"id",           "time_share", "total_time", "launches", "average_time", "occupancy", "limiter",
          "waves_per_sm", "tail",       "registers",  "shared",   "grid",         "block",     "name"};
}

Fields kernel_column_fields() {
  return launch_occupancy_fields() |
         Fields{Field::kernel_profiles, Field::metric_instances, Field::kernels, Field::kernel_grid};
}

Result<Table> kernel_table(const Trace& trace, const std::vector<KernelGroup>& groups,
                           const std::vector<std::string>& columns) {
  double total_ns = 0;
  for (const KernelGroup& group : groups) total_ns += group.duration_ns;
  Table table;
  table.name = "kernels";
  table.title = "Kernels";
  for (const std::string& name : columns) SONDE_TRY(add_named(table, name, trace, groups, total_ns));
  return table;
}

}  // namespace sonde
