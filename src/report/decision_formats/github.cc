#include <algorithm>

#include <fmt/format.h>

#include "report/decision/checks.h"
#include "report/decision/decision_format.h"
#include "report/text/plain_text.h"

/// Workflow commands as GitHub Actions reads them from a step's output: annotations at the budget's lines.
namespace sonde {
namespace github {
namespace {

/// What a command's message cannot hold as it is.
std::string message_text(std::string_view text) {
  std::string safe;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '%': safe += "%25"; break;
      case '\r': safe += "%0D"; break;
      case '\n': safe += "%0A"; break;
      default: safe += c;
    }
  }
  return safe;
}

/// A property's value, where ':' and ',' part values too.
std::string property_text(std::string_view text) {
  std::string safe;
  for (const char c : message_text(text)) {
    switch (c) {
      case ':': safe += "%3A"; break;
      case ',': safe += "%2C"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string_view command_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::error: return "error";
    case CheckLevel::warning: return "warning";
    default: return "notice";
  }
}

std::string annotation(const DecisionCheck& check, const DecisionContext& context) {
  std::string place;
  if (!context.budget_file.empty()) {
    place = fmt::format("file={},", property_text(context.budget_file));
    if (check.verdict->rule->line > 0) place += fmt::format("line={},", check.verdict->rule->line);
  }
  return fmt::format("::{} {}title={}::{}\n", command_of(check.level), place,
                     property_text(fmt::format("{}: {}", check.word, check.name)), message_text(check.says));
}

/// What keeps figures from being compared, which no single check tells.
std::string condition_annotation(const gate::ConditionDifference& difference) {
  return fmt::format("::{} title={}::{}\n", difference.allowed ? "notice" : "warning",
                     property_text(fmt::format("sonde gate: {} differs", difference.condition->title)),
                     message_text(condition_says(difference)));
}

CheckLevel level_of(gate::Outcome outcome) {
  switch (outcome) {
    case gate::Outcome::pass: return CheckLevel::none;
    case gate::Outcome::learning: return CheckLevel::note;
    case gate::Outcome::inconclusive: return CheckLevel::warning;
    default: return CheckLevel::error;
  }
}

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  // GitHub shows ten errors and ten warnings of a step: what matters most is written first.
  for (const DecisionCheck& check : checks_of(decision)) {
    if (check.level != CheckLevel::none) sink(annotation(check, context));
  }
  for (const gate::ConditionDifference& difference : decision.conditions) {
    if (difference.condition->forbids != gate::Forbids::nothing) sink(condition_annotation(difference));
  }
  sink(fmt::format("::{} title={}::{}\n", command_of(level_of(decision.combined.outcome)),
                   property_text(fmt::format("sonde gate: {}", combined_word(decision))),
                   message_text(combined_says(decision))));
}

}  // namespace
}  // namespace github

extern const DecisionFormat github_decision_format;
const DecisionFormat github_decision_format = {
    .name = "github",
    .description = "GitHub Actions annotations (workflow commands on standard output)",
    .ending = "",
    .parts = {},
    .needs_profiles = false,
    .write = github::write};

}  // namespace sonde
