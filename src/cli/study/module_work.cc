#include "cli/study/module_work.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyses/kernels/launch_occupancy.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde::study {
namespace {

constexpr double kPercent = 100;

/// Of the GPU while the launch runs.
std::optional<double> headroom_of(const Trace& trace, Row kernel) {
  const auto found = occupancy_of_row(trace, kernel);
  if (!found) return std::nullopt;
  double used = found->occupancy.percent / kPercent;
  if (found->waves) used *= std::min(found->waves->count, 1 - found->waves->tail_percent.value_or(0) / kPercent);
  return std::clamp(1 - used, 0.0, 1.0);
}

bool is_in_graph(const std::vector<int64_t>& graph_nodes, Row row) {
  return row < graph_nodes.size() && graph_nodes[row] != kUnknown;
}

/// As the injected library leaves them out.
bool waits_for_others(const Trace& trace, Row kernel) {
  const std::string_view name = short_kernel_name(trace.name(trace.kernels.name[kernel]));
  return name.starts_with("nccl") || name.starts_with("nvshmem");
}

class Summer {
 public:
  Summer(const Trace& trace, const ModuleTree& tree) : trace_(trace), tree_(tree) {
    work_.self.resize(tree.modules.size());
  }

  ModuleWork sum() {
    for (Row row = 0; row < row_count(trace_.kernels); ++row) {
      owner(trace_.kernels, row) += work_of_kernel(trace_, tree_, row);
    }
    add_memory(trace_.copies, tree_.shares.copies);
    add_memory(trace_.sets, tree_.shares.sets);
    for (Row row = 0; row < row_count(trace_.copies); ++row) {
      if (trace_.copies.bytes[row] != kUnknown) owner(trace_.copies, row).copied_bytes += trace_.copies.bytes[row];
    }
    for (Row row = 0; row < row_count(trace_.graph_launches); ++row) {
      owner(trace_.graph_launches, row).graph_ns += static_cast<double>(tree_.shares.graph_launches[row]);
    }
    add_up();
    return std::move(work_);
  }

 private:
  Work& owner(const GpuOps& ops, Row row) {
    const uint32_t module = module_of(tree_, ops.launch[row]);
    return module == kNone ? work_.outside : work_.self[module];
  }

  template <typename Operations>
  void add_memory(const Operations& operations, const Longs& shares) {
    for (Row row = 0; row < row_count(operations); ++row) {
      Work& work = owner(operations, row);
      (is_in_graph(operations.graph_node, row) ? work.graph_ns : work.memory_ns) += static_cast<double>(shares[row]);
    }
  }

  void add_up() {
    work_.total = work_.self;
    work_.whole = work_.outside;
    for (size_t m = work_.total.size(); m-- > 0;) {
      const uint32_t parent = tree_.modules[m].parent;
      (parent == kNone ? work_.whole : work_.total[parent]) += work_.total[m];
    }
  }

  const Trace& trace_;
  const ModuleTree& tree_;
  ModuleWork work_;
};

/// Domains of calls that `sonde record` itself notes: no range is pushed for them.
bool is_of_library_calls(std::string_view domain) {
  constexpr std::array<std::string_view, 5> kDomains = {"cuBLAS", "cuDNN", "cuSPARSE", "cuSOLVER", "NCCL"};
  return std::ranges::find(kDomains, domain) != kDomains.end();
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  kernel_ns += other.kernel_ns;
  kernels += other.kernels;
  waiting_ns += other.waiting_ns;
  graph_ns += other.graph_ns;
  memory_ns += other.memory_ns;
  copied_bytes += other.copied_bytes;
  headroom_ns += other.headroom_ns;
  with_headroom_ns += other.with_headroom_ns;
  return *this;
}

std::optional<double> Work::headroom() const {
  return with_headroom_ns > 0 ? std::optional(headroom_ns / with_headroom_ns) : std::nullopt;
}

double Work::weight() const { return (2 * kernel_ns - with_headroom_ns + headroom_ns) / 2; }

Work work_of_kernel(const Trace& trace, const ModuleTree& tree, Row kernel) {
  const auto ns = static_cast<double>(tree.shares.kernels[kernel]);
  Work work;
  if (is_in_graph(trace.kernels.graph_node, kernel)) {
    work.graph_ns = ns;
    return work;
  }
  if (waits_for_others(trace, kernel)) {
    work.waiting_ns = ns;
    return work;
  }
  work.kernels = 1;
  work.kernel_ns = ns;
  if (const auto headroom = headroom_of(trace, kernel)) {
    work.with_headroom_ns = ns;
    work.headroom_ns = ns * *headroom;
  }
  return work;
}

ModuleWork module_work(const Trace& trace, const ModuleTree& tree) { return Summer(trace, tree).sum(); }

ModuleTree study_modules(const Trace& trace) {
  ModuleChoice choice;
  choice.chosen = [&](Row range) {
    const Domain& domain = trace.domains[trace.ranges.domain[range]];
    return domain.kind != DomainKind::python && !is_of_library_calls(trace.name(domain.name));
  };
  return module_tree(trace, choice);
}

}  // namespace sonde::study
