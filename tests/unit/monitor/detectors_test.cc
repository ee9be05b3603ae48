#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"
#include "monitor/monitor_rounds.h"

namespace sonde::monitor {
namespace detectors_test {

TEST(Hysteresis, TurnsAfterItsTimesOnly) {
  Hysteresis hot;
  const Limits limits{85, 82, 20, 30};
  int64_t s = 0;
  const auto take = [&](std::optional<double> value) { return hot.take(value, limits, 10 * kTestSecond * s++); };
  EXPECT_FALSE(take(90));
  EXPECT_FALSE(take(90));
  EXPECT_TRUE(take(90)) << "20 s above";
  EXPECT_TRUE(take(83)) << "below on, above off";
  EXPECT_TRUE(take(80));
  EXPECT_TRUE(take(84)) << "not without a break";
  EXPECT_TRUE(take(80));
  EXPECT_TRUE(take(80));
  EXPECT_TRUE(take(std::nullopt)) << "not known: stays, and time does not count";
  EXPECT_TRUE(take(80));
  EXPECT_TRUE(take(80));
  EXPECT_TRUE(take(80));
  EXPECT_FALSE(take(80)) << "30 s below";
  EXPECT_FALSE(take(85)) << "at the limit is not above it";
}

TEST(Growth, IsNothingAtTheFirstValueAndWhereACounterBeganAnew) {
  Growth growth;
  EXPECT_EQ(growth.take(5), std::nullopt);
  EXPECT_EQ(growth.take(std::nullopt), std::nullopt);
  EXPECT_EQ(growth.take(7), 2);
  EXPECT_EQ(growth.take(1), std::nullopt);
  EXPECT_EQ(growth.take(2), 1);
}

TEST(RecentGrowth, ForgetsWhatIsOlderThanTheWindow) {
  RecentGrowth growth;
  EXPECT_EQ(growth.take(100, 60, 0), 0);
  EXPECT_EQ(growth.take(110, 60, 30 * kTestSecond), 10);
  EXPECT_EQ(growth.take(115, 60, 60 * kTestSecond), 15);
  EXPECT_EQ(growth.take(115, 60, 90 * kTestSecond), 5);
  EXPECT_EQ(growth.take(std::nullopt, 60, 120 * kTestSecond), 0);
}

TEST(Shown, TakesTheLargestUnitOfWhichThereAreTwo) {
  EXPECT_EQ(shown_time(119), "119 s");
  EXPECT_EQ(shown_time(120), "2 min");
  EXPECT_EQ(shown_time(7200), "2 h");
  EXPECT_EQ(shown_time(3 * 86400.0), "3 days");
  EXPECT_EQ(shown_percent(0.4), "0.4 %");
  EXPECT_EQ(shown_percent(99.6), "100 %");
}

TEST(Detectors, HaveNamesTextsAndWhatTheDocsTell) {
  for (const DetectorRow* row : detector_rows()) {
    EXPECT_FALSE(row->description.empty()) << row->name;
    ASSERT_NE(row->make, nullptr) << row->name;
    EXPECT_NE(row->make(), nullptr) << row->name;
  }
}

TEST(Detectors, SayNothingOfGpusThatGiveNoValues) {
  for (const DetectorRow* row : detector_rows()) {
    Watched watched(row->name, 2);
    EXPECT_EQ(texts_of(watched.look_for(1200)), Texts{}) << row->name;
  }
}

TEST(Texts, EachHasItsOtherHalf) {
  for (const CatalogueText& text : incident_texts()) {
    const std::string id(text.id);
    if (id.ends_with(".summary")) {
      EXPECT_FALSE(incident_text(id.substr(0, id.size() - 8) + ".action").empty()) << id;
      EXPECT_TRUE(text.text.contains("{gpu}")) << id;
    }
    if (id.ends_with(".action")) {
      EXPECT_FALSE(incident_text(id.substr(0, id.size() - 7) + ".summary").empty()) << id;
    }
  }
}

TEST(Texts, AreFilledByName) {
  const std::vector<Argument> arguments = {{"a", "1"}, {"b", "{a}"}};
  EXPECT_EQ(filled("{a}{b} {c} {", arguments), "1{a} {c} {");
}

TEST(GpuLost, IsToldAtOnce) {
  Watched watched("gpu_lost");
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.fail(device::FailureKind::lost);
  const auto found = watched.look();
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].severity, Severity::critical);
  EXPECT_EQ(watched.book.open().at(0).summary, "GPU 0 has fallen off the bus. The driver can no longer reach it.");
  watched.host.fail(device::FailureKind::not_answering);
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(GpuResetRequired, IsToldAtOnce) {
  Watched watched("gpu_reset_required");
  watched.host.fail(device::FailureKind::reset_required);
  EXPECT_EQ(texts_of(watched.look()), Texts{"gpu_reset_required"});
  watched.host.recover();
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(GpuNotAnswering, GrowsCriticalAfterAMinute) {
  Watched watched("gpu_not_answering");
  watched.host.fail(device::FailureKind::not_answering);
  EXPECT_EQ(texts_of(watched.look()), Texts{}) << "one round may be slow";
  EXPECT_EQ(watched.look().at(0).severity, Severity::warning);
  EXPECT_EQ(watched.look_for(50).at(0).severity, Severity::critical);
  EXPECT_EQ(watched.book.open().at(0).summary, "GPU 0 has not responded for 60 s: a driver call has not returned.");
  watched.host.recover();
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(GpuRefused, TellsPermissionFromOtherErrors) {
  Watched watched("gpu_refused");
  watched.host.fail(device::FailureKind::refused);
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  EXPECT_EQ(texts_of(watched.look()), Texts{"gpu_refused"});
  watched.host.fail(device::FailureKind::other);
  EXPECT_EQ(texts_of(watched.look()), Texts{"gpu_refused_other"});
}

TEST(RecoveryAction, IsNamed) {
  Watched watched("recovery_action");
  watched.host.reading().recovery_action = 0;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  const std::vector<std::string> texts = {"reset", "reboot", "drain_p2p", "drain_and_reset", "other"};
  for (size_t i = 0; i < texts.size(); ++i) {
    watched.host.reading().recovery_action = static_cast<int64_t>(i) + 1;
    EXPECT_EQ(texts_of(watched.look()), Texts{"recovery_action_" + texts[i]});
  }
}

TEST(GpuHot, GoesByTheConfiguredTemperature) {
  Watched watched("gpu_hot");
  watched.host.reading().temperature_celsius = 85;
  EXPECT_EQ(texts_of(watched.look_for(120)), Texts{}) << "at the limit";
  watched.host.reading().temperature_celsius = 87;
  EXPECT_EQ(texts_of(watched.look_for(20)), Texts{});
  const auto found = watched.look();
  ASSERT_EQ(texts_of(found), Texts{"gpu_hot"});
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_EQ(watched.book.open().at(0).summary, "GPU 0 is at 87 °C; gpu.max_temperature is 85 °C.");
  watched.host.reading().temperature_celsius = 92;
  EXPECT_EQ(watched.look_for(30).at(0).severity, Severity::critical);
  watched.host.reading().temperature_celsius = 83;
  EXPECT_EQ(watched.look_for(300).size(), 1) << "less than 3 °C below";
  watched.host.reading().temperature_celsius = 81;
  EXPECT_EQ(texts_of(watched.look_for(60)), Texts{});
}

TEST(GpuHot, GoesByTheMarginWhereThereIsOne) {
  Watched watched("gpu_hot");
  watched.host.reading().temperature_celsius = 80;
  watched.host.reading().temperature_margin_celsius = 7;
  EXPECT_EQ(texts_of(watched.look_for(60)), Texts{});
  watched.host.reading().temperature_margin_celsius = 1;
  EXPECT_EQ(texts_of(watched.look_for(30)), Texts{"gpu_hot_margin"});
  watched.host.reading().temperature_margin_celsius = -1;
  EXPECT_EQ(watched.look_for(30).at(0).severity, Severity::critical);
  EXPECT_EQ(watched.book.open().at(0).summary, "GPU 0 is at 80 °C, -1 °C from its thermal slowdown threshold.");
}

TEST(GpuHot, StaysAsItWasWhileTheGpuDoesNotAnswer) {
  Watched watched("gpu_hot");
  watched.host.reading().temperature_celsius = 95;
  watched.look_for(30);
  watched.host.fail(device::FailureKind::not_answering);
  EXPECT_EQ(watched.look_for(600).size(), 1);
}

TEST(MemoryHot, HasLimitsOfItsOwn) {
  Watched watched("memory_hot");
  watched.host.reading().memory_temperature_celsius = 95;
  EXPECT_EQ(texts_of(watched.look_for(60)), Texts{});
  watched.host.reading().memory_temperature_celsius = 96;
  EXPECT_EQ(texts_of(watched.look_for(30)), Texts{"memory_hot"});
}

TEST(Throttling, IsNotWhatIsNone) {
  Watched watched("throttling");
  watched.host.reading().clocks_event_reasons = 0x1 | 0x2 | 0x100;
  EXPECT_EQ(texts_of(watched.look_for(300)), Texts{});
}

TEST(Throttling, GoesByBitsOfSeveralRounds) {
  Watched watched("throttling");
  watched.host.reading().clocks_event_reasons = 0;
  watched.look_for(60);
  watched.host.reading().clocks_event_reasons = 0x20;
  EXPECT_EQ(texts_of(watched.look_for(20)), Texts{}) << "two rounds";
  EXPECT_EQ(texts_of(watched.look()), Texts{"throttling_sw_thermal_slowdown"});
  watched.host.reading().clocks_event_reasons = 0;
  EXPECT_EQ(texts_of(watched.look_for(180)), Texts{});
}

TEST(Throttling, NamesTheHardwaresReasonOnce) {
  Watched watched("throttling");
  watched.host.reading().clocks_event_reasons = 0x8 | 0x40;
  EXPECT_EQ(texts_of(watched.look_for(120)), Texts{"throttling_hw_thermal_slowdown"});
  watched.host.reading().clocks_event_reasons = 0x8 | 0x40 | 0x80;
  EXPECT_EQ(texts_of(watched.look_for(120)), (Texts{"throttling_hw_thermal_slowdown", "throttling_hw_power_brake"}));
}

TEST(Throttling, GoesByCountersWhereThereAreSome) {
  Watched watched("throttling");
  watched.host.reading().clocks_event_reasons = 0;  // between two readings of the bits
  watched.host.reading().sm_clock_mhz = 1005;
  watched.host.reading().max_sm_clock_mhz = 1980;
  watched.host.reading().hw_power_brake_ns = 1000;
  watched.look_for(60);
  for (int i = 0; i < 6; ++i) {
    *watched.host.reading().hw_power_brake_ns += kTestSecond;  // a tenth of the time
    watched.look();
  }
  ASSERT_EQ(watched.book.open().size(), 1);
  EXPECT_EQ(watched.book.open()[0].subject, "hw_power_brake");
  EXPECT_EQ(watched.book.open()[0].summary,
            "HW power brake throttled GPU 0 for 10 % of the time: the power supply asserted the brake signal (SM clock "
            "1005 MHz "
            "of 1980 MHz).");
}

TEST(Throttling, OfACounterThatBeganAnewIsNone) {
  Watched watched("throttling");
  watched.host.reading().hw_thermal_slowdown_ns = 900 * kTestSecond;
  watched.look_for(60);
  watched.host.reading().hw_thermal_slowdown_ns = 0;
  EXPECT_EQ(texts_of(watched.look_for(60)), Texts{});
}

TEST(Throttling, AtThePowerLimitIsInfoOnly) {
  Watched watched("throttling");
  watched.host.reading().sw_power_cap_ns = 0;
  for (int i = 0; i < 12; ++i) {
    *watched.host.reading().sw_power_cap_ns += 9 * kTestSecond;
    watched.look();
  }
  ASSERT_EQ(watched.book.open().size(), 1);
  EXPECT_EQ(watched.book.open()[0].severity, Severity::info);
}

TEST(PowerLimitLowered, TellsWhoHoldsItDown) {
  Watched watched("power_limit_lowered");
  auto& reading = watched.host.reading();
  reading.power_default_limit_milliwatts = 700'000;
  reading.power_limit_milliwatts = 700'000;
  reading.power_enforced_limit_milliwatts = 700'000;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  reading.power_limit_milliwatts = reading.power_enforced_limit_milliwatts = 500'000;
  EXPECT_EQ(texts_of(watched.look()), Texts{"power_limit_lowered"});
  reading.power_enforced_limit_milliwatts = 350'000;
  EXPECT_EQ(texts_of(watched.look()), Texts{"power_limit_lowered_other"});
}

TEST(EccUncorrected, CountsNewErrorsOnly) {
  Watched watched("ecc_uncorrected");
  watched.host.reading().ecc_uncorrected_volatile_total = 4;
  EXPECT_EQ(texts_of(watched.look_for(120)), Texts{}) << "from before";
  watched.host.reading().ecc_uncorrected_volatile_total = 6;
  EXPECT_EQ(watched.look().at(0).happened, 2);
  EXPECT_EQ(watched.book.open().at(0).times_seen, 2);
  watched.host.reading().ecc_uncorrected_volatile_total = 7;
  watched.look();
  EXPECT_EQ(watched.book.open().at(0).times_seen, 3);
  EXPECT_TRUE(watched.book.open().at(0).summary.starts_with("GPU 0 had 3 uncorrectable memory errors"));
  EXPECT_EQ(watched.look_for(3500).size(), 1);
  EXPECT_EQ(texts_of(watched.look_for(200)), Texts{}) << "an hour later";
}

TEST(EccUncorrected, BeginsAnewWithTheDriver) {
  Watched watched("ecc_uncorrected");
  watched.host.reading().ecc_uncorrected_volatile_total = 0;
  watched.look();
  watched.host.reading().ecc_uncorrected_volatile_total = 1;
  EXPECT_EQ(watched.look().size(), 1);
  watched.host.reopen();
  watched.host.reading().ecc_uncorrected_volatile_total = 0;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(EccCorrectedStorm, IsARateAndNotACount) {
  Watched watched("ecc_corrected_storm");
  watched.host.reading().ecc_corrected_volatile_total = 1'000'000;
  EXPECT_EQ(texts_of(watched.look_for(60)), Texts{});
  *watched.host.reading().ecc_corrected_volatile_total += 100;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  *watched.host.reading().ecc_corrected_volatile_total += 1;
  EXPECT_EQ(watched.look().size(), 1);
  EXPECT_EQ(texts_of(watched.look_for(620)), Texts{});
}

TEST(SramThresholdExceeded, IsCritical) {
  Watched watched("sram_threshold_exceeded");
  watched.host.reading().sram_threshold_exceeded = false;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.reading().sram_threshold_exceeded = true;
  EXPECT_EQ(watched.look().at(0).severity, Severity::critical);
}

TEST(RemappedRows, WarnEarly) {
  Watched watched("remapped_rows");
  auto& reading = watched.host.reading();
  reading.remap_banks_max = 638;
  reading.remap_banks_low = 0;
  reading.remap_banks_none = 0;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  reading.remap_banks_low = 1;
  EXPECT_EQ(texts_of(watched.look()), Texts{"remapped_rows_few_left"});
  EXPECT_EQ(watched.book.open().at(0).summary, "GPU 0 has 1 bank of memory with few spare rows left.");
  reading.remap_banks_none = 2;
  reading.remapped_rows_pending = true;
  reading.remapped_rows_failure = true;
  EXPECT_EQ(texts_of(watched.look()),
            (Texts{"remapped_rows_failure", "remapped_rows_pending", "remapped_rows_none_left"}));
}

TEST(RetiredPagesPending, IsTold) {
  Watched watched("retired_pages_pending");
  watched.host.reading().retired_pages_pending = true;
  EXPECT_EQ(watched.look().size(), 1);
}

TEST(PcieLinkDegraded, KnowsThatIdleLinksTrainDown) {
  Watched watched("pcie_link_degraded");
  auto& reading = watched.host.reading();
  reading.pcie_max_generation = 5;
  reading.pcie_generation = 1;
  reading.pcie_max_width = reading.pcie_width = 16;
  reading.gpu_utilization_percent = 0;
  EXPECT_EQ(texts_of(watched.look_for(600)), Texts{});
  reading.gpu_utilization_percent = 90;
  EXPECT_EQ(texts_of(watched.look_for(120)), Texts{}) << "what was read at rest may still stand there";
  EXPECT_EQ(texts_of(watched.look_for(20)), Texts{"pcie_generation"});
  EXPECT_TRUE(watched.book.open().at(0).summary.starts_with("The PCIe link of GPU 0 runs at generation 1 of 5"));
  reading.gpu_utilization_percent = 0;
  EXPECT_EQ(watched.look_for(300).size(), 1) << "at rest nothing can be said";
  reading.gpu_utilization_percent = 90;
  reading.pcie_generation = 5;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(PcieLinkDegraded, IsToldForLanesAtAnyTime) {
  Watched watched("pcie_link_degraded");
  auto& reading = watched.host.reading();
  reading.pcie_max_width = 16;
  reading.pcie_width = 8;
  EXPECT_EQ(texts_of(watched.look_for(30)), Texts{"pcie_width"});
}

TEST(PcieReplays, FollowDcgmsLimit) {
  Watched watched("pcie_replays");
  watched.host.reading().pcie_replays = 5000;
  watched.look();
  for (int i = 0; i < 30; ++i) {
    *watched.host.reading().pcie_replays += 1;  // 6 a minute
    EXPECT_EQ(texts_of(watched.look()), Texts{});
  }
  *watched.host.reading().pcie_replays += 30;
  EXPECT_EQ(watched.look().size(), 1);
}

device::NvLinkReading link(int64_t number, bool active) {
  return {.link = number,
          .active = active,
          .speed_mbytes_per_s = {},
          .replay_errors = 0,
          .recovery_errors = 0,
          .crc_errors = 0};
}

TEST(NvLinkDown, IsToldOfLinksThatWereActive) {
  Watched watched("nvlink_down", 2);
  watched.host.reading(0).nvlinks = {link(0, true), link(1, true), link(2, false)};
  watched.host.reading(1).nvlinks = {link(0, true), link(1, true), link(2, false)};
  EXPECT_EQ(texts_of(watched.look()), Texts{}) << "link 2 has no other end";
  watched.host.reading(1).nvlinks->at(1).active = false;
  const auto found = watched.look();
  ASSERT_EQ(texts_of(found), Texts{"nvlink_down"});
  EXPECT_EQ(found[0].subject, "link 1");
  EXPECT_EQ(found[0].gpu, 1);
}

TEST(NvLinkDown, ComparesGpusOfOneKind) {
  Watched watched("nvlink_down", 3);
  watched.host.reading(0).nvlinks = {link(0, true), link(1, true)};
  watched.host.reading(1).nvlinks = {link(0, true), link(1, false)};
  watched.host.reading(2).nvlinks = {link(0, false), link(1, false)};  // without a bridge
  const auto found = watched.look();
  ASSERT_EQ(texts_of(found), Texts{"nvlink_fewer"});
  EXPECT_EQ(found[0].gpu, 1);
}

TEST(NvLinkErrors, AreToldFromTheFirstRecovery) {
  Watched watched("nvlink_errors");
  watched.host.reading().nvlinks = {link(0, true), link(1, true)};
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.reading().nvlinks->at(1).crc_errors = 50;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.reading().nvlinks->at(1).recovery_errors = 1;
  EXPECT_EQ(watched.look().at(0).subject, "link 1");
  EXPECT_EQ(watched.book.open().at(0).summary,
            "NVLink 1 of GPU 0 had 1 recovery, 0 replays and 50 CRC errors within 10 min.");
  EXPECT_EQ(texts_of(watched.look_for(620)), Texts{});
}

TEST(FabricNotReady, WaitsForTheRegistration) {
  Watched watched("fabric_not_ready");
  watched.host.reading().fabric_state = "In Progress";
  EXPECT_EQ(texts_of(watched.look_for(290)), Texts{});
  EXPECT_EQ(texts_of(watched.look_for(30)), Texts{"fabric_not_ready"});
  watched.host.reading().fabric_state = "Completed";
  watched.host.reading().fabric_status = "Success";
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.reading().fabric_status = "unknown error";
  EXPECT_EQ(texts_of(watched.look()), Texts{"fabric_failed"});
}

TEST(GspFirmwareOff, ComparesWithTheDefault) {
  Watched watched("gsp_firmware_off");
  watched.host.reading().gsp_firmware_enabled = false;
  watched.host.reading().gsp_firmware_default = false;
  EXPECT_EQ(texts_of(watched.look()), Texts{});
  watched.host.reading().gsp_firmware_default = true;
  EXPECT_EQ(watched.look().size(), 1);
}

TEST(MemoryNearlyFull, GoesByTheThreshold) {
  Watched watched("memory_nearly_full");
  watched.host.reading().memory_total_bytes = 80LL << 30;
  watched.host.reading().memory_used_bytes = 72LL << 30;
  EXPECT_EQ(texts_of(watched.look_for(300)), Texts{}) << "at the threshold";
  watched.host.reading().memory_used_bytes = 76LL << 30;
  EXPECT_EQ(watched.look_for(80).at(0).severity, Severity::info);
  EXPECT_EQ(watched.book.open().at(0).summary,
            "76.0 GiB of 80.0 GiB of the memory of GPU 0 is in use (95 %); gpu.memory_threshold is 90 %.");
}

TEST(ContradictoryValues, LastForSomeRounds) {
  Watched watched("contradictory_values");
  watched.host.sample().mark = {Quality::contradictory, "100 % use at 60 W of idle power."};
  EXPECT_EQ(texts_of(watched.look_for(20)), Texts{});
  EXPECT_EQ(watched.look().size(), 1);
  watched.host.sample().mark = {};
  EXPECT_EQ(texts_of(watched.look()), Texts{});
}

TEST(Detectors, AClockThatIsSetBackDelaysNothing) {
  Watched hot("gpu_hot");
  hot.host.reading().temperature_celsius = 99;
  hot.look();
  hot.look(-7200);
  EXPECT_EQ(hot.look_for(30).size(), 1U);

  Watched brake("throttling");
  brake.host.reading().hw_power_brake_ns = 0;
  brake.look();
  brake.look(-7200);
  for (int i = 1; i <= 6; ++i) {
    brake.host.reading().hw_power_brake_ns = i * 10 * kTestSecond;
    brake.look();
  }
  EXPECT_EQ(brake.look().size(), 1U);

  Watched storm("ecc_corrected_storm");
  for (const int64_t errors : {0, 500}) {
    storm.host.reading().ecc_corrected_volatile_total = errors;
    storm.look();
  }
  storm.look(-7200);
  EXPECT_TRUE(storm.look_for(700).empty());

  Watched silent("gpu_not_answering");
  silent.host.fail(device::FailureKind::not_answering);
  silent.look();
  silent.look(-7200);
  EXPECT_EQ(silent.look_for(20).size(), 1U);

  Watched error("ecc_uncorrected");
  for (const int64_t errors : {0, 1}) {
    error.host.reading().ecc_uncorrected_volatile_total = errors;
    error.look();
  }
  error.look(-86400);
  EXPECT_TRUE(error.look_for(3700).empty());
}

}  // namespace detectors_test
}  // namespace sonde::monitor
