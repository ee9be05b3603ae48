#include "report/kernel_pages/kernel_page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/catalogue.h"
#include "metrics/quantities.h"
#include "metrics/sections.h"
#include "report/tables/quantity.h"

namespace sonde {

#define SONDE_KERNEL_PAGE(name) extern const KernelPageFormat kernel_##name;
#include "report/kernel_pages/kernel_pages.inc"
#undef SONDE_KERNEL_PAGE

namespace {

const std::array kPages = {
#define SONDE_KERNEL_PAGE(name) kernel_##name,
#include "report/kernel_pages/kernel_pages.inc"
#undef SONDE_KERNEL_PAGE
};

std::string value_text(const KernelPage& page, const MetricValue& value) {
  if (const NameId text = value.name(); text != kNone) return std::string(page.trace->name(text));
  if (const auto exact = value.exact()) return fmt::format("{}", *exact);
  const auto number = value.number();
  return number ? fmt::format("{}", *number) : std::string();
}

ShownMetric labelled(const KernelPage& page, const KernelProfile& kernel, const SectionMetric& named) {
  const std::string_view name = page.trace->name(named.metric);
  const Metric* metric = find_metric(*page.trace, kernel, name);
  ShownMetric shown = metric != nullptr ? shown_metric(page, *metric) : ShownMetric();
  if (!shown.collected) shown.value = reason_of_absence(name, *page.trace, kernel);
  shown.label = named.label != kNone ? page.trace->name(named.label) : name;
  return shown;
}

/// The names that a pattern or a group of metrics stands for, which the report holds as its value; with none of them
/// the pattern itself, as something that was not collected.
void add_matches(const KernelPage& page, const KernelProfile& kernel, const SectionMetric& pattern,
                 std::vector<ShownMetric>& shown) {
  const Metric* list = find_metric(*page.trace, kernel, page.trace->name(pattern.metric));
  std::string_view names = list == nullptr ? std::string_view() : page.trace->name(list->value.name());
  if (names.empty()) shown.push_back(labelled(page, kernel, pattern));
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    const Metric* metric = find_metric(*page.trace, kernel, names.substr(0, end));
    if (metric != nullptr) shown.push_back(labelled(page, kernel, {metric->name, kNone}));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

bool is_pattern(std::string_view name) { return name.starts_with("regex:") || name.starts_with("group:"); }

}  // namespace

Result<const KernelPageFormat*> find_kernel_page(std::string_view page, std::string_view format) {
  std::string known;
  for (const KernelPageFormat& f : kPages) {
    if (f.page == page && f.format == format) return &f;
    known += fmt::format("{}{} --format {}", known.empty() ? "" : ", ", f.page, f.format);
  }
  return fail("unknown page '{}' in the format '{}'; known pages: {}", page, format, known);
}

std::string base_unit_of(const KernelPage& page, std::string_view metric) {
  if (page.kernels.empty()) return unit_of_metric(metric);
  return unit_of_metric(metric, compute_capability(*page.trace, *page.kernels.front()));
}

ShownMetric shown_metric(const KernelPage& page, const Metric& metric) {
  ShownMetric shown;
  shown.metric = &metric;
  shown.label = page.trace->name(metric.name);
  const std::string base_unit = base_unit_of(page, shown.label);
  shown.unit = base_unit;
  if (const auto number = metric.value.number()) {
    const ShownValue value = shown_value(*number, base_unit, page.units);
    shown.value = with_separators(value.value);
    shown.unit = value.unit;
  } else {
    shown.value = value_text(page, metric.value);
  }
  const std::string parts = instances_text(page, metric);
  shown.collected = !metric.value.is_absent() || !parts.empty();
  shown.value += parts;
  return shown;
}

std::string instances_text(const KernelPage& page, const Metric& metric) {
  if (page.instances == PrintInstances::none || metric.instances.empty()) return {};
  std::string text;
  for (const MetricInstance& part : metric.instances) {
    text += text.empty() ? " (" : "; ";
    if (page.instances == PrintInstances::details) text += value_text(page, part.key) + ": ";
    text += value_text(page, part.value);
  }
  return text + ")";
}

std::string exact_text(const KernelPage& page, const Metric& metric) {
  return value_text(page, metric.value) + instances_text(page, metric);
}

std::vector<ShownMetric> shown_metrics(const KernelPage& page, const KernelProfile& kernel,
                                       const ProfileSection& section) {
  std::vector<SectionMetric> named;
  if (page.details != PrintDetails::body) named = section.header;
  if (page.details != PrintDetails::header) named.insert(named.end(), section.others.begin(), section.others.end());
  std::ranges::stable_sort(named, {}, [&](const SectionMetric& m) { return page.trace->name(m.metric); });
  std::vector<ShownMetric> shown;
  shown.reserve(named.size());
  for (const SectionMetric& metric : named) {
    if (is_pattern(page.trace->name(metric.metric))) {
      add_matches(page, kernel, metric, shown);
    } else {
      shown.push_back(labelled(page, kernel, metric));
    }
  }
  return shown;
}

bool wants_section(const KernelPage& page, std::string_view id) {
  return page.sections.empty() || std::ranges::find(page.sections, id) != page.sections.end();
}

std::vector<const ProfileSection*> sections_of(const KernelPage& page, const KernelProfile& kernel) {
  std::vector<const ProfileSection*> sections;
  for (const uint32_t row : kernel.sections) {
    const ProfileSection& section = page.trace->profile_sections[row];
    if (wants_section(page, page.trace->name(section.id))) sections.push_back(&section);
  }
  return sections;
}

std::vector<std::string_view> missing_sections(const KernelPage& page, const KernelProfile& kernel) {
  std::vector<std::string_view> missing;
  for (const SectionInfo& known : known_sections()) {
    const bool there = std::ranges::any_of(kernel.sections, [&](uint32_t row) {
      return page.trace->name(page.trace->profile_sections[row].id) == known.id;
    });
    if (!there && wants_section(page, known.id)) missing.push_back(known.id);
  }
  return missing;
}

std::vector<const RuleResult*> advice_of(const KernelProfile& kernel, NameId section) {
  std::vector<const RuleResult*> found;
  for (const RuleResult& rule : kernel.rules) {
    if (rule.section == section && !rule.texts.empty()) found.push_back(&rule);
  }
  return found;
}

std::string without_markup(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t begin = std::min(text.find("@section:"), text.find("@url:"));
    const size_t end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
    plain += text.substr(0, end == std::string_view::npos ? end : begin);
    if (end == std::string_view::npos) break;
    std::string_view link = text.substr(begin + 1, end - begin - 1);
    const bool url = link.starts_with("url:");
    link.remove_prefix(link.find(':') + 1);
    const size_t colon = link.find(':');
    if (url && colon != std::string_view::npos) {
      plain += fmt::format("{} ({})", link.substr(0, colon), link.substr(colon + 1));
    } else {
      plain += link.substr(colon == std::string_view::npos ? 0 : colon + 1);
    }
    text.remove_prefix(end + 1);
  }
  return plain;
}

std::string_view mark_of(AdviceKind kind) {
  constexpr std::array<std::string_view, 5> kMarks = {"", "INF", "WRN", "ERR", "OPT"};
  return kMarks[static_cast<size_t>(kind)];
}

std::string_view scope_name(EstimatedSpeedup::Scope scope) {
  constexpr std::array<std::string_view, 3> kNames = {"", "local", "global"};
  return kNames[static_cast<size_t>(scope)];
}

std::string speedup_text(const EstimatedSpeedup& speedup) { return fmt::format("{:.4g}", speedup.percent); }

std::string_view process_name(const Trace& trace, const KernelProfile& kernel) {
  const auto found = std::ranges::find_if(trace.processes, [&](const Process& process) {
    return process.rank == kernel.rank && process.pid == kernel.process;
  });
  if (found == trace.processes.end()) return {};
  const std::string_view path = trace.name(found->name);
  return path.substr(path.rfind('/') + 1);
}

std::string capability_text(const Trace& trace, const KernelProfile& kernel) {
  constexpr int kMinorStep = 10;
  const auto capability = compute_capability(trace, kernel);
  return capability ? fmt::format("{}.{}", *capability / kMinorStep, *capability % kMinorStep) : std::string();
}

std::string dim3_text(const Dim3& dim) { return fmt::format("({}, {}, {})", dim[0], dim[1], dim[2]); }

}  // namespace sonde
