#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/record.h"

/// Of single kernels: samples of the program counter (CUPTI's PC sampling), how often each instruction ran (its SASS
/// metrics), and the code that they lie in: records of kinds 100 to 106.
namespace sonde::wire {

/// State of sampling kernels, or of counting their instructions, in a process.
enum class PcState : uint32_t {
  too_old,           ///< text: the function that this CUPTI lacks; `result`: its version
  failed,            ///< text: the function, `result`: what it gave; nothing more is sampled
  code_full,         ///< more code with source lines was loaded than is kept
  counting_too_old,  ///< as too_old, of counting instructions
  counting_failed,   ///< as failed; nothing more is counted
  counting_unknown,  ///< text: the metric that the GPU has not; `result`: what CUPTI gave
  count_
};

/// Followed by its text.
struct PcStateBody {
  PcState state;
  int32_t result;
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(PcStateBody) == 16);

/// Followed by its text: the name that CUPTI has for a stall reason of a GPU.
struct StallReasonBody {
  uint32_t device;
  uint32_t reason;
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(StallReasonBody) == 16);

/// A launch was sampled, and its samples are all written: they come before it in its thread.
struct SampledLaunchBody {
  uint64_t sampling;       ///< unique in its process
  uint64_t kernel;         ///< id of the MeasuredKernelBody that they belong to
  uint64_t total;          ///< samples that the hardware took, all in all
  uint64_t dropped;        ///< of them, by the hardware
  uint64_t other_kernels;  ///< of them, in code that is not the program's
  uint32_t is_full;        ///< 1: the hardware's buffer was full, and samples were lost
  uint32_t period;         ///< a sample each 2^period cycles; 0: unknown
};
static_assert(sizeof(SampledLaunchBody) == 48);

/// Samples at one instruction. Followed by `count` StallPart.
struct PcSamplesBody {
  uint64_t sampling;
  uint64_t code;    ///< CUPTI's checksum of the code that it lies in
  uint64_t offset;  ///< bytes from the begin of its function
  uint32_t device;
  uint16_t count;
  uint16_t is_elsewhere;  ///< 1: in another function than the launched one
};
struct StallPart {
  uint32_t reason;
  uint32_t samples;
};
static_assert(sizeof(PcSamplesBody) == 32 && sizeof(StallPart) == 8);
inline constexpr uint16_t kMaxStallParts = 256;

/// A part of an ELF file of device code, of those that its line tables take. Followed by its bytes, filled up to 8.
struct CodePartBody {
  uint64_t code;  ///< CUPTI's checksum of the whole
  uint64_t file_bytes;
  uint64_t kept_bytes;  ///< of all its parts
  uint64_t offset;      ///< of this part in the file
  uint32_t bytes;
  uint32_t reserved;
};
static_assert(sizeof(CodePartBody) == 40);
inline constexpr uint32_t kMaxCodeBytes = 4000;               ///< of a part: two such records fit into a chunk
inline constexpr uint64_t kMaxCodeFile = uint64_t{1} << 28U;  ///< larger files are left alone

inline constexpr uint32_t kInstructionCounts = 3;

/// One instruction of a launch whose instructions were counted; those of the same offset are added.
struct InstructionCountBody {
  uint64_t counting;
  uint64_t code;    ///< CUPTI's checksum of the code that it lies in, as of PcSamplesBody where that is known
  uint64_t offset;  ///< bytes from the begin of the launched function
  uint64_t counts[kInstructionCounts];  ///< executed by warps, by threads, by threads whose predicate was true
};
static_assert(sizeof(InstructionCountBody) == 48);

/// Followed by its text. Twice of a launch: before it, with the mangled name of its function, and behind its counts in
/// its thread, without.
struct CountedLaunchBody {
  uint64_t counting;   ///< unique in its process
  uint64_t kernel;     ///< id of the MeasuredKernelBody that the counts belong to; 0 before
  uint64_t elsewhere;  ///< instructions of warps in other functions
  uint64_t dropped;    ///< records that CUPTI dropped
  uint32_t is_begin;   ///< 1: before
  uint16_t text_bytes;
  uint16_t is_whole;  ///< 0: what was counted does not count, as CUPTI failed or another launch came beside it
};
static_assert(sizeof(CountedLaunchBody) == 40);

constexpr bool is_pc_record(Kind kind) { return kind >= Kind::pc_state && kind <= Kind::counted_launch; }
/// Whether the bytes behind the head are a record of that kind. `text_bytes`: of its end.
[[nodiscard]] bool is_whole_pc_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

}  // namespace sonde::wire
