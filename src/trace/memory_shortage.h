#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// A request that an allocator of a framework refused. In a trace it is a mark of the domain kMemoryDomain whose
/// payload says the rest. Values that the source does not give are absent.
struct MemoryShortage {
  int64_t time_ns = 0;
  ProcessId process = kNone;
  int64_t device = 0;  ///< CUDA ordinal
  int64_t requested_bytes = 0;
  std::optional<int64_t> gpu_free_bytes;            ///< on the GPU, in nobody's hands
  std::optional<int64_t> allocated_bytes;           ///< by the program
  std::optional<int64_t> reserved_bytes;            ///< by the allocator, in use or not
  std::optional<int64_t> largest_free_piece_bytes;  ///< the largest piece of reserved memory that was not in use
};

inline constexpr std::string_view kMemoryDomain = "torch.memory";
inline constexpr std::string_view kShortageName = "CUDA out of memory";

/// Appends the mark. `domain` is kMemoryDomain's; `thread` gives the process.
void add_memory_shortage(Trace& trace, const MemoryShortage& shortage, DomainId domain, ThreadId thread);

/// All of a trace, by time. Needs Field::marks.
[[nodiscard]] std::vector<MemoryShortage> memory_shortages(const Trace& trace);

}  // namespace sonde
