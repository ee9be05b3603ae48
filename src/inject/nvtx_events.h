#pragma once

#include "inject/nvtx_abi.h"
#include "inject/nvtx_payloads.h"
#include "inject/wide_text.h"

/// NVTX calls as records.
namespace sonde::inject {

/// Whether NVTX is to call: for the recorder that is there, or for one that may come.
[[nodiscard]] bool may_want_nvtx() noexcept;

/// The number of a domain's handle. Unknown handles mean the default domain.
[[nodiscard]] uint16_t domain_number(nvtx::Domain domain) noexcept;

void mark(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
void mark(const Text& text) noexcept;
/// What an event is called is in its payload, here and below.
void mark(uint16_t domain, const Payload& payload) noexcept;

[[nodiscard]] nvtx::RangeId start_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
[[nodiscard]] nvtx::RangeId start_range(const Text& text) noexcept;
[[nodiscard]] nvtx::RangeId start_range(uint16_t domain, const Payload& payload) noexcept;
/// The domain matters to the payload only.
void end_range(nvtx::RangeId id, uint16_t domain = 0, const Payload& payload = {}) noexcept;

/// Both give the level of the range that begins or ends, as NVTX wants it.
int push_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept;
int push_range(const Text& text) noexcept;
int push_range(uint16_t domain, const Payload& payload) noexcept;
int pop_range(uint16_t domain, const Payload& payload = {}) noexcept;

}  // namespace sonde::inject
