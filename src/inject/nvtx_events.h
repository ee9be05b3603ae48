#pragma once

#include "inject/nvtx_abi.h"
#include "inject/wide_text.h"

/// NVTX calls as records.
namespace sonde::inject {

/// The number of a domain's handle. Unknown handles mean the default domain.
[[nodiscard]] uint16_t domain_number(nvtx::Domain domain) noexcept;

void mark(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
void mark(const Text& text) noexcept;

[[nodiscard]] nvtx::RangeId start_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
[[nodiscard]] nvtx::RangeId start_range(const Text& text) noexcept;
void end_range(nvtx::RangeId id) noexcept;

/// Both give the level of the range that begins or ends, as NVTX wants it.
int push_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
int push_range(const Text& text) noexcept;
int pop_range(uint16_t domain) noexcept;

}  // namespace sonde::inject
