#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/capture.h"

/// The memory that the injected library and the recorder share: a file of the recorder's (memfd) that every recorded
/// process maps MAP_SHARED, so that what a process wrote before it crashed or was killed is there.
///
///     Header                      two pages: what is recorded, and what was lost
///     owner[kChunks]              who has each chunk: one 64-bit word, taken by compare and swap
///     chunk[kChunks]              kChunkBytes each: ChunkHeader, then records (record.h) one behind the other
///
/// A thread takes a free chunk, writes records into it and publishes each by storing `committed` with release order as
/// the last thing: a reader that loads it with acquire order never sees a torn record, and a thread that dies in the
/// middle of one loses that one. When a chunk is full its owner says so and takes another; the recorder alone makes
/// chunks free again. It copies new records to disk while the owner still writes (several times a second), and takes
/// the chunks of threads that are gone.
///
/// Nobody waits for anybody. Without a free chunk (the recorder was killed, or is too slow) events are counted as
/// dropped. A process needs no descriptor once it has the mapping. The recorder believes none of these bytes.
namespace sonde::wire {

inline constexpr uint64_t kMagic = 0x31'45'52'49'57'44'4E'53;  // "SNDWIRE1"
/// Of everything in this folder. A library of another version does not attach.
inline constexpr uint32_t kVersion = 4;

/// Small, so that two thousand threads have one each; large enough that a thread at a million events a second takes a
/// new one only every 200 microseconds. All of them together hold 400 ms of that (40 MB/s): what the recorder may be
/// late by.
inline constexpr uint32_t kChunkBytes = 8192;
inline constexpr uint32_t kChunks = 2048;

/// Between rounds it is waiting; changing for the moment in which a round begins or ends; ended for good.
enum class Phase : uint32_t { waiting = 0, recording = 1, ended = 2, changing = 3 };

/// What the recorder asks for.
enum Wanted : uint32_t {
  kWantNvtx = 1,
  kWantOsCalls = 2,
  kWantCuda = 4,
  kWantLibraries = 1U << 6U,
  kWantMetrics = 1U << 12U,
  kWantGpuMetrics = 1U << 13U,
  kWantNccl = 1U << 14U,
  kWantNcclKernels = 1U << 15U,  ///< with kWantNccl: when NCCL's kernels ran, by channel
};

/// What the program does that begins and ends the recording; none: only time does.
enum class Trigger : uint32_t { none = 0, cuda_profiler_api = 1, nvtx = 2 };

/// Why an event is not in the recording.
enum class Loss : uint32_t {
  no_chunk,   ///< every chunk was in use: the recorder was late, or gone, or there were too many threads
  nested,     ///< it came from a signal handler that interrupted the writing of another event
  no_string,  ///< a registered string or domain beyond what a process can have; its events stand under no name
  no_stub,    ///< functions of libraries that were loaded when all places for such were taken
  worker,     ///< records of CUDA by the library's own threads: what waited stayed too much
  payload,    ///< payloads of NVTX events: more than one of an event, longer than a record takes, or of unknown length
  count_
};

/// What is recorded of CUDA beside kernels, copies, sets, synchronizations and calls.
enum CudaExtra : uint32_t {
  kCudaMemory = 1,         ///< allocations
  kCudaGraphNodes = 2,     ///< each node of a graph; else graphs as a whole
  kCudaCpuPageFaults = 4,  ///< of unified memory
  kCudaGpuPageFaults = 8,
  kCudaEventTimes = 16,  ///< when the GPU reaches CUDA events
  kCudaAllApis = 32,     ///< calls that take less than it takes to record them, too
  kCudaFinalize = 64,    ///< CUPTI is taken out of a program that goes on
};

enum class CudaCalls : uint32_t { launches, memory, synchronizations, others, count_ };

struct CudaWanted {
  uint32_t extras;    ///< of CudaExtra
  uint32_t flush_ms;  ///< CUPTI's buffers are fetched so often
  /// By CudaCalls: calls that took so long get a backtrace; below 0 for none.
  int64_t backtrace_ns[4];
};

/// What is sampled of GPUs while the recording runs.
struct GpuMetricsWanted {
  uint32_t frequency_hz;
  uint64_t devices;  ///< a bit for each of CUDA's numbers
  char names[1024];  ///< metrics of NVIDIA's, a newline behind each; none: Sonde's own set
};

/// A GPU is sampled by one process only: the first that takes a place for it.
struct SamplerPlace {
  std::atomic<uint64_t> gpu;      ///< of its UUID; 0: free for good
  std::atomic<uint32_t> process;  ///< that samples it; 0: none does
};
inline constexpr uint32_t kSamplerPlaces = 64;

struct Header {
  uint64_t magic;
  uint32_t version;
  uint32_t chunk_bytes;
  uint32_t chunks;
  uint32_t wanted;          ///< of Wanted
  uint64_t nonce;           ///< as in the environment: the file is the one that was meant
  uint64_t pid_namespace;   ///< inode of the recorder's; a process of another is never taken for dead
  int64_t os_threshold_ns;  ///< OS calls that took less are not recorded
  std::atomic<Trigger> trigger;
  std::atomic<uint32_t> phase;
  std::atomic<uint32_t> freed;      ///< grows when chunks become free: a thread that found none tries again then
  std::atomic<uint64_t> lost[8];    ///< by Loss
  std::atomic<uint64_t> cut_texts;  ///< texts that were longer than a record takes
  std::atomic<uint64_t> refused;    ///< processes that could not attach: their kernel is older than Linux 4.14
  CudaWanted cuda;
  std::atomic<int64_t> first_cuda;      ///< when a process first initialized CUDA, CLOCK_MONOTONIC; 0: none has
  std::atomic<uint32_t> fetches_asked;  ///< grows when all processes are to fetch what CUPTI holds, at once
  std::atomic<uint32_t> fetches_done;   ///< by them, of those asked for
  std::atomic<uint32_t> cuda_active;    ///< processes whose CUPTI still holds records of this recording
  GpuMetricsWanted gpu_metrics;
  SamplerPlace samplers[kSamplerPlaces];
  std::atomic<uint32_t> samplers_active;  ///< processes whose GPU metrics are not all written yet
  Rounds rounds;
  Capture capture;
};

inline constexpr size_t kHeaderBytes = 8192;
static_assert(sizeof(Header) <= kHeaderBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// State in the upper four bits, then process and thread of the owner, 30 bits each (Linux gives no more than 22).
enum class ChunkState : uint64_t {
  free = 0,
  written = 1,
  full = 2,
  foreign = 3
};  ///< foreign: of another pid namespace

constexpr uint64_t owner_word(ChunkState state, uint32_t process, uint32_t thread) {
  return static_cast<uint64_t>(state) << 60U | uint64_t{process & 0x3FFFFFFFU} << 30U | (thread & 0x3FFFFFFFU);
}
constexpr ChunkState state_of(uint64_t owner) { return static_cast<ChunkState>(owner >> 60U); }
constexpr uint32_t process_of(uint64_t owner) { return static_cast<uint32_t>(owner >> 30U) & 0x3FFFFFFFU; }
constexpr uint32_t thread_of(uint64_t owner) { return static_cast<uint32_t>(owner) & 0x3FFFFFFFU; }

struct ChunkHeader {
  std::atomic<uint32_t> committed;  ///< bytes of whole records behind this header
  uint32_t reserved[15];            ///< the records begin on a cache line of their own
};
static_assert(sizeof(ChunkHeader) == 64);

inline constexpr uint32_t kRecordBytes = kChunkBytes - sizeof(ChunkHeader);  ///< that a chunk has for records
inline constexpr size_t kOwnersOffset = kHeaderBytes;
inline constexpr size_t kChunksOffset = kOwnersOffset + kChunks * sizeof(uint64_t);
inline constexpr size_t kMappingBytes = kChunksOffset + size_t{kChunks} * kChunkBytes;

using Owner = std::atomic<uint64_t>;

inline Header* header_of(std::byte* mapping) { return reinterpret_cast<Header*>(mapping); }
inline Owner* owners_of(std::byte* mapping) { return reinterpret_cast<Owner*>(mapping + kOwnersOffset); }
inline ChunkHeader* chunk_of(std::byte* mapping, uint32_t index) {
  return reinterpret_cast<ChunkHeader*>(mapping + kChunksOffset + size_t{index} * kChunkBytes);
}
inline std::byte* records_of(ChunkHeader* chunk) { return reinterpret_cast<std::byte*>(chunk + 1); }

/// Environment of a recorded program: "PATH:NONCE" of the mapping, the nonce in hexadecimal.
inline constexpr const char* kMappingVariable = "SONDE_RECORD_MAPPING";

}  // namespace sonde::wire
