#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/abi.h"

/// The memory that CUPTI writes its records into: a bounded number of buffers, mapped when they are first needed and
/// used again. CUPTI asks for one and gives it back from threads of its own and of the program; one thread of ours
/// reads them. Nobody waits.
namespace sonde::inject::cupti {

/// A kernel takes some 200 bytes there: five thousand to a buffer, a quarter of a million to all.
inline constexpr size_t kBufferBytes = size_t{1} << 20U;
inline constexpr uint32_t kBuffers = 48;

/// As CUPTI wants the two. A request that finds all in use gets none, and CUPTI drops records and counts them.
void request_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) noexcept;
void take_buffer(void* context, uint32_t stream, uint8_t* at, size_t bytes, size_t valid) noexcept;

struct FilledBuffer {
  uint8_t* at = nullptr;  ///< null: there is none
  size_t valid = 0;
  uint32_t index = 0;
};

/// The one that was given back first of those that were not read yet. From one thread only.
[[nodiscard]] FilledBuffer next_filled() noexcept;
void free_buffer(const FilledBuffer& buffer) noexcept;

/// What the two callbacks took of the threads that they ran on.
[[nodiscard]] int64_t callback_ns() noexcept;

}  // namespace sonde::inject::cupti
