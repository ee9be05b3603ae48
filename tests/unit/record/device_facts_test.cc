#include "record/kernels/device_facts.h"

#include <limits>

#include <gtest/gtest.h>

namespace sonde::record {
namespace device_facts_test {

// CUdevice_attribute
constexpr uint32_t kWarpSize = 10;
constexpr uint32_t kClockRate = 13;
constexpr uint32_t kMaxThreadsPerMultiprocessor = 39;

Device with(const std::vector<std::pair<uint32_t, int64_t>>& attributes) {
  Trace trace;
  trace.devices.emplace_back();
  for (const auto& [attribute, value] : attributes) add_device_fact(trace, 0, attribute, value);
  return trace.devices[0];
}

TEST(DeviceFacts, AreInTheTracesUnits) {
  const Device device = with({{kWarpSize, 32}, {kClockRate, 1'980'000}, {kMaxThreadsPerMultiprocessor, 2048}});
  EXPECT_EQ(device.clock_hz, 1'980'000'000);
  EXPECT_EQ(device.max_warps_per_sm, 64);
}

TEST(DeviceFacts, WhatNoDriverGivesIsLeftOut) {
  EXPECT_FALSE(with({{kClockRate, std::numeric_limits<int64_t>::max() / 4}}).clock_hz);
  EXPECT_FALSE(with({{kClockRate, -1}}).clock_hz);
  EXPECT_FALSE(with({{kWarpSize, 0}, {kMaxThreadsPerMultiprocessor, 2048}}).max_warps_per_sm);
}

}  // namespace device_facts_test
}  // namespace sonde::record
