#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace max_temperature {
namespace {

bool refuses(const Candidate& candidate) {
  const std::optional<double>& now = candidate.gpu.temperature_celsius;
  return now && *now > candidate.config.gpu.max_temperature;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("max_temperature", {{"temperature", shown_celsius(*candidate.gpu.temperature_celsius)},
                                          {"limit", shown_celsius(candidate.config.gpu.max_temperature)}});
}

}  // namespace
}  // namespace max_temperature

extern constinit const Rule max_temperature_rule = {
    .name = "max_temperature",
    .description = "the GPU is hotter than gpu.max_temperature",
    .refuse = max_temperature::refuse,
    .refuses = max_temperature::refuses,
    .is_of_gpu = true,
};

}  // namespace sonde::dispatch
