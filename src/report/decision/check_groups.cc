#include "report/decision/check_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "report/tables/quantity.h"
#include "report/text/plain_text.h"

namespace sonde {
namespace {

/// What checks of a group share.
using GroupKey = std::tuple<const gate::BudgetRule*, std::string_view, std::string>;

GroupKey key_of(const DecisionCheck& check) {
  const gate::Verdict& verdict = *check.verdict;
  const std::string_view text = gate::group_reason_text(verdict.reason);
  return {verdict.rule, verdict.reason, text.empty() ? "" : decided_text(text, verdict.reason, verdict.arguments)};
}

/// How many times worse it is; the unknown comes last.
double worsening(const DecisionCheck& check) {
  const gate::Verdict& verdict = *check.verdict;
  if (!verdict.base || !verdict.changed) return -1;
  const bool lower = verdict.rule->metric->better == gate::Better::lower;
  const double good = lower ? *verdict.base : *verdict.changed;
  const double bad = lower ? *verdict.changed : *verdict.base;
  if (good <= 0) return bad > 0 ? std::numeric_limits<double>::infinity() : 1;
  return bad / good;
}

std::string share_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

}  // namespace

std::vector<CheckGroup> open_groups(const std::vector<DecisionCheck>& checks) {
  std::map<GroupKey, size_t> sizes;
  for (const DecisionCheck& check : checks) ++sizes[key_of(check)];
  std::vector<CheckGroup> groups;
  std::map<GroupKey, size_t> places;
  for (const DecisionCheck& check : checks) {
    if (check.level == CheckLevel::none) continue;
    GroupKey key = key_of(check);
    const std::string& says = std::get<std::string>(key);
    const bool grouped = !says.empty() && sizes[key] >= kMinGrouped;
    if (!grouped || !places.contains(key)) groups.push_back({.checks = {}, .says = grouped ? says : ""});
    CheckGroup& group = grouped ? groups[places.try_emplace(std::move(key), groups.size() - 1).first->second]  //
                                : groups.back();
    group.checks.push_back(check);
  }
  for (CheckGroup& group : groups) std::ranges::stable_sort(group.checks, std::ranges::greater(), worsening);
  return groups;
}

std::string group_name(const CheckGroup& group) {
  const auto count = static_cast<int64_t>(group.checks.size());
  return fmt::format("{}: {}", one_line(group.checks.front().verdict->rule->name), counted(count, "check"));
}

std::string figure_text(const DecisionCheck& check, const std::optional<double>& figure) {
  return figure ? amount_text(*figure, check.verdict->rule->metric->unit) : "-";
}

std::string ratio_text(const gate::Verdict& verdict) {
  if (!verdict.base || !verdict.changed || *verdict.base <= 0) return "-";
  return share_text(*verdict.changed / *verdict.base);
}

std::string interval_text(const gate::Verdict& verdict) {
  if (!verdict.interval || verdict.interval->low <= 0 || !std::isfinite(verdict.interval->high)) return {};
  if (verdict.interval->low == verdict.interval->high) return {};
  return fmt::format("{} to {}", share_text(verdict.interval->low), share_text(verdict.interval->high));
}

}  // namespace sonde
