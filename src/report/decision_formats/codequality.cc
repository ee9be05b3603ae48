#include "report/decision/checks.h"
#include "report/decision/decision_json.h"
#include "report/decision/fingerprint.h"
#include "report/text/plain_text.h"

/// GitLab's code quality report (a part of Code Climate's), which merge requests show.
namespace sonde {
namespace codequality {
namespace {

using Json = nlohmann::ordered_json;

std::string_view severity_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::error: return "critical";
    case CheckLevel::warning: return "minor";
    default: return "info";
  }
}

/// GitLab wants a path relative to the repository, without "./".
std::string path_of(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  return file.empty() ? "budget.yaml" : one_line(file);
}

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  Json issues = Json::array();
  Fingerprints fingerprints;
  for (const DecisionCheck& check : checks_in_order(decision)) {
    const std::string fingerprint = fingerprints.next(*check.verdict);
    if (check.level == CheckLevel::none) continue;
    const gate::BudgetRule& rule = *check.verdict->rule;
    issues.push_back(
        {{"description", fmt::format("{}: {}", check.word, check.says)},
         {"check_name", fmt::format("sonde.gate.{}", rule.metric->name)},
         {"fingerprint", fingerprint},
         {"severity", severity_of(check.level)},
         {"location", {{"path", path_of(context.budget_file)}, {"lines", {{"begin", std::max(rule.line, 1)}}}}}});
  }
  sink(written_json(issues));
}

}  // namespace
}  // namespace codequality

extern const DecisionFormat codequality_decision_format;
const DecisionFormat codequality_decision_format = {.name = "codequality",
                                                    .description = "GitLab's code quality report, for merge requests",
                                                    .ending = "",
                                                    .parts = {},
                                                    .needs_profiles = false,
                                                    .write = codequality::write};

}  // namespace sonde
