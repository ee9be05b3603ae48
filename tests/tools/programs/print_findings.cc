// Prints the parts of docs/profiles/findings.md that come from the rows of rules and checks: counts, rules or checks.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/rule.h"
#include "findings/texts.h"

namespace sonde {
namespace {

std::vector<std::string> rules_that_need(Check check) {
  std::vector<std::string> names;
  for (const Rule* rule : rules()) {
    if (rule->checks.has(check)) names.push_back(fmt::format("`{}`", rule->name));
  }
  return names;
}

std::vector<std::string> checks_of(const Rule& rule) {
  std::vector<std::string> names;
  for (const CheckDoc& check : check_docs()) {
    if (rule.checks.has(check.check)) names.push_back(fmt::format("`{}`", check.name));
  }
  return names;
}

void print_counts() {
  size_t findings = 0;
  for (const Rule* rule : rules()) {
    for (const FindingDoc& doc : rule->docs()) findings += doc.ids.size();
  }
  fmt::print("{} rules report {} findings.\n", rules().size(), findings);
}

void print_item(std::string_view name, std::string_view text) {
  if (!text.empty()) fmt::print("- **{}:** {}\n", name, text);
}

std::string smallest_ceiling(const FindingDoc& doc) {
  return doc.min_percent > 0 ? fmt::format(" Not reported below {} % of the judged time.", doc.min_percent) : "";
}

void print_finding(std::string_view id) {
  fmt::print("\n`{}`: {}\n\n*To do:* {}\n", id, catalogue_text(fmt::format("{}.says", id)),
             catalogue_text(fmt::format("{}.do", id)));
}

std::string heading_of(const FindingDoc& doc) { return fmt::format("\n#### {}\n\n", doc.ids.front()); }

void print_doc(const FindingDoc& doc, bool alone) {
  fmt::print("{}", alone ? "\n" : heading_of(doc));
  print_item("Reports", doc.reports);
  print_item("When", doc.when);
  print_item("Not when", doc.not_when);
  print_item("Ceiling", doc.ceiling + smallest_ceiling(doc));
  print_item("Evidence", doc.evidence);
  for (const std::string& id : doc.ids) print_finding(id);
}

void print_rules() {
  for (const Rule* rule : rules()) {
    const std::vector<std::string> checks = checks_of(*rule);
    fmt::print("\n### {}\n\nRule: {}.{}\n", rule->name, rule->description,
               checks.empty() ? "" : fmt::format(" Checks: {}.", fmt::join(checks, ", ")));
    const std::vector<FindingDoc> docs = rule->docs();
    for (const FindingDoc& doc : docs) print_doc(doc, docs.size() == 1);
  }
  fmt::print("\n");
}

void print_checks() {
  fmt::print("| check | fails when | rules that need it |\n|---|---|---|\n");
  for (const CheckDoc& check : check_docs()) {
    fmt::print("| `{}` | {} | {} |\n", check.name, check.fails_when, fmt::join(rules_that_need(check.check), ", "));
  }
}

}  // namespace
}  // namespace sonde

int main(int count, char** arguments) {
  const std::string part = count == 2 ? arguments[1] : "";
  if (part == "counts") {
    sonde::print_counts();
  } else if (part == "rules") {
    sonde::print_rules();
  } else if (part == "checks") {
    sonde::print_checks();
  } else {
    fmt::print(stderr, "print_findings counts|rules|checks\n");
    return 2;
  }
  return 0;
}
