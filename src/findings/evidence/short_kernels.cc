#include "findings/evidence/short_kernels.h"

#include <algorithm>

#include "analyses/calls/launching_calls.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Up to this a kernel is short: as long as putting the next one on the stream takes (5 us of host time an operator,
/// and more in Python).
constexpr int64_t kShortNs = 10'000;
/// What a kernel without work takes as CUPTI records it, some 1 to 2 us on the GPUs of today: taken from the run as the
/// shortest kernel in it, and as no more than this.
constexpr int64_t kMostForNothingNs = 1'700;

Longs numbers_of(const Facts& facts) {
  const Calls& api = facts.trace.api;
  const std::vector<bool> launches = launching_calls(facts.trace);
  Longs numbers(row_count(api), 0);
  std::map<ThreadId, int64_t> next;
  for (Row row = 0; row < row_count(api); ++row) {
    if (launches[row] || facts.api_kinds[row] == ApiKind::synchronize) numbers[row] = next[api.thread[row]]++;
  }
  return numbers;
}

int64_t fused_ns(const Kernels& k, const KernelRun& run) {
  int64_t nothing = kMostForNothingNs;
  for (const Row row : run.kernels) nothing = std::min(nothing, k.end[row] - k.start[row]);
  int64_t fused = nothing;
  for (const Row row : run.kernels) fused += k.end[row] - k.start[row] - nothing;
  return fused;
}

}  // namespace

ShortKernels::ShortKernels(const Facts& facts)
    : facts_(facts),
      breaks_({&facts.trace.copies, &facts.trace.sets, &facts.trace.graph_launches}),
      number_(numbers_of(facts)) {}

bool ShortKernels::is_short(Row row) const {
  const Kernels& k = facts_.trace.kernels;
  const Row launch = k.launch[row];
  return launch != kNone && facts_.api_kinds[launch] == ApiKind::launch && k.end[row] - k.start[row] <= kShortNs;
}

bool ShortKernels::follows(Row before, Row row) const {
  if (!is_short(row)) return false;
  const Kernels& k = facts_.trace.kernels;
  const Calls& api = facts_.trace.api;
  const Row launch = k.launch[row];
  const Row launch_before = k.launch[before];
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
