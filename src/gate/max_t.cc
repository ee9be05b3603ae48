#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gate/correction.h"
#include "gate/random.h"

namespace sonde::gate {
namespace {

/// Two t of the same values in another order differ by less.
constexpr double kRounding = 1e-9;

/// The runs of all members as rows, each member's values centred and in units of their deviation, and t of any
/// arrangement of them.
class Arrangements {
 public:
  explicit Arrangements(std::span<const FamilyMember> family)
      : base_(family[0].base.size()), changed_(family[0].changed.size()), members_(family.size()) {
    rows_.resize((base_ + changed_) * members_);
    for (size_t m = 0; m < members_; ++m) fill(m, family[m]);
  }

  [[nodiscard]] size_t runs() const { return base_ + changed_; }
  [[nodiscard]] size_t on_changed_side() const { return changed_; }

  /// t of every member where these runs stand on the changed side.
  void t_of(std::span<const size_t> changed_side, std::vector<double>& t) const {
    t.assign(members_, 0);
    for (const size_t run : changed_side) {
      const double* row = &rows_[run * members_];
      for (size_t m = 0; m < members_; ++m) t[m] += row[m];
    }
    // Sum z = 0 and sum z^2 = 1, so that mean difference d = S (1/a + 1/b) and squares within = 1 - S^2 (1/a + 1/b).
    const double per_run = 1 / static_cast<double>(base_) + 1 / static_cast<double>(changed_);
    const auto freedom = static_cast<double>(runs() - 2);
    for (double& sum : t) {
      const double within = std::max(1 - sum * sum * per_run, std::numeric_limits<double>::min());
      sum *= std::sqrt(per_run * freedom / within);
    }
  }

 private:
  void fill(size_t member, const FamilyMember& values) {
    std::vector<double> all = values.base;
    all.insert(all.end(), values.changed.begin(), values.changed.end());
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    double squares = 0;
    for (const double v : all) squares += (v - mean) * (v - mean);
    const double unit = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (size_t run = 0; run < all.size(); ++run) rows_[run * members_ + member] = (all[run] - mean) * unit;
  }

  size_t base_;
  size_t changed_;
  size_t members_;
  std::vector<double> rows_;  ///< [run][member], the base's runs first
};

/// Counts how often chance does as well as the measured arrangement, for each member with those less extreme.
class StepDown {
 public:
  StepDown(const Arrangements& arrangements, size_t members) : arrangements_(arrangements), order_(members) {
    std::vector<size_t> measured(arrangements.on_changed_side());
    std::iota(measured.begin(), measured.end(), arrangements.runs() - measured.size());
    arrangements.t_of(measured, measured_);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, std::greater<>(), [&](size_t m) { return measured_[m]; });
    counts_.resize(members);
  }

  void add(std::span<const size_t> changed_side) {
    arrangements_.t_of(changed_side, t_);
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t rank = order_.size(); rank > 0; --rank) {
      const size_t member = order_[rank - 1];
      largest = std::max(largest, t_[member]);
      const double needed = measured_[member] - kRounding * std::abs(measured_[member]);
      counts_[member] += largest >= needed ? 1 : 0;
    }
    ++all_;
  }

  /// `extra`: arrangements that count as extreme beside those added.
  [[nodiscard]] std::vector<double> adjusted(size_t extra) const {
    std::vector<double> p(order_.size());
    double most = 0;
    for (const size_t member : order_) {
      most = std::max(most, static_cast<double>(counts_[member] + extra) / static_cast<double>(all_ + extra));
      p[member] = most;
    }
    return p;
  }

 private:
  const Arrangements& arrangements_;
  std::vector<double> measured_;
  std::vector<size_t> order_;  ///< the most extreme member first
  std::vector<size_t> counts_;
  std::vector<double> t_;
  size_t all_ = 0;
};

/// Calls `visit` with each choice of `count` of `all` in lexical order; false, and nothing done, where there are more
/// than `most`.
template <typename Visit>
bool for_each_choice(size_t all, size_t count, size_t most, Visit visit) {
  double ways = 1;
  for (size_t i = 1; i <= count; ++i) ways = ways * static_cast<double>(all - count + i) / static_cast<double>(i);
  if (ways > static_cast<double>(most) + 0.5) return false;
  std::vector<size_t> choice(count);
  std::iota(choice.begin(), choice.end(), size_t{0});
  for (;;) {
    visit(choice);
    size_t at = count;
    while (at > 0 && choice[at - 1] == all - count + at - 1) --at;
    if (at == 0) return true;
    ++choice[at - 1];
    std::iota(choice.begin() + static_cast<std::ptrdiff_t>(at), choice.end(), choice[at - 1] + 1);
  }
}

}  // namespace

std::vector<double> max_t(std::span<const FamilyMember> family, uint64_t seed, size_t most_arrangements) {
  if (family.empty()) return {};
  const Arrangements arrangements(family);
  StepDown counted(arrangements, family.size());
  const size_t runs = arrangements.runs();
  const size_t changed = arrangements.on_changed_side();
  if (for_each_choice(runs, changed, most_arrangements, [&](const auto& choice) { counted.add(choice); })) {
    return counted.adjusted(0);
  }
  Random random(seed);
  std::vector<size_t> order(runs);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t drawn = 0; drawn < most_arrangements; ++drawn) {
    for (size_t i = 0; i < changed; ++i) std::swap(order[i], order[i + random.below(runs - i)]);
    counted.add(std::span(order).first(changed));
  }
  return counted.adjusted(1);  // the measured arrangement is one of them
}

}  // namespace sonde::gate
