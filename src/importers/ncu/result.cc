#include <algorithm>

#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"

namespace sonde::ncu {
namespace {

Dim3 dim3_of(std::string_view message) {
  Dim3 dim{};
  each_field(message, [&](const WireField& field) {
    if (field.number() >= 1 && field.number() <= dim.size()) dim[field.number() - 1] = field.small();
  });
  return dim;
}

MetricInstance instance_of(std::string_view message, StringPool& names) {
  MetricInstance instance;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) instance.key = value_of(field.bytes(), names);
    if (field.number() == 2) instance.value = value_of(field.bytes(), names);
  });
  return instance;
}

NameId metric_name(uint64_t number, const Report& report) {
  if (number < report.metric_names.size()) return report.metric_names[number];
  report.trace->log.add(Issue::unresolved_name, "metrics");
  return report.intern(fmt::format("metric #{}", number));
}

Metric metric_of(std::string_view message, const Report& report) {
  Metric metric;
  StringPool& names = report.trace->names;
  const bool instances = report.wants(Field::metric_instances);
  uint64_t number = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) number = field.integer();
    if (field.number() == 2) metric.value = value_of(field.bytes(), names);
    if (field.number() == 3 && instances) metric.instances.push_back(instance_of(field.bytes(), names));
  });
  metric.name = metric_name(number, report);
  return metric;
}

uint64_t reference_of(std::string_view message) {
  uint64_t reference = 0;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) reference = field.integer();
  });
  return reference;
}

/// { 1, 2: whether the clocks were fixed before and after }; both are 0 with --clock-control none.
std::optional<bool> fixed_clocks_of(std::string_view message) {
  std::optional<bool> fixed;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1 || field.number() == 2) fixed = fixed.value_or(true) && field.integer() != 0;
  });
  return fixed;
}

/// How the launch looked.
void read_launch(const WireField& field, KernelProfile& kernel, const Report& report) {
  switch (field.number()) {
    case 1: kernel.thread = field.signed_integer(); break;
    case 5: kernel.mangled_name = report.intern(field.bytes()); break;
    case 6: kernel.function_name = report.intern(field.bytes()); break;
    case 7: kernel.name = report.intern(field.bytes()); break;
    case 10: kernel.grid = dim3_of(field.bytes()); break;
    case 11: kernel.block = dim3_of(field.bytes()); break;
    case 14: kernel.created_utc_s = field.signed_integer(); break;
    case 22: kernel.context = field.signed_integer(); break;
    case 23: kernel.stream = field.signed_integer(); break;
    case 25: kernel.fixed_clocks = fixed_clocks_of(field.bytes()); break;
    default: break;
  }
}

/// What was measured, and what the tool said of it.
void read_findings(const WireField& field, KernelProfile& kernel, Report& report) {
  switch (field.number()) {
    case 13: kernel.metrics.push_back(metric_of(field.bytes(), report)); break;
    case 15: report.code_of_kernel.back() = reference_of(field.bytes()); break;
    case 17: kernel.sections.push_back(section_of(field.bytes(), report)); break;
    case 19: kernel.rules.push_back(rule_of(field.bytes(), report)); break;
    case 21: kernel.ranges = ranges_of(field.bytes(), report); break;
    case 28: kernel.call_stack = call_stack_of(field.bytes(), report); break;
    default: break;
  }
}

/// Fields of a result that have been seen or are in the tool's older descriptors, those included whose meaning is
/// unknown (31, 35) or of no use here (API call, handles, profile series).
bool is_known(uint32_t field) { return (field >= 1 && field <= 25) || field == 28 || field == 31 || field == 35; }

/// A metric that several passes collected is in the report once a pass. The last one that has a value counts, as in the
/// tool's own pages: rates and shares beside it are of that pass.
void keep_last_pass(std::vector<Metric>& metrics) {
  std::ranges::stable_sort(metrics, {}, &Metric::name);
  size_t kept = 0;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const bool again = kept > 0 && metrics[kept - 1].name == metrics[i].name;
    if (again && metrics[i].value.is_absent() && metrics[i].instances.empty()) continue;
    if (!again) ++kept;
    if (kept - 1 != i) metrics[kept - 1] = std::move(metrics[i]);
  }
  metrics.resize(kept);
}

/// Demangled names are empty for kernels that the driver API loaded.
void complete(KernelProfile& kernel, const Report& report) {
  if (kernel.name == kNone) kernel.name = kernel.mangled_name != kNone ? kernel.mangled_name : kernel.function_name;
  if (kernel.grid[0] == 0) report.trace->log.add(Issue::failed_launch);
  keep_last_pass(kernel.metrics);
  const auto& sections = report.trace->profile_sections;
  std::ranges::stable_sort(kernel.sections, {}, [&](uint32_t row) {
    return std::pair(sections[row].order, report.trace->name(sections[row].title));
  });
}

}  // namespace

MetricValue value_of(std::string_view message, StringPool& names) {
  MetricValue value;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) value = MetricValue::text(names.intern(field.bytes()));
    if (field.number() == 2 || field.number() == 3) value = MetricValue::real(field.real());
    if (field.number() == 4 || field.number() == 5) value = MetricValue::integer(field.integer());
  });
  return value;
}

void read_result(std::string_view message, Report& report) {
  KernelProfile kernel;
  kernel.rank = report.rank;
  kernel.process = report.process;
  kernel.id = static_cast<int64_t>(report.code_of_kernel.size());
  report.code_of_kernel.push_back(0);
  each_field(message, [&](const WireField& field) {
    read_launch(field, kernel, report);
    read_findings(field, kernel, report);
    if (!is_known(field.number())) {
      report.trace->log.add(Issue::unknown_field, fmt::format("{} of a result", field.number()));
    }
  });
  complete(kernel, report);
  report.trace->kernel_profiles.push_back(std::move(kernel));
}

}  // namespace sonde::ncu
