#include "importers/ncu_csv/kernels.h"

#include <algorithm>
#include <array>

#include "base/text/decimal.h"
#include "importers/ncu_csv/values.h"
#include "metrics/catalogue.h"
#include "metrics/display_unit.h"
#include "metrics/sections.h"
#include "trace/kernel_name.h"

namespace sonde::ncu_csv {
namespace {

int64_t number_or_unknown(std::string_view text) { return integer_of<int64_t>(text).value_or(kUnknown); }

struct RuleType {
  std::string_view printed;
  AdviceKind kind;
};

constexpr std::array kRuleTypes = {RuleType{"OPT", AdviceKind::optimization}, RuleType{"WRN", AdviceKind::warning},
                                   RuleType{"WARN", AdviceKind::warning}, RuleType{"INF", AdviceKind::ok},
                                   RuleType{"ERR", AdviceKind::error}};

AdviceKind advice_kind(std::string_view printed) {
  const auto* found = std::ranges::find(kRuleTypes, printed, &RuleType::printed);
  return found == kRuleTypes.end() ? AdviceKind::none : found->kind;
}

EstimatedSpeedup::Scope speedup_scope(std::string_view printed) {
  if (printed == "local") return EstimatedSpeedup::Scope::local;
  return printed == "global" ? EstimatedSpeedup::Scope::global : EstimatedSpeedup::Scope::unknown;
}

/// "8.6" in parts.
void set_compute_capability(std::string_view text, Device& device) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return;
  device.compute_major = integer_of<int64_t>(text.substr(0, dot));
  device.compute_minor = integer_of<int64_t>(text.substr(dot + 1));
}

bool is_metric_name(std::string_view name) { return name.contains("__") || describe_metric(name).has_value(); }

}  // namespace

std::string_view Kernels::field(const Record& record, Column column) const { return header_.field(record, column); }

void Kernels::begin_table(const Record& record) {
  header_ = Header(record);
  units_.clear();
  kernels_.clear();
}

void Kernels::add(const Record& record) {
  const bool units = header_.is_wide() && units_.empty() && field(record, Column::id).empty();
  if (units) {
    units_ = record;
  } else if (record.size() < header_.least_fields()) {
    trace_.log.add(Issue::malformed_event, "rows with too few fields");
  } else if (header_.is_wide()) {
    add_wide(record);
  } else {
    add_long(record);
  }
}

void Kernels::add_wide(const Record& record) {
  KernelProfile* kernel = kernel_of(record);
  if (kernel == nullptr) return;
  for (const WideColumn& column : header_.metrics()) {
    const std::string_view unit = column.index < units_.size() ? units_[column.index] : std::string_view();
    add_metric(*kernel, meaning_of({}, column.name, unit), record[column.index]);
  }
  holds_["raw page: metrics"] += static_cast<int64_t>(header_.metrics().size());
}

void Kernels::add_long(const Record& record) {
  KernelProfile* kernel = kernel_of(record);
  if (kernel == nullptr) return;
  const std::string_view section = field(record, Column::section);
  const std::string_view label = field(record, Column::metric);
  if (!field(record, Column::rule).empty()) return add_rule(record, *kernel);
  if (label.empty()) return;
  const Meaning& meaning = meaning_of(section, label, field(record, Column::unit));
  add_metric(*kernel, meaning, field(record, Column::value));
  show_in_section(*kernel, section, label, meaning.name);
  ++holds_[fmt::format("metrics: {}", section.empty() ? "without section" : section)];
}

void Kernels::add_metric(KernelProfile& kernel, const Meaning& meaning, std::string_view text) {
  Metric metric;
  metric.name = meaning.name;
  read_value(text, meaning.factor, trace_.names, metric);
  if (!request_.fields.has(Field::metric_instances)) metric.instances.clear();
  if (!meaning.log_detail.empty()) trace_.log.add(Issue::unknown_label, meaning.log_detail);
  if (meaning.factor != 1 && !metric.value.is_absent()) trace_.log.add(Issue::rounded_value);
  const bool repeated = std::ranges::find(kernel.metrics, metric.name, &Metric::name) != kernel.metrics.end();
  if (!repeated) kernel.metrics.push_back(std::move(metric));
}

void Kernels::add_rule(const Record& record, KernelProfile& kernel) {
  StringPool& names = trace_.names;
  const NameId id = names.intern(field(record, Column::rule));
  const NameId section = names.intern(field(record, Column::section));
  auto rule = std::ranges::find_if(kernel.rules, [&](const auto& r) { return r.id == id && r.section == section; });
  if (rule == kernel.rules.end()) {
    rule = kernel.rules.emplace(rule);
    rule->id = id;
    rule->section = section;
  }
  rule->texts.push_back(
      {advice_kind(field(record, Column::rule_type)), kNone, names.intern(field(record, Column::rule_text))});
  if (const auto percent = real_of(field(record, Column::speedup))) {
    rule->speedups.push_back({speedup_scope(field(record, Column::speedup_scope)), *percent});
  }
  ++holds_["rule texts"];
}

KernelProfile* Kernels::kernel_of(const Record& record) {
  const auto id = integer_of<int64_t>(field(record, Column::id));
  if (!id) {
    trace_.log.add(Issue::malformed_event, "rows without a launch ID");
    return nullptr;
  }
  const std::pair key{number_or_unknown(field(record, Column::process)), *id};
  const auto [found, is_new] = kernels_.try_emplace(key, trace_.kernel_profiles.size());
  if (is_new) trace_.kernel_profiles.push_back(new_kernel(record, *id));
  return &trace_.kernel_profiles[found->second];
}

KernelProfile Kernels::new_kernel(const Record& record, int64_t id) {
  const std::string_view name = field(record, Column::kernel);
  KernelProfile kernel;
  kernel.rank = rank_;
  kernel.id = id;
  kernel.name = trace_.names.intern(name);
  kernel.function_name = trace_.names.intern(short_kernel_name(name));
  kernel.grid = dimensions_of(field(record, Column::grid)).value_or(Dim3{});
  kernel.block = dimensions_of(field(record, Column::block)).value_or(Dim3{});
  kernel.process = number_or_unknown(field(record, Column::process));
  kernel.context = number_or_unknown(field(record, Column::context));
  kernel.stream = number_or_unknown(field(record, Column::stream));
  kernel.device = device_of(record);
  if (kernel.process != kUnknown) add_process(record, kernel.process);
  ++holds_["launches"];
  return kernel;
}

DeviceId Kernels::device_of(const Record& record) {
  const auto ordinal = integer_of<int64_t>(field(record, Column::device));
  const std::string_view capability = field(record, Column::compute_capability);
  if (!ordinal && capability.empty()) return kNone;
  const auto id = static_cast<DeviceId>(trace_.devices.size());
  const auto [found, is_new] = devices_.try_emplace({ordinal.value_or(0), std::string(capability)}, id);
  if (is_new) {
    Device device;
    device.rank = rank_;
    device.id = ordinal.value_or(0);
    device.cuda_ordinal = ordinal;
    set_compute_capability(capability, device);
    trace_.devices.push_back(device);
  }
  return found->second;
}

void Kernels::add_process(const Record& record, int64_t pid) {
  const auto id = static_cast<ProcessId>(trace_.processes.size());
  if (!processes_.try_emplace(pid, id).second) return;
  trace_.processes.push_back(
      {rank_, static_cast<uint64_t>(pid), pid, trace_.names.intern(field(record, Column::process_name))});
  const std::string_view host = field(record, Column::host);
  if (request_.fields.has(Field::capture) && !host.empty()) trace_.ranks[rank_].capture.emplace_back("host", host);
}

const Kernels::Meaning& Kernels::meaning_of(std::string_view section, std::string_view metric, std::string_view unit) {
  const auto [found, is_new] = meanings_.try_emplace(fmt::format("{}\n{}\n{}", section, metric, unit));
  Meaning& meaning = found->second;
  if (!is_new) return meaning;
  const BaseValue base = base_of_unit(unit);
  meaning.factor = base.factor;
  const std::string_view name = is_metric_name(metric) ? metric : metric_of_label(section, metric, base.unit);
  if (!name.empty()) {
    meaning.name = trace_.names.intern(name);
    return meaning;
  }
  meaning.log_detail = fmt::format("{}/{}", section.empty() ? "raw" : section, metric);
  meaning.name = trace_.names.intern(fmt::format("label:{}", meaning.log_detail));
  return meaning;
}

uint32_t Kernels::section_row(std::string_view title) {
  const auto found = sections_.find(title);
  if (found != sections_.end()) return found->second;
  const SectionInfo* known = find_section(title);
  ProfileSection section;
  section.id = trace_.names.intern(known == nullptr ? title : known->id);
  section.title = trace_.names.intern(title);
  section.order = known == nullptr ? 0 : known->order;
  const auto row = static_cast<uint32_t>(trace_.profile_sections.size());
  trace_.profile_sections.push_back(std::move(section));
  sections_.emplace(title, row);
  return row;
}

void Kernels::show_in_section(KernelProfile& kernel, std::string_view section, std::string_view label, NameId metric) {
  if (section.empty()) return;
  const uint32_t row = section_row(section);
  std::vector<SectionMetric>& header = trace_.profile_sections[row].header;
  const SectionMetric shown{metric, trace_.names.intern(label)};
  const bool there = std::ranges::any_of(header, [&](const SectionMetric& m) { return m.label == shown.label; });
  if (!there) header.push_back(shown);
  if (std::ranges::find(kernel.sections, row) == kernel.sections.end()) kernel.sections.push_back(row);
}

void Kernels::finish() {
  for (size_t i = first_kernel_; i < trace_.kernel_profiles.size(); ++i) {
    std::ranges::sort(trace_.kernel_profiles[i].metrics, {}, &Metric::name);
  }
  if (!request_.fields.has(Field::inventory)) return;
  for (const auto& [what, count] : holds_) trace_.ranks[rank_].holds.emplace_back(what, count);
}

}  // namespace sonde::ncu_csv
