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

Device Self (%), Device Self Time  GPU time of the operations (kernels, copies, sets, graph launches) that were launched
                  in a module and in no other inside it
Device Total Time  with those of all modules inside it
Device Avg        Device Total Time of one call
Host Self (%), Host Self Time  time on the host thread, less that of the modules inside it
Host Total Time, Host Avg      time on the host thread, in all and of one call
Calls             how many there were
Name              the module

Percentages are of the sum of the column. Times inside a module of the same name count in both. A report of Sonde's own.)",
    .data = "PyTorch module",
    .in_default_set = false,
    .fields = torch_module_sum::fields,
    .run = torch_module_sum::run,
};

}  // namespace sonde
