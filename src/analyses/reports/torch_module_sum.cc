#include "analyses/ranges/framework_summary.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport torch_module_sum_report;

namespace torch_module_sum {
namespace {

Fields fields(const ReportArguments&) { return kFrameworkFields; }

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(torch_module_sum_report);
  add_framework_summary(trace, DomainKind::module, table);
  return table;
}

}  // namespace
}  // namespace torch_module_sum

const StatsReport torch_module_sum_report{
    .name = "torch_module_sum",
    .usage = "torch_module_sum",
    .title = "PyTorch Module Summary",
    .description = R"(Calls of PyTorch modules (nn.Module) on host and device, by name.

Device Self (%), Device Self Time  GPU time of the operations (kernels, copies, memsets, graph launches) that were
                  launched directly in the module, not in a submodule
Device Total Time  the same, including all submodules
Device Avg        Device Total Time of one call
Host Self (%), Host Self Time  time on the host thread, without that of submodules
Host Total Time, Host Avg      time on the host thread, in total and per call
Calls             number of calls
Name              the module

Percentages refer to the sum of the column. Time in a nested module of the same name counts in both. This report is
specific to Sonde.)",
    .data = "PyTorch module",
    .in_default_set = false,
    .fields = torch_module_sum::fields,
    .run = torch_module_sum::run,
};

}  // namespace sonde
