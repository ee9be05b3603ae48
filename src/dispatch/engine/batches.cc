#include <algorithm>

#include "dispatch/engine/real_engine.h"
#include "dispatch/engine/split.h"

namespace sonde::dispatch {

extern const Rule mapped_gpu_rule;

/// Of the batch, those that wait (or will) for one GPU and were given none. Tasks with several GPUs, or none, go where
/// the strategy sends each.
std::vector<Entry*> RealEngine::waiting_of(const Batch& batch) {
  std::vector<Entry*> waiting;
  for (const int64_t id : batch.tasks) {
    Entry* const entry = entry_of(id);
    if (entry == nullptr || entry->task.spec.gpus != 1 || !entry->task.only_gpus.empty()) continue;
    const TaskState state = entry->task.state;
    if (entry->task.least_room_bytes) continue;  // it goes wherever there is more room
    if (state == TaskState::waiting || state == TaskState::blocked) waiting.push_back(entry);
  }
  return waiting;
}

void RealEngine::split_batches() {
  for (auto at = unsplit_.begin(); at != unsplit_.end();) {
    BatchEntry& batch = batches_.at(*at);
    const std::vector<Entry*> tasks = waiting_of(batch.batch);
    at = tasks.empty() || split(batch, tasks) ? unsplit_.erase(at) : std::next(at);
  }
}

/// GPUs that could take each of the tasks, once what runs there is over.
std::vector<size_t> RealEngine::possible_for(const std::vector<Entry*>& tasks) const {
  std::set<const Shape*> seen;
  std::vector<size_t> possible;
  for (size_t i = 0; i < fleet_.gpus().size(); ++i) possible.push_back(i);
  for (const Entry* const entry : tasks) {
    if (entry->shape != nullptr && !seen.insert(entry->shape).second) continue;
    std::erase_if(possible, [&](size_t gpu) { return !keeping_.is_possible(gpu, entry->task); });
    if (possible.empty()) break;
  }
  return possible;
}

/// Where some are not known, those are taken for the mean of the others.
std::vector<double> RealEngine::speeds_of(const std::string& type, const std::vector<size_t>& gpus) const {
  std::vector<std::optional<double>> known;
  double sum = 0;
  double count = 0;
  for (const size_t gpu : gpus) {
    known.push_back(estimates_.speed(type, fleet_.gpus()[gpu].state.name));
    if (known.back().value_or(0) <= 0) known.back().reset();
    if (!known.back()) continue;
    sum += *known.back();
    count += 1;
  }
  std::vector<double> speeds;
  for (const std::optional<double>& speed : known) speeds.push_back(speed.value_or(count == 0 ? 1 : sum / count));
  return speeds;
}

/// False where no GPU can take it for now. The strategy ranks the GPUs; the batch goes to as many of them as its rule
/// says (split.h).
bool RealEngine::split(BatchEntry& batch, const std::vector<Entry*>& tasks) {
  const config::MultiGpu& multi = config_->gpu.multi_gpu;
  const std::vector<size_t> possible = possible_for(tasks);
  if (possible.empty()) return false;
  const auto count = static_cast<int64_t>(tasks.size());
  const size_t parts =
      multi.batch_split ? gpus_of_split(count, multi.min_batch_size_per_gpu, possible.size()) : size_t{1};
  const Task& first = tasks.front()->task;
  const auto placed = placement_.choose(*config_, first, needs_.of(first), possible, parts);
  if (!placed) return false;
  const std::vector<double> speeds = speeds_of(first.spec.type, placed->gpus);
  const int64_t min = parts == 1 ? 0 : multi.min_batch_size_per_gpu;
  const std::vector<int64_t> sizes = sizes_of_split(count, min, speeds);
  const std::vector<size_t> turns = parts_in_turn(sizes);
  for (size_t i = 0; i < tasks.size(); ++i) give(*tasks[i], {fleet_.gpus()[placed->gpus[turns[i]]].state.uuid});
  for (size_t i = 0; i < parts; ++i) batch.batch.split[fleet_.gpus()[placed->gpus[i]].state.uuid] += sizes[i];
  changed_batches_.insert(batch.batch.id);
  return true;
}

/// Where it may run from now on; empty: anywhere.
void RealEngine::give(Entry& entry, std::vector<std::string> gpus) {
  const bool is_queued = entry.shape != nullptr;
  if (is_queued) queue_.remove(entry);
  entry.task.only_gpus = std::move(gpus);
  if (is_queued) queue_.add(entry);
  changed_.insert(entry.task.id);
}

/// Whether nothing waits for that GPU any more. While no GPU is used at all, batches stay as they are.
bool RealEngine::is_lost(const std::string& uuid) const {
  if (!fleet_.is_known() || !config_->gpu.enabled) return false;
  const FleetGpu* const gpu = fleet_.find(uuid);
  if (gpu == nullptr || !gpu->is_well) return true;
  return !config_->gpu.multi_gpu.enabled && gpu != &fleet_.gpus()[fleet_.first_well().value_or(0)];
}

/// Whether the configuration of now sends the task to another GPU.
bool RealEngine::is_mapped_elsewhere(const Task& task, const std::string& uuid) const {
  const FleetGpu* const gpu = fleet_.find(uuid);
  return gpu != nullptr &&
         mapped_gpu_rule.refuses({.config = *config_, .task = task, .gpu = gpu->state, .load = gpu->load});
}

/// Takes GPUs that are lost, or may not be used any more, from batches: what waits for them is split again.
void RealEngine::unsplit_lost() {
  const bool judges_mappings = judges_mappings_ && !config_->gpu.multi_gpu.task_specific_mappings.empty();
  if (fleet_.is_known()) judges_mappings_ = false;
  for (auto& [id, batch] : batches_) {
    for (auto part = batch.batch.split.begin(); part != batch.batch.split.end();) {
      const int64_t taken = take_back(batch.batch, part->first, judges_mappings);
      part->second -= taken;
      if (taken > 0) unsplit_.insert(id);
      part = taken > 0 && part->second <= 0 ? batch.batch.split.erase(part) : std::next(part);
    }
  }
}

/// How many tasks of the batch waited for that GPU, and do not any more.
int64_t RealEngine::take_back(const Batch& batch, const std::string& uuid, bool judges_mappings) {
  const bool takes_all = is_lost(uuid);
  if (!takes_all && !judges_mappings) return 0;
  int64_t taken = 0;
  for (const int64_t id : batch.tasks) {
    Entry* const entry = entry_of(id);
    if (entry == nullptr || entry->task.only_gpus.size() != 1 || entry->task.only_gpus.front() != uuid) continue;
    if (entry->task.state != TaskState::waiting && entry->task.state != TaskState::blocked) continue;
    if (!takes_all && !is_mapped_elsewhere(entry->task, uuid)) continue;
    give(*entry, {});
    taken += 1;
  }
  if (taken > 0) changed_batches_.insert(batch.id);
  return taken;
}

}  // namespace sonde::dispatch
