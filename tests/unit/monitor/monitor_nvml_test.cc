#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "monitor/monitor_parts.h"

// The monitor with its real threads over the stand-in NVML of tests/fakes/nvml, while things break below it.
namespace sonde::monitor {
namespace monitor_nvml_test {

class Threads : public ::testing::Test {
 protected:
  Threads() {
    setenv("SONDE_FAKE_NVML", script_path().c_str(), 1);
    config_.change([](config::Config& c) { c.gpu.monitoring.interval = 0.1; });
    parts_ = {.config = &config_,
              .log = &log_,
              .history = nullptr,
              .events = &events_,
              .alerts = nullptr,
              .owners = nullptr,
              .open_source = [] { return device::open_nvml(FAKE_NVML); },
              .now_ns =
                  [] {
                    const auto now = std::chrono::system_clock::now().time_since_epoch();
                    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
                  }};
    history_ = open_history({});
    parts_.history = history_.get();
  }
  ~Threads() override {
    script("gpus = 3\n");  // calls that hang come back
    monitor_.reset();
  }

  std::string script_path() { return folder_.path() + "/nvml.txt"; }
  void script(const std::string& lines) {
    std::ofstream(script_path() + ".new") << lines;
    std::filesystem::rename(script_path() + ".new", script_path());
  }

  void start(const std::string& lines) {
    script(lines);
    monitor_ = Monitor::make(parts_);
    monitor_->start();
  }

  /// Waits until a snapshot is as wanted; the last one.
  template <typename Wanted>
  std::shared_ptr<const HostSnapshot> until(const Wanted& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    auto host = monitor_->snapshot();
    while (!wanted(*host) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      host = monitor_->snapshot();
    }
    EXPECT_TRUE(wanted(*host));
    return host;
  }

  static bool all_fresh(const HostSnapshot& host, size_t gpus) {
    return host.gpus.size() == gpus && std::ranges::all_of(host.gpus, [](const GpuView& gpu) {
             return gpu.sample.mark.quality == Quality::fresh && !gpu.sample.failure;
           });
  }

  TestFolder folder_;
  TestConfig config_;
  TestLog log_;
  EventLog events_;
  std::unique_ptr<History> history_;
  MonitorParts parts_;
  std::unique_ptr<Monitor> monitor_;
};

TEST_F(Threads, AGpuThatHangsForEverLeavesTheOthersFresh) {
  start("gpus = 3\n");
  until([](const auto& host) { return all_fresh(host, 3); });
  script("gpus = 3\ngpu.1.hang = *\n");
  auto host = until([](const auto& h) { return h.gpus[1].sample.mark.quality == Quality::stale; });
  EXPECT_EQ(host->gpus[1].sample.failure->kind, device::FailureKind::not_answering);
  const int64_t since = host->moment_ns;
  host = until([&](const auto& h) { return h.moment_ns > since + 2 * kSecond; });
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::fresh);
  EXPECT_EQ(host->gpus[2].sample.mark.quality, Quality::fresh);
  EXPECT_LT(host->moment_ns - host->gpus[0].sample.moment_ns, 2 * kSecond);
  EXPECT_EQ(host->gpus[1].name, "NVIDIA Stand-in") << "what it said before stays";
  script("gpus = 3\n");
  until([](const auto& h) { return all_fresh(h, 3); });
}

TEST_F(Threads, StopsWhileAGpuAndTheEventsHang) {
  start("gpus = 2\n");
  until([](const auto& host) { return all_fresh(host, 2); });
  script("gpus = 2\ngpu.0.hang = *\nhang = nvmlEventSetWait_v2\n");
  until([](const auto& host) { return host.gpus[0].sample.failure.has_value(); });
  const auto began = std::chrono::steady_clock::now();
  monitor_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30)) << "it waits for a round at most";
}

TEST_F(Threads, AGpuThatHangsFromTheStartIsAbsent) {
  start("gpus = 2\ngpu.0.hang = *\n");
  auto host = until([](const auto& h) {
    return h.gpus.size() == 2 && h.gpus[1].sample.mark.quality == Quality::fresh && h.state.rounds > 3;
  });
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::absent);
  EXPECT_EQ(host->gpus[0].uuid, "gpu_0");
  script("gpus = 2\n");
  host = until([](const auto& h) { return all_fresh(h, 2); });
  EXPECT_NE(host->gpus[0].uuid, "gpu_0") << "its identity is asked for once it answers";
}

TEST_F(Threads, ALostGpuIsMarkedAndOpensAnIncident) {
  start("gpus = 2\n");
  until([](const auto& host) { return all_fresh(host, 2); });
  script("gpus = 2\ngpu.1.fail.* = 15\n");
  const auto is_lost = [](const auto& h, size_t gpu) {
    return std::ranges::any_of(h.open, [&](const Incident& incident) {
      return incident.detector == "gpu_lost" && incident.gpu_uuid == h.gpus[gpu].uuid;
    });
  };
  const auto host = until([&](const auto& h) { return is_lost(h, 1); });
  EXPECT_EQ(host->gpus[1].sample.mark.quality, Quality::absent);
  EXPECT_EQ(host->gpus[1].health, Health::critical);
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::fresh);
  EXPECT_FALSE(is_lost(*host, 0));
}

TEST_F(Threads, ALibraryThatIsGoneIsOpenedAgain) {
  start("gpus = 1\n");
  until([](const auto& host) { return all_fresh(host, 1); });
  // Codes 1 and 9: not initialized, driver not loaded.
  script("gpus = 1\ngpu.0.fail.* = 1\nfail.nvmlInit_v2 = 9\n");
  auto host = until([](const auto& h) { return !h.state.source_trouble.empty() && h.state.failed_rounds > 1; });
  ASSERT_EQ(host->gpus.size(), 1U);
  script("gpus = 2\n");
  host = until([](const auto& h) { return all_fresh(h, 2); });
  EXPECT_EQ(host->state.source_trouble, "");
  EXPECT_EQ(host->state.source_openings, 2);
}

TEST_F(Threads, AnOpeningThatHangsIsToldAndOver) {
  start("gpus = 1\nhang = nvmlInit_v2\n");
  until([](const auto& h) { return h.state.rounds > 1 && !h.state.source_trouble.empty(); });
  script("gpus = 1\n");
  until([](const auto& h) { return all_fresh(h, 1); });
}

TEST_F(Threads, AGpuThatCannotBeSubscribedToHarmsNoOther) {
  start("gpus = 2\ngpu.0.hang = nvmlDeviceRegisterEvents\ngpu.0.fail.nvmlDeviceRegisterEvents = 3\n");
  until([](const auto& host) { return all_fresh(host, 2); });
  // Another one each time: the library is one for all tests of a process, and a wait of the test before takes some.
  std::string lines = "gpus = 2\ngpu.0.hang = nvmlDeviceRegisterEvents\n";
  int events = 0;
  const auto host = until([&](const auto& h) {
    lines += "event." + std::to_string(++events) + " = 1 8 31\n";
    script(lines);
    return !h.xids.empty() && h.xids[0].count >= 2;
  });
  EXPECT_EQ(host->xids[0].gpu, 1U);
  EXPECT_EQ(host->xids[0].xid, 31);
}

TEST_F(Threads, AbsentValuesStayAbsent) {
  start("gpus = 1\ngpu.0.power_mw = -\ngpu.0.utilization = -\n");
  const auto host = until([](const auto& h) { return all_fresh(h, 1); });
  EXPECT_EQ(host->gpus[0].sample.reading.power_draw_milliwatts, std::nullopt);
  EXPECT_EQ(host->gpus[0].sample.reading.gpu_utilization_percent, std::nullopt);
}

TEST_F(Threads, AnIntervalTakesEffectAtOnce) {
  config_.change([](config::Config& c) { c.gpu.monitoring.interval = 3600; });
  start("gpus = 1\n");
  const auto host = until([](const auto& h) { return h.state.rounds == 1 && all_fresh(h, 1); });
  config_.change([](config::Config& c) { c.gpu.monitoring.interval = 0.1; });
  until([&](const auto& h) { return h.state.rounds > host->state.rounds + 3; });
}

}  // namespace monitor_nvml_test
}  // namespace sonde::monitor
