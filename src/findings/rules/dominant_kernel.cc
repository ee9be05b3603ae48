#include <algorithm>
#include <map>

#include "analyses/kernels/kernel_bound.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// One kernel that takes most of the GPU's busy time: what it does better, the run does. Kernels that communicate wait
/// for other GPUs and for links: measuring them alone tells little.
namespace sonde {
namespace {

/// Half of all busy time: no other kernel can matter as much.
constexpr double kLeastShare = 0.5;

/// The longest judged launch of a kernel that was measured.
std::optional<Row> measured_launch(const Facts& facts, NameId name) {
  const Kernels& k = facts.trace.kernels;
  std::optional<Row> longest;
  for (Row row = 0; facts.kernels && row < row_count(k); ++row) {
    if (k.name[row] != name || !facts.judged(k.start[row]) || facts.kernels->sample(row) == nullptr) continue;
    if (!longest || k.end[row] - k.start[row] > k.end[*longest] - k.start[*longest]) longest = row;
  }
  return longest;
}

/// The name alone of the file that holds a launch's measurement.
std::string report_of(const KernelJoin& join, Row launch) {
  const KernelProfile& profile = join.reports->kernel_profiles[join.sample(launch)->profiles.front()];
  const std::string& file = join.reports->ranks[profile.rank].file;
  return file.substr(file.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view id_of(KernelBound bound) {
  switch (bound) {
    case KernelBound::compute: return "dominant_kernel_compute";
    case KernelBound::memory: return "dominant_kernel_memory";
    case KernelBound::balanced: return "dominant_kernel_balanced";
    case KernelBound::latency: return "dominant_kernel_latency";
    case KernelBound::small_grid: return "dominant_kernel_small_grid";
    case KernelBound::not_collected: return "dominant_kernel_measured";
  }
  return {};
}

/// What was measured of the kernel takes the place of the advice to measure it.
void tell_measured(const Facts& facts, NameId name, Finding& finding) {
  const auto launch = measured_launch(facts, name);
  if (!launch) return;
  const auto compute = facts.kernels->quantity(*launch, "compute_sol");
  const auto memory = facts.kernels->quantity(*launch, "memory_sol");
  finding.id = id_of(bound_of(compute, memory, facts.kernels->quantity(*launch, "waves")));
  finding.arguments.push_back({"file", Unit::none, 0, report_of(*facts.kernels, *launch)});
  if (!compute || !memory) return;
  finding.arguments.push_back({"compute", Unit::percent, *compute, {}});
  finding.arguments.push_back({"memory", Unit::percent, *memory, {}});
}

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
  tell_measured(facts, top->first, diagnosis.findings.back());
}

}  // namespace

extern const Rule dominant_kernel_rule;
const Rule dominant_kernel_rule{"dominant_kernel",
                                "one kernel takes most of the busy time",
                                kGpuWork | Fields{Field::streams, Field::kernel_resources},
                                {Check::past_warm_up, Check::kernels_traced},
                                &judge};

}  // namespace sonde
