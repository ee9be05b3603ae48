#include "findings/evidence/host_link.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {
namespace {

double peak_rate(int64_t compute_major) { return compute_major >= 9 ? 64e9 : compute_major == 8 ? 32e9 : 16e9; }
double usual_rate(int64_t compute_major) { return 0.75 * peak_rate(compute_major); }
double best_rate(int64_t compute_major) { return 0.94 * peak_rate(compute_major); }

std::optional<double> slowest_link(const Facts& facts, double (*rate_of)(int64_t compute_major)) {
  std::optional<double> slowest;
  for (const Gpu& gpu : facts.gpus.gpus) {
    const auto major = gpu.device == kNone ? std::nullopt : facts.trace.devices[gpu.device].compute_major;
    if (!major) return std::nullopt;
    const double of_gpu = rate_of(*major);
    slowest = std::min(slowest.value_or(of_gpu), of_gpu);
  }
  return slowest;
}

}  // namespace

std::optional<double> usual_bytes_per_second(const Facts& facts) { return slowest_link(facts, usual_rate); }

std::optional<double> best_bytes_per_second(const Facts& facts) { return slowest_link(facts, best_rate); }

std::string best_rates_in_words() {
  return fmt::format("{:g}, {:g} or {:g} GB/s by the generation of the link", best_rate(9) / 1e9, best_rate(8) / 1e9,
                     best_rate(7) / 1e9);
}

std::string usual_rates_in_words() {
  return fmt::format("{:g} GB/s from compute capability 9 on, {:g} GB/s from 8 on, {:g} GB/s before",
                     usual_rate(9) / 1e9, usual_rate(8) / 1e9, usual_rate(7) / 1e9);
}

}  // namespace sonde
