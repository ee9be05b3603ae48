#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "monitor/json.h"
#include "monitor/loop/identities.h"
#include "monitor/monitor_parts.h"

namespace sonde::monitor {
namespace monitor_test {

using device::simulated::Fault;
using device::simulated::FaultKind;
using std::chrono::milliseconds;

/// Two simulated GPUs under a monitor whose clock goes by rounds.
class Rounds : public ::testing::Test {
 protected:
  Rounds() {
    make_source(2);
    parts_ = {.config = &config_,
              .log = &log_,
              .history = nullptr,
              .events = &events_,
              .alerts = nullptr,
              .owners = nullptr,
              .open_source = [this]() -> Result<std::shared_ptr<device::DeviceSource>> {
                ++openings_;
                if (!trouble_.empty()) return std::unexpected(Error{trouble_});
                return source_;
              },
              .now_ns = [this] { return kStart + time_ns_; }};
  }

  void make_source(int gpus) {
    const auto host = device::simulated::read_description(
        "gpus: [{name: Simulated GPU, count: " + std::to_string(gpus) +
            ", load: [{at: 20 s, utilization: 80 %, memory: 10 GiB, pid: 4242, process: train}]}]",
        "host.yaml");
    ASSERT_TRUE(host.has_value());
    source_ = std::make_shared<device::simulated::Source>(
        *host, device::simulated::Clock{.now_ns = [this] { return time_ns_; },
                                        .sleep = [](milliseconds) {},
                                        .moment_ns = [this] { return kStart + time_ns_; }});
  }

  Monitor& monitor(const std::string& folder = {}) {
    if (!monitor_) {
      history_ = open_history(folder);
      parts_.history = history_.get();
      monitor_ = Monitor::make(parts_);
    }
    return *monitor_;
  }
  void end() {
    if (monitor_) monitor_->stop();
    monitor_.reset();
    history_.reset();
  }

  std::shared_ptr<const HostSnapshot> rounds(int count) {
    for (int i = 0; i < count; ++i) {
      monitor().round();
      time_ns_ += 10 * kSecond;
    }
    return monitor().snapshot();
  }

  std::vector<Event> told(const std::string& type) {
    bool missed = false;
    std::vector<Event> all = events_.after(0, 10000, missed);
    std::erase_if(all, [&](const Event& event) { return event.type != type; });
    return all;
  }

  int64_t time_ns_ = 0;
  TestConfig config_;
  TestLog log_;
  EventLog events_;
  std::shared_ptr<device::simulated::Source> source_;
  std::string trouble_;
  int openings_ = 0;
  std::unique_ptr<History> history_;
  MonitorParts parts_;
  std::unique_ptr<Monitor> monitor_;
};

const Incident* incident_of(const HostSnapshot& host, std::string_view detector) {
  const auto found = std::ranges::find(host.open, detector, &Incident::detector);
  return found == host.open.end() ? nullptr : &*found;
}

TEST_F(Rounds, ASnapshotTellsWhatTheGpusSay) {
  EXPECT_NE(monitor().snapshot(), nullptr);
  EXPECT_EQ(monitor().snapshot()->gpus.size(), 0U);
  const auto host = rounds(4);
  ASSERT_EQ(host->gpus.size(), 2U);
  EXPECT_TRUE(host->source.simulated);
  const GpuView& gpu = host->gpus[1];
  EXPECT_EQ(gpu.uuid, "GPU-00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(gpu.sample.mark.quality, Quality::fresh);
  EXPECT_EQ(gpu.sample.reading.gpu_utilization_percent, 80);
  EXPECT_EQ(gpu.sample.reading.mig_mode, false) << "slow values are kept between";
  ASSERT_EQ(gpu.processes.size(), 1U);
  EXPECT_EQ(gpu.processes[0].process.pid, 4242);
  EXPECT_EQ(host->state.rounds, 4);
  EXPECT_EQ(host->state.failed_rounds, 0);
  EXPECT_EQ(host->state.source_openings, 1);
  EXPECT_EQ(openings_, 1);
  const auto samples = told("samples");
  ASSERT_EQ(samples.size(), 4U);
  const Json last = Json::parse(samples.back().data);
  EXPECT_EQ(last["gpus"][0]["utilization_percent"], 80);
  EXPECT_EQ(last["moment"], moment_text_ms(host->moment_ns));
}

TEST_F(Rounds, TheHistoryHasWhatWasRead) {
  const auto host = rounds(12);
  const auto range = history_->query({.gpu_uuid = host->gpus[0].uuid,
                                      .values = {"gpu_utilization_percent", "process_count"},
                                      .from_ns = kStart,
                                      .to_ns = kStart + 120 * kSecond});
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->resolution_ns, 10 * kSecond);
  ASSERT_EQ(range->moments_ns.size(), 12U);
  EXPECT_EQ(range->series[0].mean[0], 0);
  EXPECT_EQ(range->series[0].mean[5], 80);
  EXPECT_EQ(range->series[1].mean[5], 1);
}

TEST_F(Rounds, AGpuThatIsLostIsMarkedAndTheOtherIsNot) {
  rounds(2);
  source_->inject(0, Fault{.kind = FaultKind::lost, .at_ns = 0, .for_ns = {}, .value = 0});
  const auto host = rounds(3);
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::absent);
  EXPECT_NE(host->gpus[0].sample.mark.reason.find("lost"), std::string::npos) << host->gpus[0].sample.mark.reason;
  EXPECT_EQ(host->gpus[0].uuid, "GPU-00000000-0000-0000-0000-000000000000") << "it is known from before";
  EXPECT_EQ(host->gpus[0].health, Health::critical);
  EXPECT_EQ(host->gpus[1].sample.mark.quality, Quality::fresh);
  EXPECT_EQ(host->gpus[1].health, Health::ok);
  ASSERT_NE(incident_of(*host, "gpu_lost"), nullptr);
  EXPECT_FALSE(told("incident").empty());
  EXPECT_TRUE(log_.has("incident opened"));
}

TEST_F(Rounds, AGpuThatDoesNotAnswerTurnsStaleAndComesBack) {
  rounds(2);
  source_->inject(1, Fault{.kind = FaultKind::not_answering, .at_ns = 0, .for_ns = 60 * kSecond, .value = 0});
  auto host = rounds(2);
  EXPECT_EQ(host->gpus[1].sample.mark.quality, Quality::fresh) << "not older than two intervals";
  EXPECT_TRUE(host->gpus[1].sample.failure.has_value());
  host = rounds(2);
  EXPECT_EQ(host->gpus[1].sample.mark.quality, Quality::stale);
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::fresh);
  host = rounds(6);
  EXPECT_EQ(host->gpus[1].sample.mark.quality, Quality::fresh);
  EXPECT_FALSE(host->gpus[1].sample.failure.has_value());
}

TEST_F(Rounds, XidsAreCounted) {
  rounds(1);
  source_->inject(1, Fault{.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 31});
  rounds(1);
  source_->inject(1, Fault{.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 31});
  source_->inject(0, Fault{.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 79});
  const auto host = rounds(2);
  ASSERT_EQ(host->xids.size(), 2U);
  EXPECT_EQ(host->xids[0].xid, 31);
  EXPECT_EQ(host->xids[0].gpu, 1U);
  EXPECT_EQ(host->xids[0].count, 2);
  EXPECT_EQ(host->xids[1].xid, 79);
  EXPECT_EQ(host->xids[1].count, 1);
}

TEST_F(Rounds, ASourceThatCannotBeOpenedIsTriedAgainWithGrowingPauses) {
  trouble_ = "no driver is loaded";
  auto host = rounds(3);
  EXPECT_EQ(host->gpus.size(), 0U);
  EXPECT_EQ(host->state.source_trouble, trouble_);
  EXPECT_EQ(host->state.failed_rounds, 3);
  EXPECT_EQ(told("source").size(), 1U) << "the same trouble is told once";
  EXPECT_EQ(openings_, 3);
  host = rounds(60);
  EXPECT_LT(openings_, 20) << "at last each minute only";
  EXPECT_GT(openings_, 10);
  trouble_.clear();
  host = rounds(7);
  EXPECT_EQ(host->gpus.size(), 2U);
  EXPECT_EQ(host->state.source_trouble, "");
  EXPECT_EQ(told("source").size(), 2U);
}

/// A source whose library goes away when it is told.
class Leaving : public device::DeviceSource {
 public:
  explicit Leaving(std::shared_ptr<device::DeviceSource> inner) : inner_(std::move(inner)) {}
  const device::SourceInfo& info() const override { return inner_->info(); }
  size_t gpu_count() const override { return inner_->gpu_count(); }
  std::expected<void, device::GpuFailure> read(size_t gpu, device::ValueGroups groups,
                                               device::GpuReading& reading) override {
    if (gone) {
      return std::unexpected(
          device::GpuFailure{.kind = device::FailureKind::library_gone, .message = "the driver was unloaded"});
    }
    return inner_->read(gpu, groups, reading);
  }
  std::expected<void, device::GpuFailure> subscribe(size_t gpu) override { return inner_->subscribe(gpu); }
  std::expected<std::vector<device::GpuEvent>, device::GpuFailure> wait_for_events(milliseconds timeout) override {
    return inner_->wait_for_events(timeout);
  }
  std::atomic<bool> gone = false;

 private:
  std::shared_ptr<device::DeviceSource> inner_;
};

TEST_F(Rounds, ALibraryThatGoesAwayIsOpenedAgainAndNewGpusAreFound) {
  auto first = std::make_shared<Leaving>(source_);
  std::shared_ptr<device::DeviceSource> opened = first;
  parts_.open_source = [&]() -> Result<std::shared_ptr<device::DeviceSource>> {
    if (!trouble_.empty()) return std::unexpected(Error{trouble_});
    return opened;
  };
  rounds(2);
  first->gone = true;
  trouble_ = "the driver is not loaded";
  auto host = rounds(1);
  EXPECT_EQ(host->state.source_trouble, "the driver was unloaded");
  host = rounds(4);
  ASSERT_EQ(host->gpus.size(), 2U) << "they stay, with what they said last";
  EXPECT_EQ(host->gpus[0].sample.mark.quality, Quality::stale);
  EXPECT_EQ(host->state.source_trouble, trouble_);
  make_source(3);
  opened = source_;
  trouble_.clear();
  host = rounds(2);
  ASSERT_EQ(host->gpus.size(), 3U);
  EXPECT_EQ(host->gpus[2].sample.mark.quality, Quality::fresh);
  EXPECT_EQ(host->state.source_trouble, "");
  EXPECT_EQ(host->state.source_openings, 2);
}

TEST_F(Rounds, IncidentsGoOnAfterARestart) {
  const TestFolder folder;
  monitor(folder.path());
  rounds(2);
  source_->inject(0, Fault{.kind = FaultKind::recovery_action, .at_ns = 0, .for_ns = {}, .value = 1});
  auto host = rounds(3);
  const Incident* before = incident_of(*host, "recovery_action");
  ASSERT_NE(before, nullptr);
  const int64_t id = before->id;
  EXPECT_TRUE(monitor().acknowledge(id, "anna"));
  EXPECT_FALSE(monitor().acknowledge(id + 100, "anna"));
  EXPECT_EQ(incident_of(*monitor().snapshot(), "recovery_action")->acknowledged_by, "anna") << "at once";
  end();
  monitor(folder.path());
  host = rounds(2);
  ASSERT_NE(incident_of(*host, "recovery_action"), nullptr);
  EXPECT_EQ(incident_of(*host, "recovery_action")->id, id);
  EXPECT_EQ(incident_of(*host, "recovery_action")->acknowledged_by, "anna");
  EXPECT_TRUE(monitor().clear(id, "bert"));
  EXPECT_EQ(incident_of(*monitor().snapshot(), "recovery_action"), nullptr);
  EXPECT_EQ(monitor().snapshot()->gpus[0].health, Health::ok);
  const auto kept = history_->incidents({}, false, 0, 10);
  ASSERT_TRUE(kept && !kept->empty());
  const auto cleared = std::ranges::find(*kept, id, &Incident::id);
  ASSERT_NE(cleared, kept->end());
  EXPECT_EQ(cleared->cleared_by, "bert");
}

TEST_F(Rounds, WasteGoesOnAfterARestart) {
  const TestFolder folder;
  monitor(folder.path());
  auto host = rounds(400);
  ASSERT_FALSE(host->waste.empty());
  double before = 0;
  for (const WasteEntry& entry : host->waste.begin()->second) before += entry.hours;
  EXPECT_GT(before, 0);
  end();
  monitor(folder.path());
  host = rounds(1);
  ASSERT_FALSE(host->waste.empty());
  double after = 0;
  for (const WasteEntry& entry : host->waste.begin()->second) after += entry.hours;
  EXPECT_NEAR(after, before, 1e-9);
}

TEST_F(Rounds, WithoutMonitoringNothingIsKept) {
  config_.change([](config::Config& c) { c.gpu.monitoring.enabled = false; });
  const auto host = rounds(3);
  EXPECT_EQ(host->gpus.size(), 2U) << "the dispatcher reads them";
  EXPECT_TRUE(told("samples").empty());
  const auto range = history_->query(
      {.gpu_uuid = host->gpus[0].uuid, .values = {}, .from_ns = kStart, .to_ns = kStart + 60 * kSecond});
  ASSERT_TRUE(range.has_value());
  for (const HistorySeries& series : range->series) {
    EXPECT_TRUE(std::ranges::all_of(series.mean, [](double mean) { return std::isnan(mean); }));
  }
}

TEST_F(Rounds, JsonHasNullForTheUnknown) {
  const auto host = rounds(1);
  const Json json = gpus_json(*host, "node7");
  EXPECT_EQ(json["hostname"], "node7");
  EXPECT_EQ(json["simulated"], true);
  EXPECT_TRUE(json["source_trouble"].is_null());
  const Json& gpu = json["gpus"][1];
  EXPECT_EQ(gpu["id"], "gpu_1");
  EXPECT_TRUE(gpu["values"]["fan_speed_percent"].is_null());
  EXPECT_EQ(gpu["values"]["compute_capability"], "9.0");
  EXPECT_TRUE(gpu["nvlinks"].is_null());
  EXPECT_TRUE(gpu["failure"].is_null());
  EXPECT_EQ(gpu["quality"], "fresh");
  EXPECT_EQ(moment_text_ms(kStart + 5'000'000), "2023-11-14T22:14:00.005Z");
  EXPECT_EQ(moment_text_ms(-1), "1969-12-31T23:59:59.999Z");
}

TEST_F(Rounds, AGpuThatIsLostAtARestartIsStillTheSame) {
  const TestFolder folder;
  monitor(folder.path());
  rounds(2);
  source_->inject(1, Fault{.kind = FaultKind::lost, .at_ns = 0, .for_ns = {}, .value = 1});
  auto host = rounds(2);
  ASSERT_NE(incident_of(*host, "gpu_lost"), nullptr);
  const Incident before = *incident_of(*host, "gpu_lost");
  end();
  monitor(folder.path());
  host = rounds(2);
  EXPECT_EQ(host->gpus[1].uuid, before.gpu_uuid);
  EXPECT_EQ(host->gpus[1].health, Health::critical);
  ASSERT_EQ(std::ranges::count(host->open, "gpu_lost", &Incident::detector), 1);
  EXPECT_EQ(incident_of(*host, "gpu_lost")->id, before.id);
}

TEST_F(Rounds, ALostGpuAndItsXidAreOneIncident) {
  rounds(2);
  source_->inject(0, Fault{.kind = FaultKind::lost, .at_ns = 0, .for_ns = {}, .value = 1});
  source_->inject(0, Fault{.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 79});
  const auto at_once = rounds(3)->open;
  ASSERT_EQ(at_once.size(), 1U);
  EXPECT_EQ(at_once[0].xids, (std::vector<int64_t>{79}));
  source_->inject(1, Fault{.kind = FaultKind::lost, .at_ns = 0, .for_ns = {}, .value = 1});
  rounds(1);
  source_->inject(1, Fault{.kind = FaultKind::xid, .at_ns = time_ns_, .for_ns = {}, .value = 79});
  const auto later = rounds(20)->open;
  ASSERT_EQ(later.size(), 2U) << "one a GPU, whichever is seen first";
  for (const Incident& incident : later) {
    EXPECT_EQ(incident.xids, (std::vector<int64_t>{79}));
    EXPECT_EQ(incident.times_seen, incident.gpu_index == 0 ? 1 : 2);
  }
}

TEST_F(Rounds, ARecoveryActionAndItsXidAreOneIncident) {
  rounds(2);
  source_->inject(0, Fault{.kind = FaultKind::recovery_action, .at_ns = 0, .for_ns = {}, .value = 1});
  source_->inject(0, Fault{.kind = FaultKind::xid, .at_ns = 0, .for_ns = {}, .value = 154});
  const auto open = rounds(20)->open;
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].xids, (std::vector<int64_t>{154}));
  EXPECT_NE(open[0].action.find("--gpu-reset"), std::string::npos);
}

TEST(Identities, OfSimulatedGpusAndOfThoseThatAnswerElsewhereAreNobodysElse) {
  Incident old;
  old.gpu_uuid = "GPU-a";
  old.gpu_index = 0;
  const auto uuid_of_first = [&](bool simulated, const std::string& second) {
    std::vector<GpuSample> samples(2);
    samples[1].gpu = 1;
    samples[1].reading.uuid = second;
    loop::Identities identities(std::span(&old, 1));
    identities.recall(samples, simulated);
    return samples[0].reading.uuid;
  };
  EXPECT_EQ(uuid_of_first(false, "GPU-b"), "GPU-a");
  EXPECT_FALSE(uuid_of_first(false, "GPU-a")) << "it moved up after another one was gone";
  EXPECT_FALSE(uuid_of_first(true, "GPU-b"));
}

TEST_F(Rounds, TellsOfEachRound) {
  int told = 0;
  monitor().on_round([&] { ++told; });
  monitor().round();
  EXPECT_EQ(told, 1);
  monitor().look_soon();
  EXPECT_EQ(told, 1) << "a look is of the monitor's own thread";
}

}  // namespace monitor_test
}  // namespace sonde::monitor
