#include <set>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Kernels with fewer blocks than the GPU has SMs: the others do nothing. In the ceiling such a kernel's work is spread
/// over all SMs. Kernels that others could run beside are left to serialized_streams.
namespace sonde {
namespace {

/// Up to this a kernel only starts and ends, whatever its grid.
constexpr int64_t kShortNs = 3'000;

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  std::vector<int64_t> sms_of_stream;  // 0 where not known
  for (StreamId stream = 0; stream < facts.trace.streams.size(); ++stream) {
    const auto limits = limits_of_stream(facts.trace, stream);
    sms_of_stream.push_back(limits ? limits->sm_count.value_or(0) : 0);
  }
  const std::set<Row> others(diagnosis.claims.side_by_side.begin(), diagnosis.claims.side_by_side.end());
  FasterKernels faster;
  for (Row row = 0; row < row_count(k); ++row) {
    const int64_t duration = k.end[row] - k.start[row];
    if (!facts.judged(k.start[row]) || duration <= kShortNs || facts.communication[row] != CommunicationKind::none)
      continue;
    const auto blocks = grid_blocks_of_row(facts.trace, row);
    const int64_t sms = sms_of_stream[k.stream[row]];
    if (!blocks || *blocks >= sms || others.contains(row)) continue;
    faster.add(facts, row, duration * *blocks / sms);
  }
  add_faster_kernels(facts, "small_grid", faster, {}, diagnosis);
}

}  // namespace

extern const Rule small_grid_rule;
const Rule small_grid_rule{"small_grid", "kernels with fewer blocks than the GPU has SMs",
                           kFasterKernelsFields | launch_occupancy_fields(), kFasterKernelsChecks, &judge};

}  // namespace sonde
