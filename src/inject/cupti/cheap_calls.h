#pragma once

#include "inject/cupti/library.h"

/// Calls that programs make by the hundred thousand, that take less than it takes to record them, and that say nothing
/// of what a program waits for: not recorded where --cuda-trace-all-apis does not ask for them.
namespace sonde::inject::cupti {

/// cuCtxGetCurrent(), which is one of them.
inline constexpr uint32_t kCurrentContextCall = 304;

/// After the activities of calls are enabled, which enables all calls again. CUPTI before CUDA 12.5 records them still.
void disable_cheap_calls(const Library& library) noexcept;

/// `call` is CUPTI's number of it.
[[nodiscard]] bool is_cheap(Domain domain, uint32_t call) noexcept;

}  // namespace sonde::inject::cupti
