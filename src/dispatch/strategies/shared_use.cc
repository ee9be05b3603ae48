#include "dispatch/strategies/shared_use.h"

#include <algorithm>

#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace {

std::optional<double> memory_share(const Choice& choice) {
  const GpuState& gpu = *choice.gpu;
  if (gpu.memory_total_bytes.value_or(0) <= 0) return std::nullopt;
  const int64_t taken = foreign_bytes(gpu, *choice.load) + choice.load->reserved_bytes;
  return static_cast<double>(std::max(taken, gpu.memory_used_bytes.value_or(0))) /
         static_cast<double>(*gpu.memory_total_bytes);
}

}  // namespace

double use_of(const config::Config& config, const Choice& choice) {
  const auto slots = static_cast<double>(std::max<int64_t>(1, config.gpu.multi_gpu.max_concurrent_tasks_per_gpu));
  double sum = static_cast<double>(choice.load->tasks) / slots;
  double known = 1;
  for (const std::optional<double>& share : {choice.gpu->utilization, memory_share(choice)}) {
    if (!share) continue;
    sum += *share;
    known += 1;
  }
  return sum / known;
}

}  // namespace sonde::dispatch
