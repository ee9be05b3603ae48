#include "monitor/exposition.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>
#include <cmath>
#include <limits>
#include <set>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace exposition_test {

/// As prometheus-cpp writes a gauge with this label and value.
std::string by_prometheus_cpp(const std::string& label, double value) {
  prometheus::ClientMetric sample;
  if (!label.empty()) sample.label = {{"user", label}};
  sample.gauge.value = value;
  return prometheus::TextSerializer().Serialize({{"x", "Help.", prometheus::MetricType::Gauge, {sample}}});
}

std::string by_us(const std::string& label, double value) {
  std::string text = "# HELP x Help.\n# TYPE x gauge\n";
  Samples samples("x", text);
  if (label.empty()) {
    samples.add({}, value);
  } else {
    samples.add({{"user", label}}, value);
  }
  return text;
}

GpuView gpu_with(Quality quality) {
  GpuView gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "H100";
  gpu.sample.moment_ns = 5'000'000'000;
  gpu.sample.reading.temperature_celsius = 57;
  gpu.sample.reading.gpu_utilization_percent = 57;
  gpu.sample.mark.quality = quality;
  return gpu;
}

std::string told(HostSnapshot host, const config::Config& config = {}, DcgmForm dcgm = DcgmForm::linted) {
  return exposition(host, config, "node7", dcgm);
}

bool holds(const std::string& text, std::string_view line) {
  return text.find("\n" + std::string(line) + "\n") != std::string::npos;
}

TEST(Exposition, LabelsAreWrittenAsPrometheusCppDoes) {
  for (const char* label : {"ada", "a \"quote\"", "back\\slash", "two\nlines", "\\n", "größe"}) {
    EXPECT_EQ(by_us(label, 1), by_prometheus_cpp(label, 1)) << label;
  }
}

TEST(Exposition, NumbersAreReadAsTheSame) {
  for (const double value : {0.0, 1.0, -3.5, 0.1, 0.57, 1e-9, 1728003599.5, 85899345920.0, 123456789012.0, 1e300}) {
    const std::string mine = by_us("", value);
    EXPECT_EQ(std::strtod(mine.substr(mine.rfind(' ')).c_str(), nullptr), value);
    const std::string peer = by_prometheus_cpp("", value);
    EXPECT_EQ(std::strtod(peer.substr(peer.rfind(' ')).c_str(), nullptr), value);
  }
  EXPECT_TRUE(by_us("", std::numeric_limits<double>::infinity()).ends_with("x +Inf\n"));
  EXPECT_TRUE(by_us("", -std::numeric_limits<double>::infinity()).ends_with("x -Inf\n"));
  EXPECT_TRUE(by_us("", std::nan("")).ends_with("x NaN\n"));
}

TEST(Exposition, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_TRUE(by_us("a\xff\"b", 1).ends_with("x{user=\"a\xEF\xBF\xBD\\\"b\"} 1\n"));
}

TEST(Exposition, SharesArePreciseToTheDigit) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::fresh)};
  EXPECT_TRUE(holds(told(host), "sonde_gpu_utilization_ratio{uuid=\"GPU-1\"} 0.57"));
}

TEST(Exposition, ValuesOfAStaleGpuAreNotToldAsIfTheyHeld) {
  for (const Quality quality : {Quality::stale, Quality::absent}) {
    HostSnapshot host;
    host.gpus = {gpu_with(quality)};
    const std::string text = told(host);
    EXPECT_EQ(text.find("sonde_gpu_temperature_celsius"), std::string::npos);
    EXPECT_EQ(text.find("DCGM_FI_DEV_GPU_TEMP"), std::string::npos);
    EXPECT_TRUE(holds(text, "sonde_gpu_up{uuid=\"GPU-1\"} 0"));
    EXPECT_TRUE(holds(text, "sonde_gpu_sample_timestamp_seconds{uuid=\"GPU-1\"} 5"));
  }
}

TEST(Exposition, ContradictoryValuesAreToldAndMarked) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::contradictory)};
  const std::string text = told(host);
  EXPECT_TRUE(holds(text, "sonde_gpu_temperature_celsius{uuid=\"GPU-1\"} 57"));
  EXPECT_TRUE(holds(text, "sonde_gpu_sample_quality{uuid=\"GPU-1\",quality=\"contradictory\"} 1"));
}

TEST(Exposition, AbsentValuesHaveNoSampleAndNoHead) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::fresh)};
  EXPECT_EQ(told(host).find("sonde_gpu_power_watts"), std::string::npos);
}

TEST(Exposition, XidsAreToldOfAGpuThatIsGone) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::absent)};
  host.xids = {{.gpu = 0, .xid = 79, .count = 1, .last_ns = 7'000'000'000},
               {.gpu = 0, .xid = 31, .count = 4, .last_ns = 6'000'000'000},
               {.gpu = 9, .xid = 31, .count = 4, .last_ns = 6'000'000'000}};
  const std::string text = told(host);
  EXPECT_TRUE(holds(text, "sonde_gpu_xid_errors_total{uuid=\"GPU-1\",xid=\"79\"} 1"));
  EXPECT_TRUE(holds(text, "sonde_gpu_xid_last_timestamp_seconds{uuid=\"GPU-1\",xid=\"31\"} 6"));
  EXPECT_NE(text.find("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-1\""), std::string::npos);
  EXPECT_NE(text.find("DCGM_FI_DRIVER_VERSION=\"\"} 79\n"), std::string::npos);
}

TEST(Exposition, UndetailedLeavesUtilizationMemoryTemperatureAndPower) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::fresh)};
  host.gpus[0].sample.reading.sm_clock_mhz = 1980;
  host.gpus[0].sample.reading.energy_millijoules = 5;
  config::Config config;
  config.gpu.monitoring.detailed_gpu_metrics = false;
  const std::string text = told(host, config);
  EXPECT_NE(text.find("sonde_gpu_temperature_celsius"), std::string::npos);
  EXPECT_NE(text.find("DCGM_FI_DEV_GPU_UTIL_RATIO"), std::string::npos);
  for (const char* left_out : {"clock", "CLOCK", "energy", "ENERGY", "xid", "XID"}) {
    EXPECT_EQ(text.find(left_out), std::string::npos) << left_out;
  }
}

TEST(Exposition, WasteIsThatOfToday) {
  constexpr int64_t kDay = 86'400'000'000'000;
  HostSnapshot host;
  host.moment_ns = 3 * kDay + 5;
  host.waste[2 * kDay] = {{"GPU-1", WasteKind::unused, "", "", 9, 9, 9, 0, 0}};
  EXPECT_EQ(told(host).find("sonde_gpu_waste"), std::string::npos);
  host.waste[3 * kDay] = {{"GPU-1", WasteKind::unused, "", "", 0.5, 2, 9, 0, 0}};
  const std::string labels = "{uuid=\"GPU-1\",kind=\"unused\",user=\"\",container=\"\"}";
  EXPECT_TRUE(holds(told(host), "sonde_gpu_waste_seconds_total" + labels + " 1800"));
  EXPECT_TRUE(holds(told(host), "sonde_gpu_waste_energy_joules_total" + labels + " 7200000"));
  EXPECT_EQ(told(host).find("sonde_gpu_waste_cost_total"), std::string::npos) << "nothing is priced";
}

TEST(Exposition, ExactDcgmHasWhatPromtoolObjectsTo) {
  HostSnapshot host;
  host.gpus = {gpu_with(Quality::fresh)};
  host.gpus[0].sample.reading.pcie_replays = 3;
  EXPECT_EQ(told(host).find("modelName"), std::string::npos);
  const std::string exact = told(host, {}, DcgmForm::exact);
  EXPECT_NE(exact.find("modelName=\"H100\""), std::string::npos);
  EXPECT_TRUE(holds(exact, "# TYPE DCGM_FI_DEV_PCIE_REPLAY_COUNTER counter"));
}

TEST(Exposition, NamesAreThereOnce) {
  std::set<std::string_view> names;
  for (const Family* family : families()) {
    for (const Metric& metric : family->metrics) EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  }
}

}  // namespace exposition_test
}  // namespace sonde::monitor
