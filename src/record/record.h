#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "record/cpu/cpu_events.h"
#include "record/cpu/cpu_options.h"
#include "record/gpu_metrics/gpu_metrics.h"
#include "record/kernels/request.h"
#include "record/mapping.h"
#include "record/program.h"
#include "record/trace_of.h"

/// Runs a program with the injected library and makes a profile of what it did.
namespace sonde::record {

/// Something about a recording that its reader must know. Stands in the profile, and is printed.
struct Remark {
  bool warning = false;
  std::string text;
};

struct RecordOptions {
  ProgramOptions program;
  Wanted wanted;
  CpuOptions cpu;
  std::string library;  ///< libsonde_inject.so
  std::string output;   ///< the profile: a SQLite file
  bool overwrite = false;
  int64_t delay_ns = 0;                     ///< from the program's start to that of the recording
  std::optional<int64_t> duration_ns = {};  ///< of the recording; else to the program's end
  int kill_signal = SIGTERM;                ///< sent to the program when the duration is over; 0: it goes on
  bool stop_on_exit =
      true;  ///< false: processes that the program leaves behind are recorded until the duration is over
  std::optional<MeasureRequest> measure = {};  ///< counters of kernels
  /// Adds to measured kernels what follows from them by formula; called before the profile is written.
  void (*complete_kernels)(Trace& trace) = nullptr;
  std::vector<Remark> remarks;  ///< known before the start
  Progress* progress = &no_progress();

  std::string auditor;       ///< libsonde_audit.so, where libraries are wanted
  std::string torch_folder;  ///< what Python runs for ranges of PyTorch's modules; empty: they are not asked for
};

struct Recording {
  Tally tally;
  CpuTally cpu;
  GpuMetricsTally gpu_metrics;
  std::vector<Remark> remarks;  ///< those of the options first
  int exit_code = 0;            ///< of the program
  int signal = 0;               ///< that ended it, or 0
  Status written;               ///< whether the profile is there
  std::string kept;             ///< what was recorded, where no profile could be made of it; else empty
};

/// Fails only before the program starts, or when it cannot be started.
[[nodiscard]] Result<Recording> record(const RecordOptions& options);

}  // namespace sonde::record
