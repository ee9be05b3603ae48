#include "gate/budget.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/error.h"
#include "base/files/yaml_documents.h"
#include "base/files/yaml_keys.h"
#include "base/text/decimal.h"
#include "base/text/suggest.h"
#include "gate/amount.h"

namespace sonde::gate {
namespace {

constexpr auto kBudgetKeys = std::to_array<std::string_view>({"version", "false_alarm_rate", "rules"});
constexpr auto kRuleKeys = std::to_array<std::string_view>(
    {"name", "check", "metric", "max_change", "floor", "kernel", "module", "gpu", "range", "severity"});
constexpr auto kSeverities = std::to_array<std::string_view>({"error", "warning"});

struct ComparisonSign {
  std::string_view sign;
  Comparison comparison;
};
// Those of two characters first: "<" begins "<=".
constexpr auto kSigns = std::to_array<ComparisonSign>({{"<=", Comparison::at_most},
                                                       {">=", Comparison::at_least},
                                                       {"==", Comparison::equal},
                                                       {"<", Comparison::below},
                                                       {">", Comparison::above}});

/// Reads one budget; collects what is wrong with it and continues.
class BudgetReader {
 public:
  void read(std::string_view yaml) {
    try {
      const std::string text(yaml);
      read_document(YAML::Load(text));
      if (const auto second = second_yaml_document(text); second && reading.problems.empty()) {
        problem(*second,
                "a second YAML document begins here (---); a budget is one document with all rules in one list");
      }
    } catch (const YAML::Exception& e) {
      problem(e.mark, fmt::format("not valid YAML: {}", e.msg));
    }
    std::ranges::stable_sort(reading.problems, {}, [](const BudgetProblem& p) { return std::pair(p.line, p.column); });
  }

  BudgetReading reading;

 private:
  void problem(const YAML::Mark& mark, std::string message) {
    const bool nowhere = mark.is_null();
    reading.problems.push_back({nowhere ? 1 : mark.line + 1, nowhere ? 1 : mark.column + 1, std::move(message)});
  }

  template <typename T>
  std::optional<T> value_of(const Result<T>& result, const YAML::Node& node) {
    if (result) return *result;
    problem(node.Mark(), result.error().message);
    return std::nullopt;
  }

  void check_keys(const YAML::Node& map, std::span<const std::string_view> known) {
    check_yaml_keys(map, known, [&](const YAML::Mark& mark, std::string says) { problem(mark, std::move(says)); });
  }

  /// The text of a key's value; absent where the key is, or its value is no plain text.
  std::optional<std::string> text_at(const YAML::Node& map, const char* key) {
    const YAML::Node node = map[key];
    if (!node) return std::nullopt;
    if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    problem(node.IsNull() ? map.Mark() : node.Mark(), fmt::format("'{}' has no value", key));
    return std::nullopt;
  }

  void read_document(const YAML::Node& document) {
    if (!document.IsMap()) {
      problem(document.Mark(), "a budget begins with 'version: 1' and 'rules:'");
      return;
    }
    check_keys(document, kBudgetKeys);
    if (const auto version = text_at(document, "version"); version && *version != "1") {
      problem(document["version"].Mark(), fmt::format("unknown version {}; this program reads version 1", *version));
    }
    read_false_alarm_rate(document);
    read_rules(document);
  }

  void read_false_alarm_rate(const YAML::Node& document) {
    const auto text = text_at(document, "false_alarm_rate");
    if (!text) return;
    const YAML::Node node = document["false_alarm_rate"];
    const auto amount = value_of(parse_amount(*text), node);
    if (!amount) return;
    if (amount->unit != Unit::percent || amount->number <= 0 || amount->number > 50) {
      problem(node.Mark(),
              fmt::format(
                  "'{}' is not a valid false positive rate; write a percentage above 0 and up to 50 %, such as 0.5 %",
                  *text));
      return;
    }
    reading.budget.false_alarm_rate = amount->number / 100;
  }

  void read_rules(const YAML::Node& document) {
    const YAML::Node rules = document["rules"];
    if (!rules || !rules.IsSequence() || rules.size() == 0) {
      const bool has_place = rules && !rules.IsNull();
      problem(has_place ? rules.Mark() : document.Mark(),
              "'rules' must be a list with at least one rule, such as '- avg_kernel_time <= 200 ms'");
      return;
    }
    for (const YAML::Node& node : rules) read_rule(node);
  }

  void read_rule(const YAML::Node& node) {
    const size_t problems = reading.problems.size();
    BudgetRule rule;
    rule.line = node.Mark().line + 1;
    if (node.IsScalar()) {
      read_check(node, rule);
    } else if (node.IsMap()) {
      read_rule_map(node, rule);
    } else {
      problem(node.Mark(),
              "a rule must be a string such as 'avg_kernel_time <= 200 ms' or a map with keys such as 'metric'");
    }
    require_range(node, rule);
    if (reading.problems.size() == problems) reading.budget.rules.push_back(std::move(rule));
  }

  void read_rule_map(const YAML::Node& node, BudgetRule& rule) {
    check_keys(node, kRuleKeys);
    if (node["check"] && node["metric"]) {
      problem(node["metric"].Mark(), "a rule has 'check' (a fixed bound) or 'metric' (against the baseline), not both");
    } else if (node["check"]) {
      read_check(node["check"], rule);
      refuse(node, {"max_change", "floor"}, "belongs to a rule against the baseline ('metric'), not to a 'check'");
    } else if (node["metric"]) {
      read_change(node, rule);
    } else {
      problem(node.Mark(), "the rule has neither 'check' (a fixed bound) nor 'metric' (against the baseline)");
    }
    read_selector(node, rule);
    read_severity(node, rule);
    read_name(node, rule);
  }

  void refuse(const YAML::Node& map, std::initializer_list<const char*> keys, std::string_view why) {
    for (const char* key : keys) {
      if (map[key]) problem(map[key].Mark(), fmt::format("'{}' {}", key, why));
    }
  }

  const Metric* read_metric(const std::string& name, const YAML::Node& node) {
    const Metric* metric = find_metric(name);
    if (metric == nullptr) {
      const std::string hint = did_you_mean(name, metric_names());
      problem(node.Mark(),
              fmt::format("unknown metric '{}'{}", name,
                          hint.empty() ? fmt::format(": known are {}", fmt::join(metric_names(), ", ")) : hint));
    }
    return metric;
  }

  /// "avg_kernel_time <= 200 ms".
  void read_check(const YAML::Node& node, BudgetRule& rule) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const size_t at = text.find_first_of("<>=");
    const auto* const sign =
        at == std::string::npos ? kSigns.end() : std::ranges::find_if(kSigns, [&](const ComparisonSign& s) {
          return std::string_view(text).substr(at).starts_with(s.sign);
        });
    if (sign == kSigns.end()) {
      problem(node.Mark(), fmt::format("'{}' is not a check; write METRIC <= AMOUNT (or <, >=, >, ==), such as "
                                       "avg_kernel_time <= 200 ms",
                                       text));
      return;
    }
    const std::string name = text.substr(0, text.find_last_not_of(' ', at == 0 ? 0 : at - 1) + 1);
    rule.metric = read_metric(at == 0 ? "" : name, node);
    if (rule.metric == nullptr) return;
    rule.name = text;
    const auto amount = amount_of(std::string_view(text).substr(at + sign->sign.size()), *rule.metric, node);
    if (amount) rule.demand = FixedBound{.comparison = sign->comparison, .bound = *amount};
  }

  /// An amount in the metric's unit.
  std::optional<double> amount_of(std::string_view text, const Metric& metric, const YAML::Node& node) {
    const auto amount = value_of(parse_amount(text), node);
    if (!amount) return std::nullopt;
    if (amount->unit == metric.unit || amount->number == 0) return amount->number;
    problem(node.Mark(), fmt::format("{} needs {}", metric.name, unit_example(metric.unit)));
    return std::nullopt;
  }

  void read_change(const YAML::Node& node, BudgetRule& rule) {
    rule.metric = read_metric(text_at(node, "metric").value_or(""), node["metric"]);
    if (rule.metric == nullptr) return;
    AllowedChange allowed;
    const auto change = text_at(node, "max_change");
    const auto floor = text_at(node, "floor");
    if (change) read_max_change(*change, node["max_change"], *rule.metric, allowed);
    if (!change && rule.metric->kind == MetricKind::timed) {
      problem(node.Mark(), fmt::format("{} varies between runs of the same program; set how much worse it may become, "
                                       "such as 'max_change: 3 %'",
                                       rule.metric->name));
    }
    if (floor) {
      allowed.amount = std::max(allowed.amount, amount_of(*floor, *rule.metric, node["floor"]).value_or(0));
    }
    rule.demand = allowed;
    rule.name = change ? fmt::format("{}, at most {} worse", rule.metric->name, *change)
                       : fmt::format("{}, no worse", rule.metric->name);
  }

  void read_max_change(const std::string& text, const YAML::Node& node, const Metric& metric, AllowedChange& allowed) {
    const auto amount = parse_amount(text);
    if (!amount || amount->unit != Unit::percent) {
      allowed.amount = amount_of(text, metric, node).value_or(0);
    } else if (metric.better == Better::higher && amount->number >= 100) {
      problem(node.Mark(), fmt::format("{} cannot fall by {}", metric.name, text));
    } else {
      allowed.share = amount->number / 100;
    }
  }

  void read_selector(const YAML::Node& node, BudgetRule& rule) {
    constexpr auto kSelectors = std::to_array<std::pair<const char*, Selectors>>({{"kernel", selector::kernel},
                                                                                  {"module", selector::module},
                                                                                  {"gpu", selector::gpu},
                                                                                  {"range", selector::range}});
    for (const auto& [key, bit] : kSelectors) {
      const auto text = text_at(node, key);
      if (!text) continue;
      if (rule.metric != nullptr && (rule.metric->selectors & bit) == 0) {
        problem(node[key].Mark(), fmt::format("{} cannot be selected by {}", rule.metric->name, key));
      }
      if (bit == selector::kernel) read_expression(*text, node[key], rule.selector.kernel);
      if (bit == selector::range) read_expression(*text, node[key], rule.selector.range);
      if (bit == selector::module) rule.selector.module = *text;
      if (bit == selector::gpu) read_gpu(*text, node[key], rule.selector);
    }
  }

  /// Of all names of ranges in a run, no rule is meant to judge each.
  void require_range(const YAML::Node& node, const BudgetRule& rule) {
    if (rule.metric == nullptr || (rule.metric->selectors & selector::range) == 0) return;
    if (!rule.selector.range.empty() || (node.IsMap() && node["range"])) return;
    problem(node.Mark(), fmt::format("{} needs 'range', a regular expression found in the names of the ranges, such as "
                                     "'range: ^request'",
                                     rule.metric->name));
  }

  void read_expression(const std::string& text, const YAML::Node& node, std::string& to) {
    try {
      static_cast<void>(std::regex(text));
      to = text;
    } catch (const std::regex_error& e) {
      problem(node.Mark(), fmt::format("'{}' is not a valid regular expression: {}", text, e.what()));
    }
  }

  void read_gpu(const std::string& text, const YAML::Node& node, RuleSelector& to) {
    to.gpu = integer_of<int>(text);
    if (!to.gpu || *to.gpu < 0)
      problem(node.Mark(), fmt::format("'{}' is not a GPU index; write an integer such as 0", text));
  }

  void read_severity(const YAML::Node& node, BudgetRule& rule) {
    const auto text = text_at(node, "severity");
    if (!text) return;
    if (*text == "warning") {
      rule.severity = Severity::warning;
    } else if (*text != "error") {
      const std::string hint = did_you_mean(*text, kSeverities);
      problem(node["severity"].Mark(),
              fmt::format("unknown severity '{}'{}", *text, hint.empty() ? ": known are error, warning" : hint));
    }
  }

  void read_name(const YAML::Node& node, BudgetRule& rule) {
    const auto name = text_at(node, "name");
    if (!name) return;
    rule.name = *name;
    if (!names_.insert(*name).second) {
      problem(node["name"].Mark(), fmt::format("two rules have the name '{}'", *name));
    }
  }

  std::set<std::string> names_;
};

}  // namespace

BudgetReading read_budget(std::string_view yaml) {
  BudgetReader reader;
  reader.read(yaml);
  return std::move(reader.reading);
}

std::string problem_text(std::string_view file, const BudgetProblem& problem) {
  return fmt::format("{}:{}:{}: {}", file, problem.line, problem.column, problem.message);
}

}  // namespace sonde::gate
