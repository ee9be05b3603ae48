#include "analyses/kernels/profile_occupancy.h"

namespace sonde {
namespace {

/// More than any launch asks for: what is above it in a damaged report is not known.
constexpr double kMost = 1 << 30;

std::optional<int64_t> amount(double number) {
  return number >= 0 && number <= kMost ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

std::optional<int64_t> integer(const Trace& trace, const KernelProfile& kernel, std::string_view name) {
  const auto number = metric_number(trace, kernel, name);
  return number ? amount(*number) : std::nullopt;
}

/// The same, where the report writes 0 for "not known" or "none".
std::optional<int64_t> positive(const Trace& trace, const KernelProfile& kernel, std::string_view name) {
  const auto value = integer(trace, kernel, name);
  return value.value_or(0) > 0 ? value : std::nullopt;
}

std::optional<int64_t> threads_of(const Trace& trace, const KernelProfile& kernel) {
  const auto stated = integer(trace, kernel, "launch__block_size");
  return stated ? stated : amount(1.0 * kernel.block[0] * kernel.block[1] * kernel.block[2]);
}

/// Static and dynamic shared memory of a block, in bytes.
std::optional<int64_t> shared_of(const Trace& trace, const KernelProfile& kernel) {
  const auto fixed = integer(trace, kernel, "launch__shared_mem_per_block_static");
  const auto dynamic = integer(trace, kernel, "launch__shared_mem_per_block_dynamic");
  if (fixed && dynamic) return *fixed + *dynamic;
  // ncu's sum of both holds more than they (the driver's share); a timeline's is what some recorders give instead.
  return kernel.from_timeline ? integer(trace, kernel, "launch__shared_mem_per_block") : std::nullopt;
}

}  // namespace

std::optional<LaunchShape> shape_of_profile(const Trace& trace, const KernelProfile& kernel) {
  const auto threads = threads_of(trace, kernel);
  const auto registers = integer(trace, kernel, "launch__registers_per_thread");
  const auto both = shared_of(trace, kernel);
  if (!threads || !registers || !both) return std::nullopt;
  LaunchShape shape;
  shape.threads_per_block = *threads;
  shape.registers_per_thread = *registers;
  shape.shared_bytes = *both;
  shape.driver_shared_bytes = integer(trace, kernel, "launch__shared_mem_per_block_driver");
  shape.carve_out_bytes = positive(trace, kernel, "launch__shared_mem_config_size");
  shape.barriers = integer(trace, kernel, "launch__barrier_count");
  shape.cluster_blocks = positive(trace, kernel, "launch__cluster_size");
  return shape;
}

std::optional<ProfiledLaunch> occupancy_of_profile(const Trace& trace, const KernelProfile& kernel) {
  const auto shape = shape_of_profile(trace, kernel);
  const auto limits = limits_of(trace, kernel.device);
  if (!shape || !limits) return std::nullopt;
  const auto occupancy = occupancy_of(*shape, *limits);
  const bool ran = kernel.from_timeline;  // so it had room for a block
  if (!occupancy || (ran && occupancy->blocks_per_sm == 0)) return std::nullopt;
  return ProfiledLaunch{*shape, *limits, *occupancy};
}

}  // namespace sonde
