#include "record/gpu_metrics/gpu_clock.h"

#include <algorithm>
#include <limits>

namespace sonde::record {
namespace {

constexpr int64_t kWindowNs = 1'000'000'000;

}  // namespace

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
