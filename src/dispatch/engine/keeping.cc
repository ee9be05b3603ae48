#include "dispatch/engine/keeping.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace sonde::dispatch {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Rules of the task whose refusal no end of a task changes.
std::span<const Rule* const> fixed_rules() {
  static const std::vector<const Rule*> all = [] {
    std::vector<const Rule*> fixed;
    for (const Rule* const rule : rules()) {
      const bool is_of_load = rule->name == "memory_room" || rule->name == "more_room" || rule->name == "kept";
      if (!rule->is_of_gpu && !is_of_load) fixed.push_back(rule);
    }
    return fixed;
  }();
  return all;
}

}  // namespace

void Keeping::begin(const config::Config& config, int64_t now_ns) {
  config_ = &config;
  now_ns_ = now_ns;
  kept_.assign(fleet_->gpus().size(), std::nullopt);
  running_.assign(fleet_->gpus().size(), std::nullopt);
  count_ = 0;
}

int64_t Keeping::needed_bytes(const Task& task, const Need& need, const GpuState& gpu) const {
  const int64_t bytes = need.on(*config_, gpu);
  return task.least_room_bytes ? std::max(bytes, *task.least_room_bytes + 1) : bytes;
}

bool Keeping::is_possible(size_t index, const Task& task, const Need& need) const {
  const FleetGpu& gpu = fleet_->gpus()[index];
  if (!gpu.is_usable) return false;
  const std::optional<int64_t> room = room_bytes(gpu.state, gpu.load);
  if (room && *room + gpu.load.reserved_bytes < needed_bytes(task, need, gpu.state)) return false;
  const Candidate candidate{
      .config = *config_, .task = task, .gpu = gpu.state, .load = gpu.load, .is_first = fleet_->first_well() == index};
  return std::ranges::none_of(fixed_rules(), [&](const Rule* rule) { return rule->refuses(candidate); });
}

const std::vector<Keeping::Running>& Keeping::running_on(size_t index) {
  std::optional<std::vector<Running>>& running = running_[index];
  if (running) return *running;
  running.emplace();
  const FleetGpu& gpu = fleet_->gpus()[index];
  for (const int64_t id : gpu.tasks) {
    const Allocation& allocation = *fleet_->allocation(id);
    running->push_back({allocation.end_ns(now_ns_).value_or(kNever), fleet_->bytes_on(allocation, gpu.state)});
  }
  std::ranges::stable_sort(*running, {}, &Running::end_ns);
  return *running;
}

Outlook Keeping::outlook(size_t index, const Task& task, const Need& need) {
  const FleetGpu& gpu = fleet_->gpus()[index];
  const std::vector<Running>& running = running_on(index);
  const int64_t needed = needed_bytes(task, need, gpu.state);
  std::optional<int64_t> room = room_bytes(gpu.state, gpu.load);
  int64_t slots = config_->gpu.multi_gpu.max_concurrent_tasks_per_gpu - gpu.load.tasks;
  Outlook found{.gpu = index, .when_ns = now_ns_, .spare_bytes = std::nullopt};
  while ((slots < 1 || (room && *room < needed)) && found.awaited < running.size()) {
    const Running& next = running[found.awaited++];
    found.when_ns = next.end_ns == kNever ? std::nullopt : std::optional(next.end_ns);
    slots += 1;
    if (room) *room += next.bytes;
  }
  found.spare_slots = slots - 1;
  if (room) found.spare_bytes = *room - needed;
  return found;
}

/// Whether a further task may keep GPUs beside those that are kept already.
bool Keeping::may_keep(const Task& task, const Need& need) const {
  if (count_ == 0 || count_ + static_cast<size_t>(task.spec.gpus) <= kept_.size() / 2) return true;
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] && is_possible(i, task, need)) return false;
  }
  return count_ < kept_.size();
}

/// Those that it kept before, if all can still be had; else the soonest ones. Fewer than it needs: there are no more.
std::vector<Outlook> Keeping::choose(const Task& task, const Need& need) {
  const auto needed = static_cast<size_t>(task.spec.gpus);
  std::vector<size_t> possible;
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i] && is_possible(i, task, need)) possible.push_back(i);
  }
  if (possible.size() < needed) return {};
  const auto before = chosen_.find(task.id);
  if (before != chosen_.end()) {
    std::vector<size_t> same;
    std::ranges::copy_if(possible, std::back_inserter(same), [&](size_t i) {
      return std::ranges::find(before->second, fleet_->gpus()[i].state.uuid) != before->second.end();
    });
    if (same.size() == needed) possible = std::move(same);
  }
  std::vector<Outlook> found;
  for (const size_t i : possible) found.push_back(outlook(i, task, need));
  std::ranges::stable_sort(found, {},
                           [](const Outlook& o) { return std::pair(o.when_ns.value_or(kNever), o.awaited); });
  found.resize(needed);
  return found;
}

void Keeping::keep(const Task& task, Place place) {
  const Need need = needs_->of(task);
  const std::vector<Outlook> found = may_keep(task, need) ? choose(task, need) : std::vector<Outlook>();
  if (found.empty()) return drop(task.id);
  std::vector<std::string>& chosen = chosen_[task.id];
  chosen.clear();
  std::optional<int64_t> until = now_ns_;
  for (const Outlook& o : found) {
    until = until && o.when_ns ? std::optional(std::max(*until, *o.when_ns)) : std::nullopt;
    chosen.push_back(fleet_->gpus()[o.gpu].state.uuid);
  }
  for (const Outlook& o : found) {
    kept_[o.gpu] = {.place = place, .until_ns = until, .spare_bytes = o.spare_bytes, .spare_slots = o.spare_slots};
  }
  count_ += found.size();
}

void Keeping::started_on(size_t gpu, int64_t bytes) {
  running_[gpu].reset();
  if (!kept_[gpu]) return;
  kept_[gpu]->spare_slots -= 1;
  if (kept_[gpu]->spare_bytes) *kept_[gpu]->spare_bytes -= bytes;
}

int64_t Keeping::kept_from(size_t gpu, const Task& task, Place place, int64_t need_bytes) const {
  if (gpu >= kept_.size() || !kept_[gpu] || place <= kept_[gpu]->place) return 0;
  const Kept& kept = *kept_[gpu];
  if (kept.spare_slots >= 1 && kept.spare_bytes.value_or(need_bytes) >= need_bytes) return 0;
  if (!kept.until_ns) return kept.place.task;
  const auto longest = needs_->longest_ns(task, fleet_->gpus()[gpu].state.name);
  return longest && now_ns_ + *longest <= *kept.until_ns ? 0 : kept.place.task;
}

}  // namespace sonde::dispatch
