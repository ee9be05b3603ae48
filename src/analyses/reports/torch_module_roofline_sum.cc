#include <algorithm>
#include <functional>

#include "analyses/modules/module_tree.h"
#include "analyses/operators/operator_sums.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport torch_module_roofline_sum_report;

namespace torch_module_roofline_sum {
namespace {

Fields fields(const ReportArguments&) { return kOperatorFields | kModuleFields; }

/// Modules are ranges that are neither operators nor Python functions.
ModuleTree modules_of(const Trace& trace) {
  return module_tree(trace, {.chosen = [&](Row range) {
                       const DomainKind kind = trace.domains[trace.ranges.domain[range]].kind;
                       return kind != DomainKind::op && kind != DomainKind::python;
                     }});
}

/// Of each module, with all modules inside it.
std::vector<OperatorSums> sums_of(const Trace& trace, const ModuleTree& tree, const OperatorCalls& operators) {
  std::vector<OperatorSums> sums(tree.modules.size());
  std::vector<bool> counted(operators.calls.size(), false);
  const Kernels& k = trace.kernels;
  for (Row row = 0; row < operators.of_kernel.size(); ++row) {
    const uint32_t call = operators.of_kernel[row];
    if (call == kNone || counted[call]) continue;
    counted[call] = true;
    const uint32_t module = tree.of_call[k.launch[row]];
    if (module != kNone) sums[module].add(operators.shapes[operators.calls[call].shape], operators.calls[call]);
  }
  for (size_t m = tree.modules.size(); m-- > 0;) {
    if (tree.modules[m].parent != kNone) sums[tree.modules[m].parent] += sums[m];
  }
  return sums;
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const ModuleTree tree = modules_of(trace);
  const std::vector<OperatorSums> sums = sums_of(trace, tree, operator_calls(trace));
  Table table = table_of(torch_module_roofline_sum_report);
  add_operator_columns(table, sums, kernel_time(trace));
  auto& levels = table.integers("Level");
  auto& names = table.texts("Module");
  std::vector<Row> with_work;
  for (Row m = 0; m < sums.size(); ++m) {
    levels.push_back(tree.modules[m].depth);
    names.push_back(table.keep(tree.modules[m].name));
    if (sums[m].calls > 0) with_work.push_back(m);
  }
  std::ranges::stable_sort(with_work, std::greater(), [&](Row m) { return sums[m].kernel_ns; });
  table.select_rows(with_work);
  return table;
}

}  // namespace
}  // namespace torch_module_roofline_sum

const StatsReport torch_module_roofline_sum_report{
    .name = "torch_module_roofline_sum",
    .usage = "torch_module_roofline_sum",
    .title = "PyTorch Module Roofline Summary",
    .description =
        R"(Modules (nn.Module calls, annotations and NVTX ranges, as in sonde modules): time of the kernels of the operators
inside, work from the shapes of their inputs, rates, and share of what the GPU can do. Needs a trace with
record_shapes=True.

)" SONDE_OPERATOR_COLUMNS R"(Level, Module     number of modules around it, and the module

Figures include all modules inside. A backward operator counts in the module of its forward operator.
docs/profiles/operators.md defines all figures. This report is specific to Sonde.)",
    .data = "PyTorch operator shape",
    .in_default_set = false,
    .fields = torch_module_roofline_sum::fields,
    .run = torch_module_roofline_sum::run,
};

}  // namespace sonde
