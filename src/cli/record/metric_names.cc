#include "cli/record/metric_names.h"

#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "metrics/metric_name.h"
#include "metrics/sections.h"

namespace sonde::record_cli {
namespace {

struct GroupMetric {
  std::string_view group;
  std::string_view metric;
};

constexpr std::array kGroupMetrics = {
#define SONDE_METRIC_GROUP(name, metric) GroupMetric{name, metric},
#include "cli/record/metric_groups.inc"
#undef SONDE_METRIC_GROUP
};

constexpr std::array<std::string_view, 3> kSets = {"basic", "detailed", "full"};

/// Sampled or counted by instruction: PC sampling and SASS metrics.
constexpr std::string_view kSourceSection = "SourceCounters";

/// What the launch and the driver tell without counting, and what follows by formula.
bool is_told(const MetricName& name) {
  constexpr std::array<std::string_view, 6> kTold = {"launch", "device", "derived", "numa", "nvlink", "gr"};
  return std::ranges::find(kTold, name.hardware) != kTold.end() || name.counter.starts_with("sm__maximum_warps") ||
         name.counter.starts_with("smsp__maximum_warps");
}

/// What takes samples of the program counter, or instrumented code.
bool needs_samples(std::string_view name) {
  return name.contains("pcsamp") || name.starts_with("sass__") || name.starts_with("pmsampling:");
}

void add(std::vector<std::string>& names, std::string name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

bool add_group(std::vector<std::string>& names, std::string_view group) {
  bool known = false;
  for (const GroupMetric& member : kGroupMetrics) {
    if (member.group != group) continue;
    known = true;
    add(names, std::string(member.metric));
  }
  return known;
}

/// A counter without rollup stands for its four rollups, as in ncu.
void add_counter(std::vector<std::string>& names, std::string_view word) {
  if (!split_metric_name(word).rollup.empty()) return add(names, std::string(word));
  for (const std::string_view rollup : {"avg", "max", "min", "sum"}) add(names, fmt::format("{}.{}", word, rollup));
}

void add_of_section(MetricNames& names, std::string_view id) {
  for (const std::string_view metric : metrics_of_section(id)) {
    const MetricName parts = split_metric_name(metric);
    if (is_told(parts) || needs_samples(metric)) continue;
    if (!parts.prefix.empty()) {
      add_group(names.of_sets, metric);
    } else {
      add_counter(names.of_sets, metric);
    }
  }
}

Status no_group(std::string_view word) {
  if (needs_samples(word)) {
    return fail(
        "--metrics {}: samples of the program counter are not taken yet; --section WarpStateStats counts why warps "
        "wait",
        word);
  }
  std::vector<std::string_view> groups;
  for (const GroupMetric& member : kGroupMetrics) {
    if (groups.empty() || groups.back() != member.group) groups.push_back(member.group);
  }
  return fail("--metrics: there is no '{}'{}; name its metrics one by one, or a section with --section", word,
              did_you_mean(word, groups));
}

}  // namespace

Status add_set(MetricNames& names, std::string_view set) {
  if (std::ranges::find(kSets, set) == kSets.end()) {
    return fail("--set: there is no set '{}'{}; there are basic and detailed", set, did_you_mean(set, kSets));
  }
  if (set == "full") {
    return fail(
        "--set full: source lines and sampled stalls are not measured yet; --set detailed --section WarpStateStats "
        "--section SchedulerStats --section MemoryWorkloadAnalysis_Tables has what can be counted");
  }
  for (const SectionInfo& section : known_sections()) {
    if (section.id != kSourceSection && collected_by(section, set)) add_of_section(names, section.id);
  }
  return {};
}

Status add_section(MetricNames& names, std::string_view id) {
  const auto section = section_by_id(id);
  if (!section) return std::unexpected(section.error());
  if ((*section)->id == kSourceSection || (*section)->id.starts_with("PmSampling")) {
    return fail(
        "--section {}: samples and counts by instruction are not measured yet; --section WarpStateStats counts "
        "why warps wait",
        id);
  }
  add_of_section(names, (*section)->id);
  return {};
}

Status add_metric(MetricNames& names, std::string_view word) {
  if (std::ranges::find(kSets, word) != kSets.end()) return add_set(names, word);
  const MetricName parts = split_metric_name(word);
  if (!parts.prefix.empty()) return add_group(names.of_sets, word) ? Status() : no_group(word);
  if (needs_samples(word)) {
    return fail("--metrics {}: counts by instruction and samples are not measured yet; ncu --metrics {} does it", word,
                word);
  }
  if (!word.contains("__")) {
    return fail(
        "--metrics: '{}' is no set and no metric{}; there are the sets basic and detailed, and metrics as "
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        word, did_you_mean(word, kSets));
  }
  if (!is_told(parts)) add_counter(names.named, word);
  return {};
}

}  // namespace sonde::record_cli
