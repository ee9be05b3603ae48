#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace sonde {

/// What one SM of a GPU holds at once, and the sizes in which it hands things out. docs/profiles/occupancy.md names the
/// sources.
struct SmLimits {
  int64_t threads_per_warp = 32;
  int64_t max_threads_per_block = 1024;
  int64_t max_warps = 0;
  int64_t max_blocks = 0;

  int64_t registers = 65536;
  int64_t sub_partitions = 4;  ///< each with its share of the registers; a warp's registers lie in one
  int64_t registers_granularity = 256;
  int64_t max_registers_per_thread = 255;

  int64_t shared_bytes = 0;                      ///< the greatest carve-out
  std::array<int64_t, 10> carve_outs{};          ///< bytes that the driver can choose, ascending, zeros behind the last
  int64_t shared_granularity = 0;                ///< bytes
  int64_t reserved_shared_bytes_per_block = 0;   ///< what the driver takes for itself
  int64_t max_shared_bytes_per_block = 49152;    ///< without opting in
  int64_t max_shared_bytes_per_block_optin = 0;  ///< without the driver's share
  std::optional<int64_t> barriers;               ///< no public source gives it

  std::optional<int64_t> sm_count;  ///< SMs of the GPU
  bool operator==(const SmLimits&) const = default;
};

/// The limits of a compute capability from 7.0 to 12.1; absent for one that is not in the table.
[[nodiscard]] std::optional<SmLimits> limits_for(int64_t compute_major, int64_t compute_minor);

/// The limits of a GPU: what the recording states of it goes before the table. Absent where the compute capability is
/// not known, and for GPUs whose warps have not 32 threads: AMD's carry numbers of NVIDIA's capabilities.
[[nodiscard]] std::optional<SmLimits> limits_of(const Device& device);
/// The same with the device attributes of a kernel profiler's report, which go before everything else.
[[nodiscard]] std::optional<SmLimits> limits_of(const Trace& trace, DeviceId device);

}  // namespace sonde
