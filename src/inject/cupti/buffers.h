#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/abi.h"

/// The memory that CUPTI writes its records into: buffers that are mapped when they are first needed and used again.
/// CUPTI asks for one and gives it back from threads of its own and of the program; one thread of ours reads them.
/// Nobody waits.
namespace sonde::inject::cupti {

/// A kernel takes some 200 bytes there: a thousand to a buffer, a quarter of a million to those that wait.
inline constexpr size_t kBufferBytes = size_t{1} << 18U;
/// CUPTI of CUDA 13 holds one for each thread that uses CUDA.
inline constexpr uint32_t kBuffers = 2048;
/// That wait to be read, and what is in them: a flush gives back all at once, most of them nearly empty.
inline constexpr uint32_t kMaxFilled = kBuffers - 512;
inline constexpr uint64_t kMaxFilledBytes = uint64_t{48} << 20U;

/// As CUPTI wants the two. Before CUDA 12.9 CUPTI ended the program where it got no buffer (its release notes): it gets
/// one while there is memory. Where too many wait the records in one that comes back are counted and thrown away; in a
/// child of fork(), to which CUPTI is none, they only are thrown away.
void request_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) noexcept;
void take_buffer(void* context, uint32_t stream, uint8_t* at, size_t bytes, size_t valid) noexcept;

struct FilledBuffer {
  uint8_t* at = nullptr;  ///< null: there is none
  size_t valid = 0;
  uint32_t index = 0;
};

/// The one that was returned first of those that were not read yet. From one thread only.
[[nodiscard]] FilledBuffer next_filled() noexcept;
void free_buffer(const FilledBuffer& buffer) noexcept;

/// What the two callbacks took of the threads that they ran on.
[[nodiscard]] int64_t callback_ns() noexcept;

}  // namespace sonde::inject::cupti
