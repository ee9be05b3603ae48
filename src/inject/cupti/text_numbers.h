#pragma once

#include <cstdint>

/// Names of kernels, GPUs and variables: each is reported to the recorder once, and goes by a number from then on. From
/// the worker only.
namespace sonde::inject::cupti {

/// From 1 on; 0 for null, and where there are more than a process can have.
[[nodiscard]] uint32_t number_of(const char* text) noexcept;

/// How often there was a text and no number for it.
[[nodiscard]] uint64_t numberless_texts() noexcept;

/// Tells the name of a call, by CUPTI's number of it, once. `domain` as in wire::Kind::cuda_call.
void report_call_name(uint16_t domain, uint32_t call) noexcept;

}  // namespace sonde::inject::cupti
