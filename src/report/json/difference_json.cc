#include "report/json/difference_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/json_null.h"
#include "report/json/argument_json.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDifferenceSchema = "sonde.compare/1";

Json row_json(const gate::DifferenceRow& row) {
  return {{"name", row.name},
          {"within", row.within.empty() ? Json(nullptr) : Json(row.within)},
          {"kind", kind_name(row.kind)},
          {"base_ns", or_null<Json>(row.base.ns)},
          {"new_ns", or_null<Json>(row.changed.ns)},
          {"change_ns", row.change_ns()},
          {"clock_ns", or_null<Json>(row.clock_ns)},
          {"base_count", or_null<Json>(row.base.count)},
          {"new_count", or_null<Json>(row.changed.count)},
          {"detail", row.detail.empty() ? Json(nullptr) : Json(row.detail)},
          {"new_name", row.new_name.empty() ? Json(nullptr) : Json(row.new_name)}};
}

Json rows_json(const std::vector<gate::DifferenceRow>& rows) {
  Json list = Json::array();
  for (const gate::DifferenceRow& row : rows) list.push_back(row_json(row));
  return list;
}

Json conditions_json(const std::vector<gate::ConditionDifference>& conditions) {
  Json list = Json::array();
  for (const gate::ConditionDifference& d : conditions) {
    list.push_back({{"name", d.condition->name}, {"base", d.base}, {"new", d.changed}});
  }
  return list;
}

Json value_json(const Argument& a) { return a.text.empty() ? Json(a.number) : Json(a.text); }

Json link_json(const gate::KernelChange::Link& link) {
  return {{"figure", link.figure + std::string(unit_suffix(link.base.unit))},
          {"base", value_json(link.base)},
          {"new", value_json(link.changed)}};
}

}  // namespace

Json difference_json(const gate::Difference& d) {
  return {{"per", d.per_step ? "step" : "run"},
          {"part", part_name(d.part)},
          {"gpus", d.gpus},
          {"base_ns", d.base_ns},
          {"new_ns", d.changed_ns},
          {"base_wall_ns", or_null<Json>(d.base_wall_ns)},
          {"new_wall_ns", or_null<Json>(d.changed_wall_ns)},
          {"base_before_gpu_ns", or_null<Json>(d.base_setup.before_ns)},
          {"new_before_gpu_ns", or_null<Json>(d.changed_setup.before_ns)},
          {"base_after_gpu_ns", or_null<Json>(d.base_setup.after_ns)},
          {"new_after_gpu_ns", or_null<Json>(d.changed_setup.after_ns)},
          {"causes", causes_json(d.causes)},
          {"top", rows_json(d.top)},
          {"modules", rows_json(d.modules)},
          {"kernels", rows_json(d.kernels)},
          {"kernels_in_modules", rows_json(d.kernels_in_modules)},
          {"copies", rows_json(d.copies)},
          {"idle", rows_json(d.idle)},
          {"calls", rows_json(d.calls)}};
}

Json chains_json(const std::vector<gate::KernelChange>& changes) {
  Json list = Json::array();
  for (const gate::KernelChange& change : changes) {
    Json links = Json::array();
    for (const gate::KernelChange::Link& link : change.links) links.push_back(link_json(link));
    list.push_back({{"kernel", change.kernel},
                    {"base_kernel", change.base_kernel.empty() ? Json(nullptr) : Json(change.base_kernel)},
                    {"cause", change.cause.empty() ? Json(nullptr) : Json(change.cause)},
                    {"percent_per_thread", or_null<Json>(change.percent_per_thread)},
                    {"base_ns", or_null<Json>(change.base_ns)},
                    {"new_ns", or_null<Json>(change.changed_ns)},
                    {"clock_ns", or_null<Json>(change.clock_ns)},
                    {"says", chain_sentence(change)},
                    {"links", std::move(links)}});
  }
  return list;
}

Json causes_json(const std::vector<gate::Cause>& causes) {
  Json list = Json::array();
  for (const gate::Cause& cause : causes) {
    list.push_back({{"id", cause.id},
                    {"change_ns", cause.change_ns},
                    {"says", cause_sentence(cause)},
                    {"arguments", arguments_json(cause.arguments)}});
  }
  return list;
}

std::string comparison_json(const Comparison& comparison) {
  const bool timelines = comparison.difference.has_value();
  const std::string warning = fmt::format("{}", fmt::join(comparison.warnings, " "));
  const Json document = {{"schema", kDifferenceSchema},
                         {"base", comparison.base_sources},
                         {"new", comparison.changed_sources},
                         {"warning", warning.empty() ? Json(nullptr) : Json(warning)},
                         {"notes", comparison.limits},
                         {"conditions", conditions_json(comparison.conditions)},
                         {"difference", timelines ? difference_json(*comparison.difference) : Json(nullptr)},
                         {"kernel_reports", timelines ? Json(nullptr) : chains_json(comparison.kernel_chains)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde
