#include <algorithm>
#include <numeric>

#include "analyses/operators/operator_sums.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport torch_op_roofline_sum_report;

namespace torch_op_roofline_sum {
namespace {

Fields fields(const ReportArguments&) { return kOperatorFields; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const OperatorCalls operators = operator_calls(trace);
  Grouping<NameId> names;
  std::vector<OperatorSums> sums;
  std::vector<OperatorKind> kinds;
  for (const OperatorShape& shape : operators.shapes) {
    const uint32_t group = names.group_of(shape.name);
    if (group == sums.size()) {
      sums.emplace_back();
      kinds.push_back(shape.work.kind);
    }
    sums[group].add(shape, shape.calls, shape.kernels, shape.kernel_ns);
  }
  Table table = table_of(torch_op_roofline_sum_report);
  add_operator_columns(table, sums, kernel_time(trace));
  auto& shown_kinds = table.texts("Kind");
  for (const OperatorKind kind : kinds) shown_kinds.push_back(kind_name(kind));
  auto& shown_names = table.texts("Name");
  for (const NameId name : names.keys()) shown_names.push_back(trace.name(name));
  std::vector<Row> order(sums.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::sort(order, {},
                    [&](Row row) { return std::tuple(-sums[row].kernel_ns, trace.name(names.keys()[row])); });
  table.select_rows(order);
  return table;
}

}  // namespace
}  // namespace torch_op_roofline_sum

const StatsReport torch_op_roofline_sum_report{
    .name = "torch_op_roofline_sum",
    .usage = "torch_op_roofline_sum",
    .title = "PyTorch Operator Roofline Summary",
    .description =
        R"(PyTorch operators by name: time of their kernels, work from the shapes of their inputs, rates, and share of what the
GPU can do. Needs a trace with record_shapes=True.

)" SONDE_OPERATOR_COLUMNS R"(Kind, Name        what the operator computes, and the operator

A kernel belongs to the innermost operator around its launch that has shapes. Averages and rates are those of the
calls with known work. docs/profiles/operators.md defines all figures. This report is specific to Sonde.)",
    .data = "PyTorch operator shape",
    .in_default_set = false,
    .fields = torch_op_roofline_sum::fields,
    .run = torch_op_roofline_sum::run,
};

}  // namespace sonde
