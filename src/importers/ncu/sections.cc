#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"

namespace sonde::ncu {
namespace {

SectionMetric section_metric_of(std::string_view message, const Report& report) {
  SectionMetric metric;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) metric.metric = report.intern(field.bytes());
    if (field.number() == 2) metric.label = report.intern(field.bytes());
  });
  return metric;
}

std::vector<SectionMetric> metrics_of(std::string_view message, uint32_t number, const Report& report) {
  std::vector<SectionMetric> metrics;
  each_field(message, [&](const WireField& field) {
    if (field.number() == number) metrics.push_back(section_metric_of(field.bytes(), report));
  });
  return metrics;
}

NameId set_of(std::string_view message, const Report& report) {
  NameId name = kNone;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) name = report.intern(field.bytes());
  });
  return name;
}

void read_section(const WireField& field, ProfileSection& section, const Report& report) {
  constexpr uint32_t kHeaderMetrics = 2;
  constexpr uint32_t kOtherMetrics = 1;
  switch (field.number()) {
    case 1: section.id = report.intern(field.bytes()); break;
    case 2: section.title = report.intern(field.bytes()); break;
    case 3: section.order = field.signed_integer(); break;
    case 4: section.header = metrics_of(field.bytes(), kHeaderMetrics, report); break;
    case 6: section.others = metrics_of(field.bytes(), kOtherMetrics, report); break;
    case 7: section.description = report.intern(field.bytes()); break;
    case 8: section.sets.push_back(set_of(field.bytes(), report)); break;
    default: break;
  }
}

}  // namespace

uint32_t section_of(std::string_view message, Report& report) {
  auto& sections = report.trace->profile_sections;
  const auto [found, is_new] = report.sections.try_emplace(message, static_cast<uint32_t>(sections.size()));
  if (!is_new) return found->second;
  ProfileSection section;
  each_field(message, [&](const WireField& field) { read_section(field, section, report); });
  sections.push_back(std::move(section));
  return found->second;
}

}  // namespace sonde::ncu
