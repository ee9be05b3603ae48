#include <algorithm>
#include <numeric>

#include "analyses/gpus/unified_memory.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport um_cpu_page_faults_sum_report;

namespace um_cpu_page_faults_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::page_faults}; }

void add_rows(Table& table, const Trace& trace) {
  auto& counts = table.integers("CPU Page Faults");
  auto& instructions = table.texts("CPU Instruction Address");
  Grouping<NameId> groups;
  for (Row row = 0; row < row_count(trace.page_faults); ++row) {
    if (!is_cpu_fault(trace.page_faults, row)) continue;
    const NameId instruction = trace.page_faults.instruction[row];
    const uint32_t group = groups.group_of(instruction);
    if (group == counts.size()) {
      counts.push_back(0);
      instructions.push_back(trace.name(instruction));
    }
    ++counts[group];
  }
}

/// Most faults first, then by instruction.
std::vector<Row> order_of(const Table& table) {
  const auto& counts = std::get<Column::Integers>(table.columns[0].values);
  const auto& instructions = std::get<Column::Texts>(table.columns[1].values);
  std::vector<Row> order(counts.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, [&](Row a, Row b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : instructions[a] < instructions[b];
  });
  return order;
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(um_cpu_page_faults_sum_report);
  add_rows(table, trace);
  table.select_rows(order_of(table));
  return table;
}

}  // namespace
}  // namespace um_cpu_page_faults_sum

const StatsReport um_cpu_page_faults_sum_report{
    .name = "um_cpu_page_faults_sum",
    .usage = "um_cpu_page_faults_sum",
    .title = "Unified Memory CPU Page Faults Summary",
    .description =
        R"(CPU page faults on unified memory by faulting instruction; most faults first.

CPU Page Faults          number of faults
CPU Instruction Address  symbol or address of the instruction)",
    .data = "CUDA Unified Memory CPU page faults",
    .in_default_set = true,
    .fields = um_cpu_page_faults_sum::fields,
    .run = um_cpu_page_faults_sum::run,
};

}  // namespace sonde
