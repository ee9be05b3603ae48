#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/events.h"

/// NCCL's own account of its work, as its profiler plugin interface gives it (recordings of Sonde's only).
namespace sonde {

/// Ranks that communicate with each other, as one of them sees it.
struct Communicator {
  ProcessId process = kNone;
  int64_t id = 0;       ///< unique in its process
  int64_t hash = 0;     ///< bit pattern; the same in all ranks
  NameId name = kNone;  ///< that the program gave it
  std::optional<int> ranks;
  std::optional<int> rank;
  std::optional<int> nodes;
  std::optional<int> interface;  ///< NCCL's version of the interface
};

enum class NcclKind : uint8_t { collective, point_to_point, copy_collective };

/// How a kernel was found for an operation.
enum class NcclMatch : uint8_t {
  none,
  by_order,   ///< it is the last kernel of NCCL's that the thread launched before NCCL reported the operation
  by_launch,  ///< its launch lies in the launch that NCCL reported
};

/// Collectives, sends and receives. What one kernel does has one group.
struct NcclOperations {
  Times start;  ///< NCCL begins to hand the operation's work to its proxy: the kernel has been launched
  Times end;    ///< it has; kUnknown where the recording ended before
  Ids thread;
  Ids communicator;  ///< row of Trace::communicators
  Codes kind;        ///< NcclKind
  Ids function;      ///< NameId: "AllReduce"
  Ids datatype;      ///< NameId: "ncclFloat32"
  Ids algorithm;     ///< NameId: "RING"
  Ids protocol;      ///< NameId: "LL128"
  Longs count;       ///< elements, as NCCL counts: of all-gather and reduce-scatter, those of one rank
  Ints channels;
  Ints warps;
  Ints peer;              ///< the root of a collective, else the other rank
  Longs sequence;         ///< of the function in its communicator
  Longs group;            ///< unique in its process; kUnknown
  Codes captured;         ///< 1: captured into a CUDA graph
  Longs launch_before;    ///< nanoseconds from the start of the launch that NCCL reported to `start`; kUnknown
  Longs launch_duration;  ///< of that launch
  Longs gpu_start;  ///< when the first of its kernel's channels began, by the GPU's timer, or the host's (interface 3)
  Longs gpu_end;    ///< when the last ended; kUnknown
  Ints gpu_channels;  ///< those that reported both
  Ids kernel;         ///< row of `kernels`, kNone; made by link()
  Codes match;        ///< NcclMatch; made by link()
  template <typename = void>
  auto columns() {
    return std::tie(start, end, thread, communicator, kind, function, datatype, algorithm, protocol, count, channels,
                    warps, peer, sequence, group, captured, launch_before, launch_duration, gpu_start, gpu_end,
                    gpu_channels, kernel, match);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, thread, communicator, kind, function, datatype, algorithm, protocol, count, channels,
                    warps, peer, sequence, group, captured, launch_before, launch_duration, gpu_start, gpu_end,
                    gpu_channels, kernel, match);
  }
};

struct Trace;

/// Of sizes from files that may be damaged: kUnknown where one is, or where the result is out of range.
[[nodiscard]] int64_t size_product(int64_t a, int64_t b);
[[nodiscard]] int64_t size_sum(int64_t a, int64_t b);
/// From one time to another, the same way; kUnknown too where the second comes first.
[[nodiscard]] int64_t time_between(int64_t first, int64_t last);

/// Bytes of an element of NCCL's type ("ncclFloat32"); kUnknown for one that is not known.
[[nodiscard]] int64_t bytes_of_nccl_type(std::string_view datatype);

/// Bytes of the operation as nccl-tests counts them: the larger of what goes in and what comes out. kUnknown where
/// that is not known.
[[nodiscard]] int64_t bytes_of_operation(const Trace& trace, Row operation);

/// "0x8f3a5d2e (name)".
[[nodiscard]] std::string text_of(const Trace& trace, const Communicator& communicator);

/// The part of link() about NCCL: finds the kernel of each operation, and describes the kernels that have no
/// description yet. Reads launches, API calls, kernels and streams.
void link_nccl(Trace& trace);

}  // namespace sonde
