#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "importers/nsys/run.h"

/// Which GPU each stream of a recording runs on, and what the recording says of the stream. After all events.
namespace sonde::nsys {

/// (pid, CUDA ordinal) -> the number of the GPU that the process means by it.
using GpuOfOrdinal = std::map<std::pair<int64_t, int64_t>, int64_t>;

/// Gives each stream its device: as the file tells, else by the device's own CUDA number, else the one whose id is
/// equal. Streams on a device that the file does not describe are counted in the log.
void place_streams(NsysRun& run, const GpuOfOrdinal& gpu_of_ordinal);

/// A stream as the recording's lists of streams name it.
struct StreamName {
  int64_t pid = 0;
  int64_t context = 0;
  int64_t stream = 0;
  auto operator<=>(const StreamName&) const = default;
};

struct StreamFacts {
  StreamName stream;
  int priority = 0;
  int flags = 0;
};

void describe_streams(NsysRun& run, std::span<const StreamFacts> facts);

/// Says that this is its context's null stream.
void mark_default_stream(NsysRun& run, const StreamName& name);

}  // namespace sonde::nsys
