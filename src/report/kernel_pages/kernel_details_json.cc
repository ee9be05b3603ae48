#include <bit>

#include <nlohmann/json.hpp>

#include "analyses/views/kernel_view.h"
#include "report/kernel_pages/kernel_page.h"

namespace sonde {
namespace kernel_details_json_page {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKernelDetailsSchema = "sonde.kernels/1";

Json text_json(const Trace& trace, NameId name) { return name == kNone ? Json(nullptr) : Json(trace.name(name)); }
Json known_json(int64_t value) { return value == kUnknown ? Json(nullptr) : Json(value); }

Json value_json(const Trace& trace, const MetricValue& value) {
  if (const auto exact = value.exact()) return *exact;
  if (const auto number = value.number()) return *number;
  return text_json(trace, value.name());
}

/// In base units whatever --print-units says: programs read this.
Json metric_json(const KernelPage& page, const ShownMetric& shown) {
  Json metric = {{"label", shown.label},
                 {"metric", shown.metric == nullptr ? Json(nullptr) : text_json(*page.trace, shown.metric->name)},
                 {"unit", shown.unit},
                 {"value", shown.metric == nullptr ? Json(nullptr) : value_json(*page.trace, shown.metric->value)}};
  if (!shown.collected) metric["missing"] = shown.value;
  if (page.instances == PrintInstances::none || shown.metric == nullptr) return metric;
  Json parts = Json::array();
  for (const MetricInstance& part : shown.metric->instances) {
    parts.push_back({value_json(*page.trace, part.key), value_json(*page.trace, part.value)});
  }
  metric["instances"] = std::move(parts);
  return metric;
}

Json advice_json(const KernelPage& page, const RuleResult& rule) {
  Json texts = Json::array();
  for (const AdviceText& advice : rule.texts) {
    texts.push_back({{"kind", mark_of(advice.kind)},
                     {"title", text_json(*page.trace, advice.title)},
                     {"text", without_markup(page.trace->name(advice.text))}});
  }
  Json speedups = Json::array();
  for (const EstimatedSpeedup& s : rule.speedups) {
    speedups.push_back({{"scope", scope_name(s.scope)}, {"percent", s.percent}});
  }
  return {{"rule", text_json(*page.trace, rule.id)}, {"texts", texts}, {"estimated_speedups", speedups}};
}

Json section_json(const KernelPage& page, const KernelProfile& kernel, const ProfileSection& section) {
  Json metrics = Json::array();
  for (const ShownMetric& shown : shown_metrics(page, kernel, section)) metrics.push_back(metric_json(page, shown));
  Json advice = Json::array();
  for (const RuleResult* rule : advice_of(kernel, section.id)) advice.push_back(advice_json(page, *rule));
  return {{"id", text_json(*page.trace, section.id)},
          {"title", text_json(*page.trace, section.title)},
          {"metrics", metrics},
          {"advice", advice}};
}

Json views_json(const KernelPage& page, const KernelProfile& kernel) {
  Json views = Json::object();
  for (const KernelView& view : kernel_views()) {
    if (!wants_section(page, view.section)) continue;
    const auto table = view.run(*page.trace, kernel);
    std::string rows;
    if (table) (*find_table_format("json"))->render(*table, page.render, [&](std::string_view t) { rows += t; });
    Json& shown = views[std::string(view.name)];
    shown = table ? Json{{"rows", Json::parse(rows)}} : Json{{"rows", nullptr}, {"missing", table.error().message}};
    if (table && !table->note.empty()) shown["note"] = table->note;
  }
  return views;
}

Json payload_json(const OpenRange& range) {
  switch (range.payload_kind) {
    case PayloadKind::none: return nullptr;
    case PayloadKind::uint64: return static_cast<uint64_t>(range.payload);
    case PayloadKind::uint32: return static_cast<uint32_t>(range.payload);
    case PayloadKind::int64: return range.payload;
    case PayloadKind::int32: return static_cast<int32_t>(range.payload);
    case PayloadKind::real64: return std::bit_cast<double>(range.payload);
    case PayloadKind::real32: return std::bit_cast<float>(static_cast<int32_t>(range.payload));
  }
  return nullptr;
}

Json range_json(const Trace& trace, const OpenRange& range) {
  return {{"domain", text_json(trace, range.domain)},
          {"name", text_json(trace, range.name)},
          {"style", range.style == RangeStyle::push_pop ? "push_pop" : "start_end"},
          {"thread", range.thread},
          {"category", range.category ? Json(*range.category) : Json(nullptr)},
          {"color", range.color ? Json(fmt::format("#{:08X}", *range.color)) : Json(nullptr)},
          {"payload", payload_json(range)},
          {"message", text_json(trace, range.message)}};
}

Json kernel_json(const KernelPage& page, const KernelProfile& kernel) {
  const Trace& trace = *page.trace;
  Json ranges = Json::array();
  for (const OpenRange& range : kernel.ranges) ranges.push_back(range_json(trace, range));
  Json sections = Json::array();
  for (const ProfileSection* section : sections_of(page, kernel)) {
    sections.push_back(section_json(page, kernel, *section));
  }
  return {{"id", kernel.id},
          {"name", text_json(trace, kernel.name)},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"process", known_json(kernel.process)},
          {"context", known_json(kernel.context)},
          {"stream", known_json(kernel.stream)},
          {"compute_capability", capability_text(trace, kernel)},
          {"from_timeline", kernel.from_timeline},
          {"ranges", ranges},
          {"sections", sections},
          {"views", views_json(page, kernel)},
          {"sections_not_collected", missing_sections(page, kernel)}};
}

void write(const KernelPage& wanted, const Sink& sink) {
  KernelPage page = wanted;
  page.units = PrintUnits::base;
  Json kernels = Json::array();
  for (const KernelProfile* kernel : page.kernels) kernels.push_back(kernel_json(page, *kernel));
  const Json document = {{"schema", kKernelDetailsSchema}, {"kernels", kernels}};
  sink(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace
}  // namespace kernel_details_json_page

extern const KernelPageFormat kernel_details_json;
const KernelPageFormat kernel_details_json{
    .page = "details",
    .format = "json",
    .description = "sections, rules and views as a JSON document in base units; null if not collected",
    .write = kernel_details_json_page::write,
};

}  // namespace sonde
