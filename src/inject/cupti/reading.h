#pragma once

#include "inject/cupti/buffers.h"
#include "inject/cupti/library.h"
#include "wire/cuda_record.h"

/// What is in CUPTI's buffers, as records of ours. From the worker only.
namespace sonde::inject::cupti {

/// Reads and frees all buffers that CUPTI gave back. `forced`: it was made to give back those whose operations had not
/// ended.
void read_filled(const Library& library, bool forced) noexcept;

/// Tells the recorder what was counted until now, where that is more than it knows.
void report_tally(const Library& library) noexcept;

/// That CUPTI did not hand over what it holds.
void count_flush_failure() noexcept;

/// What recording a CUDA call costs its thread.
void note_call_cost(int64_t ns) noexcept;

/// Whether CUPTI told what the GPUs are.
[[nodiscard]] bool had_devices() noexcept;
/// Whether it told of anything else.
[[nodiscard]] bool had_records() noexcept;

}  // namespace sonde::inject::cupti
