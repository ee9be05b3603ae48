#include "findings/evidence/host_link.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {
namespace {

double usual_rate(int64_t compute_major) { return compute_major >= 9 ? 48e9 : compute_major == 8 ? 24e9 : 12e9; }

}  // namespace

std::optional<double> usual_bytes_per_second(const Facts& facts) {
  std::optional<double> slowest;
  for (const Gpu& gpu : facts.gpus.gpus) {
    const auto major = gpu.device == kNone ? std::nullopt : facts.trace.devices[gpu.device].compute_major;
    if (!major) return std::nullopt;
    const double of_gpu = usual_rate(*major);
    slowest = std::min(slowest.value_or(of_gpu), of_gpu);
  }
  return slowest;
}

std::optional<double> peak_bytes_per_second(const Facts& facts) {
  constexpr double kUsualPart = 0.75;
  const auto usual = usual_bytes_per_second(facts);
  return usual ? std::optional(*usual / kUsualPart) : std::nullopt;
}

std::string usual_rates_in_words() {
  return fmt::format("{:g} GB/s from compute capability 9 on, {:g} GB/s from 8 on, {:g} GB/s before",
                     usual_rate(9) / 1e9, usual_rate(8) / 1e9, usual_rate(7) / 1e9);
}

}  // namespace sonde
