#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "findings/rule.h"
#include "trace/columns.h"

/// GPUs that do the same kind of work, and one has more of it: the run takes as long as that GPU. If GPUs meet in
/// collectives, the straggler reports it. The ceiling is the busiest GPU's busy time less the mean, which is an even
/// share.
namespace sonde {
namespace gpu_imbalance_finding {
namespace {

constexpr double kMinPercent = 2;
/// GPUs do the same when so much of their time goes to kernels of the same names.
constexpr double kMinAlike = 0.8;
/// Below this the host sets the pace, not the GPU.
constexpr double kMinBusy = 0.5;

/// Time by name of the kernels that a GPU computes with.
using TimeByName = std::map<NameId, int64_t>;

std::vector<TimeByName> kernels_of_gpus(const Facts& facts) {
  const Kernels& k = facts.trace.kernels;
  std::vector<TimeByName> of_gpu(facts.gpus.gpus.size());
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    of_gpu[facts.gpus.of_stream[k.stream[row]]][k.name[row]] += facts.shares.kernels[row];
  }
  return of_gpu;
}

/// The part of `a`'s time that goes to kernels that `b` runs too.
double shared_part(const TimeByName& a, const TimeByName& b) {
  int64_t shared = 0;
  int64_t all = 0;
  for (const auto& [name, ns] : a) {
    all += ns;
    if (b.contains(name)) shared += ns;
  }
  return all > 0 ? static_cast<double>(shared) / static_cast<double>(all) : 0;
}

bool all_alike(const std::vector<TimeByName>& of_gpu) {
  return std::ranges::all_of(of_gpu, [&](const TimeByName& gpu) {
    return shared_part(of_gpu.front(), gpu) >= kMinAlike && shared_part(gpu, of_gpu.front()) >= kMinAlike;
  });
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const bool meet = std::ranges::any_of(facts.communication, [](auto kind) { return kind != CommunicationKind::none; });
  if (facts.gpus.gpus.size() < 2 || meet || !all_alike(kernels_of_gpus(facts))) return;
  const std::vector<int64_t> busy = own_work_ns(facts.activity, facts.extent);
  const auto most = std::ranges::max_element(busy);
  const auto least = std::ranges::min_element(busy);
  int64_t sum = 0;
  for (const int64_t ns : busy) sum += ns;
  const int64_t ceiling = *most - facts.per_gpu(sum);
  if (static_cast<double>(*most) < kMinBusy * static_cast<double>(facts.wall_ns())) return;
  if (facts.percent_of_wall(ceiling) < kMinPercent) return;
  const auto place = [&](auto gpu) { return facts.gpus.gpus[static_cast<size_t>(gpu - busy.begin())].place; };
  diagnosis.findings.push_back(
      {.id = "gpu_imbalance",
       .arguments = {text_argument("most", place(most)), duration_argument("most_busy", *most),
                     text_argument("least", place(least)), duration_argument("least_busy", *least)},
       .ceiling_ns = ceiling,
       .evidence = {}});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"gpu_imbalance.says",
     "The GPUs have unequal shares of the same work: {most} is busy for {most_busy}, {least} for {least_busy}."},
    {"gpu_imbalance.do",
     "Divide the work by what it takes, not by count (sequence lengths, image sizes), or let each GPU take the next "
     "part when it finishes one."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"gpu_imbalance"},
      .reports = "GPUs run the same kernels, and one has more of them.",
      .when = fmt::format(
          "The GPUs spend at least {:g} % of their kernel time in kernels of the same names. The busiest GPU is "
          "busy for at least {:g} % of the judged time.",
          100 * kMinAlike, 100 * kMinBusy),
      .not_when = "GPUs that meet in collectives are the straggler's.",
      .ceiling = "The busy time of the busiest GPU less the mean of all GPUs.",
      .evidence = {},
      .min_percent = kMinPercent}};
}

}  // namespace
}  // namespace gpu_imbalance_finding

extern const Rule gpu_imbalance_rule;
const Rule gpu_imbalance_rule{.name = "gpu_imbalance",
                              .description = "GPUs with unequal shares of the same work",
                              .fields = kGpuWork | Fields{Field::streams, Field::kernel_resources},
                              .checks = {Check::records_complete, Check::past_warm_up, Check::ranks_complete},
                              .judge = &gpu_imbalance_finding::judge,
                              .texts = gpu_imbalance_finding::kTexts,
                              .docs = &gpu_imbalance_finding::docs};

}  // namespace sonde
