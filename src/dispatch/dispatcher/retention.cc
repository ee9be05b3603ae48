#include "dispatch/dispatcher/retention.h"

#include <utility>

#include "base/time_units.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kRemoval_ns = 600 * kNsPerSecond;
/// The store removes this many at once. If it did, more are left.
constexpr size_t kRemovedAtOnce = 1000;
constexpr int64_t kNextRemoval_ns = 5 * kNsPerSecond;

}  // namespace

std::vector<int64_t> Retention::remove_old(double keep_days, int64_t now_ns) {
  if (now_ns < next_ns_) return {};
  next_ns_ = now_ns + kRemoval_ns;
  auto removed = store_->remove_ended_before(now_ns - static_cast<int64_t>(keep_days * kDayNs));
  if (!removed) {
    log_->warning("old tasks cannot be removed", {{"reason", removed.error().message}});
    return {};
  }
  if (removed->size() >= kRemovedAtOnce) next_ns_ = now_ns + kNextRemoval_ns;
  return *std::move(removed);
}

}  // namespace sonde::dispatch
