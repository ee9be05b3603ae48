#include <algorithm>

#include <fmt/ranges.h>

#include "base/text/calendar.h"
#include "dispatch/engine/engine_words.h"
#include "dispatch/engine/real_engine.h"
#include "dispatch/strategies/shared_mapping.h"

namespace sonde::dispatch {
namespace {

constexpr size_t kMaxAhead = 10;

std::string gpu_name(size_t index) { return fmt::format("gpu_{}", index); }

/// The first reason of the GPUs that refuse, by how many of them name it: "slots" of four says more than heat of one.
std::string main_reason(const std::vector<Judgement>& gpus) {
  std::map<std::string_view, size_t> counts;
  for (const Judgement& gpu : gpus) {
    if (!gpu.refusals.empty()) counts[gpu.refusals.front().rule] += 1;
  }
  const Judgement* max = nullptr;
  for (const Judgement& gpu : gpus) {
    if (gpu.refusals.empty()) continue;
    if (max == nullptr || counts[gpu.refusals.front().rule] > counts[max->refusals.front().rule]) max = &gpu;
  }
  if (max == nullptr) return {};
  return fmt::format("{}: {}", gpu_name(max->gpu), max->refusals.front().reason);
}

bool is_for_good(const Judgement& gpu) { return std::ranges::any_of(gpu.refusals, &Refusal::is_for_good); }

/// A sentence for each thing that would let the task in, with the GPUs where it would. GPUs that are out of the
/// question are left out, unless all are.
std::vector<std::string> unblocks_of(const std::vector<Judgement>& gpus) {
  const bool all_for_good = std::ranges::all_of(gpus, is_for_good);
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const Judgement& gpu : gpus) {
    if (is_for_good(gpu) && !all_for_good) continue;
    if (std::ranges::find(gpu.refusals, "batch_gpu", &Refusal::rule) != gpu.refusals.end()) continue;
    for (const Refusal& refusal : gpu.refusals) {
      if (refusal.unblocked.empty() || (all_for_good && !refusal.is_for_good)) continue;
      auto same = std::ranges::find(found, refusal.unblocked, &std::pair<std::string, std::vector<std::string>>::first);
      if (same == found.end()) same = found.insert(found.end(), {refusal.unblocked, {}});
      same->second.push_back(gpu_name(gpu.gpu));
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [what, where] : found) {
    sentences.push_back(words("unblocks.on", {{"gpus", fmt::format("{}", fmt::join(where, ", "))}, {"what", what}}));
  }
  return sentences;
}

}  // namespace

Explanation RealEngine::explain(int64_t task, int64_t now_ns) const {
  Explanation found;
  found.task = task;
  const auto at = tasks_.find(task);
  if (at == tasks_.end()) return found;
  const Entry& entry = at->second;
  switch (entry.task.state) {
    case TaskState::blocked: explain_blocked(entry, found); break;
    case TaskState::waiting: explain_waiting(entry, now_ns, found); break;
    case TaskState::running: found.summary = summary_of_running(entry.task); break;
    case TaskState::succeeded: found.summary = words("summary.succeeded"); break;
    case TaskState::failed:
    case TaskState::cancelled: found.summary = entry.task.reason; break;
  }
  return found;
}

std::string RealEngine::summary_of_running(const Task& task) const {
  if (task.cancelling) return words("summary.cancelling", {{"by", task.cancelled_by}});
  const std::string time = moment_text(task.attempts.back().started_ns / 1'000'000'000) + "Z";
  if (task.attempts.back().gpus.empty()) return words("summary.running_host", {{"time", time}});
  std::vector<std::string> gpus;
  for (const std::string& uuid : task.attempts.back().gpus) {
    const FleetGpu* const gpu = fleet_.find(uuid);
    gpus.push_back(gpu == nullptr ? uuid : gpu_name(gpu->state.index));
  }
  return words("summary.running", {{"gpus", fmt::format("{}", fmt::join(gpus, ", "))}, {"time", time}});
}

void RealEngine::explain_blocked(const Entry& entry, Explanation& found) const {
  std::vector<std::string> before;
  for (const int64_t id : entry.task.spec.after) {
    const Task* const other = find(id);
    if (other == nullptr || is_over(other->state)) continue;
    before.push_back(fmt::format("task {} ({})", id, state_name(other->state)));
    found.unblocks.push_back(
        words("unblocks.dependency", {{"task", std::to_string(id)}, {"state", std::string(state_name(other->state))}}));
  }
  found.summary = words("summary.blocked", {{"tasks", fmt::format("{}", fmt::join(before, ", "))}});
}

void RealEngine::explain_waiting(const Entry& entry, int64_t now_ns, Explanation& found) const {
  if (entry.not_before_ns > 0) {
    found.summary = words("summary.pausing", {{"time", shown_ns(std::max<int64_t>(0, entry.not_before_ns - now_ns))},
                                              {"reason", how_it_ended(entry.task)}});
    return;
  }
  int64_t position = 1;
  for (const Place& place : queue_.order()) {
    if (place == place_of(entry)) break;
    if (found.ahead.size() < kMaxAhead) found.ahead.push_back(place.task);
    position += 1;
  }
  found.position = position;
  if (!entry.needs_gpus()) {
    found.summary =
        words("summary.host", {{"limit", std::to_string(config_->gpu.multi_gpu.max_concurrent_tasks_per_gpu)}});
  } else {
    explain_gpus(entry, found);
  }
  if (is_draining_) found.summary = words("summary.draining");
}

void RealEngine::explain_gpus(const Entry& entry, Explanation& found) const {
  const Task& task = entry.task;
  found.gpus = placement_.judge(*config_, task, place_of(entry), nullptr);
  if (found.gpus.empty()) {
    found.summary = words("summary.no_gpus");
    return;
  }
  found.unblocks = unblocks_of(found.gpus);
  const auto eligible = std::ranges::count_if(found.gpus, [](const Judgement& g) { return g.refusals.empty(); });
  if (eligible >= task.spec.gpus) {
    found.summary = *found.position == 1 || is_dirty_
                        ? words("summary.next")
                        : words("summary.behind", {{"count", std::to_string(*found.position - 1)}});
    return;
  }
  found.summary = summary_of_gpus(task, found.gpus, eligible);
}

std::string RealEngine::summary_of_gpus(const Task& task, const std::vector<Judgement>& gpus, int64_t eligible) const {
  const std::string reason = main_reason(gpus);
  const std::string* const mapped = mapping_of(*config_, task);
  for (size_t i = 0; i < gpus.size(); ++i) {
    const GpuState& gpu = fleet_.gpus()[i].state;
    if (gpus[i].refusals.empty()) continue;
    const std::string& own = gpus[i].refusals.front().reason;
    if (mapped != nullptr && names_gpu(*mapped, gpu)) {
      return words("summary.mapped", {{"type", task.spec.type}, {"mapped", *mapped}, {"reason", own}});
    }
    if (task.only_gpus == std::vector{gpu.uuid}) {
      return words("summary.batch", {{"gpu", gpu_name(gpu.index)}, {"reason", own}});
    }
  }
  const auto possible = std::ranges::count_if(gpus, [](const Judgement& g) { return !is_for_good(g); });
  if (possible < task.spec.gpus) return words("summary.never", {{"reason", reason}});
  if (task.spec.gpus == 1) return words("summary.one", {{"reason", reason}});
  return words("summary.several", {{"needed", std::to_string(task.spec.gpus)},
                                   {"eligible", std::to_string(eligible)},
                                   {"count", std::to_string(gpus.size())},
                                   {"reason", reason}});
}

}  // namespace sonde::dispatch
