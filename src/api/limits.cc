#include "api/limits.h"
#include "base/time_units.h"

#include <algorithm>
#include <cmath>

namespace sonde::api {
namespace {}  // namespace

std::optional<int64_t> Limiter::take(const std::string& name, double per_second, double burst, int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  if (!buckets_.contains(name) && buckets_.size() >= max_names_) make_room(now_ns);
  Bucket& bucket =
      buckets_.try_emplace(name, Bucket{.tokens = burst, .moment_ns = now_ns, .full_ns = now_ns}).first->second;
  const auto passed_ns = static_cast<double>(std::max<int64_t>(now_ns - bucket.moment_ns, 0));
  bucket.tokens = std::min(burst, bucket.tokens + passed_ns / kSecondNs * per_second);
  bucket.moment_ns = now_ns;
  if (bucket.tokens < 1) return std::max<int64_t>(static_cast<int64_t>(std::ceil((1 - bucket.tokens) / per_second)), 1);
  bucket.tokens -= 1;
  bucket.full_ns = now_ns + static_cast<int64_t>((burst - bucket.tokens) / per_second * kSecondNs);
  return std::nullopt;
}

size_t Limiter::size() const {
  const std::scoped_lock lock(mutex_);
  return buckets_.size();
}

void Limiter::make_room(int64_t now_ns) {
  std::erase_if(buckets_, [&](const auto& named) { return named.second.full_ns <= now_ns; });
  if (buckets_.size() < max_names_) return;
  buckets_.erase(std::ranges::min_element(buckets_, {}, [](const auto& named) { return named.second.moment_ns; }));
}

}  // namespace sonde::api
