#pragma once

#include <vector>

#include "importers/torch_snapshot/pickle.h"
#include "trace/ids.h"

/// What a memory snapshot of PyTorch says (torch.cuda.memory._snapshot(), PyTorch 2.0 and later): the state of the
/// caching allocator when it was taken, and, where its history was on, what it did before.
namespace sonde::torch_snapshot {

enum class Action : uint8_t {
  alloc,
  free_requested,  ///< the program gave the memory back
  free_completed,  ///< no stream uses it any more: it can be given out again
  segment_alloc,   ///< cudaMalloc
  segment_free,    ///< cudaFree
  segment_map,     ///< of expandable segments
  segment_unmap,
  oom,
  snapshot,
  unknown,
};

struct Entry {
  Action action = Action::unknown;
  int64_t address = kUnknown;         ///< of an OOM: kUnknown
  int64_t bytes = 0;                  ///< as requested
  int64_t gpu_free_bytes = kUnknown;  ///< of an OOM
  int64_t time_us = kUnknown;         ///< UTC; PyTorch 2.0 and 2.1 have none
  Pickle::Id frames = 0;
  bool has_frames = false;
};

struct Block {
  int64_t address = 0;
  int64_t bytes = 0;
  int64_t requested_bytes = 0;
  bool allocated = false;  ///< the program uses it
  bool waits = false;      ///< given back, but a stream may still use it
  Pickle::Id frames = 0;
  bool has_frames = false;
};

struct Segment {
  int64_t address = 0;
  int64_t bytes = 0;
  std::vector<Block> blocks;
};

/// An annotation of the program (torch.profiler.record_function, an optimizer's step) that began or ended.
struct Annotation {
  bool begins = false;
  std::string_view name;
  int64_t time_us = 0;
};

struct OfDevice {
  int64_t device = 0;
  std::vector<Segment> segments;
  std::vector<Entry> entries;  ///< the oldest first
};

struct Snapshot {
  std::vector<OfDevice> devices;  ///< with segments or entries, by number
  std::vector<Annotation> annotations;
  std::string_view allocator_settings;  ///< PYTORCH_CUDA_ALLOC_CONF
  int64_t incomplete = 0;               ///< entries, blocks and segments without a value that they need
  int64_t unknown_actions = 0;
};

/// The error ends a sentence that begins with the file.
[[nodiscard]] Result<Snapshot> snapshot_of(const Pickle& pickle);

}  // namespace sonde::torch_snapshot
