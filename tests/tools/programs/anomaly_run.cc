#include "anomaly_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "monitor/incident.h"

namespace simulated_host {
namespace {

using namespace sonde::monitor;
constexpr double kDayNs = 86400e9;
constexpr size_t kRows = 11;

/// The detectors of the table. The others report current conditions (too hot, throttled) and learn nothing.
constexpr std::array<std::string_view, 9> kDetectors = {
    "clock_lower_than_before",  "clock_below_equals", "power_limit_below_equals",
    "power_capped_below_limit", "cooling_worse",      "memory_hotter_than_before",
    "idle_power_raised",        "memory_unexplained", "pcie_link_degraded"};

}  // namespace

const std::vector<FaultRow>& fault_rows() {
  static const std::vector<FaultRow> kRowsOfFaults = {
      {Fault::none, "no fault", {}, 0},
      {Fault::cooling, "thermal resistance +20 %", {"cooling_worse"}, 3},
      {Fault::cooling_slow, "thermal resistance +25 %, within 4 days", {"cooling_worse"}, 6},
      {Fault::clock_stuck, "clock stuck at 1500 of 1980 MHz", {"clock_lower_than_before", "clock_below_equals"}, 3},
      {Fault::power_cap, "power limit lowered to 75 %", {"power_limit_below_equals", "clock_below_equals"}, 3},
      {Fault::power_cap_hidden,
       "power capped at 75 %, the reported limit unchanged",
       {"power_capped_below_limit", "clock_below_equals"},
       3},
      {Fault::slow_equal, "clock 10 % below its equals, from the start", {"clock_below_equals"}, 5},
      {Fault::memory_heat, "memory 9 °C hotter, within 12 hours", {"memory_hotter_than_before"}, 3},
      {Fault::dead_memory, "20 GiB of a dead process", {"memory_unexplained"}, 3},
      {Fault::idle_power, "idle power +35 W", {"idle_power_raised"}, 3},
      {Fault::pcie_half, "PCIe at 8 of 16 lanes", {"pcie_link_degraded"}, 3},
  };
  return kRowsOfFaults;
}

Outcome run(const FaultRow& row, uint64_t seed, double days, int64_t interval_s) {
  std::mt19937_64 random(seed * kRows + static_cast<uint64_t>(row.fault));
  Plan plan{.seed = random(), .days = days, .interval_s = interval_s, .fault = row.fault};
  plan.faulty_gpu = random() % kGpus;
  plan.fault_day =
      row.fault == Fault::slow_equal ? 0 : days * (4 + 5 * static_cast<double>(random() % 1000) / 1000) / 14;
  Host host(plan);
  struct Watch {
    const DetectorRow* row;
    std::unique_ptr<Detector> detector;
    IncidentBook book;
  };
  std::vector<Watch> watches;
  for (const DetectorRow* detector : detector_rows()) {
    if (std::ranges::find(kDetectors, detector->name) == kDetectors.end()) continue;
    watches.push_back({detector, detector->make(), IncidentBook()});
  }
  Outcome outcome{.delay_hours = {}, .false_alarms = {}, .gpu_weeks = days * kGpus / 7};
  Round round;
  std::vector<Observation> found;
  std::chrono::nanoseconds spent{};
  int64_t rounds = 0;
  std::optional<int64_t> start_ns;
  while (host.next(round)) {
    if (!start_ns) start_ns = round.moment_ns;
    ++rounds;
    for (Watch& watch : watches) {
      found.clear();
      const auto before = std::chrono::steady_clock::now();
      watch.detector->look(round, found);
      spent += std::chrono::steady_clock::now() - before;
      for (const IncidentNews& news : watch.book.take(*watch.row, round, found)) {
        if (news.change != IncidentChange::opened) continue;
        const double day = static_cast<double>(round.moment_ns - *start_ns) / kDayNs;
        const bool about = static_cast<size_t>(news.incident.gpu_index) == plan.faulty_gpu && day >= plan.fault_day &&
                           std::ranges::find(row.detectors, watch.row->name) != row.detectors.end();
        if (!about) {
          outcome.false_alarms.push_back(
              fmt::format("day {:.1f} {} {}: {}", day, news.incident.gpu_uuid, watch.row->name, news.incident.summary));
        } else if (!outcome.delay_hours && day - plan.fault_day <= row.delay_limit_days) {
          outcome.delay_hours = (day - plan.fault_day) * 24;
        }
      }
    }
  }
  outcome.microseconds_per_round =
      std::chrono::duration<double, std::micro>(spent).count() / static_cast<double>(std::max<int64_t>(rounds, 1));
  return outcome;
}

}  // namespace simulated_host
