#include <algorithm>
#include <iterator>
#include <span>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"
#include "metrics/quantities.h"

namespace sonde::ncu {
namespace {

/// { 1: first, 2: last }, both ends included; 8.6 is 86. Either may be missing.
CapabilityRange range_of(std::string_view message) {
  CapabilityRange range;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) range.first = field.integer();
    if (field.number() == 2) range.last = field.integer();
  });
  return range;
}

/// { 1: first, 2: last, 3: repeated range, 4: kinds of workload, of which a kernel is always one }.
std::vector<CapabilityRange> filter_of(std::string_view message) {
  std::vector<CapabilityRange> ranges;
  bool whole = false;
  each_field(message, [&](const WireField& field) {
    whole = whole || field.number() == 1 || field.number() == 2;
    if (field.number() == 3) ranges.push_back(range_of(field.bytes()));
  });
  if (whole) ranges.push_back(range_of(message));
  return ranges;
}

/// { 1: metric, 3: filter }.
FilteredMetric option_of(std::string_view message, const Report& report) {
  FilteredMetric option;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) option.metric = report.intern(field.bytes());
    if (field.number() == 3) option.on = filter_of(field.bytes());
  });
  return option;
}

/// { 1: metric, 2: label, 6: filter, 7: repeated option, 9: group of columns on the source page }.
LabelledMetric labelled_metric_of(std::string_view message, const Report& report) {
  LabelledMetric metric;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) metric.usual.metric = report.intern(field.bytes());
    if (field.number() == 2) metric.label = report.intern(field.bytes());
    if (field.number() == 6) metric.usual.on = filter_of(field.bytes());
    if (field.number() == 9) metric.by_instruction = true;
    if (field.number() == 7) metric.options.push_back(option_of(field.bytes(), report));
  });
  return metric;
}

std::vector<LabelledMetric> metrics_of(std::string_view message, uint32_t number, const Report& report) {
  std::vector<LabelledMetric> metrics;
  each_field(message, [&](const WireField& field) {
    if (field.number() == number) metrics.push_back(labelled_metric_of(field.bytes(), report));
  });
  return metrics;
}

bool holds(const FilteredMetric& metric, std::optional<int> capability) {
  if (metric.on.empty() || !capability) return true;
  const auto cc = static_cast<uint64_t>(*capability);
  return std::ranges::any_of(metric.on, [&](const CapabilityRange& r) { return r.first <= cc && cc <= r.last; });
}

/// The metric that a label stands for on a GPU: the first option that is for it, else the usual one; none where neither
/// is. A report without its GPU gets the usual ones.
NameId metric_on(const LabelledMetric& metric, std::optional<int> capability) {
  const auto option = std::ranges::find_if(
      metric.options, [&](const FilteredMetric& o) { return capability && !o.on.empty() && holds(o, capability); });
  if (option != metric.options.end()) return option->metric;
  return holds(metric.usual, capability) ? metric.usual.metric : kNone;
}

std::vector<SectionMetric> metrics_on(std::span<const LabelledMetric> metrics, std::optional<int> capability) {
  std::vector<SectionMetric> chosen;
  for (const LabelledMetric& metric : metrics) {
    const NameId name = metric_on(metric, capability);
    if (name != kNone) chosen.push_back({name, metric.label});
  }
  return chosen;
}

NameId set_of(std::string_view message, const Report& report) {
  NameId name = kNone;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) name = report.intern(field.bytes());
  });
  return name;
}

void read_section(const WireField& field, ProfileSection& section, SectionDefinition& definition,
                  const Report& report) {
  constexpr uint32_t kHeaderMetrics = 2;
  constexpr uint32_t kOtherMetrics = 1;
  constexpr uint32_t kSourceMetrics = 1;
  switch (field.number()) {
    case 1: section.id = report.intern(field.bytes()); break;
    case 2: section.title = report.intern(field.bytes()); break;
    case 3: section.order = field.signed_integer(); break;
    case 4: definition.header = metrics_of(field.bytes(), kHeaderMetrics, report); break;
    case 6: definition.others = metrics_of(field.bytes(), kOtherMetrics, report); break;
    case 7: section.description = report.intern(field.bytes()); break;
    case 13: definition.source = metrics_of(field.bytes(), kSourceMetrics, report); break;
    case 8: section.sets.push_back(set_of(field.bytes(), report)); break;
    default: break;
  }
}

/// Rows of Trace::profile_sections whose metrics are those of one GPU.
class SectionsByGpu {
 public:
  explicit SectionsByGpu(Report& report) : report_(report) {}

  uint32_t row_of(uint32_t defined, std::optional<int> capability) {
    const auto [found, is_new] = rows_.try_emplace({defined, capability.value_or(0)}, defined);
    if (!is_new) return found->second;
    if (!filled_.insert(defined).second) found->second = copy_of(defined);
    ProfileSection& section = report_.trace->profile_sections[found->second];
    const SectionDefinition& definition = report_.definitions[defined];
    section.header = metrics_on(definition.header, capability);
    section.others = metrics_on(definition.others, capability);
    section.source = metrics_on(definition.source, capability);
    return found->second;
  }

 private:
  [[nodiscard]] uint32_t copy_of(uint32_t row) const {
    auto& sections = report_.trace->profile_sections;
    const ProfileSection section = sections[row];
    sections.push_back(section);
    return static_cast<uint32_t>(sections.size() - 1);
  }

  Report& report_;
  boost::unordered_flat_map<std::pair<uint32_t, int>, uint32_t> rows_;
  boost::unordered_flat_set<uint32_t> filled_;
};

}  // namespace

uint32_t section_of(std::string_view message, Report& report) {
  auto& sections = report.trace->profile_sections;
  const auto [found, is_new] = report.sections.try_emplace(message, static_cast<uint32_t>(sections.size()));
  if (!is_new) return found->second;
  ProfileSection section;
  SectionDefinition& definition = report.definitions[found->second];
  each_field(message, [&](const WireField& field) { read_section(field, section, definition, report); });
  if (definition.source.empty())
    std::ranges::copy_if(definition.others, std::back_inserter(definition.source), &LabelledMetric::by_instruction);
  sections.push_back(std::move(section));
  return found->second;
}

void choose_section_metrics(Report& report) {
  Trace& trace = *report.trace;
  SectionsByGpu sections(report);
  for (KernelProfile& kernel : trace.kernel_profiles) {
    if (kernel.rank != report.rank) continue;
    const auto capability = compute_capability(trace, kernel);
    for (uint32_t& row : kernel.sections) row = sections.row_of(row, capability);
  }
}

}  // namespace sonde::ncu
