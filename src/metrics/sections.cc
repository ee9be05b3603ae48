#include "metrics/sections.h"

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "metrics/catalogue.h"

namespace sonde {
namespace {

constexpr std::array kSections = {
#define SONDE_SECTION(id, title, order, sets, parent, meaning) SectionInfo{id, title, order, sets, parent, meaning},
#include "metrics/sections.inc"
#undef SONDE_SECTION
};

constexpr std::array kLabels = {
#define SONDE_LABEL(section, label, metric) SectionLabel{section, label, metric},
#include "metrics/section_labels.inc"
#undef SONDE_LABEL
};

constexpr std::array kOldLabels = {
#define SONDE_OLD_LABEL(section, label, metric) SectionLabel{section, label, metric},
#include "metrics/section_old_labels.inc"
#undef SONDE_OLD_LABEL
};

struct SectionMetricName {
  std::string_view section;
  std::string_view metric;
};

constexpr auto kMetrics = std::to_array<SectionMetricName>({
#define SONDE_SECTION_METRIC(section, metric) SectionMetricName{section, metric},
#include "metrics/section_metrics.inc"
#undef SONDE_SECTION_METRIC
});

/// Title of SpeedOfLight before 2021.2.
constexpr std::string_view kOldSpeedOfLight = "GPU Speed Of Light";

bool fits(std::string_view metric, std::string_view base_unit) {
  const auto info = describe_metric(metric);
  return base_unit.empty() || !info || info->unit.empty() || info->unit == base_unit;
}

const SectionLabel* find_label(std::span<const SectionLabel> labels, const SectionLabel& wanted,
                               std::string_view unit) {
  const auto found = std::ranges::find_if(labels, [&](const SectionLabel& l) {
    return l.section == wanted.section && l.label == wanted.label && fits(l.metric, unit);
  });
  return found == labels.end() ? nullptr : &*found;
}

}  // namespace

std::span<const SectionInfo> known_sections() { return kSections; }

std::span<const SectionLabel> section_labels() { return kLabels; }

const SectionInfo* find_section(std::string_view id_or_title) {
  if (id_or_title == kOldSpeedOfLight) id_or_title = "SpeedOfLight";
  const auto* found = std::ranges::find_if(
      kSections, [&](const SectionInfo& s) { return s.id == id_or_title || s.title == id_or_title; });
  return found == kSections.end() ? nullptr : found;
}

Result<const SectionInfo*> section_by_id(std::string_view id) {
  const auto* found = std::ranges::find(kSections, id, &SectionInfo::id);
  if (found != kSections.end()) return found;
  std::array<std::string_view, kSections.size()> ids;
  std::ranges::transform(kSections, ids.begin(), &SectionInfo::id);
  return fail("unknown section '{}'{}", id, did_you_mean(id, ids));
}

bool collected_by(const SectionInfo& section, std::string_view set) {
  std::string_view rest = section.sets;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == set) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view metric_of_label(std::string_view section, std::string_view label, std::string_view base_unit) {
  const SectionInfo* info = find_section(section);
  if (info == nullptr) return {};
  const SectionLabel wanted{info->id, label, {}};
  const SectionLabel* found = find_label(kLabels, wanted, base_unit);
  if (found == nullptr) found = find_label(kOldLabels, wanted, base_unit);
  return found == nullptr ? std::string_view() : found->metric;
}

std::vector<std::string_view> metrics_of_section(std::string_view id) {
  std::vector<std::string_view> metrics;
  for (const SectionLabel& l : kLabels) {
    if (l.section == id) metrics.push_back(l.metric);
  }
  for (const SectionMetricName& m : kMetrics) {
    if (m.section == id) metrics.push_back(m.metric);
  }
  return metrics;
}

}  // namespace sonde
