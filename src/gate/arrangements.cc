#include "gate/arrangements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gate/random.h"

namespace sonde::gate {
namespace {

using Visit = std::function<void(std::span<const size_t>)>;

/// Each choice of `count` of `all` in lexical order; false, and nothing done, where there are more than `most`.
bool for_each_choice(size_t all, size_t count, size_t most, const Visit& visit) {
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

Arrangements::Arrangements(std::span<const FamilyMember> family)
    : base_(family[0].base.size()), changed_(family[0].changed.size()), members_(family.size()) {
  rows_.resize((base_ + changed_) * members_);
  for (size_t m = 0; m < members_; ++m) fill(m, family[m]);
}

void Arrangements::t_of(std::span<const size_t> changed_side, std::vector<double>& t) const {
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

std::vector<double> Arrangements::measured() const {
  std::vector<size_t> changed_side(changed_);
  std::iota(changed_side.begin(), changed_side.end(), base_);
  std::vector<double> t;
  t_of(changed_side, t);
  return t;
}

void Arrangements::fill(size_t member, const FamilyMember& values) {
  std::vector<double> all = values.base;
  all.insert(all.end(), values.changed.begin(), values.changed.end());
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  double squares = 0;
  for (const double v : all) squares += (v - mean) * (v - mean);
  const double unit = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (size_t run = 0; run < all.size(); ++run) rows_[run * members_ + member] = (all[run] - mean) * unit;
}

size_t for_each_arrangement(size_t runs, size_t changed, uint64_t seed, size_t most, const Visit& visit) {
  if (for_each_choice(runs, changed, most, visit)) return 0;
  Random random(seed);
  std::vector<size_t> order(runs);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t drawn = 0; drawn < most; ++drawn) {
    for (size_t i = 0; i < changed; ++i) std::swap(order[i], order[i + random.below(runs - i)]);
    visit(std::span(order).first(changed));
  }
  return 1;
}

}  // namespace sonde::gate
