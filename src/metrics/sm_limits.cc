#include "metrics/sm_limits.h"

#include <algorithm>

namespace sonde {
namespace {

constexpr int64_t kKiB = 1024;

using CarveOuts = std::array<int64_t, 10>;

constexpr CarveOuts kib(CarveOuts sizes) {
  for (int64_t& size : sizes) size *= kKiB;
  return sizes;
}

// 7.0, 8.0, 8.6, 8.7, 8.9: NVIDIA's tuning and programming guides, as quoted. Seen in recordings: 32 of Turing; 16, 32,
// 100 of A100; 8, 16, 64, 100 of GA10x; 16, 32, 64, 132, 228 of what is taken to be an H100; 228 of B200.
constexpr CarveOuts kVolta = kib({0, 8, 16, 32, 64, 96});
constexpr CarveOuts kTuring = kib({32, 64});
constexpr CarveOuts k100 = kib({0, 8, 16, 32, 64, 100});
constexpr CarveOuts k164 = kib({0, 8, 16, 32, 64, 100, 132, 164});
constexpr CarveOuts k228 = kib({0, 8, 16, 32, 64, 100, 132, 164, 196, 228});

struct Capability {
  int64_t major, minor;
  int64_t max_warps, max_blocks;
  const CarveOuts& carve_outs;
};

// Warps, blocks and shared memory: NVIDIA's libcu++ (cuda/__device/arch_traits.h, 2026). Not confirmed: all of 7.2, and
// the carve-outs below the greatest of 7.5, 9.0, 10.x, 11.0 and 12.x.
constexpr std::array kCapabilities = {
    Capability{7, 0, 64, 32, kVolta}, Capability{7, 2, 64, 32, kVolta}, Capability{7, 5, 32, 16, kTuring},
    Capability{8, 0, 64, 32, k164},   Capability{8, 6, 48, 16, k100},   Capability{8, 7, 48, 16, k164},
    Capability{8, 8, 48, 16, k100},   Capability{8, 9, 48, 24, k100},   Capability{9, 0, 64, 32, k228},
    Capability{10, 0, 64, 32, k228},  Capability{10, 3, 64, 32, k228},  Capability{11, 0, 48, 24, k228},
    Capability{12, 0, 48, 24, k100},  Capability{12, 1, 48, 24, k100},
};

/// What a Device and a report's attributes can state, and what it stands for here.
struct Stated {
  std::optional<int64_t> Device::* in_device;
  std::string_view attribute;
  int64_t SmLimits::* limit;
};

constexpr std::array kStated = {
    Stated{&Device::threads_per_warp, "device__attribute_warp_size", &SmLimits::threads_per_warp},
    Stated{&Device::max_threads_per_block, "device__attribute_max_threads_per_block", &SmLimits::max_threads_per_block},
    Stated{&Device::max_warps_per_sm, "device__attribute_max_warps_per_multiprocessor", &SmLimits::max_warps},
    Stated{&Device::max_blocks_per_sm, "device__attribute_max_blocks_per_multiprocessor", &SmLimits::max_blocks},
    Stated{&Device::max_registers_per_sm, "device__attribute_max_registers_per_multiprocessor", &SmLimits::registers},
    Stated{nullptr, "device__attribute_num_schedulers_per_multiprocessor", &SmLimits::sub_partitions},
    Stated{nullptr, "device__attribute_max_registers_per_thread", &SmLimits::max_registers_per_thread},
    Stated{&Device::max_shared_bytes_per_sm, "device__attribute_max_shared_memory_per_multiprocessor",
           &SmLimits::shared_bytes},
    Stated{&Device::max_shared_bytes_per_block, "device__attribute_max_shared_memory_per_block",
           &SmLimits::max_shared_bytes_per_block},
    Stated{&Device::max_shared_bytes_per_block_optin, "device__attribute_max_shared_memory_per_block_optin",
           &SmLimits::max_shared_bytes_per_block_optin},
    Stated{nullptr, "device__attribute_reserved_shared_memory_per_block", &SmLimits::reserved_shared_bytes_per_block},
};

/// A stated 0 says that the recorder did not know, except where none is a sensible amount.
bool is_stated(std::optional<int64_t> value, int64_t SmLimits::* limit) {
  return value && *value >= (limit == &SmLimits::reserved_shared_bytes_per_block ? 0 : 1);
}

std::optional<int64_t> attribute_of(const Trace& trace, DeviceId device, std::string_view name) {
  for (const DeviceAttribute& a : trace.device_attributes) {
    if (a.device != device || trace.name(a.name) != name) continue;
    if (const auto number = a.value.number()) return static_cast<int64_t>(*number);
  }
  return std::nullopt;
}

std::optional<int64_t> either(std::optional<int64_t> first, std::optional<int64_t> second) {
  return first ? first : second;
}

}  // namespace

std::optional<SmLimits> limits_for(int64_t compute_major, int64_t compute_minor) {
  const auto* found = std::ranges::find_if(
      kCapabilities, [&](const Capability& c) { return c.major == compute_major && c.minor == compute_minor; });
  if (found == kCapabilities.end()) return std::nullopt;
  SmLimits limits;
  limits.max_warps = found->max_warps;
  limits.max_blocks = found->max_blocks;
  limits.carve_outs = found->carve_outs;
  limits.shared_bytes = std::ranges::max(found->carve_outs);
  // cuda_occupancy.h: 256 bytes for 7.x, 128 for 8.x, 9.x, 10.x and 12.x; 11.0 not confirmed. The driver's share:
  // libcu++.
  limits.shared_granularity = compute_major == 7 ? 256 : 128;
  limits.reserved_shared_bytes_per_block = compute_major == 7 ? 0 : kKiB;
  limits.max_shared_bytes_per_block_optin = limits.shared_bytes - limits.reserved_shared_bytes_per_block;
  return limits;
}

std::optional<SmLimits> limits_of(const Device& device) {
  if (!device.compute_major || !device.compute_minor) return std::nullopt;
  auto limits = limits_for(*device.compute_major, *device.compute_minor);
  if (!limits) return std::nullopt;
  for (const Stated& s : kStated) {
    if (s.in_device != nullptr && is_stated(device.*s.in_device, s.limit)) (*limits).*s.limit = *(device.*s.in_device);
  }
  if (device.sm_count.value_or(0) > 0) limits->sm_count = device.sm_count;
  return limits->threads_per_warp == 32 ? limits : std::nullopt;
}

std::optional<SmLimits> limits_of(const Trace& trace, DeviceId device) {
  if (device >= trace.devices.size()) return std::nullopt;
  const auto attribute = [&](std::string_view name) { return attribute_of(trace, device, name); };
  Device stated = trace.devices[device];
  stated.compute_major = either(attribute("device__attribute_compute_capability_major"), stated.compute_major);
  stated.compute_minor = either(attribute("device__attribute_compute_capability_minor"), stated.compute_minor);
  stated.sm_count = either(attribute("device__attribute_multiprocessor_count"), stated.sm_count);
  for (const Stated& s : kStated) {
    if (s.in_device != nullptr) stated.*s.in_device = either(attribute(s.attribute), stated.*s.in_device);
  }
  auto limits = limits_of(stated);
  if (!limits) return std::nullopt;
  for (const Stated& s : kStated) {
    const auto value = s.in_device == nullptr ? attribute(s.attribute) : std::nullopt;
    if (is_stated(value, s.limit)) (*limits).*s.limit = *value;
  }
  return limits;
}

}  // namespace sonde
