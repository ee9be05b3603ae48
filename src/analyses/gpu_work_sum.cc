#include "analyses/gpu_work_sum.h"

#include "analyses/call_sum.h"
#include "analyses/kernel_label.h"
#include "analyses/memory_operations.h"
#include "analyses/sum_table.h"

namespace sonde {
namespace {

/// Rows of one category on their way into one table.
struct Collected {
  std::vector<Distribution> groups;
  SumLabel categories{"Category", {}};
  SumLabel operations{"Operation", {}};

  void add(std::string_view category, std::string_view operation, const Distribution& group) {
    groups.push_back(group);
    categories.texts.push_back(category);
    operations.texts.push_back(operation);
  }
};

void collect(Collected& all, std::string_view category, const Groups<std::string_view>& groups) {
  const auto distributions = groups.distributions();
  for (size_t g = 0; g < distributions.size(); ++g) all.add(category, groups.keys()[g], distributions[g]);
}

void collect_kernels(Collected& all, const Trace& trace, const ReportArguments& arguments, Table& table) {
  const Kernels& k = trace.kernels;
  Groups<KernelName> groups;
  for (Row row = 0; row < row_count(k); ++row)
    groups.add(kernel_name(trace, row, arguments), k.end[row] - k.start[row]);
  const auto distributions = groups.distributions();
  for (size_t g = 0; g < distributions.size(); ++g) {
    all.add("CUDA_KERNEL", text_of(trace, groups.keys()[g], table), distributions[g]);
  }
}

}  // namespace

Table gpu_work_sum(const Trace& trace, const ReportArguments& arguments, bool with_api) {
  Table table;
  Collected all;
  collect_kernels(all, trace, arguments, table);
  Groups<std::string_view> memory;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    memory.add(operation, ops.end[row] - ops.start[row]);
  });
  collect(all, "MEMORY_OPER", memory);
  if (with_api) {
    Groups<std::string_view> calls;
    add_api_calls(trace, calls);
    collect(all, "CUDA_API", calls);
  }
  fill_time_sum(table, all.groups, "Instances", {std::move(all.categories), std::move(all.operations)});
  return table;
}

}  // namespace sonde
