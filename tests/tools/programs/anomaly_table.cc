/// Prints the faults that the detectors find in simulated fortnights of 8 GPUs, and their false alarms: the table of
/// docs/serve/anomalies.md. Fails if a fault is not found or there is more than one false alarm per GPU and week.
///
///     anomaly_table [SEEDS [FIRST_SEED [INTERVAL_SECONDS]]] [-v]

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "anomaly_run.h"
#include "base/system/parallel.h"

namespace {

using namespace simulated_host;

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.at(static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5));
}

std::string hours(double value) {
  return value < 48 ? fmt::format("{:.1f} h", value) : fmt::format("{:.1f} days", value / 24);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint64_t> numbers;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "-v") == 0) {
      verbose = true;
    } else {
      numbers.push_back(std::stoull(argv[i]));
    }
  }
  const uint64_t seeds = !numbers.empty() ? numbers[0] : 12;
  const uint64_t first = numbers.size() > 1 ? numbers[1] : 3000;
  const int64_t interval_s = numbers.size() > 2 ? static_cast<int64_t>(numbers[2]) : 60;
  constexpr double kDays = 14;
  const auto& rows = fault_rows();
  std::vector<Outcome> outcomes(rows.size() * seeds);
  sonde::parallel_for(outcomes.size(),
                      [&](size_t i) { outcomes[i] = run(rows[i / seeds], first + i % seeds, kDays, interval_s); });
  fmt::print(
      "| fault | found | delay, median | delay, longest | false alarms | GPU-weeks |\n|---|---|---|---|---|---|\n");
  bool good = true;
  double weeks = 0;
  size_t alarms = 0;
  double cost = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> delays;
    size_t row_alarms = 0;
    double row_weeks = 0;
    for (size_t s = 0; s < seeds; ++s) {
      const Outcome& outcome = outcomes[r * seeds + s];
      if (outcome.delay_hours) delays.push_back(*outcome.delay_hours);
      if (verbose && !outcome.delay_hours && !rows[r].detectors.empty())
        fmt::print(stderr, "missed: {} seed {}\n", rows[r].words, first + s);
      if (verbose)
        for (const std::string& alarm : outcome.false_alarms)
          fmt::print(stderr, "{} seed {}: {}\n", rows[r].words, first + s, alarm);
      row_alarms += outcome.false_alarms.size();
      row_weeks += outcome.gpu_weeks;
      cost += outcome.microseconds_per_round / static_cast<double>(outcomes.size());
    }
    const bool planted = !rows[r].detectors.empty();
    const std::string found = planted ? fmt::format("{} of {}", delays.size(), seeds) : "-";
    fmt::print("| {} | {} | {} | {} | {} | {:.0f} |\n", rows[r].words, found,
               delays.empty() ? "-" : hours(quantile(delays, 0.5)), delays.empty() ? "-" : hours(quantile(delays, 1)),
               row_alarms, row_weeks);
    good = good && (!planted || delays.size() == seeds);
    alarms += row_alarms;
    weeks += row_weeks;
  }
  fmt::print("| all | | | | {} | {:.0f} |\n", alarms, weeks);
  fmt::print(stderr, "{:.3f} false alarms per GPU-week; all detectors take {:.1f} us a round of {} GPUs\n",
             static_cast<double>(alarms) / weeks, cost, kGpus);
  return good && static_cast<double>(alarms) <= weeks ? 0 : 1;
}
