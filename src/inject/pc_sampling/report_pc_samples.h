#pragma once

#include "inject/pc_sampling/pc_sampling.h"
#include "wire/pc_record.h"

/// What is reported to the recorder of samples.
namespace sonde::inject::pc_sampling {

void report(wire::PcState state, const char* text = "", int32_t result = 0) noexcept;

void report_reason(uint32_t device, uint32_t reason, const char* name) noexcept;

void report_instruction(uint64_t sampling, uint32_t device, const PcData& data, bool is_elsewhere) noexcept;

void report_launch(const wire::SampledLaunchBody& launch) noexcept;

/// Of a file of code: some of its bytes, in as many records as they take.
void report_code(const wire::CodePartBody& whole, const std::byte* bytes, uint64_t count) noexcept;

}  // namespace sonde::inject::pc_sampling
