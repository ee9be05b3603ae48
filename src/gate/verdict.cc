#include "gate/verdict.h"

#include <algorithm>

namespace sonde::gate {
namespace {

bool counts(const Verdict& verdict) { return verdict.rule->severity == Severity::error; }

struct Counts {
  int failed = 0;
  int open = 0;
  int not_comparable = 0;
  int warned = 0;
  int learning = 0;
};

Counts count(std::span<const Verdict> verdicts) {
  Counts counted;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::pass) continue;
    if (verdict.outcome == Outcome::learning) {
      ++counted.learning;
    } else if (!counts(verdict)) {
      ++counted.warned;
    } else if (verdict.outcome == Outcome::fail) {
      ++counted.failed;
    } else {
      ++(verdict.outcome == Outcome::inconclusive ? counted.open : counted.not_comparable);
    }
  }
  return counted;
}

Argument number(std::string name, int value) {
  return {.name = std::move(name), .unit = Unit::none, .number = static_cast<double>(value), .text = {}};
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "pass";
    case Outcome::fail: return "fail";
    case Outcome::inconclusive: return "inconclusive";
    case Outcome::not_comparable: return "not_comparable";
    case Outcome::learning: return "learning";
  }
  return {};
}

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
    case Outcome::learning: return 0;
    case Outcome::fail: return 1;
    case Outcome::inconclusive: return 3;
    case Outcome::not_comparable: return 4;
  }
  return kErrorExit;
}

CombinedVerdict combine(std::span<const Verdict> verdicts) {
  if (verdicts.empty()) return {.outcome = Outcome::not_comparable, .reason = "nothing_checked", .arguments = {}};
  const Counts counted = count(verdicts);
  const Argument checked = number("checked", static_cast<int>(verdicts.size()));
  if (counted.failed > 0) return {Outcome::fail, "some_fail", {number("failed", counted.failed), checked}};
  if (counted.not_comparable > 0) {
    return {
        Outcome::not_comparable, "some_not_comparable", {number("not_comparable", counted.not_comparable), checked}};
  }
  if (counted.open > 0) return {Outcome::inconclusive, "some_open", {number("open", counted.open), checked}};
  if (counted.learning > 0) {
    return {Outcome::learning, "some_learning", {number("learning", counted.learning), checked}};
  }
  if (counted.warned > 0) return {Outcome::pass, "some_warn", {number("warned", counted.warned), checked}};
  return {Outcome::pass, "all_pass", {checked}};
}

}  // namespace sonde::gate
