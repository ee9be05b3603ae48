#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "analyses/kernels/kernel_bound.h"
#include "analyses/measured/busy_unit.h"
#include "findings/rule.h"
#include "trace/brief_kernel_name.h"
#include "trace/columns.h"

/// One kernel that takes most of the GPU's busy time: what makes it faster makes the run faster. Communication kernels
/// do not count: they wait for other GPUs and for links, so a measurement of them alone shows little.
namespace sonde {
namespace dominant_kernel_finding {
namespace {

/// Half of all busy time: no other kernel can matter as much.
constexpr double kMinShare = 0.5;

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
void add_measured(const Facts& facts, NameId name, Finding& finding) {
  const auto launch = measured_launch(facts, name);
  if (!launch) return;
  const auto compute = facts.kernels->quantity(*launch, "compute_sol");
  const auto memory = facts.kernels->quantity(*launch, "memory_sol");
  finding.fixable = compute && memory;
  finding.id = id_of(bound_of(compute, memory, facts.kernels->quantity(*launch, "waves")));
  finding.arguments.push_back(text_argument("file", report_of(*facts.kernels, *launch)));
  if (!compute || !memory) return;
  finding.arguments.push_back(percent_argument("compute", *compute));
  finding.arguments.push_back(percent_argument("memory", *memory));
  const KernelProfile& profile =
      facts.kernels->reports->kernel_profiles[facts.kernels->sample(*launch)->profiles.front()];
  const auto busiest = busiest_memory(*facts.kernels->reports, profile);
  const std::string_view part = busiest ? name_of(busiest->part) : std::string_view();
  finding.arguments.push_back(text_argument("part", std::string(part.empty() ? "memory" : part)));
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  struct Sum {
    int64_t ns = 0;
    int64_t count = 0;
  };
  std::map<NameId, Sum> by_name;
  const int64_t busy = facts.judged_busy_ns();
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    by_name[k.name[row]].ns += facts.shares.kernels[row];
    ++by_name[k.name[row]].count;
  }
  const auto top = std::ranges::max_element(by_name, {}, [](const auto& named) { return named.second.ns; });
  if (top == by_name.end() || static_cast<double>(top->second.ns) < kMinShare * static_cast<double>(busy)) return;
  if (facts.percent_of_wall(facts.per_gpu(top->second.ns)) < kWorthPercent) return;
  const double percent = 100 * static_cast<double>(top->second.ns) / static_cast<double>(busy);
  diagnosis.findings.push_back(
      {.id = "dominant_kernel",
       .arguments = {percent_argument("share", percent), count_argument("count", top->second.count),
                     text_argument("kernel", brief_kernel_name(facts.trace.name(top->first)))},
       .ceiling_ns = facts.per_gpu(top->second.ns),
       .reachable = false,
       .fixable = false,
       .evidence = {}});
  add_measured(facts, top->first, diagnosis.findings.back());
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"dominant_kernel.says", "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches."},
    {"dominant_kernel.do",
     "Measure this kernel first: sonde study -- PROGRAM, or ncu --set full -k NAME -c 3 and then sonde kernel."},
    {"dominant_kernel_memory.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Measured: compute at {compute} of "
     "its peak, memory at {memory}. It is limited by {part}."},
    {"dominant_kernel_memory.do",
     "Move fewer bytes: fuse it with neighboring kernels, use a lower precision, or reuse data in shared memory and "
     "registers. sonde kernel {file} shows which level of memory limits it."},
    {"dominant_kernel_compute.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Measured: compute at {compute} of "
     "its peak, memory at {memory}. The compute units limit it."},
    {"dominant_kernel_compute.do",
     "Compute less, or use faster units: tensor cores, a lower precision, a library's kernel, or a better algorithm. "
     "sonde kernel {file} shows which pipelines are busy."},
    {"dominant_kernel_balanced.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Measured: compute at {compute} of "
     "its peak, memory at {memory}. The two are about equal."},
    {"dominant_kernel_balanced.do",
     "Reduce both arithmetic and bytes: a lower precision, fusion, or a better algorithm. sonde kernel {file} shows "
     "which units are busy."},
    {"dominant_kernel_latency.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Measured: compute at {compute} of "
     "its peak, memory at {memory}. Neither is busy; its warps stall."},
    {"dominant_kernel_latency.do",
     "Give each SM more to do while warps stall: more warps (occupancy), more independent work per thread, fewer "
     "barriers. sonde kernel {file} shows the occupancy limiters and the warp stall reasons."},
    {"dominant_kernel_small_grid.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Measured: compute at {compute} of "
     "its peak, memory at {memory}. Its grid is too small to fill the GPU."},
    {"dominant_kernel_small_grid.do",
     "Launch more blocks: a larger batch, smaller tiles, or split sums. Or run other kernels in parallel. sonde kernel "
     "{file} shows its launch."},
    {"dominant_kernel_measured.says",
     "One kernel takes {share} of the GPU's busy time: {kernel}, {count} launches. Its measurement does not show how "
     "busy compute and memory are."},
    {"dominant_kernel_measured.do",
     "sonde kernel {file} shows what was measured. To find its limit: sonde study -- PROGRAM, or sonde record "
     "--section SpeedOfLight -- PROGRAM."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"dominant_kernel", "dominant_kernel_memory", "dominant_kernel_compute", "dominant_kernel_balanced",
              "dominant_kernel_latency", "dominant_kernel_small_grid", "dominant_kernel_measured"},
      .reports = "One kernel that computes takes most of the busy time. If kernel reports given with the timeline "
                 "contain it, the "
                 "finding names the limit of its longest measured launch ([how](kernel_views.md)). `_measured`: the "
                 "reports do "
                 "not show the limit.",
      .when = fmt::format("The kernel takes at least {:g} % of the busy time.", 100 * kMinShare),
      .not_when = "Communication kernels do not count.",
      .ceiling = "The kernel's time: a bound that no fix reaches.",
      .evidence = {}}};
}

}  // namespace
}  // namespace dominant_kernel_finding

extern const Rule dominant_kernel_rule;
const Rule dominant_kernel_rule{.name = "dominant_kernel",
                                .description = "one kernel takes most of the busy time",
                                .fields = kGpuWork | Fields{Field::streams, Field::kernel_resources},
                                .checks = {Check::past_warm_up, Check::kernels_traced},
                                .judge = &dominant_kernel_finding::judge,
                                .texts = dominant_kernel_finding::kTexts,
                                .docs = &dominant_kernel_finding::docs,
                                .saves = Saves::gpu_work};

}  // namespace sonde
