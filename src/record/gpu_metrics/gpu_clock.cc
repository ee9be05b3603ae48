#include "record/gpu_metrics/gpu_clock.h"

#include <algorithm>
#include <limits>

namespace sonde::record {
namespace {

constexpr int64_t kWindowNs = 1'000'000'000;

/// Bounds of the last windows are not forgotten: the last one may still become better, and changes what lies between it
/// and the one before.
constexpr size_t kRecent = 16;

size_t first_recent(size_t count) { return count - std::min(count, kRecent); }

}  // namespace

bool is_time(int64_t ns) {
  constexpr int64_t kEnd = int64_t{1} << 61;
  return ns >= 0 && ns < kEnd;
}

void GpuClock::add(const wire::GpuClockBody& clock) {
  const Bound bound{clock.gpu, clock.gpu - clock.monotonic};
  if (clock.is_before != 0) {
    most_.push_back(bound);
  } else if (least_.empty() || bound.gpu / kWindowNs != least_.back().gpu / kWindowNs) {
    least_.push_back(bound);
  } else if (bound.ahead > least_.back().ahead) {
    least_.back() = bound;
  }
}

int64_t GpuClock::least_ahead(int64_t gpu) const {
  const auto after = std::ranges::upper_bound(least_, gpu, {}, &Bound::gpu);
  if (after == least_.begin()) return least_.front().ahead;
  const Bound& before = *std::prev(after);
  if (after == least_.end()) return before.ahead;
  const double part = static_cast<double>(gpu - before.gpu) / static_cast<double>(after->gpu - before.gpu);
  return before.ahead + static_cast<int64_t>(part * static_cast<double>(after->ahead - before.ahead));
}

void GpuClock::forget_old() {
  if (least_.size() + most_.size() <= kMaxBounds) return;
  std::ranges::stable_sort(least_, {}, &Bound::gpu);
  forget_most(least_.empty() ? 0 : least_[first_recent(least_.size())].gpu);
  if (!least_.empty()) forget_least();
}

/// Of those before `recent`, the one that says most; it is the first then. Where that is, nothing comes any more.
void GpuClock::forget_most(int64_t recent) {
  std::vector<Bound> kept;
  for (const Bound& most : most_) {
    if (most.gpu >= recent) continue;
    if (kept.empty()) kept.push_back(most);
    if (slack_at(most) < slack_at(kept.front())) kept.front() = most;
  }
  for (size_t i = first_recent(most_.size()); i < most_.size(); ++i) {
    if (most_[i].gpu >= recent) kept.push_back(most_[i]);
  }
  most_ = std::move(kept);
}

/// Those around the upper bound that says most, and the two that tell whether the clock may be ours.
void GpuClock::forget_least() {
  const auto after =
      most_.empty() ? least_.end() : std::ranges::upper_bound(least_, most_.front().gpu, {}, &Bound::gpu);
  const auto [lowest, highest] = std::ranges::minmax_element(least_, {}, &Bound::ahead);
  std::vector<Bound> kept;
  for (auto at = least_.begin(); at != least_.end(); ++at) {
    const bool is_around = at == after || std::next(at) == after;
    const bool is_recent = static_cast<size_t>(least_.end() - at) <= kRecent;
    if (is_around || is_recent || at == lowest || at == highest) kept.push_back(*at);
  }
  least_ = std::move(kept);
}

std::vector<wire::GpuClockBody> GpuClock::bounds(uint32_t device) const {
  std::vector<wire::GpuClockBody> all;
  for (const Bound& most : most_) all.push_back(body_of(most, device, true));
  for (const Bound& least : least_) all.push_back(body_of(least, device, false));
  return all;
}

bool GpuClock::may_be_monotonic() const {
  return std::ranges::all_of(least_, [&](const Bound& b) { return b.ahead <= 0 && b.ahead + slack_ns_ >= 0; });
}

void GpuClock::settle() {
  if (least_.empty()) return;
  std::ranges::sort(least_, {}, &Bound::gpu);
  slack_ns_ = std::numeric_limits<int64_t>::max();
  for (const Bound& most : most_) slack_ns_ = std::min(slack_ns_, most.ahead - least_ahead(most.gpu));
  if (most_.empty() || slack_ns_ < 0) slack_ns_ = 0;
  is_monotonic_ = !most_.empty() && may_be_monotonic();
  error_ns_ = is_monotonic_ ? 0 : (slack_ns_ + 1) / 2;
}

int64_t GpuClock::to_monotonic(int64_t gpu) const {
  return is_monotonic_ || least_.empty() ? gpu : gpu - least_ahead(gpu) - slack_ns_ / 2;
}

}  // namespace sonde::record
