#include "analyses/ranges/framework_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport torch_op_sum_report;

namespace torch_op_sum {
namespace {

Fields fields(const ReportArguments&) { return kFrameworkFields; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(torch_op_sum_report);
  add_framework_summary(trace, DomainKind::op, table);
  return table;
}

}  // namespace
}  // namespace torch_op_sum

const StatsReport torch_op_sum_report{
    .name = "torch_op_sum",
    .usage = "torch_op_sum",
    .title = "PyTorch Operator Summary",
    .description = R"(PyTorch operators (aten:: and others that the profiler records) on host and device, by name.

Device Self (%), Device Self Time  GPU time of the operations (kernels, copies, memsets, graph launches) that were
                  launched directly in the operator, not in a nested one
Device Total Time  the same, including all nested operators
Device Avg        Device Total Time of one call
Host Self (%), Host Self Time  time on the host thread, without that of nested operators
Host Total Time, Host Avg      time on the host thread, in total and per call
Calls             number of calls
Name              the operator

Percentages refer to the sum of the column. Time in a nested operator of the same name counts in both. This report is
specific to Sonde.)",
    .data = "PyTorch operator",
    .in_default_set = false,
    .fields = torch_op_sum::fields,
    .run = torch_op_sum::run,
};

}  // namespace sonde
