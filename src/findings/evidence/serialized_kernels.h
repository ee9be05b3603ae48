#pragma once

#include <map>
#include <vector>

#include "analyses/replay/replay.h"
#include "findings/evidence/faster_kernels.h"

namespace sonde {

/// Kernels of several streams that ran one after the other although they fit on the GPU together, and although each was
/// launched while the one before still ran: the operations between serialized them.
struct SerializedKernels {
  std::vector<Row> kernels;                          ///< by start
  std::vector<SideBySide::Operation> operations;     ///< they, the operations between them, and copies and memsets
  std::vector<SideBySide::Operation> held_apart_by;  ///< of `operations`; empty where it was waits for events
  std::map<StreamId, double> waves;                  ///< the most that a kernel has, by stream
  [[nodiscard]] int64_t start(const Kernels& k) const { return k.start[kernels.front()]; }
  [[nodiscard]] int64_t end(const Kernels& k) const { return k.end[kernels.back()]; }
};

/// How often each of two streams has to wait for events of the other.
inline constexpr size_t kMinEventWaits = 8;

inline constexpr Fields kSerializedKernelsFields = kFasterKernelsFields | launch_occupancy_fields();

/// Serialized by short operations on the legacy default stream: these wait for everything on the context's blocking
/// streams, and later work on those waits for them. Streams known to be non-blocking, and those with an
/// operation that overlaps one of the default stream, are left out, and so is work that also waited for an event.
[[nodiscard]] std::vector<SerializedKernels> serialized_by_default_stream(const Facts& facts);

/// Serialized by waits for events of each other's streams, in both directions, if no two kernels of the two streams
/// overlap.
[[nodiscard]] std::vector<SerializedKernels> serialized_by_events(const Facts& facts);

}  // namespace sonde
