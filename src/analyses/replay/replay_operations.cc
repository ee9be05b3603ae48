#include "analyses/replay/replay_operations.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/system/sort_runs.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Pages that come while a kernel runs are that kernel's: it takes no less than they do, and nothing else waits for
/// them. `operations` are in the order of their starts.
void give_pulls_to_kernels(const Gpus& gpus, std::vector<ReplayOperation>& operations) {
  std::vector<ReplayOperation*> running(gpus.gpus.size(),
                                        nullptr);  // of the kernels that have started, the last to end
  std::map<ReplayOperation*, int64_t> pulled_ns;
  std::vector<bool> given(operations.size(), false);
  for (size_t i = 0; i < operations.size(); ++i) {
    ReplayOperation& op = operations[i];
    if (!op.computes && !op.pull) continue;
    ReplayOperation*& kernel = running[gpus.of_stream[op.stream]];
    if (op.computes && (kernel == nullptr || kernel->end < op.end)) kernel = &op;
    if (!op.pull || kernel == nullptr || kernel->end < op.end) continue;
    pulled_ns[kernel] += op.changed_ns;
    given[i] = true;
  }
  for (const auto& [kernel, ns] : pulled_ns) {
    kernel->changed_ns = std::max(kernel->changed_ns, std::min(ns, kernel->end - kernel->start));
  }
  size_t index = 0;
  std::erase_if(operations, [&](const ReplayOperation&) { return given[index++]; });
}

}  // namespace

std::vector<ReplayOperation> replay_operations(const Trace& trace, const Gpus& gpus, const Collectives& collectives,
                                               Span extent, const Change& change) {
  std::map<std::pair<const GpuOps*, Row>, int64_t> resized;
  for (const Change::Resized& r : change.kernels) resized[{&trace.kernels, r.row}] = r.duration_ns;
  for (const Change::Resized& r : change.copies) resized[{&trace.copies, r.row}] = r.duration_ns;
  for (const Change::Resized& r : change.sets) resized[{&trace.sets, r.row}] = r.duration_ns;
  const std::set<Row> ahead(change.ahead.begin(), change.ahead.end());
  std::map<SideBySide::Operation, uint32_t> group_of;
  for (uint32_t group = 0; group < change.side_by_side.size(); ++group) {
    for (const SideBySide::Operation& op : change.side_by_side[group].operations) group_of[op] = group;
  }
  std::vector<ReplayOperation> operations;
  size_t most = 0;
  for_each_gpu_table(trace, [&](const GpuOps& ops) { most += row_count(ops); });
  operations.reserve(most);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const bool copies = &ops == &trace.copies;
    const bool kernels = &ops == &trace.kernels;
    for (Row row = 0; row < row_count(ops); ++row) {
      if (ops.start[row] < extent.first || ops.start[row] >= extent.second) continue;
      ReplayOperation op{&ops, row, ops.start[row], ops.end[row], ops.stream[row], ops.launch[row]};
      const auto changed = resized.find({&ops, row});
      op.changed_ns = changed == resized.end() ? op.end - op.start : changed->second;
      if (copies) op.engine = gpus.of_stream[op.stream] * 256 + trace.copies.kind[row];
      if (kernels) op.collective = collectives.of_kernel[row];
      const auto group = group_of.find({&ops, row});
      if (group != group_of.end()) op.group = group->second;
      op.computes = kernels;
      op.pull = copies && trace.copies.kind[row] == static_cast<uint8_t>(CopyKind::unified_host_to_device);
      op.ahead = copies && ahead.contains(row);
      const bool to_host = copies && trace.copies.kind[row] == static_cast<uint8_t>(CopyKind::device_to_host);
      if (op.ahead && to_host) op.behind = op.stream;
      if (op.ahead) {  // behind the trace's own: one to each GPU, one from it
        op.stream = static_cast<StreamId>(trace.streams.size()) + 2 * gpus.of_stream[op.stream] + (to_host ? 1 : 0);
      }
      operations.push_back(op);
    }
  });
  sort_runs(operations, &ReplayOperation::start);
  give_pulls_to_kernels(gpus, operations);
  return operations;
}

}  // namespace sonde
