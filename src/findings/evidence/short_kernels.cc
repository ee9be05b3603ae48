#include "findings/evidence/short_kernels.h"

#include <algorithm>

#include "analyses/calls/launching_calls.h"
#include "trace/columns.h"

namespace sonde {
namespace {

Ids launch_numbers_of(const Facts& facts) {
  const Calls& api = facts.trace.api;
  const size_t threads = facts.trace.threads.size();
  const std::vector<bool> launches = launching_calls(facts.trace);
  Ids numbers(row_count(api), 0);
  Ids next(threads + 1, 0);  // by thread; the last of threads that the file does not name
  for (Row row = 0; row < row_count(api); ++row) {
    if (!launches[row] && facts.api_kinds[row] != ApiKind::synchronize) continue;
    numbers[row] = next[std::min<size_t>(api.thread[row], threads)]++;
  }
  return numbers;
}

int64_t fused_ns(const Kernels& k, const KernelRun& run) {
  int64_t empty = kMaxEmptyKernelNs;
  for (const Row row : run.kernels) empty = std::min(empty, k.end[row] - k.start[row]);
  int64_t fused = empty;
  for (const Row row : run.kernels) fused += k.end[row] - k.start[row] - empty;
  return fused;
}

}  // namespace

ShortKernels::ShortKernels(const Facts& facts)
    : facts_(facts),
      breaks_({&facts.trace.copies, &facts.trace.sets, &facts.trace.graph_launches}),
      number_(launch_numbers_of(facts)),
      launched_(row_count(facts.trace.api), 0) {
  for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
    for (const Row launch : ops.launch) {
      if (launch != kNone) ++launched_[launch];
    }
  });
}

bool ShortKernels::is_short(Row row) const {
  const Kernels& k = facts_.trace.kernels;
  const Row launch = k.launch[row];
  return launch != kNone && facts_.api_kinds[launch] == ApiKind::launch && launched_[launch] == 1 &&
         k.end[row] - k.start[row] <= kShortKernelNs;
}

bool ShortKernels::directly_follows(Row before, Row row) const {
  const Kernels& k = facts_.trace.kernels;
  const Calls& api = facts_.trace.api;
  const Row launch = k.launch[row];
  const Row launch_before = k.launch[before];
  if (launch == kNone || launch_before == kNone) return false;
  return api.thread[launch] == api.thread[launch_before] && number_[launch] == number_[launch_before] + 1 &&
         api.end[launch_before] <= api.start[launch] &&
         !breaks_.any_between(k.stream[row], k.start[before], k.start[row]);
}

Change fused(const Trace& trace, const std::vector<KernelRun>& runs) {
  const Kernels& k = trace.kernels;
  Change change;
  for (const KernelRun& run : runs) {
    const Row first = k.launch[run.kernels.front()];
    const Row last = k.launch[run.kernels.back()];
    change.cuts.push_back({trace.api.thread[first], trace.api.end[first], trace.api.end[last]});
    change.kernels.push_back({run.kernels.front(), fused_ns(k, run)});
  }
  return change;
}

}  // namespace sonde
