#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is to be run, and what became of it. Moments are nanoseconds since 1970; ids grow by 1, over restarts too.
namespace sonde::dispatch {

/// A request to a model of a worker that serves one GPU (KServe v2: POST v2/models/{model}[/versions/{version}]/infer).
struct Inference {
  std::string model;
  std::string version;  ///< empty: the worker's choice
  std::string request;  ///< body, JSON
};

/// What was submitted, once its type was looked up: complete, and never changed.
struct TaskSpec {
  std::string name;                                ///< for people; may be empty
  std::string type;                                ///< "default" where nobody said
  std::string priority;                            ///< name of a level
  std::vector<std::string> command;                ///< program and arguments; empty for an inference
  std::map<std::string, std::string> environment;  ///< added to the service's own
  std::string folder;                              ///< to run in; empty: the task's own
  std::optional<Inference> inference;
  std::map<std::string, std::string> workers;  ///< of an inference: GPU (gpu_N or UUID) -> base URL
  int64_t gpus = 1;                            ///< all of them or none; 0: it needs none
  std::optional<int64_t> memory_bytes;         ///< declared, on each GPU
  std::optional<int64_t> time_limit_ns;        ///< of one attempt
  std::string strategy;                        ///< empty: the configured one, at the moment of the decision
  std::vector<int64_t> after;                  ///< tasks that have to succeed first
  int64_t retries = 0;                         ///< attempts beyond the first: after out_of_memory, lost and worker
  bool retry_failures = false;                 ///< likewise after exit, signal and not_started
  std::string submitted_by;                    ///< name of the key
  std::string idempotency_key;                 ///< of its submitter; may be empty
  std::optional<bool> profile;                 ///< whether it is recorded; absent: as its type says
  double simulated_utilization_percent = 80;   ///< what it puts on a simulated GPU
  std::optional<int64_t> simulated_memory_bytes;
};

enum class TaskState {
  blocked,    ///< waits for tasks that it depends on
  waiting,    ///< in the queue
  running,    ///< has its GPUs; `cancelling` may be set
  succeeded,  ///< over, like those below
  failed,
  cancelled  ///< by a person, by the queue's time limit, or because a task before it did not succeed
};
[[nodiscard]] std::string_view state_name(TaskState state);
[[nodiscard]] std::optional<TaskState> state_of(std::string_view name);
[[nodiscard]] constexpr bool is_over(TaskState state) { return state >= TaskState::succeeded; }

/// Why an attempt, or a task, ended.
enum class EndCause {
  none,           ///< it has not
  exit,           ///< by itself: exit status
  signal,         ///< that nobody here sent
  out_of_memory,  ///< of the GPU
  time_limit,     ///< of the attempt
  queue_timeout,  ///< it waited longer than gpu.multi_gpu.queue_timeout
  cancelled,      ///< by `cancelled_by`
  dependency,     ///< a task before it did not succeed
  lost,           ///< its keeper ended without a word: the host went down, or somebody killed it
  not_started,    ///< the program could not be started
  worker          ///< the worker did not answer, or refused
};
[[nodiscard]] std::string_view cause_name(EndCause cause);
[[nodiscard]] std::optional<EndCause> cause_of(std::string_view name);

/// How the memory that is kept for a task was found.
enum class MemorySource {
  declared,
  learned,  ///< of earlier tasks of the type
  share     ///< nothing is known: an equal share of the GPU (1 / max_concurrent_tasks_per_gpu)
};
[[nodiscard]] std::string_view memory_source_name(MemorySource source);

/// A start of a task on GPUs.
struct Attempt {
  int64_t number = 1;             ///< from 1
  std::vector<std::string> gpus;  ///< UUIDs
  std::string gpu_name;           ///< of the first one: "NVIDIA H100 80GB HBM3"; run times are learned by it
  int64_t reserved_bytes = 0;     ///< on each GPU
  MemorySource memory_source = MemorySource::share;
  int64_t started_ns = 0;  ///< when it was decided
  std::optional<int64_t> ended_ns;
  EndCause cause = EndCause::none;
  std::optional<int64_t> exit_status;
  std::optional<int64_t> signal;
  std::string message;                ///< what happened, for people, where the cause does not say it all
  std::optional<int64_t> peak_bytes;  ///< the most memory that it was seen to hold on one of its GPUs
  bool recorded = false;              ///< it ran under the profiler
};

struct Task {
  int64_t id = 0;
  TaskSpec spec;
  TaskState state = TaskState::waiting;
  EndCause cause = EndCause::none;
  std::string reason;  ///< why it ended as it did, in one sentence; empty before
  int64_t batch = 0;   ///< 0: none
  int64_t submitted_ns = 0;
  int64_t ready_ns = 0;               ///< since when it may run: submitted, or freed of the last task before it
  std::optional<int64_t> started_ns;  ///< of the first attempt
  std::optional<int64_t> ended_ns;
  std::vector<Attempt> attempts;
  bool cancelling = false;  ///< cancellation was requested
  std::string cancelled_by;
  std::optional<int64_t> least_room_bytes;  ///< after running out of memory: a GPU with more room than this
  std::vector<std::string> only_gpus;       ///< UUID that its batch was given; empty: any

  [[nodiscard]] const Attempt* last() const { return attempts.empty() ? nullptr : &attempts.back(); }
};

/// Tasks that were submitted together and are split over the GPUs.
struct Batch {
  int64_t id = 0;
  std::string name;
  std::string submitted_by;
  std::string idempotency_key;
  int64_t submitted_ns = 0;
  std::vector<int64_t> tasks;
  /// How many tasks each GPU got, once it is decided: UUID -> tasks.
  std::map<std::string, int64_t> split;
};

}  // namespace sonde::dispatch
