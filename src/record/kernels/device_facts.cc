#include "record/kernels/device_facts.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

namespace sonde::record {
namespace {

struct Attribute {
  uint32_t number;
  std::string_view name;
};

constexpr std::array kAttributes = {
#define SONDE_DEVICE_ATTRIBUTE(number, name) Attribute{number, name},
#include "record/kernels/device_attributes.inc"
#undef SONDE_DEVICE_ATTRIBUTE
};

struct Fact {
  std::string_view name;
  std::optional<int64_t> Device::* place;
  int64_t factor = 1;
};

constexpr int64_t kHzPerKhz = 1000;
constexpr std::array kFacts = {
    Fact{"multiprocessor_count", &Device::sm_count},
    Fact{"compute_capability_major", &Device::compute_major},
    Fact{"compute_capability_minor", &Device::compute_minor},
    Fact{"clock_rate", &Device::clock_hz, kHzPerKhz},
    Fact{"l2_cache_size", &Device::l2_bytes},
    Fact{"warp_size", &Device::threads_per_warp},
    Fact{"max_threads_per_block", &Device::max_threads_per_block},
    Fact{"max_blocks_per_multiprocessor", &Device::max_blocks_per_sm},
    Fact{"max_registers_per_block", &Device::max_registers_per_block},
    Fact{"max_registers_per_multiprocessor", &Device::max_registers_per_sm},
    Fact{"max_shared_memory_per_block", &Device::max_shared_bytes_per_block},
    Fact{"max_shared_memory_per_block_optin", &Device::max_shared_bytes_per_block_optin},
    Fact{"max_shared_memory_per_multiprocessor", &Device::max_shared_bytes_per_sm},
    Fact{"async_engine_count", &Device::copy_engines},
    Fact{"total_constant_memory", &Device::constant_bytes},
};

/// The driver gives each as an int: others are damage.
bool is_attribute(int64_t value) { return value >= 0 && value <= std::numeric_limits<int32_t>::max(); }

void add_attribute(Trace& trace, DeviceId device, std::string_view name, int64_t value) {
  const std::string full = fmt::format("device__attribute_{}", name);
  trace.device_attributes.push_back(
      {device, trace.names.intern(full), MetricValue::integer(static_cast<uint64_t>(value))});
}

}  // namespace

void add_device_fact(Trace& trace, DeviceId device, uint32_t attribute, int64_t value) {
  const auto* const known = std::ranges::find(kAttributes, attribute, &Attribute::number);
  if (known == kAttributes.end() || !is_attribute(value)) return;
  add_attribute(trace, device, known->name, value);
  Device& facts = trace.devices[device];
  for (const Fact& fact : kFacts) {
    if (fact.name == known->name) facts.*fact.place = value * fact.factor;
  }
  // The driver tells threads, and comes to it after the size of a warp.
  if (known->name != "max_threads_per_multiprocessor" || facts.threads_per_warp.value_or(0) == 0) return;
  facts.max_warps_per_sm = value / *facts.threads_per_warp;
  add_attribute(trace, device, "max_warps_per_multiprocessor", *facts.max_warps_per_sm);
}

}  // namespace sonde::record
