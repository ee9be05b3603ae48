#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "dispatch/engine.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// An attempt as it is to be run: nothing is looked up any more.
struct Launch {
  int64_t task = 0;
  int64_t attempt = 1;
  std::vector<std::string> command;  ///< with the profiler's words before it where it is recorded
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside the service's own; CUDA_VISIBLE_DEVICES too
  std::string folder;
  std::optional<int64_t> time_limit_ns;
  int64_t grace_ns = 10'000'000'000;      ///< between SIGTERM and SIGKILL
  int64_t output_limit_bytes = 10 << 20;  ///< of each of the two streams
  std::optional<Inference> inference;     ///< instead of a command
  std::string worker_url;
};

/// Part of what a task printed. Beyond its limit the middle is left out, which is said where it was.
struct LogPart {
  std::string text;
  int64_t from = 0;            ///< offset in all that was printed
  int64_t next = 0;            ///< to go on from
  int64_t left_out_bytes = 0;  ///< between `from` and the text, or before it
  bool is_whole = false;       ///< the task is over and this is its end
};
enum class LogStream { out, err };

/// Runs attempts. Each command runs under a keeper, a small process of its own that outlives the service: it holds the
/// output below its limit, the time limit, ends all that the task started, and writes how it ended so that it survives
/// a power cut. Thread-safe.
class Executor {
 public:
  /// `folder`: of the tasks' files. `ended` is called from a thread of the executor, also for what ended while no
  /// service ran; once for an attempt in the life of this object, again after a restart until collected().
  [[nodiscard]] static Result<std::unique_ptr<Executor>> open(const std::string& folder,
                                                              std::function<void(EndReport)> ended);
  virtual ~Executor() = default;

  /// Finds attempts that ran when the service ended. Those that are none of `running` are ended and cleared away; one
  /// of `running` that no keeper has, and that left no end, is reported as lost (or, where it was never started, as
  /// not_started).
  virtual void adopt(std::span<const std::pair<int64_t, int64_t>> running) = 0;
  /// Does not wait. What cannot be started is reported as ended.
  virtual void start(const Launch& launch) = 0;
  /// SIGTERM to the whole group, SIGKILL after the grace.
  virtual void cancel(int64_t task, int64_t attempt) = 0;
  /// Its end is in the database: its end record can be removed. Output stays.
  virtual void collected(int64_t task, int64_t attempt) = 0;
  /// Whether the process belongs to an attempt that runs, and to which: {task, attempt}.
  [[nodiscard]] virtual std::optional<std::pair<int64_t, int64_t>> task_of(int64_t pid) const = 0;
  /// The first process of a running attempt.
  [[nodiscard]] virtual std::optional<int64_t> pid_of(int64_t task, int64_t attempt) const = 0;
  /// `from` below 0: relative to the end. Absent if the attempt has no output: it was removed, or has not
  /// begun.
  [[nodiscard]] virtual Result<std::optional<LogPart>> log(int64_t task, int64_t attempt, LogStream stream,
                                                           int64_t from, int64_t max) const = 0;
  /// Where the attempt's files are: profile, its own folder.
  [[nodiscard]] virtual std::string folder_of(int64_t task, int64_t attempt) const = 0;
  virtual void remove(int64_t task) = 0;  ///< all its files
  /// Bytes of all tasks' files; for the metrics. Can be some seconds old.
  [[nodiscard]] virtual int64_t bytes() const = 0;
  /// Cancels requests to workers; commands keep running under their supervisors.
  virtual void stop() = 0;
};

}  // namespace sonde::dispatch
