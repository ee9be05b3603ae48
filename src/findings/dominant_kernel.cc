#include <algorithm>
#include <map>

#include "findings/rule.h"
#include "trace/columns.h"

/// One kernel that takes most of the GPU's busy time: what it does better, the run does. Kernels that communicate wait
/// for other GPUs and for links: measuring them alone tells little.
namespace sonde {
namespace {

/// Half of all busy time: no other kernel can matter as much.
constexpr double kLeastShare = 0.5;

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  struct Sum {
    int64_t ns = 0;
    int64_t count = 0;
  };
  std::map<NameId, Sum> by_name;
  int64_t busy = 0;
  for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
    const Longs& shares = facts.shares.of(facts.trace, ops);
    for (Row row = 0; row < row_count(ops); ++row) busy += facts.judged(ops.start[row]) ? shares[row] : 0;
  });
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    by_name[k.name[row]].ns += facts.shares.kernels[row];
    ++by_name[k.name[row]].count;
  }
  const auto top = std::ranges::max_element(by_name, {}, [](const auto& named) { return named.second.ns; });
  if (top == by_name.end() || static_cast<double>(top->second.ns) < kLeastShare * static_cast<double>(busy)) return;
  if (facts.percent_of_wall(facts.per_gpu(top->second.ns)) < kWorthPercent) return;
  const double percent = 100 * static_cast<double>(top->second.ns) / static_cast<double>(busy);
  diagnosis.findings.push_back({.id = "dominant_kernel",
                                .arguments = {{"share", Unit::percent, percent, {}},
                                              {"count", Unit::none, static_cast<double>(top->second.count), {}},
                                              {"kernel", Unit::none, 0, std::string(facts.trace.name(top->first))}},
                                .ceiling_ns = facts.per_gpu(top->second.ns),
                                .reachable = false,
                                .evidence = {}});
}

}  // namespace

extern const Rule dominant_kernel_rule;
const Rule dominant_kernel_rule{"dominant_kernel",
                                "one kernel takes most of the busy time",
                                kGpuWork | Fields{Field::streams, Field::kernel_resources},
                                {Check::past_warm_up, Check::kernels_traced},
                                &judge};

}  // namespace sonde
