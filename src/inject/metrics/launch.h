#pragma once

#include "inject/cupti/abi.h"
#include "wire/kernel_record.h"

/// A launch as CUPTI's callback for the driver's call tells it.
namespace sonde::inject::metrics {

struct Launch {
  void* function = nullptr;
  void* stream = nullptr;
  void* waited_stream = nullptr;  ///< what waits for it takes: the thread's own default stream has another name there
  wire::MeasuredKernelBody kernel{};  ///< grid, block and dynamic shared memory
  bool is_cooperative = false;        ///< its blocks wait for each other
};

/// CUPTI_DRIVER_TRACE_CBID_* (cupti_driver_cbid.h) of the calls that launch a kernel, and of those that launch a graph.
inline constexpr uint32_t kLaunches[] = {307, 442, 477, 478, 652, 653};
inline constexpr uint32_t kGraphLaunches[] = {514, 515};

[[nodiscard]] bool is_graph_launch(uint32_t call) noexcept;

/// Of one of kLaunches.
[[nodiscard]] Launch launch_of(uint32_t call, const void* parameters) noexcept;

/// What the driver says of the function: registers, shared and local memory.
void add_function_facts(Launch& launch) noexcept;

}  // namespace sonde::inject::metrics
