#include <map>

#include "report/decision/checks.h"
#include "report/decision/decision_json.h"
#include "report/decision/fingerprint.h"
#include "report/text/plain_text.h"

/// SARIF 2.1.0 (OASIS), for code scanning: the budget's rules, and what they found at the budget's lines.
namespace sonde {
namespace sarif {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

std::string_view level_text(CheckLevel level) {
  switch (level) {
    case CheckLevel::error: return "error";
    case CheckLevel::warning: return "warning";
    default: return "note";
  }
}

/// The rules in the order in which verdicts name them, with ids of their own.
class SarifRules {
 public:
  explicit SarifRules(const gate::Decision& decision) {
    for (const gate::Verdict& v : decision.verdicts) add(*v.rule);
  }

  [[nodiscard]] size_t index_of(const gate::BudgetRule& rule) const { return indices_.at(&rule); }
  [[nodiscard]] const Json& rules() const { return rules_; }

 private:
  void add(const gate::BudgetRule& rule) {
    if (!indices_.emplace(&rule, rules_.size()).second) return;
    const std::string name = one_line(rule.name);
    std::string id = name.empty() ? std::string(rule.metric->name) : name;
    if (!ids_.emplace(id, 0).second) id += fmt::format(" (line {})", rule.line);
    const bool error = rule.severity == gate::Severity::error;
    rules_.push_back(
        {{"id", id},
         {"name", rule.metric->name},
         {"shortDescription", {{"text", id}}},
         {"fullDescription", {{"text", fmt::format("{}: {}", rule.metric->name, rule.metric->description)}}},
         {"defaultConfiguration", {{"level", error ? "error" : "warning"}}},
         {"properties", {{"tags", Json::array({"performance"})}}}});
  }

  std::map<const gate::BudgetRule*, size_t> indices_;
  std::map<std::string, int> ids_;
  Json rules_ = Json::array();
};

Json location_json(const DecisionContext& context, int line) {
  Json location = {{"artifactLocation", {{"uri", path_uri(context.budget_file)}}}};
  if (line > 0) location["region"] = {{"startLine", line}};
  return {{"physicalLocation", std::move(location)}};
}

Json result_json(const DecisionCheck& check, const SarifRules& rules, const DecisionContext& context,
                 std::string fingerprint) {
  const gate::BudgetRule& rule = *check.verdict->rule;
  const size_t index = rules.index_of(rule);
  Json result = {{"ruleId", rules.rules()[index]["id"]},
                 {"ruleIndex", index},
                 {"level", level_text(check.level)},
                 {"message", {{"text", fmt::format("{}: {}", check.word, check.says)}}}};
  if (!context.budget_file.empty()) result["locations"] = Json::array({location_json(context, rule.line)});
  result["partialFingerprints"] = {{"sondeGateCheck/v1", std::move(fingerprint)}};
  result["properties"] = {{"outcome", gate::outcome_name(check.verdict->outcome)},
                          {"subject", one_line(check.verdict->subject)},
                          {"reason", check.verdict->reason}};
  return result;
}

Json results_json(const gate::Decision& decision, const SarifRules& rules, const DecisionContext& context) {
  Json results = Json::array();
  Fingerprints fingerprints;
  for (const DecisionCheck& check : checks_in_order(decision)) {
    std::string fingerprint = fingerprints.next(*check.verdict);
    if (check.level != CheckLevel::none) {
      results.push_back(result_json(check, rules, context, std::move(fingerprint)));
    }
  }
  return results;
}

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  const SarifRules rules(decision);
  const Json driver = {{"name", "sonde"}, {"version", SONDE_VERSION}, {"rules", rules.rules()}};
  const Json invocation = {{"executionSuccessful", true},
                           {"exitCode", gate::exit_code(decision.combined.outcome)},
                           {"exitCodeDescription", combined_says(decision)}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"invocations", Json::array({invocation})},
                    {"results", results_json(decision, rules, context)}};
  sink(written_json({{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}}));
}

}  // namespace
}  // namespace sarif

extern const DecisionFormat sarif_decision_format;
const DecisionFormat sarif_decision_format = {.name = "sarif",
                                              .description = "SARIF 2.1.0, for code scanning",
                                              .ending = ".sarif",
                                              .parts = {},
                                              .needs_profiles = false,
                                              .write = sarif::write};

}  // namespace sonde
