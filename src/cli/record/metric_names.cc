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

/// Sampled or counted by instruction: PC sampling and SASS metrics. Only the former is recorded.
constexpr std::string_view kSourceSection = "SourceCounters";
constexpr std::string_view kFullSet = "full";

/// What the launch and the driver tell without counting, and what follows by formula.
bool is_told(const MetricName& name) {
  constexpr std::array<std::string_view, 6> kTold = {"launch", "device", "derived", "numa", "nvlink", "gr"};
  return std::ranges::find(kTold, name.hardware) != kTold.end() || name.counter.starts_with("sm__maximum_warps") ||
         name.counter.starts_with("smsp__maximum_warps");
}

/// What samples of the program counter give.
bool is_sampled(std::string_view name) {
  return name.contains("smsp__pcsamp_") && (name.starts_with("group:") || !name.contains(':'));
}

/// What takes instrumented code, or counters over the time of a kernel.
bool is_not_recorded(std::string_view name) { return name.starts_with("sass__") || name.starts_with("pmsampling:"); }

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
    if (is_told(parts) || is_sampled(metric) || is_not_recorded(metric)) continue;
    if (!parts.prefix.empty()) {
      add_group(names.of_sets, metric);
    } else {
      add_counter(names.of_sets, metric);
    }
  }
}

Status no_group(std::string_view word) {
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
    return fail("--set: there is no set '{}'{}; there are basic, detailed and full", set, did_you_mean(set, kSets));
  }
  names.samples = names.samples || set == kFullSet;
  for (const SectionInfo& section : known_sections()) {
    if (section.id != kSourceSection && collected_by(section, set)) add_of_section(names, section.id);
  }
  return {};
}

Status add_section(MetricNames& names, std::string_view id) {
  const auto section = section_by_id(id);
  if (!section) return std::unexpected(section.error());
  if ((*section)->id == kSourceSection) {
    names.samples = true;
    return {};
  }
  if ((*section)->id.starts_with("PmSampling")) {
    return fail(
        "--section {}: counters over the time of a kernel are not measured; --gpu-metrics-devices samples those of the "
        "GPU",
        id);
  }
  add_of_section(names, (*section)->id);
  return {};
}

Status add_metric(MetricNames& names, std::string_view word) {
  if (std::ranges::find(kSets, word) != kSets.end()) return add_set(names, word);
  if (is_sampled(word)) {
    names.samples = true;
    return {};
  }
  const MetricName parts = split_metric_name(word);
  if (!parts.prefix.empty()) return add_group(names.of_sets, word) ? Status() : no_group(word);
  if (is_not_recorded(word)) {
    return fail("--metrics {}: counts by instruction are not measured yet; ncu --metrics {} does it", word, word);
  }
  if (!word.contains("__")) {
    return fail(
        "--metrics: '{}' is no set and no metric{}; there are the sets basic, detailed and full, and metrics as "
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        word, did_you_mean(word, kSets));
  }
  if (!is_told(parts)) add_counter(names.named, word);
  return {};
}

}  // namespace sonde::record_cli
