#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// A GPU as the run met it: the device where the file describes it, else a process' number of one.
struct Gpu {
  RankId rank = 0;
  int32_t ordinal = 0;  ///< CUDA's number of it in its process
  DeviceId device = kNone;
  std::string name;   ///< empty where the file does not describe the device
  std::string place;  ///< which device of which rank: "GPU 0", "rank 1 GPU 0"
};

/// "GPU 0", and in a run of several ranks "rank 1 GPU 0".
[[nodiscard]] std::string gpu_place(const Trace& trace, RankId rank, int64_t ordinal);

/// All GPUs on which something ran, in the order of rank and ordinal. Files name others too: nsys gives device 0 to
/// what waits for a whole GPU, whichever that is.
struct Gpus {
  std::vector<Gpu> gpus;
  std::vector<uint32_t> of_stream;  ///< index into `gpus` for each stream of the trace; kNone where nothing ran on it
};

/// Needs the fields kGpuWork and streams.
[[nodiscard]] Gpus gpus_of(const Trace& trace);

/// How many operations of all tables are on each stream.
[[nodiscard]] std::vector<size_t> operation_count_by_stream(const Trace& trace);
/// The same for each GPU.
[[nodiscard]] std::vector<size_t> operation_count_by_gpu(const Trace& trace, const Gpus& gpus);

}  // namespace sonde
