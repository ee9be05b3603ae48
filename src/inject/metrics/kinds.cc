#include "inject/metrics/kinds.h"

#include "inject/metrics/range_filter.h"
#include "wire/fnv.h"

namespace sonde::inject::metrics {
namespace {

constexpr uint32_t kMaxKinds = 1U << 14U;
constinit LaunchKind kinds[kMaxKinds];

/// Never 0.
uint64_t key_of(const Launch& launch, uint32_t device) noexcept {
  uint64_t key = wire::add_to_fnv(reinterpret_cast<uintptr_t>(launch.function), place());
  key = wire::add_to_fnv(key, device);
  for (const uint32_t axis : launch.kernel.grid) key = wire::add_to_fnv(key, axis);
  for (const uint32_t axis : launch.kernel.block) key = wire::add_to_fnv(key, axis);
  return (key ^ (key >> 32U)) | 1U;
}

}  // namespace

LaunchKind* kind_of(const Launch& launch, uint32_t device) noexcept {
  const uint64_t key = key_of(launch, device);
  for (uint32_t step = 0; step < kMaxKinds; ++step) {
    LaunchKind& kind = kinds[(key + step) % kMaxKinds];
    if (kind.key == 0) kind.key = key;
    if (kind.key == key) return &kind;
  }
  return nullptr;
}

}  // namespace sonde::inject::metrics
