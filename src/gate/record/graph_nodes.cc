#include <algorithm>

#include "gate/record/run_part.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

int64_t nodes_of(const RunPart& part, const GpuOps& ops, const Longs& node) {
  int64_t nodes = 0;
  for (Row row = 0; row < node.size(); ++row) {
    if (node[row] != kUnknown && part.holds(part.launched_at(ops, row))) ++nodes;
  }
  return nodes;
}

/// Whether the recording holds the program's calls, and none of them launches a graph.
bool launches_no_graph(const Trace& trace) {
  if (trace.api.name.empty() || !trace.graph_launches.start.empty()) return false;
  std::vector<bool> used(trace.names.size(), false);
  for (const NameId name : trace.api.name) used[name] = true;
  for (NameId name = 0; name < used.size(); ++name) {
    if (used[name] && trace.name(name).contains("GraphLaunch")) return false;
  }
  return true;
}

}  // namespace

std::optional<int64_t> graph_nodes(const RunPart& part) {
  const Trace& t = part.trace;
  const int64_t nodes = nodes_of(part, t.kernels, t.kernels.graph_node) +
                        nodes_of(part, t.copies, t.copies.graph_node) + nodes_of(part, t.sets, t.sets.graph_node);
  const int64_t steps = std::max<int64_t>(part.steps, 1);
  if (nodes > 0) return (nodes + steps / 2) / steps;
  return launches_no_graph(t) ? std::optional<int64_t>(0) : std::nullopt;
}

}  // namespace sonde::gate
