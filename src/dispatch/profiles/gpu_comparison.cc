#include "dispatch/profiles/gpu_comparison.h"

#include "dispatch/profiles/rank_test.h"

namespace sonde::dispatch::profiles {
namespace {

constexpr size_t kLast = 30;
constexpr size_t kFewest = 10;
constexpr double kSlowRatio = 1.25;
constexpr double kStillSlowRatio = 1.15;
/// It is asked at each end of a task, for thousands of them: 3 would be passed by chance.
constexpr double kDeviations = 4;

}  // namespace

void GpuComparison::learn(const Measured& measured) {
  if (!measured.run_ns || measured.gpu_uuid.empty()) return;
  OnGpu& gpu = types_[measured.type][measured.gpu_uuid];
  gpu.name = measured.gpu_name;
  gpu.runs.push_back({.ns = *measured.run_ns, .ended_ns = measured.ended_ns});
  if (gpu.runs.size() > kLast) gpu.runs.pop_front();
}

/// Those of the same time: what is submitted changes from day to day.
std::vector<int64_t> GpuComparison::equals_of(const Gpus& gpus, const std::string& uuid, const OnGpu& own) {
  const int64_t since_ns = own.runs.front().ended_ns - own.runs.front().ns;
  std::vector<int64_t> all;
  for (const auto& [other, on] : gpus) {
    if (other == uuid || on.name != own.name) continue;
    std::vector<int64_t> runs;
    for (const Run& run : on.runs) {
      if (run.ended_ns >= since_ns) runs.push_back(run.ns);
    }
    if (runs.size() >= kFewest) all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

std::optional<SlowGpu> GpuComparison::judge(const std::string& type, const std::string& uuid, bool was_slow) const {
  const auto gpus = types_.find(type);
  if (gpus == types_.end()) return std::nullopt;
  const auto own = gpus->second.find(uuid);
  if (own == gpus->second.end() || own->second.runs.size() < kFewest) return std::nullopt;
  std::vector<int64_t> runs;
  for (const Run& run : own->second.runs) runs.push_back(run.ns);
  const std::vector<int64_t> equals = equals_of(gpus->second, uuid, own->second);
  if (equals.empty()) return std::nullopt;
  SlowGpu slow{.ratio = 1, .median_ns = median(runs), .equals_median_ns = median(equals)};
  slow.ratio = static_cast<double>(slow.median_ns) / static_cast<double>(std::max<int64_t>(1, slow.equals_median_ns));
  if (slow.ratio < (was_slow ? kStillSlowRatio : kSlowRatio)) return std::nullopt;
  if (!was_slow && rank_deviations(runs, equals) < kDeviations) return std::nullopt;
  return slow;
}

}  // namespace sonde::dispatch::profiles
