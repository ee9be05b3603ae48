#include "report/kernel_pages/source_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/kernel_name.h"

namespace sonde {
namespace {

constexpr uint64_t kInstructionBytes = 16;  ///< since compute capability 7.0

/// Metrics that sort instructions: cells without a value are "-". The texts are those of ncu 2025; values that no
/// report at hand has stay numbers.
struct Classes {
  std::string_view metric;
  std::array<std::string_view, 5> texts;  ///< by value; empty: the number itself
  std::string_view zero;
};

constexpr std::array kClasses = {
    Classes{"memory_type", {"", "", "", "", "Global"}, "0"},
    Classes{"memory_access_type", {"", "", "Load", "", "Store"}, "0"},
    Classes{"memory_access_size_type", {}, "0"},
    Classes{"smsp__sass_inst_executed_memdesc_explicit_evict_type", {}, ""},
};

/// One column: the sum over its metrics of what each counted at an instruction.
struct SourceColumn {
  std::string_view label;
  const Classes* classes = nullptr;
  boost::unordered_flat_map<uint64_t, double> values;
};

void add_instructions(const Trace& trace, const KernelProfile& kernel, std::string_view name, SourceColumn& column) {
  const Metric* metric = find_metric(trace, kernel, name);
  if (metric == nullptr) return;
  for (const MetricInstance& part : metric->instances) {
    const auto address = part.key.exact();
    const auto value = part.value.number();
    if (address && value) column.values[*address] += *value;
  }
}

/// A group of metrics is the sum of its members, whose names are its value.
SourceColumn source_column(const Trace& trace, const KernelProfile& kernel, const SectionMetric& shown) {
  const std::string_view name = trace.name(shown.metric);
  SourceColumn column;
  column.label = shown.label == kNone ? name : trace.name(shown.label);
  const auto* const classes = std::ranges::find(kClasses, name, &Classes::metric);
  if (classes != kClasses.end()) column.classes = classes;
  if (!name.starts_with("group:")) {
    add_instructions(trace, kernel, name, column);
    return column;
  }
  const Metric* group = find_metric(trace, kernel, name);
  std::string_view members = group == nullptr ? std::string_view() : trace.name(group->value.name());
  while (!members.empty()) {
    const size_t end = std::min(members.find(','), members.size());
    add_instructions(trace, kernel, members.substr(0, end), column);
    members.remove_prefix(std::min(end + 1, members.size()));
  }
  return column;
}

std::vector<SourceColumn> source_columns(const Trace& trace, const KernelProfile& kernel) {
  std::vector<SourceColumn> columns;
  for (const uint32_t section : kernel.sections) {
    for (const SectionMetric& shown : trace.profile_sections[section].source) {
      SourceColumn column = source_column(trace, kernel, shown);
      if (!column.values.empty()) columns.push_back(std::move(column));
    }
  }
  return columns;
}

std::string class_text(const Classes& classes, double value) {
  if (value == 0) return std::string(classes.zero);
  const bool named = value > 0 && value < static_cast<double>(classes.texts.size());
  const std::string_view text = named ? classes.texts.at(static_cast<size_t>(value)) : std::string_view();
  return text.empty() ? fmt::format("{:.0f}", value) : std::string(text);
}

std::string source_cell(const SourceColumn& column, uint64_t address) {
  const auto found = column.values.find(address);
  if (column.classes != nullptr) {
    return found == column.values.end() ? "-" : class_text(*column.classes, found->second);
  }
  const double value = found == column.values.end() ? 0 : found->second;
  return fmt::format("{:.{}f}", value, value == std::trunc(value) ? 0 : 2);
}

}  // namespace

SourceRows source_rows(const KernelPage& page, const KernelProfile& kernel) {
  const Trace& trace = *page.trace;
  SourceRows source;
  if (kernel.function == kNone) return source;
  const DeviceFunction& function = trace.device_functions[kernel.function];
  source.kernel = with_spaced_pointers(trace.name(kernel.name));
  const auto columns = source_columns(trace, kernel);
  source.titles = {"Address", "Source"};
  for (const SourceColumn& column : columns) source.titles.emplace_back(column.label);
  for (uint64_t offset = 0; offset + kInstructionBytes <= function.code_bytes; offset += kInstructionBytes) {
    const uint64_t address = function.address + offset;
    std::vector<std::string> row = {fmt::format("{:#x}", address), std::string()};
    for (const SourceColumn& column : columns) row.push_back(source_cell(column, address));
    source.rows.push_back(std::move(row));
  }
  return source;
}

}  // namespace sonde
