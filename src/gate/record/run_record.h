#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyses/replay/without_recorder.h"
#include "findings/argument.h"
#include "gate/condition.h"
#include "trace/events.h"

/// What the gate keeps of a run: enough for every metric of metrics.inc with every selector, and for the split of a
/// difference, without the profile. A few hundred kilobytes at most, so that a baseline can live in git.
namespace sonde::gate {

/// Operations on a GPU, as far as they are distinguished.
enum class WorkKind : uint8_t { kernel, copy, set, graph_launch };

/// One kind of work in one place: all operations of a GPU with the same name that the same module launched.
struct WorkGroup {
  WorkKind kind = WorkKind::kernel;
  uint32_t gpu = 0;       ///< index into RunRecord::gpus
  std::string name;       ///< of a kernel as C++ declares it; of a copy "Host-to-Device"; empty for sets and graphs
  std::string module;     ///< path as `sonde modules` prints it; empty outside any
  bool pageable = false;  ///< a copy from or to pageable memory
  bool communication = false;  ///< a collective
  int64_t share_ns = 0;        ///< of GPU time within the extent (share_gpu_time()): sums exactly to the busy time
  int64_t duration_ns = 0;     ///< sum of the durations of those that are counted
  int64_t count = 0;           ///< those whose launching call, or else they themselves, began within the extent
  int64_t bytes = 0;           ///< copied or set, as far as they tell
  /// Of the kept steps: of the operations whose launch began in it. Empty where there are no steps.
  std::vector<int64_t> step_count;
  std::vector<int64_t> step_duration_ns;
  std::vector<int64_t> step_bytes = {};  ///< copied or set, as far as they tell
};

/// Idle time of a GPU for one cause while the thread that it waited for was in one call of one module.
struct IdleGroup {
  uint32_t gpu = 0;
  std::string cause;   ///< name in idle_causes.inc
  std::string module;  ///< that the thread was in; empty outside any
  std::string what;    ///< call or range that the thread was in; may be empty
  int64_t ns = 0;
  int64_t pieces = 0;
};

/// API calls of one name in one module.
struct CallGroup {
  std::string name;                 ///< without version suffix
  std::string module;               ///< empty outside any
  bool launches = false;            ///< put kernels or graphs on a GPU
  bool synchronizes = false;        ///< wait for the GPU (ApiKind::synchronize)
  bool allocates = false;           ///< take memory from the driver
  int64_t count = 0;                ///< that began within the extent
  int64_t duration_ns = 0;          ///< sum
  std::vector<int64_t> step_count;  ///< of the kept steps, as WorkGroup's
  std::vector<int64_t> step_duration_ns;
};

/// A way in which a kernel was launched or compiled.
struct KernelShape {
  std::string kernel;
  Dim3 grid = {};
  Dim3 block = {};
  int64_t count = 0;
  std::optional<int64_t> registers_per_thread;
  std::optional<int64_t> shared_bytes_per_block;  ///< static and dynamic
  std::optional<int64_t> local_bytes_per_thread;
  std::optional<int64_t> blocks_per_sm;  ///< that fit, by formula (docs/profiles/occupancy.md)
  std::optional<double> theoretical_occupancy_percent;
};

/// What a kernel profiler measured of the launches of one kernel; timelines have none.
struct KernelMeasure {
  std::string kernel;
  std::vector<double> duration_ns;                   ///< a launch each
  std::vector<double> cycles;                        ///< SM cycles elapsed; empty where not collected
  std::optional<double> achieved_occupancy_percent;  ///< mean
  std::optional<double> spill_bytes;                 ///< local memory traffic or spill size, where collected
  /// Means of what else was collected, by the names of measured_figures.inc.
  std::map<std::string, double, std::less<>> figures = {};
  /// Values over all launches by the names of measured_metrics.inc. Absent where one launch lacks the counter, or of a
  /// mean over several the duration.
  std::map<std::string, double, std::less<>> metrics = {};
};

/// All ranges of one name, with their start within the extent: of all threads, domains and ranks. They may overlap.
struct RangeTimes {
  std::string name;   ///< its numbers are written '#'
  int64_t count = 0;  ///< with a recorded end
  double p50_ns = 0;  ///< quantiles of end minus start (quantile_of_sorted())
  double p95_ns = 0;
  double p99_ns = 0;
};

struct GpuOfRun {
  std::string place;  ///< "GPU 0", "rank 1 GPU 0"
  int32_t ordinal = 0;
  std::string name;
  int64_t busy_ns = 0;  ///< within the extent
  std::optional<int64_t> peak_memory_bytes;
  std::optional<double> sm_clock_hz;     ///< mean within the extent, where GPU metrics or a kernel report tell
  int64_t communication_ns = 0;          ///< within the extent, in which collectives or copies between GPUs run
  int64_t exposed_communication_ns = 0;  ///< of it without computing beside it
  // A value each kept step:
  std::vector<int64_t> step_busy_ns;
  std::vector<int64_t> step_communication_ns;
  std::vector<int64_t> step_exposed_communication_ns;
};

/// What the profile tells at all, so that none of something is not taken for not recorded, nor the other way round.
struct Recorded {
  bool gpu_work = false;  ///< kernels, copies and sets of a timeline
  /// Nothing is known of what ran in CUDA graphs but that they did: they were traced as a whole.
  bool whole_graphs = false;
  bool copy_memory = false;  ///< every copy tells whether its memory is pageable (true where there is no copy)
  bool api_calls = false;
};

/// The part of a run that a record is about: its steps after the warm-up, from its first GPU work to its last, or all.
enum class PartOfRun : uint8_t { steps, gpu_work, run };

/// The time of a run that is about something else than GPU work.
struct Setup {
  std::optional<int64_t> before_ns;  ///< until the first GPU work
  std::optional<int64_t> after_ns;   ///< from the last on
};

/// A check of `sonde why` (findings/checks.h) that the run does not pass.
struct Flaw {
  std::string id;  ///< of its text, without ".says"
  std::vector<Argument> arguments;
  bool loses_work = false;  ///< GPU work is missing, so that what is there adds up to less than the program did
};

/// When and beside what a run was made, as far as who made it knows.
struct SessionOfRun {
  int64_t started_s = 0;       ///< seconds since 1970, UTC; 0 where it is not known
  std::string boot;            ///< Linux' boot_id of the machine
  std::optional<double> load;  ///< mean load of the machine's processors over the minute before the run
  /// Share of the processors' time that other processes used during the run, 0 to 1.
  std::optional<double> other_load = {};
  std::optional<int64_t> sm_clock_mhz = {};  ///< of the slowest GPU right after the run
};

struct RunRecord {
  std::string source;  ///< file or folder, the last two parts of its path; or the command
  Conditions conditions;
  SessionOfRun session = {};
  Recorded recorded;
  /// Mean duration of all kernels of the whole run, warm-up included, or of all launches of a kernel report: what
  /// `sonde summary --json` prints in ms.
  std::optional<double> avg_kernel_ns;
  int64_t wall_ns = 0;  ///< of the whole run, first event to last (or of the process, where wall time alone is known)
  // Of all processes of the run, as `sonde gate run` measures them; profiles do not tell them:
  std::optional<int64_t> cpu_ns;        ///< user and system time
  std::optional<int64_t> instructions;  ///< executed by the processor
  std::optional<int64_t> cycles;        ///< of the processor, while it executed them
  int64_t extent_ns = 0;  ///< that everything but wall_ns is about: the steps after the warm-up, else the whole run
  int64_t steps = 0;      ///< within the extent; 0 where nothing repeats
  PartOfRun part = PartOfRun::run;
  // Of records for `sonde compare` only, not kept as JSON:
  Setup setup;
  bool has_unused_steps = false;  ///< it has steps, but is about another part
  std::vector<Flaw> flaws;
  std::optional<RecordedStep> recorder;  ///< a step without what recording cost, where that is known
  /// The last kMaxSteps of them: from the start of a step to that of the next, of the last to its end. Without steps
  /// the per-step vectors of all groups are empty, and sums of the extent stand for one step.
  std::vector<int64_t> step_ns;
  std::vector<GpuOfRun> gpus;
  std::vector<WorkGroup> work;
  std::vector<IdleGroup> idle;  ///< sums, with busy_ns of all GPUs, to extent_ns times the number of GPUs
  std::vector<CallGroup> calls;
  std::vector<KernelShape> shapes;
  std::vector<KernelMeasure> measures;
  std::vector<RangeTimes> ranges;         ///< by name
  std::optional<int64_t> dropped_ranges;  ///< names with the fewest occurrences beyond kMaxRangeNames
  std::optional<int64_t> graph_nodes;     ///< of a step or run, where graphs were traced by node
};

inline constexpr size_t kMaxSteps = 100;
/// 100 kB of JSON at about 100 bytes a name.
inline constexpr size_t kMaxRangeNames = 1000;

}  // namespace sonde::gate
