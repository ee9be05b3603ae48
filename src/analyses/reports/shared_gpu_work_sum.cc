#include "analyses/reports/shared_gpu_work_sum.h"

#include <functional>

#include "analyses/calls/api_groups.h"
#include "analyses/gpus/memory_operations.h"
#include "analyses/kernels/kernel_caption.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Groups of several categories on their way into one table.
struct SharedWork {
  std::vector<Distribution> figures;
  std::vector<std::string_view> categories;
  std::vector<std::string_view> operations;

  /// `text_of` gives the name of a group's key.
  template <typename Key, typename TextOf>
  void add(std::string_view category, const Groups<Key>& groups, TextOf&& text_of) {
    for (const Distribution& d : groups.distributions()) figures.push_back(d);
    for (const Key& key : groups.keys()) {
      categories.push_back(category);
      operations.push_back(text_of(key));
    }
  }
};

Groups<KernelCaption> kernels_by_name(const Trace& trace, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  Groups<KernelCaption> groups;
  for (Row row = 0; row < row_count(k); ++row) {
    groups.add(caption_of_kernel(trace, row, arguments), k.end[row] - k.start[row]);
  }
  return groups;
}

Groups<std::string_view> memory_operations_by_name(const Trace& trace) {
  Groups<std::string_view> groups;
  each_memory_operation(trace, [&](std::string_view operation, const auto& ops, Row row) {
    groups.add(operation, ops.end[row] - ops.start[row]);
  });
  return groups;
}

}  // namespace

void add_gpu_work_summary(const Trace& trace, const ReportArguments& arguments, ApiCalls api_calls, Table& table) {
  SharedWork all;
  all.add("CUDA_KERNEL", kernels_by_name(trace, arguments),
          [&](const KernelCaption& caption) { return caption_text(table, trace, caption); });
  all.add("MEMORY_OPER", memory_operations_by_name(trace), std::identity());
  if (api_calls == ApiCalls::listed) all.add("CUDA_API", api_calls_by_name(trace), std::identity());
  add_time_summary(table, all.figures, "Instances");
  table.texts("Category") = all.categories;
  table.texts("Operation") = all.operations;
  table.select_rows(order_by_total(all.figures, all.operations));
}

}  // namespace sonde
