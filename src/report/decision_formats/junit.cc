#include <array>

#include <fmt/format.h>

#include "report/decision/checks.h"
#include "report/decision/decision_format.h"
#include "report/tables/comparison.h"
#include "report/text/plain_text.h"

/// JUnit's XML as Jenkins and GitLab read it (the schema of Jenkins' xUnit plugin): a test case a check.
namespace sonde {
namespace junit {
namespace {

/// What a check is to readers of test results, who know no more than these.
enum class TestResult : uint8_t { passed, failed, error, skipped };

TestResult result_of(const DecisionCheck& check) {
  switch (check.verdict->outcome) {
    case gate::Outcome::pass: return TestResult::passed;
    case gate::Outcome::learning: break;
    case gate::Outcome::fail: return check.level == CheckLevel::error ? TestResult::failed : TestResult::passed;
    case gate::Outcome::not_comparable:
      return check.level == CheckLevel::error ? TestResult::error : TestResult::skipped;
    case gate::Outcome::inconclusive: break;
  }
  return TestResult::skipped;
}

std::string with_message(std::string_view element, const DecisionCheck& check) {
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{1}</{0}>\n", element, xml_text(check.says),
                     check.verdict->reason);
}

std::string result_xml(const DecisionCheck& check) {
  switch (result_of(check)) {
    case TestResult::failed: return with_message("failure", check);
    case TestResult::error: return with_message("error", check);
    case TestResult::skipped: return fmt::format("      <skipped>{}: {}</skipped>\n", check.word, xml_text(check.says));
    case TestResult::passed: break;
  }
  return fmt::format("      <system-out>{}: {}</system-out>\n", check.word, xml_text(check.says));
}

/// What was measured, in seconds, where it is a time: readers draw its history.
std::string time_attribute(const gate::Verdict& verdict) {
  if (verdict.rule->metric->unit != Unit::nanoseconds || !verdict.changed) return {};
  return fmt::format(" time=\"{:.9f}\"", *verdict.changed / 1e9);
}

std::string test_case(const DecisionCheck& check) {
  return fmt::format("    <testcase classname=\"sonde.gate.{}\" name=\"{}\"{}>\n{}    </testcase>\n",
                     check.verdict->rule->metric->name, xml_text(check.name), time_attribute(*check.verdict),
                     result_xml(check));
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_text(name), xml_text(value));
}

std::string side_properties(std::string_view side, const gate::DecidedSide& decided) {
  std::string text = property(fmt::format("{}.runs", side), fmt::format("{}", decided.sources.size()));
  if (!decided.label.empty()) text += property(fmt::format("{}.label", side), decided.label);
  for (const auto& [name, value] : decided.conditions) text += property(fmt::format("{}.{}", side, name), value);
  return text;
}

/// Everything that is not about one check.
std::string summary_text(const gate::Decision& decision) {
  std::string text = fmt::format("{}: {}\n", combined_word(decision), combined_says(decision));
  if (decision.difference) {
    text += length_sentence(*decision.difference) + "\n";
    for (const gate::Cause& cause : decision.difference->causes) {
      text += fmt::format("{}  {}\n", change_text(cause.change_ns), cause_says(cause));
    }
  }
  for (const gate::KernelChange& change : decision.kernels) text += kernel_change_says(change) + "\n";
  for (const gate::ConditionDifference& difference : decision.conditions) text += condition_says(difference) + "\n";
  for (const std::string& note : decision.notes) text += one_line(note) + "\n";
  return text;
}

size_t count_of_result(const std::vector<DecisionCheck>& checks, TestResult result) {
  size_t count = 0;
  for (const DecisionCheck& check : checks) count += result_of(check) == result ? 1 : 0;
  return count;
}

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  const std::vector<DecisionCheck> checks = checks_in_order(decision);
  const std::string name = xml_text(context.title.empty() ? "sonde gate" : one_line(context.title));
  sink("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  sink(fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n", name,
                   checks.size(), count_of_result(checks, TestResult::failed),
                   count_of_result(checks, TestResult::error), count_of_result(checks, TestResult::skipped)));
  sink("    <properties>\n" + property("verdict", gate::outcome_name(decision.combined.outcome)));
  if (!context.budget_file.empty()) sink(property("budget", context.budget_file));
  if (decision.has_base) sink(side_properties("base", decision.base));
  sink(side_properties("new", decision.changed) + "    </properties>\n");
  for (const DecisionCheck& check : checks) sink(test_case(check));
  sink(fmt::format("    <system-out>{}</system-out>\n", xml_text(summary_text(decision))));
  sink("  </testsuite>\n</testsuites>\n");
}

}  // namespace
}  // namespace junit

extern const DecisionFormat junit_decision_format;
const DecisionFormat junit_decision_format = {.name = "junit",
                                              .description = "JUnit XML, for the test results of Jenkins and GitLab",
                                              .ending = ".xml",
                                              .parts = {},
                                              .needs_profiles = false,
                                              .write = junit::write};

}  // namespace sonde
