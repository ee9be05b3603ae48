#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

/// NCCL's interface for profiler plugins, in its versions: 1 (NCCL 2.23), 2 (2.24, 2.25), 3 (2.26), 4 (2.27), 5 (2.28)
/// and 6 (from 2.29 on). Each NCCL asks for the newest version that it knows, and falls back to older ones. Declared
/// here as the headers nccl_profiler.h and profiler_v1.h to profiler_v6.h of those releases describe it.
namespace sonde::inject::nccl {

using Result = int;
inline constexpr Result kSuccess = 0;

/// Bits of the mask by which a plugin says what it wants; each is the type of an event.
enum Type : uint64_t {
  kGroup = 1U << 0U,  ///< what one kernel does
  kCollective = 1U << 1U,
  kPointToPoint = 1U << 2U,
  kKernelChannel = 1U << 6U,
  kGroupCall = 1U << 8U,
  kCollectiveCall = 1U << 9U,
  kPointToPointCall = 1U << 10U,
  kKernelLaunch = 1U << 11U,
  kCopyCollective = 1U << 12U,
};

/// An event's new state: of a kernel channel, that it has ended.
inline constexpr int kKernelChannelStop = 22;

namespace v1 {
struct Collective {
  const char* name;
  uint64_t hash;
  uint64_t sequence;
  uint8_t function;
  const void* send;
  void* receive;
  size_t count;
  int root;
  uint8_t datatype;
  uint32_t operation;
  size_t traffic_bytes;
  uint8_t channels;
  uint8_t warps;
  uint8_t algorithm;
  uint8_t protocol;
  int is_collnet;
  int is_nvls;
};
struct PointToPoint {
  const char* name;
  uint64_t hash;
  uint8_t function;
  void* buffer;
  uint8_t datatype;
  size_t count;
  int peer;
};
struct Event {
  uint8_t type;
  void* parent;
  int rank;
  union {
    Collective collective;
    PointToPoint point_to_point;
  };
};
}  // namespace v1

namespace v2 {
struct Collective {
  const char* name;
  uint64_t hash;
  uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype;
  size_t traffic_bytes;
  uint8_t channels;
  uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct PointToPoint {
  const char* name;
  uint64_t hash;
  const char* function;
  void* buffer;
  const char* datatype;
  size_t count;
  int peer;
};
struct Event {
  uint8_t type;
  void* parent;
  int rank;
  union {
    Collective collective;
    PointToPoint point_to_point;
  };
};
}  // namespace v2

namespace v3 {
struct Collective {
  const char* name;
  uint64_t hash;
  uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype;
  uint8_t channels;
  uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
using PointToPoint = v2::PointToPoint;
struct KernelChannel {
  uint8_t channel;
};
struct Event {
  uint8_t type;
  void* parent;
  int rank;
  union {
    Collective collective;
    PointToPoint point_to_point;
    KernelChannel kernel_channel;
  };
};
}  // namespace v3

namespace v4 {
struct Collective {
  uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype;
  uint8_t channels;
  uint8_t warps;
  const char* algorithm;
  const char* protocol;
};
struct PointToPoint {
  const char* function;
  void* buffer;
  const char* datatype;
  size_t count;
  int peer;
  uint8_t channels;
};
struct KernelChannel {
  uint8_t channel;
  uint64_t gpu_ns;  ///< the GPU's global timer
};
struct Event {
  uint8_t type;
  void* parent;
  int rank;
  union {
    Collective collective;
    PointToPoint point_to_point;
    KernelChannel kernel_channel;
  };
};
/// What comes with kKernelChannelStop, from this version on.
struct KernelChannelStop {
  uint64_t gpu_ns;
};
}  // namespace v4

/// The parent of an operation is the program's call from here on.
namespace v5 {
struct CollectiveCall {
  const char* function;
  size_t count;
  const char* datatype;
  int root;
  void* stream;
  bool captured;  ///< into a CUDA graph
};
struct PointToPointCall {
  const char* function;
  size_t count;
  const char* datatype;
  void* stream;
  bool captured;
};
struct Collective : v4::Collective {
  void* group;
};
struct PointToPoint {
  const char* function;
  void* buffer;
  const char* datatype;
  size_t count;
  int peer;
  uint8_t channels;
  void* group;
};
using KernelChannel = v4::KernelChannel;
struct Event {
  uint64_t type;
  void* parent;
  int rank;
  union {
    CollectiveCall collective_call;
    PointToPointCall point_to_point_call;
    Collective collective;
    PointToPoint point_to_point;
    KernelChannel kernel_channel;
  };
};
}  // namespace v5

namespace v6 {
struct CopyCollective {
  uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  size_t count;
  int root;
  const char* datatype;
  const char* synchronization;
  bool synchronizes_within_batch;
  uint32_t batch_size;
  uint32_t batches;
  uint32_t copy_sequence;
  void* stream;
};
struct Event {
  uint64_t type;
  void* parent;
  int rank;
  union {
    v5::CollectiveCall collective_call;
    v5::PointToPointCall point_to_point_call;
    v5::Collective collective;
    v5::PointToPoint point_to_point;
    v5::KernelChannel kernel_channel;
    CopyCollective copy_collective;
  };
};
}  // namespace v6

/// What NCCL finds by name; `Init` changed with version 4 and 5.
template <typename Event, typename Init>
struct Profiler {
  const char* name;
  Init init;
  Result (*start)(void* context, void** handle, Event* event);
  Result (*stop)(void* handle);
  Result (*change)(void* handle, int state, void* arguments);
  Result (*finalize)(void* context);
};

using InitV1 = Result (*)(void** context, int* mask);
using InitV4 = Result (*)(void** context, int* mask, const char* name, uint64_t hash, int nodes, int ranks, int rank,
                          void* log);
using InitV5 = Result (*)(void** context, uint64_t hash, int* mask, const char* name, int nodes, int ranks, int rank,
                          void* log);

}  // namespace sonde::inject::nccl
