#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/record.h"

/// What NCCL tells its profiler plugin: records of kinds 110 to 112. Types of events are NCCL's own numbers.
namespace sonde::wire {

/// A communicator was made; a definition. Followed by its text: the name that the program gave it.
struct NcclCommunicatorBody {
  uint64_t communicator;  ///< unique in its process
  uint64_t hash;          ///< the same in all ranks; 0 where the interface does not say (versions 1 to 3)
  int32_t ranks;          ///< 0 where the interface does not say, as the next two
  int32_t rank;
  int32_t nodes;
  uint16_t interface;  ///< NCCL's number of the plugin's interface
  uint16_t text_bytes;
};
static_assert(sizeof(NcclCommunicatorBody) == 32);

/// Those of NCCL's events that are recorded.
enum class NcclEvent : uint16_t {
  collective = 1U << 1U,
  point_to_point = 1U << 2U,
  kernel_channel = 1U << 6U,  ///< of a collective or point-to-point event, its parent
  kernel_launch = 1U << 11U,
  copy_collective = 1U << 12U,  ///< by copy engines
};

enum NcclFlags : uint8_t { kNcclCaptured = 1 };  ///< the call was captured into a CUDA graph

/// An event began. Numbers of events are unique in their process; texts are registered strings, 0 for none.
struct NcclStartBody {
  uint64_t event;
  uint64_t parent;  ///< an event; 0: none
  uint64_t group;   ///< the same for what one kernel does; 0: none
  uint64_t communicator;
  uint64_t hash;      ///< of the communicator, where its own record does not say
  uint64_t sequence;  ///< of the function in its communicator
  uint64_t count;     ///< elements
  uint64_t gpu_ns;    ///< of a kernel channel: when it began, by the GPU's timer; 0: the interface does not say
  uint32_t function;
  uint32_t datatype;
  uint32_t algorithm;
  uint32_t protocol;
  uint32_t name;  ///< of the communicator, as its hash
  int32_t rank;
  int32_t peer;  ///< the root of a collective, else the other rank
  NcclEvent type;
  uint8_t channels;  ///< how many, of a kernel channel which
  uint8_t warps;
  uint8_t flags;  ///< of NcclFlags
  uint8_t reserved[7];
};
static_assert(sizeof(NcclStartBody) == 104);

/// It ended.
struct NcclStopBody {
  uint64_t event;
  uint64_t gpu_ns;  ///< as in NcclStartBody
};
static_assert(sizeof(NcclStopBody) == 16);

constexpr bool is_nccl_record(Kind kind) { return kind >= Kind::nccl_communicator && kind <= Kind::nccl_stop; }

/// Whether the body of such a record, all behind its head, is whole; says how long the text at its end is.
[[nodiscard]] bool is_whole_nccl_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

}  // namespace sonde::wire
