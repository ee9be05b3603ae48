#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "device/fields.h"
#include "device/parallel_reader.h"

// The NVML source through the real C interface, with the stand-in library of tests/fakes/nvml, whose layout of the
// interface was written apart from src/device/nvml/abi.h.
namespace sonde::device {
namespace nvml_source_test {

using std::chrono::milliseconds;

/// Writes the script of the stand-in; the whole file at once, so that it never reads a half.
class StandIn : public ::testing::Test {
 protected:
  StandIn() : path_(::testing::TempDir() + "fake_nvml_" + std::to_string(getpid()) + ".txt") {
    setenv("SONDE_FAKE_NVML", path_.c_str(), 1);
  }
  ~StandIn() override { std::filesystem::remove(path_); }

  void script(const std::string& lines) {
    std::ofstream(path_ + ".new") << lines;
    std::filesystem::rename(path_ + ".new", path_);
  }

  std::shared_ptr<DeviceSource> open(const char* library = FAKE_NVML) {
    auto source = open_nvml(library);
    EXPECT_TRUE(source.has_value()) << (source ? "" : source.error().message);
    return source ? *source : nullptr;
  }

  GpuReading read(DeviceSource& source, ValueGroups groups = kAllGroups, size_t gpu = 0) {
    GpuReading reading;
    const auto done = source.read(gpu, groups, reading);
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    return reading;
  }

  std::string path_;
};

TEST_F(StandIn, TellsOfTheDriver) {
  script("gpus = 2\n");
  const auto source = open();
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->gpu_count(), 2U);
  EXPECT_EQ(source->info().source, "nvml");
  EXPECT_EQ(source->info().driver_version, "590.48.01");
  EXPECT_EQ(source->info().cuda_version, "13.1");
  EXPECT_FALSE(source->info().simulated);
}

TEST_F(StandIn, LayoutsOfIdentityMatch) {
  script("gpus = 2\n");
  const GpuReading r = read(*open(), identity, 1);
  EXPECT_EQ(r.name, "NVIDIA Stand-in");
  EXPECT_EQ(r.uuid, "GPU-00000001-1111-2222-3333-444444444444");
  EXPECT_EQ(r.pci_bus_id, "00000000:1A:00.0");
  EXPECT_EQ(r.pci_bus, 0x1A);
  EXPECT_EQ(r.pci_device_id, 0x233010DE);
  EXPECT_EQ(r.pci_sub_device_id, 0x16C110DE);
  EXPECT_EQ(r.pci_base_class, 3);
  EXPECT_EQ(r.pci_sub_class, 2);
  EXPECT_EQ(r.compute_capability, 900);
  EXPECT_EQ(r.architecture, "Hopper");
  EXPECT_EQ(r.inforom_ecc_version, "7.16");
  EXPECT_EQ(r.inforom_power_version, std::nullopt);
  EXPECT_EQ(r.max_sm_clock_mhz, 1981);
  EXPECT_EQ(r.max_memory_clock_mhz, 2620);
  EXPECT_EQ(r.power_min_limit_milliwatts, 200000);
  EXPECT_EQ(r.power_max_limit_milliwatts, 720000);
  EXPECT_EQ(r.shutdown_margin_celsius, -8);
  EXPECT_EQ(r.index, 1);
  EXPECT_EQ(r.gpu_count, 2);
  EXPECT_TRUE(r.refused.empty());
}

TEST_F(StandIn, LayoutsOfFastValuesMatch) {
  script("gpus = 1\n");
  const GpuReading r = read(*open(), fast);
  EXPECT_EQ(r.gpu_utilization_percent, 37);
  EXPECT_EQ(r.memory_utilization_percent, 21);
  EXPECT_EQ(r.memory_total_bytes, 85520809984);
  EXPECT_EQ(r.memory_reserved_bytes, 502267904);
  EXPECT_EQ(r.memory_used_bytes, 4294967296);
  EXPECT_EQ(r.memory_free_bytes, 80723574784);
  EXPECT_EQ(r.temperature_celsius, 41);
  EXPECT_EQ(r.temperature_margin_celsius, 46);
  EXPECT_EQ(r.memory_temperature_celsius, 48);
  EXPECT_EQ(r.power_draw_milliwatts, 45304);
  EXPECT_EQ(r.power_average_milliwatts, 45100);
  EXPECT_EQ(r.power_instant_milliwatts, 45200);
  EXPECT_EQ(r.power_enforced_limit_milliwatts, 650000);
  EXPECT_EQ(r.energy_millijoules, 123456789012);
  EXPECT_EQ(r.graphics_clock_mhz, 1410);
  EXPECT_EQ(r.sm_clock_mhz, 1411);
  EXPECT_EQ(r.memory_clock_mhz, 2619);
  EXPECT_EQ(r.video_clock_mhz, 765);
  EXPECT_EQ(r.clocks_event_reasons, 4);
  EXPECT_EQ(r.sw_power_cap_ns, 5000000);
  EXPECT_EQ(r.hw_power_brake_ns, 9000000);
  EXPECT_EQ(r.recovery_action, 0);
  EXPECT_EQ(r.fan_speed_percent, std::nullopt) << "this board has no fan";
  EXPECT_EQ(r.ofa_utilization_percent, 4);
  EXPECT_EQ(r.name, std::nullopt) << "of a group that was not asked for";
  EXPECT_TRUE(r.refused.empty());
}

TEST_F(StandIn, LayoutsOfSlowValuesMatch) {
  script("gpus = 1\n");
  const GpuReading r = read(*open(), slow);
  EXPECT_EQ(r.ecc_corrected_volatile_dram, 1102);
  EXPECT_EQ(r.ecc_corrected_aggregate_sram, 1207);
  EXPECT_EQ(r.ecc_uncorrected_volatile_l2_cache, 2101);
  EXPECT_EQ(r.ecc_uncorrected_aggregate_cbu, 2206);
  EXPECT_EQ(r.ecc_uncorrected_aggregate_total, 2299);
  EXPECT_EQ(r.ecc_corrected_volatile_register_file, std::nullopt);
  EXPECT_EQ(r.sram_aggregate_parity, 31);
  EXPECT_EQ(r.sram_aggregate_secded, 32);
  EXPECT_EQ(r.sram_volatile_parity, 34);
  EXPECT_EQ(r.sram_volatile_secded, 35);
  EXPECT_EQ(r.sram_aggregate_l2, 37);
  EXPECT_EQ(r.sram_aggregate_sm, 38);
  EXPECT_EQ(r.sram_aggregate_pcie, 39);
  EXPECT_EQ(r.sram_aggregate_mcu, 40);
  EXPECT_EQ(r.sram_aggregate_other, 41);
  EXPECT_EQ(r.sram_threshold_exceeded, true);
  EXPECT_EQ(r.retired_pages_double_bit, 6);
  EXPECT_EQ(r.retired_pages_pending, std::nullopt);
  EXPECT_EQ(r.remapped_rows_uncorrectable, 2);
  EXPECT_EQ(r.remapped_rows_pending, true);
  EXPECT_EQ(r.remapped_rows_failure, false);
  EXPECT_EQ(r.remap_banks_max, 2560);
  EXPECT_EQ(r.remap_banks_none, 2556);
  EXPECT_EQ(r.pcie_generation, 4);
  EXPECT_EQ(r.pcie_width, 8);
  EXPECT_EQ(r.pcie_tx_kbytes_per_s, 352);
  EXPECT_EQ(r.bar1_used_bytes, 1048576);
  EXPECT_EQ(r.encoder_latency_us, 13);
  EXPECT_EQ(r.fabric_state, "Completed");
  EXPECT_EQ(r.fabric_clique_id, 7);
  EXPECT_EQ(r.fabric_cluster_uuid, "00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(r.chassis_serial, "CHASSIS-16-BYTES");
  EXPECT_EQ(r.module_id, 24);
  EXPECT_EQ(r.mig_mode, false);
  EXPECT_EQ(r.mig_mode_pending, true);
  EXPECT_TRUE(r.refused.empty());
}

TEST_F(StandIn, ListsLinks) {
  script("gpus = 1\n");
  const GpuReading r = read(*open(), slow);
  ASSERT_TRUE(r.nvlinks.has_value());
  ASSERT_EQ(r.nvlinks->size(), 2U);
  EXPECT_EQ(r.nvlinks->at(0).active, true);
  EXPECT_EQ(r.nvlinks->at(0).speed_mbytes_per_s, 26562);
  EXPECT_EQ(r.nvlinks->at(0).crc_errors, 3);
  EXPECT_EQ(r.nvlinks->at(1).active, false);
  EXPECT_EQ(r.nvlinks->at(1).crc_errors, std::nullopt);
}

TEST_F(StandIn, AGpuWithoutLinksHasNoList) {
  script("gpus = 1\ngpu.0.links = 0\n");
  EXPECT_EQ(read(*open(), slow).nvlinks, std::nullopt);
}

TEST_F(StandIn, ListsMigDevicesAndTheirProcesses) {
  script("gpus = 1\ngpu.0.mig = 1\ngpu.0.processes = 77 1048576 train\n");
  const GpuReading r = read(*open(), slow | processes);
  ASSERT_EQ(r.mig_devices.value().size(), 1U);
  EXPECT_EQ(r.mig_devices->front().uuid, "MIG-00000000-1111-2222-3333-444444444444");
  EXPECT_EQ(r.mig_devices->front().gpu_instance, 1);
  EXPECT_EQ(r.running.value().front().compute_instance, 2);
}

TEST_F(StandIn, ListsProcesses) {
  script("gpus = 1\ngpu.0.processes = 4242 1073741824 train; 4243 - other\n");
  const GpuReading r = read(*open(), processes);
  ASSERT_EQ(r.running.value().size(), 2U);
  EXPECT_EQ(r.running->at(0).pid, 4242);
  EXPECT_EQ(r.running->at(0).memory_used_bytes, 1073741824);
  EXPECT_EQ(r.running->at(0).name, "train");
  EXPECT_EQ(r.running->at(0).gpu_instance, std::nullopt);
  EXPECT_EQ(r.running->at(1).memory_used_bytes, std::nullopt) << "the driver does not know";
}

TEST_F(StandIn, MeansOfCountersNeedTwoReads) {
  script("gpus = 1\n");
  const auto source = open();
  EXPECT_EQ(read(*source, gpm).gpm_sm_percent, std::nullopt);
  for (int round = 0; round < 2; ++round) {
    const GpuReading r = read(*source, gpm);
    EXPECT_EQ(r.gpm_sm_percent, 2.5);
    EXPECT_EQ(r.gpm_nvlink_tx_mib_per_s, 61.5);
    EXPECT_EQ(r.gpm_fp64_percent, std::nullopt) << "refused alone";
  }
}

TEST_F(StandIn, BeforeHopperThereAreNoCounters) {
  script("gpus = 1\ngpu.0.gpm = 0\n");
  const auto source = open();
  (void)read(*source, gpm);
  EXPECT_EQ(read(*source, gpm).gpm_sm_percent, std::nullopt);
}

TEST_F(StandIn, AnOlderLibraryLacksValuesAndGivesTheRest) {
  script("gpus = 1\n");
  const GpuReading r = read(*open(FAKE_NVML_OLD));
  EXPECT_EQ(r.memory_total_bytes, 85520809984);
  EXPECT_EQ(r.memory_reserved_bytes, std::nullopt);
  EXPECT_EQ(r.temperature_celsius, 41);
  EXPECT_EQ(r.temperature_margin_celsius, std::nullopt);
  EXPECT_EQ(r.clocks_event_reasons, 4) << "by the older name of the call";
  EXPECT_EQ(r.remapped_rows_pending, std::nullopt);
  EXPECT_EQ(r.gpm_sm_percent, std::nullopt);
  EXPECT_TRUE(r.refused.empty()) << r.refused.front().call;
}

TEST_F(StandIn, AnAbsentValueBecomesAbsentAgain) {
  script("gpus = 1\n");
  const auto source = open();
  GpuReading reading = read(*source, fast);
  EXPECT_TRUE(reading.power_draw_milliwatts.has_value());
  script("gpus = 1\ngpu.0.power_mw = -\ngpu.0.field.82 = -\n");
  ASSERT_TRUE(source->read(0, fast, reading).has_value());
  EXPECT_EQ(reading.power_draw_milliwatts, std::nullopt);
  EXPECT_EQ(reading.memory_temperature_celsius, std::nullopt);
  EXPECT_EQ(reading.power_average_milliwatts, 45100) << "the fields beside it are there";
}

TEST_F(StandIn, ARefusalIsNamed) {
  script("gpus = 1\ngpu.0.fail.nvmlDeviceGetPowerUsage = 4\n");
  const GpuReading r = read(*open(), fast);
  EXPECT_EQ(r.power_draw_milliwatts, std::nullopt);
  ASSERT_EQ(r.refused.size(), 1U);
  EXPECT_EQ(r.refused.front().call, "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(r.refused.front().reason, "no permission");
}

TEST_F(StandIn, ALostGpuLeavesTheOthersAlone) {
  script("gpus = 2\n");
  const auto source = open();
  (void)read(*source, fast, 1);
  script("gpus = 2\ngpu.1.fail.* = 15\n");
  GpuReading reading;
  const auto lost = source->read(1, fast, reading);
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().kind, FailureKind::lost);
  EXPECT_NE(lost.error().message.find("GPU 1"), std::string::npos);
  EXPECT_NE(lost.error().message.find("reboot"), std::string::npos);
  EXPECT_EQ(read(*source, fast, 0).temperature_celsius, 41);
}

TEST_F(StandIn, ALossThatShowsInAListOnlyIsALoss) {
  script("gpus = 1\ngpu.0.fail.nvmlDeviceGetComputeRunningProcesses_v3 = 15\n");
  GpuReading reading;
  const auto lost = open()->read(0, kAllGroups, reading);
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().kind, FailureKind::lost);
}

TEST_F(StandIn, ALibraryThatGoesAwayIsNamedSo) {
  script("gpus = 1\n");
  const auto source = open();
  script("gpus = 1\ngpu.0.fail.* = 9\n");
  GpuReading reading;
  const auto gone = source->read(0, fast, reading);
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().kind, FailureKind::library_gone);
}

TEST_F(StandIn, EachCodeOfOpeningSaysWhatToDo) {
  struct Case {
    int code;
    const char* advice;
  };
  for (const Case c : {Case{9, "modprobe nvidia"}, Case{18, "reboot"}, Case{4, "administrator"}, Case{17, "container"},
                       Case{999, "dmesg"}, Case{4711, "unknown code 4711"}}) {
    script("fail.nvmlInit_v2 = " + std::to_string(c.code) + "\n");
    const auto source = open_nvml(FAKE_NVML);
    ASSERT_FALSE(source.has_value());
    EXPECT_NE(source.error().message.find(c.advice), std::string::npos) << source.error().message;
  }
}

TEST_F(StandIn, AMissingLibraryIsSaid) {
  const auto source = open_nvml("/nowhere/libnvidia-ml.so.1");
  ASSERT_FALSE(source.has_value());
  EXPECT_NE(source.error().message.find("install the NVIDIA driver"), std::string::npos);
}

TEST_F(StandIn, AHostWithoutGpusHasNone) {
  script("fail.nvmlDeviceGetCount_v2 = 28\n");
  EXPECT_EQ(open()->gpu_count(), 0U);
}

TEST_F(StandIn, AHangingGpuIsIsolatedAndComesBack) {
  script("gpus = 2\ngpu.1.hang = nvmlDeviceGetPowerUsage\n");
  ParallelReader reader(open());
  const std::vector<size_t> both = {0, 1};
  const auto states = reader.read(both, identity | fast, milliseconds(200));
  EXPECT_FALSE(states[0].failure.has_value());
  EXPECT_EQ(states[0].reading.power_draw_milliwatts, 45304);
  ASSERT_TRUE(states[1].failure.has_value());
  EXPECT_EQ(states[1].failure->kind, FailureKind::not_answering);
  EXPECT_EQ(states[1].reading.name, "NVIDIA Stand-in") << "what came before the call that hangs";
  EXPECT_EQ(states[1].reading.power_draw_milliwatts, std::nullopt);

  // It is not asked a second time meanwhile, and GPU 0 goes on.
  const auto again = reader.read(both, fast, milliseconds(50));
  EXPECT_TRUE(again[1].failure.has_value());
  EXPECT_FALSE(again[0].failure.has_value());

  script("gpus = 2\n");
  const auto back = reader.read(both, fast, milliseconds(10000));
  EXPECT_FALSE(back[1].failure.has_value());
  EXPECT_EQ(back[1].reading.power_draw_milliwatts, 45304);
}

TEST_F(StandIn, OneThatIsNotChosenIsNotWaitedFor) {
  script("gpus = 2\ngpu.1.hang = *\n");
  ParallelReader reader(open());
  const std::vector<size_t> first = {0};
  EXPECT_FALSE(reader.read(first, fast, milliseconds(10000))[0].failure.has_value());
  script("gpus = 2\n");
}

TEST_F(StandIn, SlowGpusAreReadAtOnce) {
  script("gpus = 8\n");
  const auto source = open();
  std::string slow_ones = "gpus = 8\n";
  for (int gpu = 0; gpu < 8; ++gpu) slow_ones += "gpu." + std::to_string(gpu) + ".delay_ms = 10\n";
  script(slow_ones);
  ParallelReader reader(source);
  const std::vector<size_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto began = std::chrono::steady_clock::now();
  for (const GpuState& state : reader.read(all, fast, milliseconds(10000))) EXPECT_FALSE(state.failure.has_value());
  // Some 20 calls of 10 ms a GPU: 1.6 s one after the other.
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(1200));
}

TEST_F(StandIn, AnXidArrives) {
  script("gpus = 2\n");
  const auto source = open();
  for (const size_t gpu : {0U, 1U}) {
    const auto done = source->subscribe(gpu);
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }
  EXPECT_TRUE(source->wait_for_events(milliseconds(1)).value().empty());
  script("gpus = 2\nevent.1 = 1 8 79\nevent.2 = 0 2 0\nevent.3 = 0 32768 0\n");
  const auto events = source->wait_for_events(milliseconds(10000));
  ASSERT_EQ(events.value().size(), 3U);
  EXPECT_EQ(events->at(0).gpu, 1U);
  EXPECT_EQ(events->at(0).kind, EventKind::xid);
  EXPECT_EQ(events->at(0).code, 79);
  EXPECT_EQ(events->at(0).gpu_instance, std::nullopt);
  EXPECT_EQ(events->at(1).kind, EventKind::double_bit_ecc);
  EXPECT_EQ(events->at(2).kind, EventKind::recovery_action);
}

TEST_F(StandIn, EventsOfGpusThatWereNotSubscribedDoNotArrive) {
  script("gpus = 2\nevent.1 = 0 8 13\nevent.2 = 1 8 31\n");
  const auto source = open();
  ASSERT_TRUE(source->subscribe(1).has_value());
  const auto events = source->wait_for_events(milliseconds(10000));
  ASSERT_EQ(events.value().size(), 1U);
  EXPECT_EQ(events->front().code, 31);
}

TEST_F(StandIn, WaitingWithoutASubscriptionIsRefused) {
  script("gpus = 1\n");
  EXPECT_FALSE(open()->wait_for_events(milliseconds(1)).has_value());
}

TEST(GpuFields, PrintAsNvidiaSmiDoes) {
  GpuReading r;
  r.memory_used_bytes = 502267904;
  r.power_draw_milliwatts = 45304;
  r.gpu_utilization_percent = 0;
  r.compute_capability = 1000;
  r.clocks_event_reasons = 0x4;
  r.hw_power_brake_ns = 1234567;
  r.pci_domain = 0;
  r.performance_state = 8;
  r.remapped_rows_pending = false;
  r.ecc_mode = true;
  r.recovery_action = 1;
  const auto text = [&](const char* name, bool units = true) {
    return device::field_text(**find_field(name), r, units);
  };
  EXPECT_EQ(text("memory.used"), "479 MiB");
  EXPECT_EQ(text("memory.used", false), "479");
  EXPECT_EQ(text("power.draw"), "45.30 W");
  EXPECT_EQ(text("utilization.gpu"), "0 %");
  EXPECT_EQ(text("compute_cap"), "10.0");
  EXPECT_EQ(text("clocks_event_reasons.active"), "0x0000000000000004");
  EXPECT_EQ(text("clocks_throttle_reasons.sw_power_cap"), "Active");
  EXPECT_EQ(text("clocks_event_reasons.gpu_idle"), "Not Active");
  EXPECT_EQ(text("clocks_event_reasons_counters.hw_power_brake_slowdown"), "1234 us");
  EXPECT_EQ(text("pci.domain"), "0x0000");
  EXPECT_EQ(text("pstate"), "P8");
  EXPECT_EQ(text("remapped_rows.pending"), "No");
  EXPECT_EQ(text("ecc.mode.current"), "Enabled");
  EXPECT_EQ(text("gpu_recovery_action"), "Reset");
  EXPECT_EQ(text("fan.speed"), "[N/A]");
  EXPECT_EQ(text("temperature.memory"), "N/A");
  EXPECT_EQ(device::field_header(**find_field("clocks.sm"), true), "clocks.current.sm [MHz]");
  EXPECT_EQ(device::field_header(**find_field("gpu_name"), true), "name");
  EXPECT_EQ(smi_timestamp(1795309323123999999, 0), "2026/11/22 01:02:03.123");
  EXPECT_EQ(smi_timestamp(1795309323123999999, 3600), "2026/11/22 02:02:03.123");
}

TEST(GpuFields, ReasonsInWords) {
  EXPECT_EQ(clock_reasons_text(0), "");
  EXPECT_EQ(clock_reasons_text(0x5), "idle, power cap");
  EXPECT_EQ(clock_reasons_text(0x8), "HW slowdown");
  EXPECT_EQ(clock_reasons_text(0x68), "SW thermal, HW thermal") << "the general bit says no more";
}

TEST(GpuFields, AnUnknownOneIsRefusedInNvidiaSmisWords) {
  const auto row = find_field("memory.usde");
  ASSERT_FALSE(row.has_value());
  EXPECT_EQ(row.error().message,
            "Field \"memory.usde\" is not a valid field to query, did you mean 'memory.used'?; sonde gpus "
            "--help-query-gpu lists them");
  EXPECT_FALSE(find_field("").has_value());
}

}  // namespace nvml_source_test
}  // namespace sonde::device
