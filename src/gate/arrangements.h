#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gate/correction.h"

namespace sonde::gate {

/// Two t of the same values in another order differ by less, as a share.
inline constexpr double kRoundingOfT = 1e-9;

/// The runs of all members as rows, each member's values centred and in units of their deviation, and Student's t of
/// any arrangement of them on the two sides.
class Arrangements {
 public:
  /// As max_t() takes it; not empty.
  explicit Arrangements(std::span<const FamilyMember> family);

  [[nodiscard]] size_t runs() const { return base_ + changed_; }
  [[nodiscard]] size_t on_changed_side() const { return changed_; }
  [[nodiscard]] size_t members() const { return members_; }

  /// t of every member where these runs stand on the changed side.
  void t_of(std::span<const size_t> changed_side, std::vector<double>& t) const;
  /// The same of the arrangement that was measured.
  [[nodiscard]] std::vector<double> measured() const;

 private:
  void fill(size_t member, const FamilyMember& values);

  size_t base_;
  size_t changed_;
  size_t members_;
  std::vector<double> rows_;  ///< [run][member], the base's runs first
};

/// Calls `visit` with the runs on the changed side of each arrangement, or of `most` drawn ones where there are more.
/// Gives how many count as extreme beside those: one, the measured arrangement, where they are drawn; else none.
size_t for_each_arrangement(size_t runs, size_t changed, uint64_t seed, size_t most,
                            const std::function<void(std::span<const size_t>)>& visit);

}  // namespace sonde::gate
