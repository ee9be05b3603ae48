#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dispatch/engine.h"
#include "dispatch/engine/entry.h"
#include "dispatch/engine/fleet.h"
#include "dispatch/engine/keeping.h"
#include "dispatch/engine/needs.h"
#include "dispatch/engine/placement.h"
#include "dispatch/engine/queue.h"
#include "dispatch/engine/start_rate.h"

namespace sonde::dispatch {

/// The engine: what comes in (intake.cc), how attempts end (ends.cc), steps (steps.cc), batches (batches.cc), and why
/// things are as they are (explaining.cc).
///
/// A step looks at the first task of each shape (queue.h) in the order of their places, and at no more than
/// kMaxShapes that find no GPU: a task behind 256 others of which no two are alike and none can start may have to wait
/// for one of them, though a GPU would take it. The first of the queue is always looked at.
class RealEngine final : public Engine {
 public:
  RealEngine(std::shared_ptr<const config::Config> config, uint64_t seed);

  void restore(std::vector<Task> tasks, std::vector<Batch> batches, int64_t last_id, int64_t last_batch) override;
  void set_config(std::shared_ptr<const config::Config> config) override;
  void set_gpus(std::vector<GpuState> gpus, std::span<const Holding> held) override;
  Estimates& estimates() override;
  [[nodiscard]] const Estimates& estimates() const override { return estimates_; }
  [[nodiscard]] const config::Config& config() const override { return *config_; }
  [[nodiscard]] std::span<const GpuState> gpus() const override { return fleet_.states(); }
  [[nodiscard]] std::span<const GpuLoad> loads() const override { return fleet_.loads(); }
  void recall(int64_t task, TaskState state) override;
  [[nodiscard]] std::expected<int64_t, Refused> submit(TaskSpec spec, int64_t now_ns) override;
  [[nodiscard]] std::expected<int64_t, Refused> submit_batch(std::string name, std::vector<TaskSpec> specs,
                                                             int64_t now_ns) override;
  void forget(int64_t id) override;
  bool cancel(int64_t task, const std::string& by, int64_t now_ns) override;
  void ended(const EndReport& report) override;
  void set_recorded(int64_t task) override;
  void drain() override { is_draining_ = true; }
  [[nodiscard]] Step step(int64_t now_ns) override;
  [[nodiscard]] std::optional<int64_t> next_ns() const override;
  [[nodiscard]] const Task* find(int64_t task) const override;
  [[nodiscard]] const Batch* find_batch(int64_t batch) const override;
  [[nodiscard]] std::vector<const Task*> queue(size_t max) const override;
  [[nodiscard]] std::vector<const Task*> running() const override;
  [[nodiscard]] EngineCounts counts() const override;
  [[nodiscard]] Explanation explain(int64_t task, int64_t now_ns) const override;
  void drop_over() override;

 private:
  static constexpr int kMaxShapes = 256;
  static constexpr size_t kRememberedEnds = 100'000;

  struct BatchEntry {
    Batch batch;
    int64_t live = 0;  ///< of its tasks
  };

  // intake.cc
  [[nodiscard]] std::optional<Refused> refusal(const TaskSpec& spec) const;
  [[nodiscard]] std::optional<Refused> refusal_of_gpus(const TaskSpec& spec) const;
  [[nodiscard]] std::optional<Refused> refusal_of_length(size_t tasks, int64_t now_ns) const;
  Entry& insert(Task task);
  void admit(TaskSpec spec, int64_t batch, int64_t now_ns);
  void await_dependencies(Entry& entry, int64_t now_ns);
  void restore_waiting(Entry& entry);
  void forget_in_batch(const Task& task);
  void remember_end(int64_t task, TaskState state);

  // lists.cc
  [[nodiscard]] Entry* entry_of(int64_t task);
  void set_state(Entry& entry, TaskState state);
  void enqueue(Entry& entry);
  void dequeue(Entry& entry);
  void replace_all();
  [[nodiscard]] int64_t place_now(const Task& task) const;
  [[nodiscard]] int64_t timeout_ns() const;
  void add_news(int64_t task, std::string change);

  // ends.cc
  void finish(Entry& entry, TaskState state, EndCause cause, std::string reason, int64_t now_ns);
  void settle(Entry& entry, int64_t now_ns);
  void settle_dependents(Entry& before, int64_t now_ns);
  [[nodiscard]] static std::string reason_of_dependency(int64_t before, std::optional<TaskState> state);
  void ready(Entry& entry, int64_t now_ns);
  void learn(const Entry& entry);
  void conclude(Entry& entry);
  [[nodiscard]] static bool is_retried(const Task& task);
  void retry(Entry& entry);
  [[nodiscard]] std::optional<int64_t> room_it_had(const Entry& entry) const;
  [[nodiscard]] bool has_more_room(const Task& task) const;
  void expire(int64_t now_ns);
  void wake(int64_t now_ns);

  // steps.cc
  void start_tasks(Step& step, int64_t now_ns);
  void start_host_tasks(Step& step, int64_t now_ns);
  [[nodiscard]] std::string note_of(const Entry& entry, const Placed& placed) const;
  [[nodiscard]] bool try_start(Entry& entry, Step& step, int64_t now_ns);
  void start(Entry& entry, const Placed& placed, Step& step, int64_t now_ns);
  void record(Entry& entry, Attempt attempt, Step& step, int64_t now_ns);
  void collect(Step& step);

  // batches.cc
  void split_batches();
  [[nodiscard]] bool split(BatchEntry& batch, const std::vector<Entry*>& tasks);
  [[nodiscard]] std::vector<Entry*> waiting_of(const Batch& batch);
  [[nodiscard]] std::vector<size_t> possible_for(const std::vector<Entry*>& tasks) const;
  [[nodiscard]] std::vector<double> speeds_of(const std::string& type, const std::vector<size_t>& gpus) const;
  void give(Entry& entry, std::vector<std::string> gpus);
  [[nodiscard]] bool is_lost(const std::string& uuid) const;
  [[nodiscard]] bool is_mapped_elsewhere(const Task& task, const std::string& uuid) const;
  void unsplit_lost();
  [[nodiscard]] int64_t take_back(const Batch& batch, const std::string& uuid, bool judges_mappings);

  // explaining.cc
  void explain_blocked(const Entry& entry, Explanation& found) const;
  void explain_waiting(const Entry& entry, int64_t now_ns, Explanation& found) const;
  void explain_gpus(const Entry& entry, Explanation& found) const;
  [[nodiscard]] std::string summary_of_gpus(const Task& task, const std::vector<Judgement>& gpus,
                                            int64_t eligible) const;
  [[nodiscard]] std::string summary_of_running(const Task& task) const;

  std::shared_ptr<const config::Config> config_;
  Estimates estimates_;
  Needs needs_;
  Fleet fleet_;
  Keeping keeping_;
  Placement placement_;
  std::unordered_map<int64_t, Entry> tasks_;  ///< never walked where order matters
  Queue queue_;
  std::set<std::pair<int64_t, int64_t>> deadlines_;  ///< {since when it waits, task}
  std::set<std::pair<int64_t, int64_t>> pausing_;    ///< {not before, task}: retries that pause
  std::set<int64_t> running_;
  std::set<int64_t> over_;
  std::map<int64_t, BatchEntry> batches_;
  std::set<int64_t> unsplit_;          ///< batches with tasks for which no GPU was found yet
  std::map<int64_t, bool> succeeded_;  ///< tasks that were dropped: whether they succeeded
  std::map<TaskState, int64_t> by_state_;
  std::map<std::string, int64_t> waiting_by_priority_;
  StartRate rate_;
  int64_t last_id_ = 0;
  int64_t last_batch_ = 0;
  bool is_draining_ = false;
  bool judges_mappings_ = true;  ///< of batches that are split: the configuration changed
  bool judges_batches_ = true;   ///< GPUs or configuration changed, or there is a new batch
  bool is_dirty_ = true;         ///< something changed since the last step by which a task may start

  std::set<int64_t> changed_;  ///< since the last step
  std::set<int64_t> changed_batches_;
  std::vector<int64_t> cancels_;
  std::vector<int64_t> unsettled_;  ///< finished; their dependents are not updated yet
  std::vector<TaskNews> news_;
};

}  // namespace sonde::dispatch
