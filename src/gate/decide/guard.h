#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/decide/cases.h"
#include "gate/decide/decision.h"

/// Whether runs may be compared at all.
namespace sonde::gate {

/// What runs were made on and with, held against each other.
class Guard {
 public:
  /// `allowed`: names of conditions that may differ.
  Guard(const Sides& sides, std::span<const std::string> allowed);

  /// Those that differ between the sides or within one, allowed ones among them.
  [[nodiscard]] const std::vector<ConditionDifference>& differences() const { return differences_; }
  /// What is not known, and what differs without forbidding anything, for people.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Why a rule may not be judged: against the baseline a condition that differs and forbids figures of its kind; of a
  /// fixed bound one that differs among the new runs.
  [[nodiscard]] std::optional<Refusal> refusal(const BudgetRule& rule) const;

  /// Whether times of both sides may be held against each other.
  [[nodiscard]] bool allows_times() const;

 private:
  struct Met {
    ConditionDifference difference;
    bool varies_in_base = false;
    bool varies_in_changed = false;
  };
  void add(const ConditionInfo& condition, const Sides& sides, bool allowed);
  void note(const ConditionInfo& condition, const Names& base, const Names& changed);

  std::vector<Met> met_;
  std::vector<ConditionDifference> differences_;
  std::vector<std::string> notes_;
};

}  // namespace sonde::gate
