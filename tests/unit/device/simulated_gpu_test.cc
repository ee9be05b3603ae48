#include <cmath>

#include <gtest/gtest.h>

#include "device/simulated/source.h"

namespace sonde::device::simulated {
namespace simulated_gpu_test {

constexpr int64_t kSecond = 1'000'000'000;
using std::chrono::milliseconds;

/// A clock that goes only when it is told, and when someone waits.
struct TestClock {
  int64_t now_ns = 0;
  Clock clock() {
    return {.now_ns = [this] { return now_ns; },
            .sleep = [this](milliseconds time) { now_ns += time.count() * 1'000'000; },
            .moment_ns = [this] { return 1'700'000'000 * kSecond + now_ns; }};
  }
};

HostDescription host(const std::string& yaml) {
  const auto read = read_description(yaml, "host.yaml");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
  return read.value_or(HostDescription{});
}

GpuReading look(Source& source, size_t gpu = 0) {
  GpuReading reading;
  EXPECT_TRUE(source.read(gpu, kAllGroups, reading).has_value());
  return reading;
}

// Without a limit in the way power is constant, and temperature has a closed form.
TEST(SimulatedGpu, TemperatureFollowsItsTimeConstant) {
  TestClock time;
  Source source(host("gpus: [{idle_power: 100 W, power_limit: 500 W, ambient: 20 C, full_load_temperature: 70 C, "
                     "time_constant: 40 s, load: [{at: 0 s, utilization: 100 %}]}]"),
                time.clock());
  time.now_ns = 60 * kSecond;
  const double start = 20 + 50 * 100.0 / 500;
  const double expected = 70 + (start - 70) * std::exp(-60.0 / 40);
  const GpuReading r = look(source);
  EXPECT_EQ(r.temperature_celsius, std::llround(expected));
  EXPECT_EQ(r.power_draw_milliwatts, 500000);
  EXPECT_EQ(r.energy_millijoules, 60 * 500000);
  EXPECT_EQ(r.clocks_event_reasons, 0);
  EXPECT_TRUE(r.simulated);
}

TEST(SimulatedGpu, HowOftenItIsReadChangesNothing) {
  const std::string yaml = "gpus: [{full_power: 900 W, load: [{at: 3 s, utilization: 90 %}], repeat: 10 s}]";
  TestClock often_time;
  TestClock once_time;
  Source often(host(yaml), often_time.clock());
  Source once(host(yaml), once_time.clock());
  GpuReading last;
  for (int i = 1; i <= 470; ++i) {
    often_time.now_ns = i * kSecond / 10;
    last = look(often);
  }
  once_time.now_ns = 47 * kSecond;
  const GpuReading r = look(once);
  EXPECT_EQ(r.energy_millijoules, last.energy_millijoules);
  EXPECT_EQ(r.temperature_celsius, last.temperature_celsius);
  EXPECT_EQ(r.sw_power_cap_ns, last.sw_power_cap_ns);
}

TEST(SimulatedGpu, APowerLimitLowersTheClockForItsTime) {
  TestClock time;
  Source source(host("gpus: [{idle_power: 100 W, power_limit: 500 W, full_power: 900 W, sm_clock: 2000 MHz, load: "
                     "[{at: 0 s, utilization: 100 %}]}]"),
                time.clock());
  time.now_ns = 10 * kSecond;
  const GpuReading r = look(source);
  EXPECT_EQ(r.clocks_event_reasons, 0x4);
  EXPECT_EQ(r.sm_clock_mhz, 1000) << "(500 - 100) / (900 - 100) of the clock";
  EXPECT_EQ(r.power_draw_milliwatts, 500000);
  EXPECT_EQ(r.sw_power_cap_ns, 10 * kSecond);
}

TEST(SimulatedGpu, TasksAddToTheLoad) {
  TestClock time;
  Source source(host("gpus: [{memory: 10 GiB}]"), time.clock());
  EXPECT_EQ(look(source).clocks_event_reasons, 1) << "idle";
  source.start(0, {.pid = 7, .name = "train", .utilization_percent = 60, .memory_bytes = 2LL << 30});
  source.start(0, {.pid = 8, .name = "serve", .utilization_percent = 70, .memory_bytes = 1LL << 30});
  time.now_ns = 5 * kSecond;
  const GpuReading busy = look(source);
  EXPECT_EQ(busy.gpu_utilization_percent, 100) << "no more than all of it";
  EXPECT_EQ(busy.memory_used_bytes, 3LL << 30);
  ASSERT_EQ(busy.running.value().size(), 2U);
  EXPECT_EQ(*busy.memory_used_bytes + *busy.memory_free_bytes + *busy.memory_reserved_bytes, busy.memory_total_bytes);
  source.end(0, 7);
  time.now_ns = 6 * kSecond;
  EXPECT_EQ(look(source).gpu_utilization_percent, 70);
}

TEST(SimulatedGpu, FaultsComeAndGo) {
  TestClock time;
  Source source(host("gpus: [{count: 2, faults: [{at: 5 s, for: 5 s, not_answering: true}, {at: 20 s, lost: true}, "
                     "{at: 12 s, for: 3 s, power_brake: true}, {at: 1 s, ecc_uncorrected: 3}]}]"),
                time.clock());
  const auto failure_at = [&](int64_t second) {
    time.now_ns = second * kSecond;
    GpuReading reading;
    const auto done = source.read(1, fast, reading);
    return done ? "ok" : std::string(failure_name(done.error().kind));
  };
  EXPECT_EQ(failure_at(4), "ok");
  EXPECT_EQ(look(source).ecc_uncorrected_volatile_total, 3);
  EXPECT_EQ(failure_at(7), "not_answering");
  EXPECT_EQ(failure_at(13), "ok");
  EXPECT_EQ(look(source).clocks_event_reasons.value() & 0x80, 0x80);
  EXPECT_EQ(failure_at(16), "ok");
  EXPECT_EQ(look(source).clocks_event_reasons.value() & 0x80, 0);
  EXPECT_EQ(look(source).hw_power_brake_ns, 3 * kSecond);
  EXPECT_EQ(failure_at(21), "lost");
}

TEST(SimulatedGpu, EventsAreToldOnce) {
  TestClock time;
  Source source(host("gpus: [{faults: [{at: 2 s, xid: 48}, {at: 2 s, ecc_uncorrected: 1}]}, {faults: [{at: 1 s, xid: "
                     "13}]}]"),
                time.clock());
  ASSERT_TRUE(source.subscribe(0).has_value());
  const auto events = source.wait_for_events(milliseconds(5000));
  ASSERT_EQ(events.value().size(), 2U);
  EXPECT_EQ(time.now_ns, 2 * kSecond);
  EXPECT_EQ(events->at(0).kind, EventKind::xid);
  EXPECT_EQ(events->at(0).code, 48);
  EXPECT_EQ(events->at(0).moment_ns, 1'700'000'002 * kSecond);
  EXPECT_EQ(events->at(1).kind, EventKind::double_bit_ecc);
  EXPECT_TRUE(source.wait_for_events(milliseconds(1000)).value().empty());
  source.inject(0, {.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 79});
  time.now_ns += kSecond;
  EXPECT_EQ(source.wait_for_events(milliseconds(0)).value().front().code, 79);
}

TEST(SimulatedGpu, EachMistakeOfADescriptionIsNamedWithItsPlace) {
  const auto read = read_description(
      "version: 1\ngpus:\n  - memroy: 80 GiB\n    memory: 80\n    compute_capability: nine\n    load: [{at: 5 s}, {at: "
      "5 s}]\n    faults: [{at: 1 s}]\n",
      "host.yaml");
  ASSERT_FALSE(read.has_value());
  const std::string& message = read.error().message;
  for (const char* part :
       {"host.yaml:3:5: unknown key 'memroy', did you mean 'memory'?", "host.yaml:4:13: '80' is no",
        "'nine' is not a valid compute capability", "the times of 'load' must increase", "a fault must have one of"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
  }
  EXPECT_FALSE(read_description("gpus: [", "x").has_value());
  EXPECT_FALSE(read_description("gpus: []", "x").has_value());
  EXPECT_FALSE(read_description("", "x").has_value());
}

}  // namespace simulated_gpu_test
}  // namespace sonde::device::simulated
