#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gate/correction.h"
#include "gate/permutation.h"

namespace sonde::gate {

struct FamilyTestPlan {
  double false_alarm_rate = 0.005;  ///< over the whole family
  double allowed = 1;               ///< ratio that is allowed
  uint64_t seed = 1;
};

/// What judge() says of timed figures that all have the same runs a side, without its sentences: for simulations, where
/// the same is asked thousands of times.
class FamilyTest {
 public:
  /// `floors`: of each member, as a share. Both outlive this.
  FamilyTest(std::span<const FamilyMember> family, std::span<const double> floors, const FamilyTestPlan& plan);
  ~FamilyTest();
  FamilyTest(const FamilyTest&) = delete;
  FamilyTest& operator=(const FamilyTest&) = delete;

  /// Whether judge() fails any member.
  [[nodiscard]] bool any_alarm() const;

  /// The smallest factor that, put on the changed side of this member alone, makes judge() fail it; infinity for none.
  /// Of max_t the single step stands for the step down: they differ only where another member is further out by
  /// chance.
  [[nodiscard]] double alarming_factor(size_t member) const;

 private:
  class Others;
  [[nodiscard]] std::vector<size_t> above_floor() const;
  [[nodiscard]] bool alarm_by_holm(const std::vector<size_t>& members) const;
  [[nodiscard]] bool alarm_by_max_t(const std::vector<size_t>& members) const;
  [[nodiscard]] double factor_by_max_t(size_t member) const;
  [[nodiscard]] double ratio_of(size_t member) const;
  [[nodiscard]] double limit_of(size_t member) const;
  [[nodiscard]] PermutationTest test_of(size_t member) const;

  std::span<const FamilyMember> family_;
  std::span<const double> floors_;
  FamilyTestPlan plan_;
  bool by_max_t_;
  mutable std::unique_ptr<Others> others_;  ///< made when it is first asked for
};

}  // namespace sonde::gate
