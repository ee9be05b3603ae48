#include <cmath>
#include <fstream>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/files/sqlite.h"
#include "monitor/history/minute.h"
#include "monitor/history/ring.h"
#include "monitor/monitor_parts.h"

namespace sonde::monitor {
namespace history_test {

constexpr int64_t kMinute = 60 * kSecond;
const std::string kUuid = "GPU-00000000-0000-0000-0000-000000000000";

GpuSample sample(int64_t moment_ns, int64_t utilization, const std::string& uuid = kUuid) {
  GpuSample s;
  s.moment_ns = moment_ns;
  s.reading.uuid = uuid;
  s.reading.gpu_utilization_percent = utilization;
  s.reading.memory_used_bytes = utilization << 30;
  s.reading.power_draw_milliwatts = 70'000 + utilization * 1000;
  return s;
}

void add(History& history, const GpuSample& s) { history.add(s.moment_ns, std::span(&s, 1)); }

HistoryRange asked(const History& history, int64_t from_ns, int64_t to_ns, int64_t resolution_ns = 0,
                   int64_t max = 2000) {
  auto range = history.query({.gpu_uuid = kUuid,
                              .values = {"gpu_utilization_percent"},
                              .from_ns = from_ns,
                              .to_ns = to_ns,
                              .resolution_ns = resolution_ns,
                              .max_points = max});
  EXPECT_TRUE(range.has_value()) << (range ? "" : range.error().message);
  return range.value_or(HistoryRange{});
}

/// The second computation: each point by a loop over all samples.
struct Point {
  double minimum = NAN;
  double mean = NAN;
  double maximum = NAN;
};
Point naive(const std::vector<GpuSample>& samples, int64_t from_ns, int64_t to_ns) {
  Point point;
  double sum = 0;
  int64_t count = 0;
  for (const GpuSample& s : samples) {
    if (s.moment_ns < from_ns || s.moment_ns >= to_ns) continue;
    const auto value = static_cast<double>(*s.reading.gpu_utilization_percent);
    point.minimum = count == 0 ? value : std::min(point.minimum, value);
    point.maximum = count == 0 ? value : std::max(point.maximum, value);
    sum += value;
    ++count;
  }
  if (count > 0) point.mean = sum / static_cast<double>(count);
  return point;
}

void expect_same(double a, double b, double tolerance, const std::string& where) {
  if (std::isnan(b)) {
    EXPECT_TRUE(std::isnan(a)) << where;
  } else {
    EXPECT_NEAR(a, b, tolerance) << where;
  }
}

void expect_naive(const HistoryRange& range, const std::vector<GpuSample>& samples, double tolerance) {
  ASSERT_EQ(range.series.size(), 1U);
  ASSERT_FALSE(range.moments_ns.empty());
  for (size_t i = 0; i < range.moments_ns.size(); ++i) {
    const Point point = naive(samples, range.moments_ns[i], range.moments_ns[i] + range.resolution_ns);
    const std::string where = "point " + std::to_string(i);
    expect_same(range.series[0].minimum[i], point.minimum, tolerance, where);
    expect_same(range.series[0].mean[i], point.mean, tolerance, where);
    expect_same(range.series[0].maximum[i], point.maximum, tolerance, where);
  }
}

/// Irregular samples with a gap of ten minutes.
std::vector<GpuSample> irregular(int64_t from_ns, int count) {
  std::mt19937_64 random(7);
  std::vector<GpuSample> samples;
  int64_t moment_ns = from_ns;
  for (int i = 0; i < count; ++i) {
    moment_ns += kSecond + static_cast<int64_t>(random() % 3) * kSecond;
    if (i == count / 2) moment_ns += 10 * kMinute;
    samples.push_back(sample(moment_ns, static_cast<int64_t>(random() % 101)));
  }
  return samples;
}

TEST(History, PointsFromMemoryAreThoseOfANaiveComputation) {
  const auto history = open_history({});
  const auto samples = irregular(kStart, 1200);
  for (const GpuSample& s : samples) add(*history, s);
  const int64_t end = samples.back().moment_ns + 1;
  for (const int64_t resolution : {0L, 10 * kSecond, 7 * kSecond, kMinute, 5 * kMinute}) {
    expect_naive(asked(*history, kStart, end, resolution), samples, 1e-4);
  }
  const HistoryRange few = asked(*history, kStart, end, 0, 50);
  EXPECT_LE(few.moments_ns.size(), 50U);
  EXPECT_GT(few.moments_ns.size(), 25U);
  expect_naive(few, samples, 1e-4);
}

TEST(History, PointsFromTheDatabaseAreThoseOfANaiveComputation) {
  const TestFolder folder;
  const auto samples = irregular(kStart, 3000);
  {
    const auto history = open_history(folder.path());
    for (const GpuSample& s : samples) add(*history, s);
  }
  const auto history = open_history(folder.path());
  const int64_t end = samples.back().moment_ns + 1;
  for (const int64_t resolution : {0L, kMinute, 3 * kMinute, 61 * kSecond, 3600 * kSecond}) {
    const HistoryRange range = asked(*history, kStart, end, resolution);
    EXPECT_EQ(range.resolution_ns % kMinute, 0);
    expect_naive(range, samples, 0.051);  // means are kept in tenths
  }
  EXPECT_LE(asked(*history, kStart, end, 0, 10).moments_ns.size(), 10U);
}

TEST(History, TheFinestDataThatHasTheRangeAnswers) {
  const TestFolder folder;
  const auto history = open_history(folder.path(), {.path = {}, .days = 30, .memory_hours = 0.5});
  for (int64_t i = 0; i < 7200; ++i) add(*history, sample(kStart + i * kSecond, i % 100));
  const int64_t end = kStart + 7200 * kSecond;
  EXPECT_EQ(asked(*history, end - 600 * kSecond, end).resolution_ns, kSecond);
  EXPECT_EQ(asked(*history, kStart, end).resolution_ns, kMinute) << "memory has the last half hour only";
  EXPECT_EQ(asked(*history, kStart, end).moments_ns.size(), 120U);
}

TEST(History, AMinuteGoesOnAfterARestart) {
  const TestFolder folder;
  std::vector<GpuSample> samples;
  for (int64_t i = 0; i < 50; ++i) samples.push_back(sample(kStart + i * kSecond, i));
  {
    const auto history = open_history(folder.path());
    for (int i = 0; i < 20; ++i) add(*history, samples[static_cast<size_t>(i)]);
    history->flush();
    history->flush();  // what is written twice counts once
  }
  const auto history = open_history(folder.path());
  for (size_t i = 20; i < 50; ++i) add(*history, samples[i]);
  history->flush();
  const HistoryRange range = asked(*history, kStart, kStart + kMinute, kMinute);
  ASSERT_EQ(range.moments_ns.size(), 1U);
  expect_naive(range, samples, 0.051);
}

TEST(History, WhatIsNotFreshOrNotGivenIsAGap) {
  const auto history = open_history({});
  for (int64_t i = 0; i < 30; ++i) {
    GpuSample s = sample(kStart + i * kSecond, 50);
    if (i >= 10 && i < 20) {  // the GPU hangs: the old sample is handed in again
      s.moment_ns = kStart + 9 * kSecond;
      s.failure = device::GpuFailure{.kind = device::FailureKind::not_answering, .message = "hangs"};
    }
    history->add(kStart + i * kSecond, std::span(&s, 1));
  }
  const HistoryRange range = asked(*history, kStart, kStart + 30 * kSecond, kSecond);
  ASSERT_EQ(range.moments_ns.size(), 30U);
  EXPECT_EQ(range.series[0].mean[9], 50);
  EXPECT_TRUE(std::isnan(range.series[0].mean[15]));
  EXPECT_EQ(range.series[0].mean[20], 50);
  const auto fan = history->query(
      {.gpu_uuid = kUuid, .values = {"fan_speed_percent"}, .from_ns = kStart, .to_ns = kStart + 30 * kSecond});
  ASSERT_TRUE(fan.has_value());
  EXPECT_TRUE(std::isnan(fan->series[0].mean[0]));
}

TEST(History, WrongQuestionsAreErrors) {
  const auto history = open_history({});
  const auto backwards = history->query({.gpu_uuid = kUuid, .values = {}, .from_ns = 5, .to_ns = 5});
  EXPECT_FALSE(backwards.has_value());
  const auto unknown =
      history->query({.gpu_uuid = kUuid, .values = {"gpu_utilisation_percent"}, .from_ns = 0, .to_ns = kMinute});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("gpu_utilization_percent"), std::string::npos) << unknown.error().message;
}

TEST(History, SharesOfThrottlingAreMadeOfTheirCounters) {
  const auto history = open_history({});
  for (int64_t i = 0; i < 20; ++i) {
    GpuSample s = sample(kStart + i * 10 * kSecond, 90);
    s.reading.sw_power_cap_ns = i * 4 * kSecond;  // 4 of each 10 s
    add(*history, s);
  }
  const auto range = history->query(
      {.gpu_uuid = kUuid, .values = {"sw_power_cap_percent"}, .from_ns = kStart, .to_ns = kStart + 200 * kSecond});
  ASSERT_TRUE(range.has_value());
  EXPECT_TRUE(std::isnan(range->series[0].mean[0])) << "there is no sample before";
  EXPECT_NEAR(range->series[0].mean[5], 40, 1e-3);
}

TEST(History, PackedMinutesKeepAllThatTheScaleKeeps) {
  std::mt19937_64 random(3);
  history::Minute minute{.minute = 5, .values = {}};
  for (int i = 0; i < 60; ++i) {
    history::Values values;
    for (size_t v = 0; v < history::kValues; ++v) {
      const bool given = v % 7 != 0 && (v % 5 != 0 || i % 2 == 0);
      values.at(v) = given ? static_cast<float>(static_cast<int64_t>(random() % 2000) - 500) : history::kNothing;
    }
    minute.add(values);
  }
  const auto back = history::unpack(5, history::pack(minute));
  ASSERT_TRUE(back.has_value());
  for (size_t v = 0; v < history::kValues; ++v) {
    const history::Summary& a = minute.values.at(v);
    const history::Summary& b = back->values.at(v);
    EXPECT_EQ(a.count, b.count);
    if (a.count == 0) continue;
    const double step = 0.5 / history::stored(v).scale + 1e-6;
    EXPECT_NEAR(a.minimum, b.minimum, step);
    EXPECT_NEAR(a.maximum, b.maximum, step);
    EXPECT_NEAR(a.sum / static_cast<double>(a.count), b.sum / static_cast<double>(b.count), step);
  }
  const std::string bytes = history::pack(minute);
  EXPECT_FALSE(history::unpack(5, std::string_view(bytes).substr(0, bytes.size() - 1)).has_value());
}

TEST(History, NumbersOfValuesAreEachTheirOwn) {
  for (size_t i = 0; i < history::kValues; ++i) EXPECT_EQ(history::value_of_number(history::stored(i).number), i);
}

TEST(History, MemoryHoldsAnHourOfAnGpuInHalfAMegabyte) {
  history::Ring ring;
  history::Values values;
  values.fill(history::kNothing);
  for (size_t v = 0; v < 30; ++v) values.at(v) = 1;
  for (int64_t i = 0; i < 7200; ++i) {
    ring.add(kStart + i * kSecond, values);
    ring.forget(kStart + i * kSecond - 3600 * kSecond, 7200);
  }
  EXPECT_GE(ring.size(), 3600U);
  EXPECT_LE(ring.size(), 3600U + 256U);
  EXPECT_LT(ring.bytes(), 600'000U);
  EXPECT_EQ(ring.interval_ns(), kSecond);
}

// A day of eight busy GPUs in which every value there is moves.
TEST(History, ADayOfEightGpusTakesLessThanFiveMegabytes) {
  const TestFolder folder;
  {
    const auto history = open_history(folder.path());
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < 1440 * 6; ++i) {
      std::vector<GpuSample> samples;
      for (int gpu = 0; gpu < 8; ++gpu) {
        GpuSample s =
            sample(kStart + i * 10 * kSecond, static_cast<int64_t>(random() % 101), "GPU-" + std::to_string(gpu));
        device::GpuReading& r = s.reading;
        const auto any = [&](int64_t max) { return static_cast<int64_t>(random() % static_cast<uint64_t>(max)); };
        const auto share = [&] { return static_cast<double>(any(1000)) / 10; };
        r.memory_utilization_percent = any(101);
        r.memory_used_bytes = any(80LL << 30);
        r.temperature_celsius = 40 + any(40);
        r.memory_temperature_celsius = 50 + any(40);
        r.temperature_margin_celsius = any(50);
        r.power_draw_milliwatts = 70'000 + any(630'000);
        r.power_enforced_limit_milliwatts = 700'000;
        r.sm_clock_mhz = 345 + any(1600);
        r.memory_clock_mhz = 2619;
        r.encoder_utilization_percent = r.decoder_utilization_percent = 0;
        r.sw_power_cap_ns = i * kSecond + any(kSecond);
        r.sync_boost_ns = r.sw_thermal_slowdown_ns = r.hw_thermal_slowdown_ns = r.hw_power_brake_ns = 0;
        r.pcie_generation = 5;
        r.pcie_width = 16;
        r.pcie_replays = 0;
        r.pcie_tx_kbytes_per_s = any(10'000'000);
        r.pcie_rx_kbytes_per_s = any(10'000'000);
        r.ecc_corrected_volatile_total = r.ecc_uncorrected_volatile_total = 0;
        r.ecc_corrected_aggregate_total = r.ecc_uncorrected_aggregate_total = 3;
        r.remapped_rows_correctable = r.remapped_rows_uncorrectable = 0;
        r.running.emplace();
        r.gpm_graphics_percent = share();
        r.gpm_sm_percent = share();
        r.gpm_occupancy_percent = share();
        r.gpm_tensor_percent = share();
        r.gpm_dram_percent = share();
        r.gpm_fp64_percent = 0;
        r.gpm_fp32_percent = share();
        r.gpm_fp16_percent = share();
        r.gpm_pcie_tx_mib_per_s = share() * 100;
        r.gpm_pcie_rx_mib_per_s = share() * 100;
        r.gpm_nvlink_rx_mib_per_s = share() * 1000;
        r.gpm_nvlink_tx_mib_per_s = share() * 1000;
        samples.push_back(std::move(s));
      }
      history->add(kStart + i * 10 * kSecond, samples);
    }
  }
  const auto bytes = std::filesystem::file_size(folder.database());
  RecordProperty("bytes", static_cast<int>(bytes));
  std::printf("a day of eight GPUs: %.2f MB\n", static_cast<double>(bytes) / 1e6);
  EXPECT_LT(bytes, 5'000'000U);
  EXPECT_GT(bytes, 1'000'000U) << "something was not written";
}

TEST(History, WhatIsOlderThanItsDaysGoes) {
  const TestFolder folder;
  const int64_t now = kStart;
  const auto history = open_history(folder.path(), {.path = {}, .days = 2, .memory_hours = 0.01});
  for (int64_t i = 0; i <= 4 * 1440; i += 30) add(*history, sample(now - 4 * 86400 * kSecond + i * kMinute, 50));
  history->flush();
  // What goes is told by the older of the last two writes, and how much one write takes is the writer's affair.
  for (int64_t i = 1; i <= 2; ++i) {
    add(*history, sample(now + i * kMinute, 50));
    history->flush();
  }
  const auto db = Database::open_read_write(folder.database());
  ASSERT_TRUE(db.has_value());
  auto rows = db->prepare("SELECT count(*), min(id) FROM minutes");
  ASSERT_TRUE(rows && rows->next());
  EXPECT_NEAR(static_cast<double>(rows->integer(0)), 98, 2);
  EXPECT_GE(rows->integer(1) / 4096, (now - 2 * 86400 * kSecond) / kMinute - 1);
}

Incident incident(int64_t id, const std::string& uuid, bool open) {
  Incident i;
  i.id = id;
  i.detector = "xid";
  i.gpu_uuid = uuid;
  i.gpu_index = 3;
  i.subject = "79";
  i.severity = Severity::critical;
  i.summary = "GPU 3 has \"fallen\" off the bus";
  i.action = "reboot";
  i.arguments = {{"xid", "79"}, {"time", "3 s"}};
  i.xids = {79, 45};
  i.opened_ns = kStart + 123;
  i.last_seen_ns = kStart + 456;
  if (!open) i.cleared_ns = kStart + 789;
  i.cleared_by = open ? "" : "rule";
  i.times_seen = 2;
  i.acknowledged_ns = kStart + 500;
  i.acknowledged_by = "anna";
  i.simulated = true;
  return i;
}

TEST(History, IncidentsAreThereAfterARestart) {
  const TestFolder folder;
  {
    const auto history = open_history(folder.path(), {.path = {}, .days = 30, .memory_hours = 1});
    for (int64_t id = 1; id <= 30; ++id) history->save(incident(id, id % 2 == 0 ? "GPU-a" : "GPU-b", true));
    for (int64_t id = 1; id <= 30; id += 3) history->save(incident(id, id % 2 == 0 ? "GPU-a" : "GPU-b", false));
  }
  const auto history = open_history(folder.path(), {.path = {}, .days = 30, .memory_hours = 1});
  const auto all = history->incidents({}, false, 0, 100);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 30U);
  EXPECT_EQ(all->front().id, 30);
  const Incident& first = all->back();
  const Incident wanted = incident(1, "GPU-b", false);
  EXPECT_EQ(first.summary, wanted.summary);
  EXPECT_EQ(first.severity, wanted.severity);
  EXPECT_EQ(first.xids, wanted.xids);
  EXPECT_EQ(first.opened_ns, wanted.opened_ns);
  EXPECT_EQ(first.cleared_ns, wanted.cleared_ns);
  EXPECT_EQ(first.acknowledged_by, "anna");
  ASSERT_EQ(first.arguments.size(), 2U);
  EXPECT_EQ(first.arguments[1].value, "3 s");
  EXPECT_TRUE(first.simulated);
  EXPECT_EQ(history->incidents({}, true, 0, 100)->size(), 20U);
  const auto some = history->incidents("GPU-a", false, 20, 5);
  ASSERT_EQ(some->size(), 5U);
  EXPECT_EQ(some->front().id, 18);
  EXPECT_EQ(some->back().id, 10);
}

TEST(History, IncidentsAndWasteWithoutADatabaseStayInMemory) {
  const auto history = open_history({});
  history->save(incident(1, "GPU-a", true));
  history->save(incident(1, "GPU-a", false));
  history->save(incident(2, "GPU-a", true));
  EXPECT_EQ(history->incidents({}, false, 0, 10)->size(), 2U);
  EXPECT_EQ(history->incidents({}, true, 0, 10)->size(), 1U);
  EXPECT_EQ(history->trouble(), "");
}

TEST(History, WasteIsThereAfterARestart) {
  const TestFolder folder;
  const int64_t day = kStart / (86400 * kSecond) * 86400 * kSecond;
  const auto entry = [&](double hours) {
    return WasteEntry{.gpu_uuid = kUuid,
                      .kind = WasteKind::dead_memory,
                      .user = "",
                      .container = "0123456789ab",
                      .hours = hours,
                      .energy_kwh = 0.25,
                      .money = 1.5,
                      .since_ns = day,
                      .until_ns = day + 5};
  };
  {
    const auto history = open_history(folder.path());
    history->save({{day, {entry(1), entry(2)}}, {day - 86400 * kSecond, {entry(9)}}});
    history->flush();
    history->save({{day, {entry(3)}}});  // takes the place of what was there
  }
  const auto waste = open_history(folder.path())->waste();
  ASSERT_EQ(waste.size(), 2U);
  ASSERT_EQ(waste.at(day).size(), 1U);
  EXPECT_EQ(waste.at(day)[0].hours, 3);
  EXPECT_EQ(waste.at(day)[0].kind, WasteKind::dead_memory);
  EXPECT_EQ(waste.at(day)[0].container, "0123456789ab");
}

TEST(History, ABrokenDatabaseIsSetAside) {
  const TestFolder folder;
  std::ofstream(folder.database()) << std::string(8192, 'x');
  std::vector<std::string> notes;
  const auto history = History::open(folder.path(), {}, notes);
  ASSERT_TRUE(history.has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("broken-"), std::string::npos) << notes[0];
  add(**history, sample(kStart, 5));
  (*history)->flush();
  EXPECT_EQ((*history)->trouble(), "");
  size_t set_aside = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    set_aside += file.path().string().find("broken-") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(set_aside, 1U);
}

TEST(History, ADatabaseOfANewerVersionIsLeftAlone) {
  const TestFolder folder;
  {
    const auto db = Database::open_read_write(folder.database());
    ASSERT_TRUE(db && db->execute("PRAGMA user_version = 99"));
  }
  std::vector<std::string> notes;
  const auto history = History::open(folder.path(), {}, notes);
  ASSERT_TRUE(history.has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("newer version"), std::string::npos);
  EXPECT_NE(notes[0].find("move the file away"), std::string::npos) << notes[0];
  add(**history, sample(kStart, 5));
  EXPECT_EQ(asked(**history, kStart, kStart + kSecond).series[0].mean[0], 5);
}

TEST(History, AFolderThatCannotBeMadeIsTriedAgain) {
  const TestFolder folder;
  const std::string inner = folder.path() + "/state";
  std::ofstream(inner) << "a file where the folder should be";
  std::vector<std::string> notes;
  const auto history = History::open(inner, {}, notes);
  ASSERT_TRUE(history.has_value());
  EXPECT_EQ(notes.size(), 1U);
  add(**history, sample(kStart, 5));
  (*history)->flush();
  EXPECT_NE((*history)->trouble(), "");
  std::filesystem::remove(inner);
  (*history)->flush();
  EXPECT_EQ((*history)->trouble(), "");
  EXPECT_TRUE(std::filesystem::exists(inner + "/history.db"));
}

TEST(History, WhileAnotherProcessLocksItMemoryGoesOn) {
  const TestFolder folder;
  const auto history = open_history(folder.path());
  const auto other = Database::open_read_write(folder.database());
  ASSERT_TRUE(other && other->execute("BEGIN EXCLUSIVE"));
  add(*history, sample(kStart, 5));
  history->flush();
  EXPECT_NE(history->trouble().find("locked"), std::string::npos) << history->trouble();
  EXPECT_EQ(asked(*history, kStart, kStart + kSecond).series[0].mean[0], 5);
  ASSERT_TRUE(other->execute("ROLLBACK"));
  history->flush();
  EXPECT_EQ(history->trouble(), "");
}

/// No file may grow beyond this: to SQLite the disk is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

TEST(History, OnAFullDiskMemoryGoesOnAndWritingResumes) {
  const TestFolder folder;
  const auto history = open_history(folder.path(), {.path = {}, .days = 30, .memory_hours = 0.01});
  for (int64_t i = 0; i < 10; ++i) add(*history, sample(kStart + i * kMinute, i));
  history->flush();
  EXPECT_EQ(history->trouble(), "");
  {
    const FullDisk full(4096);
    for (int64_t i = 10; i < 400; ++i) add(*history, sample(kStart + i * kMinute, i % 100));
    history->flush();
    EXPECT_NE(history->trouble(), "");
    EXPECT_EQ(asked(*history, kStart + 200 * kMinute, kStart + 201 * kMinute, kMinute).series[0].mean[0], 0)
        << "what waits is answered from memory";
  }
  history->flush();
  EXPECT_EQ(history->trouble(), "");
  const auto again = open_history(folder.path());
  const HistoryRange range = asked(*again, kStart, kStart + 400 * kMinute, kMinute);
  ASSERT_EQ(range.moments_ns.size(), 400U);
  for (size_t i = 0; i < 400; ++i) EXPECT_EQ(range.series[0].mean[i], i % 100) << i;
}

TEST(History, ManyThreadsMayUseIt) {
  const TestFolder folder;
  const auto history = open_history(folder.path());
  std::jthread writer([&] {
    for (int64_t i = 0; i < 2000; ++i) {
      add(*history, sample(kStart + i * 7 * kSecond, i % 100));
      if (i % 100 == 0) history->save(incident(i / 100 + 1, kUuid, i % 200 == 0));
    }
  });
  for (int i = 0; i < 100; ++i) {
    (void)asked(*history, kStart, kStart + 14000 * kSecond);
    EXPECT_TRUE(history->incidents({}, false, 0, 10).has_value());
    if (i % 20 == 0) history->flush();
  }
  writer.join();
  EXPECT_EQ(history->trouble(), "");
  EXPECT_EQ(history->incidents({}, false, 0, 100)->size(), 20U);
}

TEST(History, GoesOnAfterTheClockWasSetBack) {
  const auto history = open_history({});
  for (int i = 0; i < 60; ++i) add(*history, sample(kStart + i * kSecond, 10));
  const int64_t earlier = kStart - 7200 * kSecond;
  for (int i = 0; i < 60; ++i) add(*history, sample(earlier + i * kSecond, 90));
  const auto range = history->query({.gpu_uuid = kUuid,
                                     .values = {"gpu_utilization_percent"},
                                     .from_ns = earlier,
                                     .to_ns = earlier + kMinute,
                                     .resolution_ns = kMinute});
  ASSERT_TRUE(range && !range->series.empty());
  EXPECT_EQ(range->series[0].mean.front(), 90);
}

TEST(History, AClockThatWasAheadForAMinuteDoesNotCostIt) {
  const TestFolder folder;
  const auto history = open_history(folder.path(), {.path = {}, .days = 2, .memory_hours = 0.01});
  // Rows go by some thousand a write: more are there than the minute ahead may take.
  for (int64_t i = 0; i < 6000; ++i) add(*history, sample(kStart + i * 20 * kSecond, 50));
  history->flush();
  add(*history, sample(kStart + 20LL * 365 * 86400 * kSecond, 50));
  add(*history, sample(kStart + 120'000 * kSecond, 50));
  history->flush();
  for (int i = 1; i < 5; ++i) {
    add(*history, sample(kStart + 120'000 * kSecond + i * kMinute, 50));
    history->flush();
  }
  const auto db = Database::open_read_write(folder.database());
  ASSERT_TRUE(db.has_value());
  auto rows = db->prepare("SELECT count(*) FROM minutes");
  ASSERT_TRUE(rows && rows->next());
  EXPECT_GT(rows->integer(0), 1500);
}

TEST(History, NumbersOfIncidentsGrowThoughAllAreForgotten) {
  const TestFolder folder;
  {
    const auto history = open_history(folder.path(), {.path = {}, .days = 2, .memory_hours = 0.01});
    history->save(incident(7, "GPU-a", false));
    history->save(incident(8, "GPU-a", false));
    add(*history, sample(kStart + 30LL * 86400 * kSecond, 50));
    history->flush();
    history->flush();
    add(*history, sample(kStart + 31LL * 86400 * kSecond, 50));
    history->flush();
  }
  const auto kept = open_history(folder.path())->incidents({}, false, 0, 10);
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->size(), 1U) << "the last one tells where numbers go on";
  EXPECT_EQ(kept->front().id, 8);
}

}  // namespace history_test
}  // namespace sonde::monitor
