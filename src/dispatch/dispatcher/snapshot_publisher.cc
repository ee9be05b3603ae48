#include "dispatch/dispatcher/snapshot_publisher.h"

#include <utility>
#include <vector>

#include "base/time_units.h"

namespace sonde::dispatch {
namespace {

/// How many tasks run on each GPU, and what is reserved there for them. Also for a GPU that is not known any more.
std::vector<QueueSnapshot::OnGpu> tasks_on_gpus(const Engine& engine, const std::map<std::string, size_t>& indices) {
  std::map<std::string, QueueSnapshot::OnGpu> gpus;
  for (const auto& [uuid, index] : indices) gpus[uuid].uuid = uuid;
  for (const Task* task : engine.running()) {
    if (task->last() == nullptr) continue;
    for (const std::string& uuid : task->last()->gpus) {
      QueueSnapshot::OnGpu& gpu = gpus[uuid];
      gpu.uuid = uuid;
      ++gpu.tasks;
      gpu.reserved_bytes += task->last()->reserved_bytes;
    }
  }
  std::vector<QueueSnapshot::OnGpu> list;
  list.reserve(gpus.size());
  for (auto& [uuid, gpu] : gpus) list.push_back(std::move(gpu));
  return list;
}

}  // namespace

void SnapshotPublisher::publish(const Engine& engine, const std::map<std::string, size_t>& indices,
                                const std::string& save_error, int64_t now_ns) {
  if (std::exchange(is_valid_, true)) return;
  find_oldest(engine, now_ns);
  auto next = std::make_shared<QueueSnapshot>();
  next->moment_ns = now_ns;
  next->engine = engine.counts();
  next->counts = tally_.counts();
  next->gpus = tasks_on_gpus(engine, indices);
  next->oldest_ready_ns = oldest_ready_ns_;
  next->trouble = save_error;
  const std::scoped_lock lock(mutex_);
  snapshot_ = std::move(next);
}

/// At most once a second, since it reads the whole queue.
void SnapshotPublisher::find_oldest(const Engine& engine, int64_t now_ns) {
  const int64_t length = engine.counts().queue_length;
  if (length > 0 && oldest_ready_ns_ && now_ns < oldest_found_ns_ + kNsPerSecond) return;
  oldest_found_ns_ = now_ns;
  oldest_ready_ns_.reset();
  for (const Task* task : engine.queue(static_cast<size_t>(length))) {
    const bool waits = task->state == TaskState::waiting;
    if (waits && (!oldest_ready_ns_ || task->ready_ns < *oldest_ready_ns_)) oldest_ready_ns_ = task->ready_ns;
  }
}

std::shared_ptr<const QueueSnapshot> SnapshotPublisher::current() const {
  const std::scoped_lock lock(mutex_);
  return snapshot_;
}

}  // namespace sonde::dispatch
