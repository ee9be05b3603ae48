#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "record/cpu/cpu_events.h"
#include "record/cpu/cpu_options.h"
#include "record/gpu_metrics/gpu_metrics.h"
#include "record/kernels/request.h"
#include "record/program.h"
#include "record/python/python_events.h"
#include "record/python/python_options.h"
#include "record/rounds/mapping.h"
#include "record/trace_of.h"
#include "wire/layout.h"

/// Runs a program with the injected library and makes a profile of what it did.
namespace sonde::record {

/// Something about a recording that its reader must know. It is in the profile, and is printed.
struct Remark {
  bool warning = false;
  std::string text;
  bool operator==(const Remark&) const = default;
};

/// What the program does that begins and ends a round.
struct CaptureOptions {
  wire::Trigger trigger = wire::Trigger::none;
  std::string range = {};  ///< NVTX: the name of the range
  std::string domain = {};
  bool any_domain = false;
  bool ends = true;       ///< the round ends with its range
  uint32_t ranges = 1;    ///< that are recorded; 0: all
  bool numbered = false;  ///< a profile for each range, with its number before the name's ending
  bool shutdown = false;  ///< nothing is recorded behind the last one, and the program gets `kill_signal`
};

/// Placeholder in an output's name for the program's process id, as in nsys.
inline constexpr std::string_view kProcessMacro = "%p";

/// By which NCCL is told of a profiler plugin.
inline constexpr const char* kNcclPluginVariable = "NCCL_PROFILER_PLUGIN";

/// What one collection records: a round, or as many as the program has capture ranges.
struct RoundOptions {
  std::string output = {};  ///< the profile: a SQLite file; kProcessMacro may be in it
  bool overwrite = false;
  int64_t delay_ns = 0;                     ///< from the program's start, or the command's, to that of the recording
  std::optional<int64_t> duration_ns = {};  ///< of a round; else to the program's end
  int64_t keep_ns = 0;                      ///< only so much of a round is kept, up to its end; 0: all of it
  int kill_signal = SIGTERM;                ///< sent to the program when the duration is over; 0: it continues
  bool from_cuda = false;                   ///< the duration counts from when the program first initializes CUDA
  bool stop_on_exit =
      true;  ///< false: processes that the program leaves behind are recorded until the duration is over
  CaptureOptions capture = {};
  bool never_began = false;  ///< the program ended before the delay was over: the profile is empty, and says so
  uint32_t only = ~0U;       ///< of what the program was started for: bits of wire::Wanted
};

struct Profile;

struct RecordOptions : RoundOptions {
  ProgramOptions program;
  Wanted wanted;
  std::optional<MeasureRequest> measure = {};  ///< counters of kernels
  /// Adds to measured kernels what follows from them by formula; called before the profile is written.
  void (*complete_kernels)(Trace& trace) = nullptr;
  CpuOptions cpu;
  PythonOptions python;
  std::string library;                            ///< libsonde_inject.so
  std::vector<Remark> remarks;                    ///< known before the start
  pid_t attach_to = 0;                            ///< a process that runs, in place of `program`; 0: none
  std::string session;                            ///< its name; empty: record-PROCESS or launch-PROCESS
  bool launch = false;                            ///< the program runs; `sonde start` begins the first collection
  std::function<void(const Profile&)> made = {};  ///< called at once for each profile, in the calling thread
  Progress* progress = &no_progress();

  std::string auditor;       ///< libsonde_audit.so, where libraries are wanted
  std::string torch_folder;  ///< what Python runs for ranges of PyTorch's modules; empty: they are not asked for
};

/// What became of a round.
struct Profile {
  std::string output;
  Tally tally;
  CpuTally cpu;
  PythonTally python;
  GpuMetricsTally gpu_metrics;
  std::vector<Remark> remarks;  ///< those of the options first
  Status written;               ///< whether the profile is there
  std::string kept;             ///< what was recorded, where no profile could be made of it; else empty
};

struct Recording {
  int64_t profiles = 0;              ///< that were written
  int64_t failed = 0;                ///< that could not be
  bool cancelled = false;            ///< by somebody's command
  int exit_code = 0;                 ///< of the program
  int signal = 0;                    ///< that ended it, or 0
  std::vector<Remark> remarks = {};  ///< of its end, that no profile holds
  std::string why_none = {};         ///< where nothing began that a profile could be made of; a line
};

/// The name with the process's number in place of kProcessMacro.
[[nodiscard]] std::string output_of(std::string name, pid_t process);

/// Fails only before the program starts, or when it cannot be started.
[[nodiscard]] Result<Recording> record(const RecordOptions& options);

}  // namespace sonde::record
