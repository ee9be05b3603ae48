#include "report/decision/decision_json.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text/json_null.h"
#include "report/decision/checks.h"
#include "report/json/argument_json.h"
#include "report/json/difference_json.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGateSchema = "sonde.gate/1";

std::string key(std::string_view name, Unit unit) { return std::string(name) + std::string(unit_suffix(unit)); }

/// JSON has no infinity.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json finite(const std::optional<double>& number) { return number ? finite(*number) : Json(nullptr); }

std::string_view sign_of(gate::Comparison comparison) {
  switch (comparison) {
    case gate::Comparison::at_most: return "<=";
    case gate::Comparison::below: return "<";
    case gate::Comparison::at_least: return ">=";
    case gate::Comparison::above: return ">";
    case gate::Comparison::equal: break;
  }
  return "==";
}

Json demand_json(const gate::BudgetRule& rule) {
  const Unit unit = rule.metric->unit;
  if (const auto* bound = std::get_if<gate::FixedBound>(&rule.demand)) {
    return {{"comparison", sign_of(bound->comparison)}, {key("bound", unit), bound->bound}};
  }
  const auto& change = std::get<gate::AllowedChange>(rule.demand);
  return {{"max_change_percent", 100 * change.share}, {key("floor", unit), change.amount}};
}

Json rule_json(const gate::BudgetRule& rule) {
  const bool timed = rule.metric->kind == gate::MetricKind::timed;
  return {{"name", rule.name},
          {"line", rule.line > 0 ? Json(rule.line) : Json(nullptr)},
          {"metric", rule.metric->name},
          {"kind", timed ? "timed" : "exact"},
          {"better", rule.metric->better == gate::Better::lower ? "lower" : "higher"},
          {"kernel", text_or_null<Json>(rule.selector.kernel)},
          {"module", text_or_null<Json>(rule.selector.module)},
          {"gpu", or_null<Json>(rule.selector.gpu)},
          {"range", text_or_null<Json>(rule.selector.range)},
          {"demand", demand_json(rule)},
          {"severity", rule.severity == gate::Severity::error ? "error" : "warning"}};
}

Json verdict_json(const DecisionCheck& check) {
  const gate::Verdict& v = *check.verdict;
  const Unit unit = v.rule->metric->unit;
  Json interval = nullptr;
  if (v.interval) {
    interval = {{"low", finite(v.interval->low)}, {"high", finite(v.interval->high)}, {"confidence", 0.95}};
  }
  return {{"rule", rule_json(*v.rule)},
          {"subject", v.subject},
          {"outcome", gate::outcome_name(v.outcome)},
          {"reason", v.reason},
          {"says", check.says},
          {"arguments", arguments_json(v.arguments)},
          {key("base", unit), finite(v.base)},
          {key("new", unit), finite(v.changed)},
          {"ratio_interval", std::move(interval)},
          {"p", finite(v.p)}};
}

Json side_json(const gate::DecidedSide& side) {
  return {{"label", text_or_null<Json>(side.label)}, {"sources", side.sources}, {"conditions", side.conditions}};
}

std::string_view forbids_text(gate::Forbids forbids) {
  switch (forbids) {
    case gate::Forbids::nothing: return "nothing";
    case gate::Forbids::timed: return "timed";
    case gate::Forbids::everything: break;
  }
  return "everything";
}

Json condition_json(const gate::ConditionDifference& d) {
  return {{"condition", d.condition->name},
          {"title", d.condition->title},
          {"base", d.base},
          {"new", d.changed},
          {"forbids", forbids_text(d.condition->forbids)},
          {"allowed", d.allowed}};
}

template <typename Items, typename ToJson>
Json list_json(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

Json combined_json(const gate::Decision& decision) {
  return {{"outcome", gate::outcome_name(decision.combined.outcome)},
          {"exit_code", gate::exit_code(decision.combined.outcome)},
          {"reason", decision.combined.reason},
          {"says", combined_says(decision)},
          {"arguments", arguments_json(decision.combined.arguments)}};
}

}  // namespace

Json decision_document(const gate::Decision& decision, const DecisionContext& context) {
  return {{"schema", kGateSchema},
          {"sonde_version", SONDE_VERSION},
          {"title", text_or_null<Json>(context.title)},
          {"budget", text_or_null<Json>(context.budget_file)},
          {"verdict", combined_json(decision)},
          {"false_alarm_rate", decision.false_alarm_rate},
          {"base", decision.has_base ? side_json(decision.base) : Json(nullptr)},
          {"new", side_json(decision.changed)},
          {"conditions", list_json(decision.conditions, condition_json)},
          {"checks", list_json(checks_in_order(decision), verdict_json)},
          {"difference", decision.difference ? difference_json(*decision.difference) : Json(nullptr)},
          {"kernel_reports", chains_json(decision.kernels)},
          {"notes", decision.notes}};
}

std::string written_json(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde
