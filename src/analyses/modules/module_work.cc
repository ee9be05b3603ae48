#include "analyses/modules/module_work.h"

#include <algorithm>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/gpus/operation_names.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Names live as long as the trace or the program, so equal ones of a table have one address.
class WorkSums {
 public:
  WorkSums(const Trace& trace, const ModuleTree& tree) : trace_(trace), tree_(tree) {}

  template <typename NameOf>
  void add(const GpuOps& ops, NameOf name_of) {
    const Longs& share = tree_.shares.of(trace_, ops);
    for (Row row = 0; row < ops.start.size(); ++row) {
      const Row call = ops.launch[row];
      const uint32_t module = call == kNone ? kNone : tree_.of_call[call];
      const std::string_view name = name_of(row);
      const auto [found, fresh] = rows_.try_emplace({module, name.data()}, work_.size());
      if (fresh) work_.push_back({.module = module, .name = name});
      ModuleWork& work = work_[found->second];
      ++work.count;
      work.device_ns += share[row];
    }
  }

  [[nodiscard]] std::vector<ModuleWork> sorted() && {
    std::ranges::sort(work_, {}, [](const ModuleWork& w) { return std::tuple(w.module, -w.device_ns, w.name); });
    return std::move(work_);
  }

 private:
  const Trace& trace_;
  const ModuleTree& tree_;
  boost::unordered_flat_map<std::pair<uint32_t, const char*>, size_t> rows_;
  std::vector<ModuleWork> work_;
};

}  // namespace

std::vector<ModuleWork> module_work(const Trace& trace, const ModuleTree& tree) {
  WorkSums sums(trace, tree);
  sums.add(trace.kernels, [&](Row row) { return trace.name(trace.kernels.name[row]); });
  sums.add(trace.copies, [&](Row row) { return copy_operation(trace.copies.kind[row]); });
  sums.add(trace.sets, [](Row) { return set_operation(); });
  sums.add(trace.graph_launches, [](Row) { return std::string_view("[CUDA graph]"); });
  return std::move(sums).sorted();
}

}  // namespace sonde
