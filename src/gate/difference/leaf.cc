#include "gate/difference/leaf.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analyses/gpus/idle_time.h"
#include "gate/difference/renamed_kernels.h"

namespace sonde::gate {
namespace {

/// Sums over the runs of a side.
struct Sums {
  int64_t extent_ns = 0;
  int64_t turns = 1;  ///< steps or runs
  struct Amount {
    int64_t ns = 0;
    int64_t count = 0;
    int64_t duration_ns = 0;
    int64_t bytes = 0;
    std::vector<int64_t> on_gpu = {};
    std::vector<int64_t> duration_on_gpu = {};
  };
  std::map<LeafKey, Amount> leaves = {};
  std::map<std::pair<std::string, std::string>, std::pair<CallGroup, Amount>> calls = {};  ///< by name and module

  [[nodiscard]] int64_t length_ns() const { return (extent_ns + turns / 2) / turns; }
};

void add_to(Sums& sums, const LeafKey& key, uint32_t gpu, int64_t ns, int64_t count, int64_t duration_ns = 0) {
  Sums::Amount& amount = sums.leaves[key];
  amount.ns += ns;
  amount.count += count;
  amount.duration_ns += duration_ns;
  if (amount.on_gpu.size() <= gpu) {
    amount.on_gpu.resize(gpu + 1);
    amount.duration_on_gpu.resize(gpu + 1);
  }
  amount.on_gpu[gpu] += ns;
  amount.duration_on_gpu[gpu] += duration_ns;
}

std::string module_of(const std::string& module, const Comparable& by) {
  return by.modules ? module : std::string(kAnyModule);
}

LeafKey key_of(const WorkGroup& group, const Comparable& by) {
  return {.idle = false,
          .kind = group.kind,
          .name = group.name,
          .module = module_of(group.module, by),
          .what = {},
          .pageable = group.pageable && by.copy_memory,
          .communication = group.communication};
}

LeafKey idle_key(std::string_view cause, const std::string& module = {}, const std::string& what = {}) {
  return {.idle = true, .kind = {}, .name = std::string(cause), .module = module, .what = what};
}

bool is_host_work(std::string_view cause) {
  constexpr std::array<std::string_view, 4> kCauses = {"os_call", "library", "range", "host"};
  return std::ranges::find(kCauses, cause) != kCauses.end();
}

LeafKey key_of(const IdleGroup& group, const Comparable& by) {
  const std::string module = module_of(group.module, by);
  if (!by.calls) return idle_key(kAnyCause, module);
  if (!by.host_work && is_host_work(group.cause)) return idle_key(kHostWork, module);
  return idle_key(group.cause, module, group.what);
}

/// What a record does not account for is idle all the same: that of GPUs that it does not have, or not known why.
void add_missing(Sums& sums, const RunRecord& run, size_t gpus) {
  int64_t listed_ns = 0;
  for (const WorkGroup& group : run.work) listed_ns += group.share_ns;
  for (const IdleGroup& group : run.idle) listed_ns += group.ns;
  const auto own = static_cast<int64_t>(run.gpus.size());
  if (const int64_t rest = run.extent_ns * own - listed_ns; rest != 0) add_to(sums, idle_key("unknown"), 0, rest, 0);
  for (size_t gpu = run.gpus.size(); gpu < gpus; ++gpu) {
    add_to(sums, idle_key(kNoGpu), static_cast<uint32_t>(gpu), run.extent_ns, 1);
  }
}

void add_run(Sums& sums, const RunRecord& run, size_t gpus, const Comparable& by) {
  sums.extent_ns += run.extent_ns;
  for (const WorkGroup& group : run.work) {
    const LeafKey key = key_of(group, by);
    add_to(sums, key, group.gpu, group.share_ns, group.count, group.duration_ns);
    sums.leaves[key].bytes += group.bytes;
  }
  for (const IdleGroup& group : run.idle) {
    add_to(sums, key_of(group, by), group.gpu, group.ns, group.pieces);
  }
  add_missing(sums, run, gpus);
  if (!by.calls) return;
  for (const CallGroup& group : run.calls) {
    auto& [call, amount] = sums.calls[{group.name, module_of(group.module, by)}];
    call.launches |= group.launches;
    call.synchronizes |= group.synchronizes;
    call.allocates |= group.allocates;
    amount.ns += group.duration_ns;
    amount.count += group.count;
  }
}

Sums sums_of(std::span<const RunRecord> runs, bool per_step, size_t gpus, const Comparable& by) {
  Sums sums;
  for (const RunRecord& run : runs) add_run(sums, run, gpus, by);
  int64_t turns = per_step ? 0 : static_cast<int64_t>(runs.size());
  if (per_step) {
    for (const RunRecord& run : runs) turns += run.steps;
  }
  sums.turns = std::max<int64_t>(turns, 1);
  return sums;
}

/// Shares the length times the GPUs out among the leaves: the running sum is rounded, so that it ends exactly there.
void add_side(const Sums& sums, LeafSide Leaf::* side, std::map<LeafKey, Leaf>& leaves) {
  if (sums.extent_ns == 0) return;
  const auto scale = static_cast<long double>(sums.length_ns());
  const auto extent = static_cast<long double>(sums.extent_ns);
  const auto turns = static_cast<double>(sums.turns);
  int64_t sum = 0;
  int64_t given = 0;
  for (const auto& [key, amount] : sums.leaves) {
    sum += amount.ns;
    const int64_t up_to = std::llround(static_cast<long double>(sum) / extent * scale);
    LeafSide& part = leaves[key].*side;
    part = {true,
            up_to - given,
            static_cast<double>(amount.count) / turns,
            static_cast<double>(amount.duration_ns) / turns,
            static_cast<double>(amount.bytes) / turns,
            {},
            {}};
    for (const int64_t ns : amount.on_gpu) part.on_gpu.push_back(static_cast<double>(ns) / turns);
    for (const int64_t ns : amount.duration_on_gpu) part.duration_on_gpu.push_back(static_cast<double>(ns) / turns);
    given = up_to;
  }
}

void add_calls(const Sums& sums, CallSide CallChange::* side,
               std::map<std::pair<std::string, std::string>, CallChange>& calls) {
  const auto turns = static_cast<double>(sums.turns);
  for (const auto& [key, group] : sums.calls) {
    const auto& [call, amount] = group;
    CallChange& change = calls[key];
    change.name = key.first;
    change.module = key.second;
    change.launches |= call.launches;
    change.synchronizes |= call.synchronizes;
    change.allocates |= call.allocates;
    change.*side = {true, static_cast<double>(amount.count) / turns, static_cast<double>(amount.ns) / turns};
  }
}

/// A GPU's clock in the mean of a side's runs, by the time that they lasted; 0 where one does not tell.
double clock_of(std::span<const RunRecord> runs, size_t gpu) {
  double cycles = 0;
  double ns = 0;
  for (const RunRecord& run : runs) {
    if (gpu >= run.gpus.size() || !run.gpus[gpu].sm_clock_hz) return 0;
    const auto weight = static_cast<double>(std::max<int64_t>(run.extent_ns, 1));
    cycles += *run.gpus[gpu].sm_clock_hz * weight;
    ns += weight;
  }
  return ns > 0 ? cycles / ns : 0;
}

/// What of the changed side's time would not be there at the base's clock.
std::optional<int64_t> clock_part(const Leaf& leaf, const std::vector<std::optional<ClockChange>>& clocks) {
  if (leaf.key.idle || leaf.key.kind != WorkKind::kernel) return std::nullopt;
  double part = 0;
  for (size_t gpu = 0; gpu < leaf.changed.on_gpu.size(); ++gpu) {
    const double ns = leaf.changed.on_gpu[gpu];
    if (ns == 0) continue;
    if (gpu >= clocks.size() || !clocks[gpu]) return std::nullopt;
    part += ns * (1 - clocks[gpu]->changed_hz / clocks[gpu]->base_hz);
  }
  return std::llround(part);
}

/// The share that it would have had, had as much run beside it as in the base, is what its own duration explains.
int64_t overlap_part(const Leaf& leaf) {
  if (leaf.key.idle || leaf.base.duration_ns <= 0 || leaf.changed.duration_ns <= 0) return 0;
  const double as_before = static_cast<double>(leaf.base.ns) * leaf.changed.duration_ns / leaf.base.duration_ns;
  return leaf.changed.ns - std::llround(as_before);
}

bool all_have_steps(std::span<const RunRecord> runs) {
  return !runs.empty() && std::ranges::all_of(runs, [](const RunRecord& run) { return run.steps > 0; });
}

/// Of the run with most GPUs.
std::vector<std::string> places_of(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  std::vector<std::string> places;
  for (const auto& runs : {base, changed}) {
    for (const RunRecord& run : runs) {
      for (size_t gpu = places.size(); gpu < run.gpus.size(); ++gpu) places.push_back(run.gpus[gpu].place);
    }
  }
  return places;
}

}  // namespace

Leaves leaves_of(std::span<const RunRecord> base, std::span<const RunRecord> changed, const Comparable& by) {
  Leaves found;
  found.gpu_places = places_of(base, changed);
  found.gpus = found.gpu_places.size();
  found.per_step = all_have_steps(base) && all_have_steps(changed);
  const Sums before = sums_of(base, found.per_step, found.gpus, by);
  const Sums after = sums_of(changed, found.per_step, found.gpus, by);
  found.base_ns = before.length_ns();
  found.changed_ns = after.length_ns();
  for (size_t gpu = 0; gpu < found.gpus; ++gpu) {
    const ClockChange clock{clock_of(base, gpu), clock_of(changed, gpu)};
    const bool known = clock.base_hz > 0 && clock.changed_hz > 0;
    found.clocks.push_back(known ? std::optional(clock) : std::nullopt);
  }
  std::map<LeafKey, Leaf> leaves;
  add_side(before, &Leaf::base, leaves);
  add_side(after, &Leaf::changed, leaves);
  pair_renamed(leaves);
  for (auto& [key, leaf] : leaves) {
    leaf.key = key;
    leaf.clock_ns = clock_part(leaf, found.clocks);
    leaf.open_overlap_ns = overlap_part(leaf);
    leaf.open_ns = leaf.change_ns() - leaf.open_overlap_ns;
    found.leaves.push_back(std::move(leaf));
  }
  std::map<std::pair<std::string, std::string>, CallChange> calls;
  add_calls(before, &CallChange::base, calls);
  add_calls(after, &CallChange::changed, calls);
  for (auto& [key, call] : calls) found.calls.push_back(std::move(call));
  return found;
}

std::string work_name(const LeafKey& key) {
  switch (key.kind) {
    case WorkKind::copy: return fmt::format("{}{}", key.name, key.pageable ? " (pageable)" : "");
    case WorkKind::set: return "[memsets]";
    case WorkKind::graph_launch: return "[graph launches]";
    default: return key.name;
  }
}

std::string idle_title(std::string_view cause) {
  if (cause == kNoGpu) return "no such GPU";
  if (cause == kAnyCause) return "any cause";
  if (cause == kHostWork) return "host work";
  for (uint8_t i = 0; i < static_cast<uint8_t>(IdleCause::count_); ++i) {
    const IdleCauseInfo& info = info_of(static_cast<IdleCause>(i));
    if (info.name == cause) return std::string(info.title);
  }
  return std::string(cause);
}

std::string module_name(const std::string& path) { return path.empty() ? "(outside any module)" : path; }

}  // namespace sonde::gate
