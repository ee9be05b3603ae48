#include "cli/record/metric_names.h"

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "cli/record/expression.h"
#include "metrics/metric_name.h"
#include "metrics/quantities.h"
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

constexpr std::string_view kRegex = "regex:";

/// Sampled, and counted by instruction: PC sampling and SASS metrics. The latter patch the program's code, and are
/// taken where they were asked for.
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

/// What counting instructions gives: the names of Nsight Compute, and of CUPTI.
bool is_counted_by_place(std::string_view name) {
  constexpr std::array<std::string_view, 6> kCounted = {"inst_executed",
                                                        "thread_inst_executed",
                                                        "thread_inst_executed_true",
                                                        "smsp__sass_inst_executed",
                                                        "smsp__sass_thread_inst_executed",
                                                        "smsp__sass_thread_inst_executed_pred_on"};
  return std::ranges::find(kCounted, name) != kCounted.end();
}

/// Other counts by instrumented code, and counters over the time of a kernel.
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

/// Names that are counted, of those that Sonde knows: of sections, groups and quantities, each once.
std::vector<std::string_view> known_metrics() {
  std::vector<std::string_view> names;
  const auto take = [&](std::string_view name) {
    const MetricName parts = split_metric_name(name);
    const bool counted =
        !name.empty() && parts.prefix.empty() && !is_told(parts) && !is_sampled(name) && !is_not_recorded(name);
    if (counted && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const SectionInfo& section : known_sections()) std::ranges::for_each(metrics_of_section(section.id), take);
  for (const GroupMetric& member : kGroupMetrics) take(member.metric);
  for (const Quantity& quantity : quantities()) {
    for (const QuantityVariant& variant : variants_of(quantity)) {
      take(variant.a);
      take(variant.b);
    }
  }
  return names;
}

/// "regex:EXPRESSION": which names a GPU has only its CUPTI knows, so that those are meant that Sonde knows.
Status add_matching(MetricNames& names, std::string_view word) {
  const auto expression = Expression::compile(std::string(word.substr(kRegex.size())));
  if (!expression) return fail("--metrics '{}': {}", word, expression.error().message);
  bool found = false;
  for (const std::string_view name : known_metrics()) {
    if (!expression->finds(std::string(name))) continue;
    found = true;
    add_counter(names.of_sets, name);
  }
  if (found) return {};
  return fail(
      "--metrics {}: no match among the {} metrics that Sonde knows (sonde kernels --list-columns); give other metrics "
      "by their full name",
      word, known_metrics().size());
}

bool is_counted(std::string_view metric) {
  const MetricName parts = split_metric_name(metric);
  return metric.empty() ||
         (!is_told(parts) && !is_sampled(metric) && !is_counted_by_place(metric) && !is_not_recorded(metric));
}

/// What a quantity is computed from: the first way for each generation of GPUs that counts all it takes. False where
/// there is none.
bool add_quantity(MetricNames& names, const Quantity& quantity) {
  std::vector<int> generations;
  for (const QuantityVariant& variant : variants_of(quantity)) {
    const bool known = std::ranges::find(generations, variant.first_cc) != generations.end();
    if (known || !is_counted(variant.a) || !is_counted(variant.b)) continue;
    generations.push_back(variant.first_cc);
    add_counter(names.of_sets, variant.a);
    if (!variant.b.empty()) add_counter(names.of_sets, variant.b);
  }
  return !generations.empty();
}

/// What Nsight Compute computes from others ("derived__..."): by the quantity that is the same.
Status add_derived(MetricNames& names, std::string_view word) {
  for (const Quantity& quantity : quantities()) {
    const auto names_it = [&](const QuantityVariant& variant) { return variant.a == word; };
    if (std::ranges::any_of(variants_of(quantity), names_it) && add_quantity(names, quantity)) return {};
  }
  return fail(
      "--metrics {}: Nsight Compute computes this metric from others, and no counter provides it; sonde kernels "
      "--list-columns lists the computed metrics that --metrics accepts",
      word);
}

Status no_metric(std::string_view word) {
  std::vector<std::string_view> known(kSets.begin(), kSets.end());
  for (const Quantity& quantity : quantities()) known.push_back(quantity.name);
  return fail(
      "--metrics: '{}' is not a set or metric{}; give sets (basic, detailed, full), metrics "
      "(sm__throughput.avg.pct_of_peak_sustained_elapsed), computed metrics (dram_read_bytes; sonde kernels "
      "--list-columns), or names after regex:, group: or breakdown:",
      word, did_you_mean(word, known));
}

Status no_group(std::string_view word) {
  std::vector<std::string_view> groups;
  for (const GroupMetric& member : kGroupMetrics) {
    if (groups.empty() || groups.back() != member.group) groups.push_back(member.group);
  }
  return fail("--metrics: unknown group '{}'{}; give its metrics one by one, or a section with --section", word,
              did_you_mean(word, groups));
}

}  // namespace

Status add_set(MetricNames& names, std::string_view set) {
  if (std::ranges::find(kSets, set) == kSets.end()) {
    return fail("--set: unknown set '{}'{}; use basic, detailed or full", set, did_you_mean(set, kSets));
  }
  names.samples = names.samples || set == kFullSet;
  for (const SectionInfo& section : known_sections()) {
    if (section.id != kSourceSection && collected_by(section, set)) add_of_section(names, section.id);
  }
  return {};
}

Status add_section(MetricNames& names, std::string_view id) {
  const auto section = section_by_id(id);
  if (!section) return fail("{}; sonde kernel --list-sections lists them", section.error().message);
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
  if (word.starts_with(kRegex)) return add_matching(names, word);
  if (is_sampled(word)) {
    names.samples = true;
    return {};
  }
  if (is_counted_by_place(word)) {
    names.instructions = true;
    return {};
  }
  const MetricName parts = split_metric_name(word);
  if (!parts.prefix.empty()) return add_group(names.of_sets, word) ? Status() : no_group(word);
  if (is_not_recorded(word)) {
    return fail(
        "--metrics {}: it is not measured; ncu --metrics {} does it, and --instruction-counts counts instructions",
        word, word);
  }
  if (!word.contains("__")) {
    const auto quantity = find_quantity(word);
    if (!quantity) return no_metric(word);
    static_cast<void>(add_quantity(names, **quantity));  // none: the launch tells it anyway
    return {};
  }
  if (parts.hardware == "derived") return add_derived(names, word);
  if (!is_told(parts)) add_counter(names.named, word);
  return {};
}

}  // namespace sonde::record_cli
