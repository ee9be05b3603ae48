#pragma once

#include <span>
#include <string>
#include <vector>

#include "importers/nsys/run.h"

/// What rows of an Nsight Systems recording mean, in whichever file they stand: its SQLite export or the report itself.
namespace sonde::nsys {

inline constexpr uint32_t kUnset = 0xFFFFFFFF;  ///< "none" in columns that cannot be null

/// What waited for what. The stored type cannot be trusted (its numbers changed with the versions); which of stream and
/// event are set tells.
[[nodiscard]] SyncKind sync_kind(bool has_stream, bool has_event);

/// ENUM_NSYS_EVENT_CLASS, as far as anything depends on it.
enum EventClass : int64_t {
  kRuntime = 0,
  kDriver = 1,
  kProfilerOverhead = 3,
  kOsRuntime = 27,
  kCudnn = 28,
  kCublas = 29,
  kOsRuntimeStart = 31,
  kOsRuntimeFinish = 32,
  kBacktrace = 67,
  kGraphNodeCreation = 77,
  kGraphExecCreation = 94,
  kGraphCreation = 95,
  kCudaOverhead = 103,
  kSyscall = 107,
};

/// What a backtrace row is until drop_backtrace_twins() has looked at it.
inline constexpr auto kBacktraceRow = static_cast<uint8_t>(254);

/// The CallClass of a row of CUPTI_ACTIVITY_KIND_RUNTIME, or kBacktraceRow.
[[nodiscard]] uint8_t class_of_api(int64_t event_class);

[[nodiscard]] bool has_backtrace_rows(const Calls& calls, size_t first);

/// With --cudabacktrace older versions write a call twice: as itself, and as a row of class 67 around it, with the same
/// correlation id, that has the call chain. The call gets the chain, and the second row goes; one without a twin is a
/// call like any other. Looks at the API calls from row `first` on, which need their correlation ids.
void drop_backtrace_twins(NsysRun& run, size_t first);

/// What local time is ahead of UTC, in seconds; absent where no place on earth has that.
[[nodiscard]] std::optional<int64_t> time_zone(int64_t seconds);

/// ENUM_NSYS_EVENT_TYPE, as far as NVTX goes. 70 and 71 are the ranges of NVTX's extended payload interface.
enum NvtxType : int64_t {
  kCategory = 33,
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kExtendedPushPop = 70,
  kExtendedStartEnd = 71,
  kDomainCreate = 75,
};

struct DomainName {
  DomainKey key;
  std::string text;
};

/// What a thread called a category of a domain.
struct CategoryName {
  uint64_t thread;  ///< globalTid
  DomainKey domain;
  int64_t start;
  uint32_t number;
  std::string text;
};

struct NvtxPart : Part<Ranges> {
  Marks marks;
  std::vector<DomainName> domain_names;
  std::vector<CategoryName> categories;
};

/// Appends ranges, marks and categories, naming domains first: a domain's name may stand behind its first ranges.
void append_ranges(NsysRun& run, std::span<NvtxPart> parts);

/// Appends what the recording tool said, and counts its warnings in the log.
void append_diagnostics(NsysRun& run, Part<Diagnostics>& part);

/// What kinds of rows a recording has.
struct Recorded {
  bool api_calls = false;
  bool gpu_work = false;
  bool whole_graphs = false;
};

/// Says in the log what a recording without GPU work, or with graphs traced as a whole, cannot tell.
void note_missing_gpu_work(ImportLog& log, Recorded recorded);

}  // namespace sonde::nsys
