#include "metrics/catalogue.h"

#include <array>

#include <fmt/format.h>

#include "metrics/counter_name.h"
#include "metrics/metric_name.h"

namespace sonde {
namespace {

constexpr std::array kTitles = {
#define SONDE_FAMILY(id, title) std::string_view(title),
#include "metrics/families.inc"
#undef SONDE_FAMILY
};

enum class UnitRule : uint8_t { same, percent, per_second, per_cycle };

struct Submetric {
  std::string_view name;
  UnitRule rule;
  std::string_view phrase;
};

constexpr std::array kSubmetrics = {
#define SONDE_SUBMETRIC(name, rule, phrase) Submetric{name, UnitRule::rule, phrase},
#include "metrics/submetrics.inc"
#undef SONDE_SUBMETRIC
};

constexpr Submetric kNoSubmetric{"", UnitRule::same, ""};

const Submetric* find_submetric(std::string_view name) {
  if (name.empty()) return &kNoSubmetric;
  for (const Submetric& s : kSubmetrics) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

constexpr std::string_view kEachCycle = ".cycle";  ///< see counters.inc

/// "warp" of "warp.cycle"; a unit that is not counted in every cycle stays.
std::string_view counted_unit(std::string_view unit) {
  if (unit.ends_with(kEachCycle)) unit.remove_suffix(kEachCycle.size());
  return unit;
}

std::string unit_per_cycle(std::string_view unit) {
  if (unit == "cycle" || unit.empty()) return "";
  return unit.ends_with(kEachCycle) ? std::string(counted_unit(unit)) : fmt::format("{}/cycle", unit);
}

std::string unit_per_second(std::string_view unit) {
  if (unit == "cycle") return "hz";
  return unit.empty() ? "" : fmt::format("{}/s", counted_unit(unit));
}

std::string unit_by(UnitRule rule, std::string_view unit) {
  switch (rule) {
    case UnitRule::percent: return "%";
    case UnitRule::per_second: return unit_per_second(unit);
    case UnitRule::per_cycle: return unit_per_cycle(unit);
    case UnitRule::same: break;
  }
  return std::string(counted_unit(unit));
}

struct Rollup {
  std::string_view name;
  std::string_view phrase;  ///< before the units that it goes over
};

constexpr std::array kRollups = {Rollup{"sum", "sum over all"}, Rollup{"avg", "average of all"},
                                 Rollup{"min", "minimum of all"}, Rollup{"max", "maximum of all"}};

/// What a rollup adds to the sentence; absent for one that there is not.
std::optional<std::string> rollup_phrase(const MetricName& name) {
  for (const Rollup& r : kRollups) {
    if (r.name == name.rollup) return fmt::format(", {} {}", r.phrase, plural_of(name.hardware));
  }
  if (name.rollup == "max_rate") return ": maximum possible value";
  const bool plain = name.rollup.empty() || name.rollup == "pct" || name.rollup == "ratio";
  return plain ? std::optional<std::string>("") : std::nullopt;
}

/// A metric without prefix.
std::optional<MetricInfo> describe_plain(const MetricName& name) {
  const auto counter = describe_counter(name.counter);
  const Submetric* submetric = find_submetric(name.submetric);
  const auto rollup = rollup_phrase(name);
  if (!counter || submetric == nullptr || !rollup) return std::nullopt;
  // ncu gives a rate that a section derives the unit of the amount.
  const bool derived = name.counter.starts_with("derived__");
  const UnitRule rule = derived ? UnitRule::same : submetric->rule;
  const std::string unit = name.rollup == "pct" ? "%" : unit_by(rule, counter->unit);
  return MetricInfo{unit, counter->family, fmt::format("{}{}{}.", counter->meaning, submetric->phrase, *rollup)};
}

/// A name that holds names of metrics as a text.
MetricInfo list_of_names(MetricFamily family, std::string_view what) {
  return {"", family, fmt::format("Names of the metrics {}.", what)};
}

struct WordUnit {
  std::string_view word;
  std::string_view unit;
};

/// What a counter counts, by the first of these words in its name.
constexpr std::array kWordUnits = {WordUnit{"_per_opcode", ""},
                                   WordUnit{"xbar2gcc_sectors", ""},
                                   WordUnit{"throughput", "%"},
                                   WordUnit{"hit_rate", "%"},
                                   WordUnit{"thread_inst", "inst"},
                                   WordUnit{"_cycles", "cycle"},
                                   WordUnit{"inst_executed", "inst"},
                                   WordUnit{"inst_issued", "inst"},
                                   WordUnit{"wavefronts", ""},
                                   WordUnit{"_sectors", "sector"},
                                   WordUnit{"_bytes", "byte"},
                                   WordUnit{"ctas_", "block"},
                                   WordUnit{"warps_", "warp"},
                                   WordUnit{"lts__t_requests", "request"},
                                   WordUnit{"gcc__cache_requests", "request"},
                                   WordUnit{"icc_requests", "cycle"},
                                   WordUnit{"imc_requests", "cycle"}};

std::string_view unit_by_words(std::string_view counter) {
  for (const WordUnit& w : kWordUnits) {
    if (counter.contains(w.word)) return w.unit;
  }
  return {};
}

/// "TPC.TriageCompute.sm__cycles_active.avg" -> "sm__cycles_active.avg": counters that are sampled over time have their
/// pass and group in front.
std::string_view without_sampling_group(std::string_view name) {
  const size_t dot = name.substr(0, name.find("__")).rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::string_view title_of(MetricFamily family) { return kTitles.at(static_cast<size_t>(family)); }

std::optional<MetricInfo> describe_metric(std::string_view name) {
  const MetricName parts = split_metric_name(name);
  if (parts.prefix == "regex") return list_of_names(MetricFamily::profiler, "whose names match the pattern");
  if (parts.prefix == "group") return list_of_names(MetricFamily::source, "of the group");
  auto info = describe_plain(parts);
  if (!info || parts.prefix.empty()) return info;
  if (parts.prefix == "breakdown") return list_of_names(info->family, "of which this one is the highest");
  if (parts.prefix != "pmsampling") return std::nullopt;
  info->family = MetricFamily::sampling;
  info->meaning = "Sampled while the kernel ran: " + info->meaning;
  return info;
}

std::string unit_of_metric(std::string_view name, std::optional<int> capability) {
  constexpr int kHopper = 90;
  if (name.starts_with("derived__") && name.contains("thread_inst") && capability.value_or(kHopper) < kHopper) {
    return "inst";
  }
  const std::string_view plain = without_sampling_group(name);
  if (const auto info = describe_metric(plain)) return info->unit;
  const MetricName parts = split_metric_name(plain);
  if (parts.rollup == "pct") return "%";
  if (parts.rollup == "ratio") return {};
  const Submetric* submetric = find_submetric(parts.submetric);
  return unit_by(submetric == nullptr ? UnitRule::same : submetric->rule, unit_by_words(parts.counter));
}

}  // namespace sonde
