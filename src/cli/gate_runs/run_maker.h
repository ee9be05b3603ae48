#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/system/processor_set.h"
#include "base/system/subprocess.h"
#include "cli/gate_runs/locked_clocks.h"
#include "cli/gate_runs/machine.h"
#include "cli/gate_runs/run_folder.h"
#include "cli/gate_runs/run_plan.h"
#include "gate/record/run_record.h"

namespace sonde {

/// A command that a run is one process of.
struct RunCommand {
  std::vector<std::string> words;
  std::string folder = {};  ///< to run in; empty: this program's
};

struct RunMakerOptions {
  std::string profile_pattern = {};  ///< of the file that each run writes; empty: {profile} in the command, or none
  std::optional<int64_t> time_limit_ns = {};
  int retries = 0;         ///< of a run that fails
  int most_throttled = 5;  ///< runs in all that are made again since the GPU slowed down; 0: they are taken as they are
  int most_disturbed = 5;  ///< runs in all that are made again since others used the processors or GPUs
  ProcessorSet processors = {};                 ///< to run on; empty: those that this program may use
  std::optional<ClockChoice> lock_clocks = {};  ///< of --lock-clocks
  std::string clocks = {};                      ///< the condition clock_control of runs on a GPU; empty: not known
  bool show_output = false;
  bool keep_profiles = false;  ///< after they were read
};

/// A run that came out well.
struct MadeRun {
  gate::RunRecord record;
  std::string file;     ///< its profile; empty where it left none or it is removed again
  int64_t wall_ns = 0;  ///< of the process, the tool that profiled it included
};

/// Makes runs, one process each, and reads what they leave. Says on standard error what was made again and why.
class RunMaker {
 public:
  RunMaker(SubprocessRunner& runner, RunFolder& folder, RunMakerOptions options);

  /// `name`: of its files, and for people ("new-03"). The error names the command and what it printed last.
  [[nodiscard]] Result<MadeRun> make(const RunCommand& command, const std::string& name);
  /// The same for its effects on caches and clocks alone: its wall time.
  [[nodiscard]] Result<int64_t> warm_up(const RunCommand& command, const std::string& name);
  /// That all processes so far took.
  [[nodiscard]] int64_t spent_ns() const { return spent_ns_; }

 private:
  /// One try: the process is over, and well.
  struct Try {
    SubprocessEnd end;
    std::optional<int64_t> cpu_ns;        ///< user and system time of the process and its children
    std::optional<int64_t> instructions;  ///< theirs in user mode
    std::optional<int64_t> cycles;
    MachineState after;
    std::string slowed;
    std::string disturbed;
    gate::SessionOfRun session;
    std::string stem;  ///< that {profile} stood for
    std::vector<FoundFile> found_before;
  };
  [[nodiscard]] Result<Try> run_once(const RunCommand& command, const std::string& name);
  [[nodiscard]] Result<Try> run_well(const RunCommand& command, const std::string& name);
  /// None is like the others that was slowed down or disturbed: those are repeated, as often as the options say.
  [[nodiscard]] Result<Try> run_undisturbed(const RunCommand& command, const std::string& name);
  [[nodiscard]] Result<bool> repeats(const Try& made, const std::string& name);
  [[nodiscard]] Result<SubprocessEnd> run_measured(const Subprocess& program, Try& made);
  void set_other_load(double share, const SubprocessEnd& end, Try& made) const;
  void state_conditions(gate::Conditions& conditions, const MachineState& state) const;
  [[nodiscard]] Result<std::string> profile_of(const RunCommand& command, const Try& made) const;
  [[nodiscard]] Result<MadeRun> read(const RunCommand& command, const Try& made, const std::string& name);
  [[nodiscard]] std::unexpected<Error> failed(const RunCommand& command, const SubprocessEnd& end,
                                              const std::string& name);
  void tell_of_others(const MachineState& state);

  SubprocessRunner& runner_;
  RunFolder& folder_;
  RunMakerOptions options_;
  MachineProbe probe_;
  ProcessorSet processors_;  ///< that the runs may use
  int throttled_ = 0;        ///< runs that were made again
  int disturbed_ = 0;
  bool others_told_ = false;
  int64_t spent_ns_ = 0;
};

/// Why processor counts (the metrics instructions and cycles) would be absent here; empty where they can be counted.
[[nodiscard]] std::string why_no_counts();

/// A record of a process that left no profile: its wall time, and the machine.
[[nodiscard]] gate::RunRecord wall_time_record(const RunCommand& command, int64_t wall_ns, const MachineState& state);

}  // namespace sonde
