#include <algorithm>
#include <map>

#include "findings/rule.h"
#include "trace/columns.h"

/// GPUs that do the same kind of work, and one has more of it: the run takes as long as that one. Where GPUs meet in
/// collectives, the straggler says it. The ceiling is what the busiest GPU has more than the mean: an even share.
namespace sonde {
namespace {

constexpr double kLeastPercent = 2;
/// GPUs do the same when so much of their time goes to kernels of the same names.
constexpr double kLeastAlike = 0.8;
/// Below this the host sets the pace, not the GPU.
constexpr double kLeastBusy = 0.5;

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
    return shared_part(of_gpu.front(), gpu) >= kLeastAlike && shared_part(gpu, of_gpu.front()) >= kLeastAlike;
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
  if (static_cast<double>(*most) < kLeastBusy * static_cast<double>(facts.wall_ns())) return;
  if (facts.percent_of_wall(ceiling) < kLeastPercent) return;
  const auto place = [&](auto gpu) { return facts.gpus.gpus[static_cast<size_t>(gpu - busy.begin())].place; };
  diagnosis.findings.push_back({.id = "gpu_imbalance",
                                .arguments = {{"most", Unit::none, 0, place(most)},
                                              {"most_busy", Unit::nanoseconds, static_cast<double>(*most), {}},
                                              {"least", Unit::none, 0, place(least)},
                                              {"least_busy", Unit::nanoseconds, static_cast<double>(*least), {}}},
                                .ceiling_ns = ceiling,
                                .evidence = {}});
}

}  // namespace

extern const Rule gpu_imbalance_rule;
const Rule gpu_imbalance_rule{"gpu_imbalance",
                              "GPUs that do the same work, and one of them more of it",
                              kGpuWork | Fields{Field::streams, Field::kernel_resources},
                              {Check::records_complete, Check::past_warm_up, Check::ranks_complete},
                              &judge};

}  // namespace sonde
