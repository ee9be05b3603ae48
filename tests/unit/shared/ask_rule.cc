#include "shared/ask_rule.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace sonde {
namespace {

void expect_text(const Rule& rule, const std::string& id, const std::vector<Argument>& arguments) {
  const std::string_view text = text_in(rule.texts, id);
  EXPECT_FALSE(text.empty()) << rule.name << " has no text " << id;
  for (size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::string_view name = text.substr(open + 1, text.find_first_of(":}", open) - open - 1);
    EXPECT_TRUE(std::ranges::find(arguments, name, &Argument::name) != arguments.end())
        << id << " lacks the argument " << name;
  }
}

}  // namespace

Diagnosis ask_rule(std::string_view name, const Trace& trace) {
  const Facts facts(trace);
  const Claims none(facts.gpus.gpus.size());
  Diagnosis diagnosis(facts.gpus.gpus.size());
  const auto found = std::ranges::find(rules(), name, [](const Rule* rule) { return rule->name; });
  if (found == rules().end()) {
    ADD_FAILURE() << "no rule " << name;
    return diagnosis;
  }
  const Rule& rule = **found;
  if (reads_claims(rule)) diagnosis.earlier = &none;
  rule.judge(facts, diagnosis);
  diagnosis.earlier = nullptr;
  for (const Finding& finding : diagnosis.findings) {
    expect_text(rule, finding.id + ".says", finding.arguments);
    expect_text(rule, finding.id + ".do", finding.arguments);
  }
  for (const Abstention& abstention : diagnosis.abstentions) {
    expect_text(rule, abstention.id + ".says", abstention.arguments);
  }
  return diagnosis;
}

std::string conclusions_of(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) text += finding.id + ' ';
  for (const Abstention& abstention : diagnosis.abstentions) text += "no conclusion: " + abstention.id + ' ';
  return text;
}

}  // namespace sonde
