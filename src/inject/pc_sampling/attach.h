#pragma once

#include "inject/pc_sampling/pc_sampling.h"

/// What samples of kernels need of CUPTI.
namespace sonde::inject::pc_sampling {

/// Finds the functions, once. False where this CUPTI lacks one: that is reported.
[[nodiscard]] bool find(const cupti::Library& library) noexcept;

[[nodiscard]] const Functions& functions() noexcept;

/// Whether code is looked at when it is loaded; after cupti::subscribe().
void watch_code(const cupti::Library& library, bool on) noexcept;

}  // namespace sonde::inject::pc_sampling
