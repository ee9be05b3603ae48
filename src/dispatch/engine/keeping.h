#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dispatch/engine/fleet.h"
#include "dispatch/engine/needs.h"
#include "dispatch/engine/queue.h"

namespace sonde::dispatch {

/// A GPU that is kept for a task.
struct Kept {
  Place place;                         ///< of that task: it is kept from those behind it only
  std::optional<int64_t> until_ns;     ///< predicted start of the task; absent: unknown
  std::optional<int64_t> spare_bytes;  ///< that it leaves when it is there; absent: the GPU does not say
  int64_t spare_slots = 0;
};

/// What a task finds on a GPU once others ended.
struct Outlook {
  size_t gpu = 0;
  std::optional<int64_t> when_ns;  ///< absent: it waits for a task with an unknown end
  size_t awaited = 0;              ///< tasks that have to end
  std::optional<int64_t> spare_bytes;
  int64_t spare_slots = 0;
};

/// GPUs that are kept for tasks which are next and find none. A task keeps as many as it needs, those that it gets
/// soonest, until it starts: also where others become free sooner, which it can take all the same. A task behind it
/// gets a kept GPU where it does not make it wait: where both fit once those have ended for which the first one waits,
/// or where it ends before that moment (its time limit, else the 90th percentile of its type's run times, beside the
/// earliest likely end of what runs). Where no run times are known only the former holds.
/// The first task that waits can always keep what it needs; those after it only where no more than half of the GPUs are
/// kept then, or where none of those that they could take is kept.
class Keeping {
 public:
  Keeping(Fleet& fleet, Needs& needs) : fleet_(&fleet), needs_(&needs) {}

  /// Before the tasks are looked at in their order.
  void begin(const config::Config& config, int64_t now_ns);
  /// For a task that finds no GPU. Nothing is kept where the GPUs that it needs cannot be had by waiting for tasks.
  void keep(const Task& task, Place place);
  /// A task has started there; where it is kept, it was for one before that.
  void started_on(size_t gpu, int64_t bytes);
  void drop(int64_t task) { chosen_.erase(task); }
  [[nodiscard]] bool is_possible(size_t index, const Task& task) const {
    return is_possible(index, task, needs_->of(task));
  }

  /// For which task it is kept from this one; 0: it is not.
  [[nodiscard]] int64_t kept_from(size_t gpu, const Task& task, Place place, int64_t need_bytes) const;
  /// The task that a task at `place` went before when it started there; 0: none.
  [[nodiscard]] int64_t passed(size_t gpu, Place place) const {
    return gpu < kept_.size() && kept_[gpu] && kept_[gpu]->place < place ? kept_[gpu]->place.task : 0;
  }

 private:
  struct Running {
    int64_t end_ns = 0;
    int64_t bytes = 0;
  };
  [[nodiscard]] int64_t needed_bytes(const Task& task, const Need& need, const GpuState& gpu) const;
  /// Whether the task could start there once all tasks have ended.
  [[nodiscard]] bool is_possible(size_t index, const Task& task, const Need& need) const;
  [[nodiscard]] const std::vector<Running>& running_on(size_t index);
  [[nodiscard]] Outlook outlook(size_t index, const Task& task, const Need& need);
  [[nodiscard]] bool may_keep(const Task& task, const Need& need) const;
  [[nodiscard]] std::vector<Outlook> choose(const Task& task, const Need& need);

  Fleet* fleet_;
  Needs* needs_;
  const config::Config* config_ = nullptr;
  int64_t now_ns_ = 0;
  std::vector<std::optional<Kept>> kept_;                     ///< by place of the GPU
  std::vector<std::optional<std::vector<Running>>> running_;  ///< likewise, by their ends; absent: not looked up yet
  size_t count_ = 0;                                          ///< GPUs that are kept
  std::map<int64_t, std::vector<std::string>> chosen_;        ///< task -> UUIDs, from step to step
};

}  // namespace sonde::dispatch
