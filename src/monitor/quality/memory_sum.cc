#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace memory_sum {
namespace {

constexpr int64_t kMib = 1 << 20;  // libraries round to pages

std::string mib(int64_t bytes) { return fmt::format("{} MiB", bytes / kMib); }

class MemorySum : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const device::GpuReading& r = sample.reading;
    if (!r.memory_total_bytes || !r.memory_used_bytes) return std::nullopt;
    const int64_t sum = *r.memory_used_bytes + r.memory_free_bytes.value_or(0);
    if (sum <= *r.memory_total_bytes + kMib) return std::nullopt;
    return Contradiction{.text = "memory_sum", .arguments = {{"sum", mib(sum)}, {"total", mib(*r.memory_total_bytes)}}};
  }
};

}  // namespace
}  // namespace memory_sum

extern constinit const Rule memory_sum_rule = {
    .name = "memory_sum",
    .description = "used and free memory add up to more than the total",
    .make = make_check<memory_sum::MemorySum>,
};

}  // namespace sonde::monitor::quality
