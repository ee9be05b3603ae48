#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "record/gpu_metrics/gpu_metrics.h"

namespace sonde::record {
namespace gpu_metrics_rounds_test {

constexpr uint32_t kProcess = 10;

/// Tallies of a sampler, as it writes them: each counts from its process's start.
class Tallies {
 public:
  Tallies& add(int64_t time, uint64_t timeless, int64_t busy_ns) {
    wire::SamplingTallyBody body{};
    body.timeless = timeless;
    body.busy_ns = busy_ns;
    const wire::RecordHead head{wire::Kind::sampling_tally, sizeof head + sizeof body, 0, 0, time};
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof head + sizeof body);
    std::memcpy(bytes_.data() + at, &head, sizeof head);
    std::memcpy(bytes_.data() + at + sizeof head, &body, sizeof body);
    return *this;
  }

  [[nodiscard]] SampledGpu of_round(int64_t begin, int64_t end) const {
    Trace trace;
    const Slices slices{.all = {{kProcess, kProcess, bytes_}}};
    const GpuMetricsTally tally = fill_gpu_metrics(trace, slices, begin, end, [](const Trace&) {});
    return tally.gpus.at(0);
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST(GpuMetricsRounds, WhatWasCountedBeforeIsNotOfTheRound) {
  const Tallies tallies = Tallies().add(100, 3, 1000).add(200, 7, 5000).add(300, 9, 6000);
  EXPECT_EQ(tallies.of_round(0, 400).counted.timeless, 9U);
  EXPECT_EQ(tallies.of_round(150, 400).counted.timeless, 6U);
  EXPECT_EQ(tallies.of_round(250, 400).counted.busy_ns, 1000);
  EXPECT_EQ(tallies.of_round(350, 400).counted.timeless, 0U) << "nothing was told since";
}

}  // namespace gpu_metrics_rounds_test
}  // namespace sonde::record
