#include "report/page/kernel_rows.h"

#include <algorithm>

namespace sonde {
namespace {

int64_t duration_of(const KernelLaunch& launch) { return integer_cell(launch.duration_ns().value_or(0)); }

void keep_once(std::vector<uint32_t>& rows) {
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
}

void measure_reports(const Trace& reports, KernelRows& rows) {
  rows.counters = &reports;
  for (const KernelGroup& group : rows.groups) {
    MeasuredKernels& measured = rows.measured.emplace_back();
    std::vector<uint32_t>& profiles = rows.profiles.emplace_back();
    for (const KernelLaunch& launch : group.launches) {
      const Figures figures = figures_of(reports, *launch.profile);
      measured.add(duration_of(launch), &figures);
      profiles.push_back(static_cast<uint32_t>(launch.profile - reports.kernel_profiles.data()));
    }
    keep_once(profiles);
  }
}

void measure_joined(const KernelJoin& join, KernelRows& rows) {
  rows.counters = join.reports;
  const std::vector<Figures> of_sample = figures_of_samples(join);
  for (const KernelGroup& group : rows.groups) {
    MeasuredKernels& measured = rows.measured.emplace_back();
    std::vector<uint32_t> samples;
    for (const KernelLaunch& launch : group.launches) {
      const uint32_t sample = join.sample_of[launch.row];
      measured.add(duration_of(launch), sample == kNone ? nullptr : &of_sample[sample]);
      if (sample != kNone) samples.push_back(sample);
    }
    keep_once(samples);
    std::vector<uint32_t>& profiles = rows.profiles.emplace_back();
    for (const uint32_t s : samples) {
      profiles.insert(profiles.end(), join.samples[s].profiles.begin(), join.samples[s].profiles.end());
    }
    keep_once(profiles);
  }
}

}  // namespace

KernelRows kernel_rows(const ReportSource& source, size_t most) {
  KernelRows rows;
  rows.from_reports = !source.trace.kernel_profiles.empty();
  rows.groups = group_kernels(kernel_launches(source.trace), kByShape);
  if (rows.groups.size() > most) rows.groups.resize(most);
  if (rows.from_reports) measure_reports(source.trace, rows);
  if (!rows.from_reports && source.facts.kernels) measure_joined(*source.facts.kernels, rows);
  return rows;
}

}  // namespace sonde
