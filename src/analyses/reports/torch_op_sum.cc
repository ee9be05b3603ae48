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

Device Self (%), Device Self Time  GPU time of the operations (kernels, copies, sets, graph launches) that were launched
                  in an operator and in no other inside it
Device Total Time  with those of all operators inside it
Device Avg        Device Total Time of one call
Host Self (%), Host Self Time  time on the host thread, less that of the operators inside it
Host Total Time, Host Avg      time on the host thread, in all and of one call
Calls             how many there were
Name              the operator

Percentages are of the sum of the column. Times inside an operator of the same name count in both. A report of Sonde's own.)",
    .data = "PyTorch operator",
    .in_default_set = false,
    .fields = torch_op_sum::fields,
    .run = torch_op_sum::run,
};

}  // namespace sonde
