#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/profiles/analyst.h"
#include "dispatch/profiles/choice.h"
#include "dispatch/profiles/gpu_comparison.h"
#include "dispatch/profiles/slow_work.h"

namespace sonde::dispatch::profiles {

/// Recordings of tasks: which attempts run under a profiler, what was found in them, and what is slow and therefore
/// recorded. Told by the dispatcher's thread; what takes long is done in others.
class Profiler {
 public:
  using AttemptId = std::pair<int64_t, int64_t>;
  using Indices = std::map<std::string, size_t>;  ///< UUID -> number of a GPU

  /// `finished` is called for each finished recording, from another thread.
  Profiler(const DispatcherParts& parts, std::function<void(const ProfileRecord&)> finished);

  void restore(const Restored& was);
  /// Takes up what was not finished when the service ended. `running`: attempts that run.
  void begin(const Executor& executor, const std::set<AttemptId>& running, const config::Config& config,
             int64_t now_ns);
  /// Decides which of the tasks that are about to start are recorded: `records` are to be saved with their starts.
  void choose(Engine& engine, std::span<const int64_t> starts, int64_t now_ns, std::vector<ProfileRecord>& records);
  /// Puts the profiler before a recorded task's command.
  void wrap(const Task& task, const config::Config& config, Launch& launch) const;
  /// Before the engine takes the end.
  void ending(const Engine& engine, const EndReport& report, int64_t now_ns);
  /// The attempt's end is saved.
  void ended(AttemptId attempt, const config::Config& config);
  /// What runs too long by now, what was found; tells the monitor.
  void look(Engine& engine, const Indices& indices, int64_t now_ns);
  void stop() { analyst_.stop(); }

 private:
  struct Slow {
    int64_t run_ns = 0;
    int64_t usual_ns = 0;
  };
  void resume(const ProfileRecord& record, const std::set<AttemptId>& running, const config::Config& config);
  void choose_one(Engine& engine, const Task& task, int64_t now_ns, std::vector<ProfileRecord>& records);
  [[nodiscard]] Recording recording_of(const Task& task, std::string why, int64_t now_ns) const;
  [[nodiscard]] static std::optional<Slow> slow(const Engine& engine, const Task& task, int64_t run_ns);
  void report_slow_task(const Engine& engine, const Task& task, const Slow& slow, int64_t now_ns, Engine* running);
  void compare(const Engine& engine, const Task& task, int64_t run_ns, int64_t now_ns);
  [[nodiscard]] std::optional<int64_t> worker_on(const std::string& gpu_uuid) const;
  void record_worker(const config::Config& config, const Task& task, std::string_view why, int64_t now_ns);
  [[nodiscard]] bool attach(const config::Config& config, const Task& task, int64_t pid, std::string_view why,
                            int64_t now_ns);
  void wish(const config::Config& config, std::string_view why, const SlowWork::Place& place, int64_t now_ns);
  void take_done(int64_t now_ns);
  void remove_old(const config::Config& config, int64_t now_ns);

  Log* log_;
  monitor::Monitor* monitor_;
  TaskStore* store_;
  const Executor* executor_ = nullptr;
  Choice choice_;
  GpuComparison comparison_;
  SlowWork slow_;
  std::map<AttemptId, Recording> open_;  ///< that are recorded from their start on, and run
  std::set<AttemptId> known_slow_;       ///< that run
  std::vector<ProfileRecord> with_files_;
  int64_t remove_ns_ = 0;
  Analyst analyst_;
};

}  // namespace sonde::dispatch::profiles
