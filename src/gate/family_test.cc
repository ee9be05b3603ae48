#include "gate/family_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/arrangements.h"
#include "gate/runs.h"

namespace sonde::gate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr size_t kMaxArrangements = 200'000;  // max_t()'s own

/// The changed runs, divided by what is allowed and multiplied by `factor`.
FamilyMember scaled(FamilyMember member, double factor) {
  for (double& value : member.changed) value *= factor;
  return member;
}

/// Whether the member that is furthest out is found by max_t: no other is where it is not. It is known long before all
/// arrangements were counted where it is not.
bool top_found(std::span<const FamilyMember> family, const FamilyTestPlan& plan) {
  const Arrangements arrangements(family);
  const double top = std::ranges::max(arrangements.measured());
  const double needed = top - kRoundingOfT * std::abs(top);
  const double most =
      plan.false_alarm_rate * arrangements_of(arrangements.runs(), arrangements.on_changed_side(), kMaxArrangements);
  std::vector<double> t;
  size_t extreme = 0;
  const size_t extra = for_each_arrangement(arrangements.runs(), arrangements.on_changed_side(), plan.seed,
                                            kMaxArrangements, [&](auto choice) {
                                              arrangements.t_of(choice, t);
                                              extreme += std::ranges::max(t) >= needed ? 1 : 0;
                                              return static_cast<double>(extreme) <= most;
                                            });
  return static_cast<double>(extreme + extra) <= most;
}

}  // namespace

/// Of each arrangement the largest t of all members but one, whichever that is.
class FamilyTest::Others {
 public:
  Others(std::span<const FamilyMember> family, uint64_t seed) : seed_(seed) {
    const Arrangements arrangements(family);
    for_each_arrangement(arrangements.runs(), arrangements.on_changed_side(), seed_, kMaxArrangements,
                         [&](auto choice) {
                           arrangements.t_of(choice, t_);
                           largest_.push_back(two_largest());
                           return true;
                         });
  }

  /// Whether chance does as well as this member, in its family, with a probability of at most `rate`.
  [[nodiscard]] bool found(const FamilyMember& values, size_t member, double rate) {
    const Arrangements own(std::span(&values, 1));
    const double measured = own.measured()[0];
    const double needed = measured - kRoundingOfT * std::abs(measured);
    const double most = rate * arrangements_of(own.runs(), own.on_changed_side(), kMaxArrangements);
    size_t at = 0;
    size_t extreme = 0;
    const auto count = [&](std::span<const size_t> choice) {
      const Largest& of_all = largest_[at++];
      bool is_extreme = (of_all.member == member ? of_all.second : of_all.first) >= needed;
      if (!is_extreme) {
        own.t_of(choice, t_);
        is_extreme = t_[0] >= needed;
      }
      extreme += is_extreme ? 1 : 0;
      return static_cast<double>(extreme) <= most;
    };
    const size_t extra = for_each_arrangement(own.runs(), own.on_changed_side(), seed_, kMaxArrangements, count);
    return static_cast<double>(extreme + extra) <= most;
  }

 private:
  struct Largest {
    double first = -kNever;
    double second = -kNever;
    size_t member = 0;  ///< whose is `first`
  };

  [[nodiscard]] Largest two_largest() const {
    Largest found;
    for (size_t m = 0; m < t_.size(); ++m) {
      if (t_[m] <= found.second) continue;
      if (t_[m] <= found.first) {
        found.second = t_[m];
      } else {
        found = {.first = t_[m], .second = found.first, .member = m};
      }
    }
    return found;
  }

  uint64_t seed_;
  std::vector<Largest> largest_;
  std::vector<double> t_;
};

FamilyTest::FamilyTest(std::span<const FamilyMember> family, std::span<const double> floors, const FamilyTestPlan& plan)
    : family_(family),
      floors_(floors),
      plan_(plan),
      by_max_t_(needs_max_t(family.size(), smallest_p_of(family[0].base.size(), family[0].changed.size()),
                            plan.false_alarm_rate)) {}
FamilyTest::~FamilyTest() = default;

double FamilyTest::ratio_of(size_t member) const {
  return ratio_of_means(family_[member].base, family_[member].changed);
}

double FamilyTest::limit_of(size_t member) const { return std::max(plan_.allowed, 1 + floors_[member]); }

PermutationTest FamilyTest::test_of(size_t member) const {
  return {family_[member].base, family_[member].changed, plan_.seed};
}

std::vector<size_t> FamilyTest::above_floor() const {
  std::vector<size_t> members;
  for (size_t m = 0; m < family_.size(); ++m) {
    if (ratio_of(m) > limit_of(m)) members.push_back(m);
  }
  return members;
}

bool FamilyTest::any_alarm() const {
  const std::vector<size_t> members = above_floor();
  if (members.empty()) return false;
  return by_max_t_ ? alarm_by_max_t(members) : alarm_by_holm(members);
}

/// The rank of a p-value decides what Holm's method asks of it, so that all are needed where one is too large for the
/// lowest rank; but it is at most the number of members that are measured above what is allowed.
bool FamilyTest::alarm_by_holm(const std::vector<size_t>& members) const {
  const auto all = static_cast<double>(family_.size());
  size_t above = 0;
  for (size_t m = 0; m < family_.size(); ++m) above += ratio_of(m) > plan_.allowed ? 1 : 0;
  const double left = all - static_cast<double>(above) + 1;
  bool open = false;
  for (const size_t m : members) {
    const double p = test_of(m).p_above(plan_.allowed);
    if (p * all <= plan_.false_alarm_rate) return true;
    open = open || p * left <= plan_.false_alarm_rate;
  }
  if (!open) return false;
  std::vector<double> p_values;
  for (size_t m = 0; m < family_.size(); ++m) p_values.push_back(test_of(m).p_above(plan_.allowed));
  const std::vector<double> corrected = holm(p_values);
  return std::ranges::any_of(members, [&](size_t m) { return corrected[m] <= plan_.false_alarm_rate; });
}

bool FamilyTest::alarm_by_max_t(const std::vector<size_t>& members) const {
  std::vector<FamilyMember> family(family_.begin(), family_.end());
  for (FamilyMember& member : family) member = scaled(std::move(member), 1 / plan_.allowed);
  if (!top_found(family, plan_)) return false;
  const std::vector<double> corrected = max_t(family, plan_.seed);
  return std::ranges::any_of(members, [&](size_t m) { return corrected[m] <= plan_.false_alarm_rate; });
}

double FamilyTest::alarming_factor(size_t member) const {
  const double to_floor = limit_of(member) / ratio_of(member);
  if (by_max_t_) return std::max(factor_by_max_t(member), to_floor);
  const double low = test_of(member).lower_bound(plan_.false_alarm_rate / static_cast<double>(family_.size()));
  return low > 0 ? std::max(plan_.allowed / low, to_floor) : kNever;
}

double FamilyTest::factor_by_max_t(size_t member) const {
  if (!others_) {
    std::vector<FamilyMember> family;
    for (const FamilyMember& m : family_) family.push_back(scaled(m, 1 / plan_.allowed));
    others_ = std::make_unique<Others>(family, plan_.seed);
  }
  const auto found = [&](double factor) {
    return others_->found(scaled(family_[member], factor / plan_.allowed), member, plan_.false_alarm_rate);
  };
  double low = 0.25;
  double high = 4;  // a change by 300 % needs no statistics
  if (!found(high)) return kNever;
  constexpr int kHalvings = 20;  // to 3e-6 of the factor
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (found(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sonde::gate
