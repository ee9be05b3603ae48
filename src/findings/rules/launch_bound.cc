#include <algorithm>
#include <array>
#include <deque>
#include <ranges>

#include <fmt/format.h>

#include "analyses/gpus/operations_by_start.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/claimed_idle_time.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/places.h"
#include "findings/rule.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

/// Stretches in which a GPU is idle again and again because one thread launches work more slowly than the GPU finishes
/// it. No call between the launches waits for anything. The ceiling is what a replay (replay.h) saves in which each
/// stretch is one CUDA graph: its first launch remains, and kernels keep their durations. The graph begins with those
/// launches before the stretch that took the host about as long each while the GPU still had work: they made the host
/// late. Idle time in runs of tiny_kernels is no part of a stretch. Waits and long host work end a stretch; other rules
/// report them.
namespace sonde {
namespace launch_bound_finding {
namespace {

/// After a wait, or at the beginning of a step, the GPU is idle a few times before the host is ahead again.
constexpr int64_t kMinStarts = 16;
/// The most launches in a row that find the GPU busy: a long kernel gives the host time for some.
constexpr size_t kMaxFed = 16;
/// The least share of a stretch in which the GPU is idle. What starting a kernel takes is less.
constexpr double kMinIdleShare = 0.1;
/// Longer host time between two launches is other work: this many times the usual time before launches that find the
/// GPU idle, and kMaxReadyingNs at most. PyTorch's eager operators, profiled, take 40 to 110 us at the median and 200
/// to 430 us at the 99th percentile.
constexpr int64_t kMaxOfUsual = 8;
constexpr int64_t kMaxReadyingNs = 1'000'000;

/// A call that put work on a GPU.
struct Launch {
  Row call = kNone;
  uint32_t gpu = kNone;
  int64_t ready_ns = 0;    ///< host time since the launch before
  int64_t starved_ns = 0;  ///< before its first operation, nothing to compute for the GPU and the call not back
  int64_t end_ns = 0;      ///< of its last operation
  int64_t busy_ns = 0;     ///< share of the GPU's time
  int64_t operations = 0;
  bool beside = false;   ///< a copy between host and GPU, which overlaps kernels
  bool claimed = false;  ///< it found the GPU idle, and another finding explains that
};

struct Stretch {
  std::vector<Launch> launches;  ///< the first one did not wait, or for other reasons
  int64_t starved_ns = 0;
  int64_t starved = 0;  ///< how many launches found the GPU idle
  int64_t busy_ns = 0;
  Row graph_first = kNone;  ///< of `api`: the launch with which it would begin as a graph
  [[nodiscard]] Span host(const Calls& api) const {
    return {api.end[launches.front().call], api.end[launches.back().call]};
  }
};

/// What each call launched.
class Launches {
 public:
  Launches(const Facts& facts, const ClaimedIdleTime& claimed) : of_call_(row_count(facts.trace.api), kNone) {
    std::vector<int64_t> busy_until(facts.gpus.gpus.size(), facts.extent.first);
    for_each_operation_by_start(facts.trace, [&](const GpuOps& ops, Row row) {
      const uint32_t gpu = facts.gpus.of_stream[ops.stream[row]];
      const bool beside = &ops == &facts.trace.copies && crosses_link(facts.trace.copies, row);
      const Row call = ops.launch.empty() ? kNone : ops.launch[row];
      if (call != kNone && facts.judged(ops.start[row])) {
        Launch& launch = launch_of(call);
        const bool starved = !beside && ops.start[row] > busy_until[gpu] && facts.trace.api.end[call] > busy_until[gpu];
        if (launch.operations == 0 && starved) {
          launch.claimed = claimed.holds(gpu, busy_until[gpu]);
          launch.starved_ns = launch.claimed ? 0 : ops.start[row] - busy_until[gpu];
        }
        launch.beside = beside;
        launch.gpu = gpu;
        launch.end_ns = std::max(launch.end_ns, ops.end[row]);
        launch.busy_ns += facts.shares.of(facts.trace, ops)[row];
        ++launch.operations;
      }
      if (!beside) busy_until[gpu] = std::max(busy_until[gpu], ops.end[row]);
    });
  }

  /// nullptr where the call launched nothing.
  [[nodiscard]] const Launch* find(Row call) const { return of_call_[call] == kNone ? nullptr : &all_[of_call_[call]]; }

 private:
  Launch& launch_of(Row call) {
    uint32_t& place = of_call_[call];
    if (place == kNone) {
      place = static_cast<uint32_t>(all_.size());
      all_.push_back({.call = call});
    }
    return all_[place];
  }

  Ids of_call_;  ///< its place in `all_`
  std::deque<Launch> all_;
};

class Stretches {
 public:
  Stretches(const Facts& facts, const Claims& claims) : facts_(facts), launches_(facts, ClaimedIdleTime(claims)) {
    const Calls& api = facts.trace.api;
    const RowsByThread rows(api.thread, facts.trace.threads.size());
    for (ThreadId thread = 0; thread < facts.trace.threads.size(); ++thread) {
      for (const Row row : rows.rows_of(thread)) add_call(row);
      close();
    }
  }
  [[nodiscard]] std::vector<Stretch>& all() { return stretches_; }

 private:
  void add_call(Row row) {
    const Calls& api = facts_.trace.api;
    const Launch* const launch = launches_.find(row);
    if (waits(row, launch)) return close();
    if (launch == nullptr) return;
    run_.push_back(*launch);
    if (run_.size() > 1) run_.back().ready_ns = api.start[row] - api.end[run_[run_.size() - 2].call];
  }

  [[nodiscard]] bool waits(Row row, const Launch* launch) const {
    switch (facts_.api_kinds[row]) {
      case ApiKind::synchronize:
      case ApiKind::copy_blocking:
      case ApiKind::allocate: return true;
      case ApiKind::copy_async:
        return launch != nullptr && launch->beside && facts_.trace.api.end[row] >= launch->end_ns;
      default: return false;
    }
  }

  /// The median host time before a launch that finds the GPU idle.
  [[nodiscard]] int64_t usual_readying() const {
    Longs usual;
    for (const Launch& launch : run_ | std::views::drop(1)) {
      if (launch.starved_ns > 0) usual.push_back(launch.ready_ns);
    }
    if (usual.empty()) return 0;
    const auto middle = usual.begin() + static_cast<std::ptrdiff_t>(usual.size() / 2);
    std::ranges::nth_element(usual, middle);
    return *middle;
  }

  /// Takes the stretches out of launches that follow each other without a wait.
  void close() {
    const int64_t usual = usual_readying();
    const int64_t longest = std::min(kMaxReadyingNs, kMaxOfUsual * usual);
    size_t begin = 0;  // where no stretch reaches back beyond
    size_t first = 0;  // of the stretch; the launch before the first that found the GPU idle
    size_t last = 0;   // 0: none is open
    for (size_t i = 1; i < run_.size(); ++i) {
      const int64_t began = facts_.trace.api.start[run_[i].call];
      const int64_t began_before = facts_.trace.api.start[run_[i - 1].call];
      if (run_[i].ready_ns > longest || facts_.step_of(began) != facts_.step_of(began_before)) {
        if (last != 0) take(first, last, lead_of(begin, first, usual));
        last = 0;
        begin = i;
        continue;
      }
      if (run_[i].starved_ns == 0) continue;
      if (last == 0 || i - last > kMaxFed) {
        if (last != 0) {
          take(first, last, lead_of(begin, first, usual));
          begin = last;
        }
        first = i - 1;
      }
      last = i;
    }
    if (last != 0) take(first, last, lead_of(begin, first, usual));
    run_.clear();
  }

  /// The first of the launches before a stretch that took the host at least half of what is usual in it. Idle time of
  /// another finding is not gained twice.
  [[nodiscard]] size_t lead_of(size_t begin, size_t first, int64_t usual) const {
    while (first > begin && run_[first].ready_ns >= usual / 2 && !run_[first].claimed) --first;
    return first;
  }

  void take(size_t first, size_t last, size_t lead) {
    Stretch stretch;
    stretch.graph_first = run_[lead].call;
    for (size_t i = first; i <= last; ++i) {
      stretch.launches.push_back(run_[i]);
      if (i == first) continue;
      stretch.starved_ns += run_[i].starved_ns;
      stretch.starved += run_[i].starved_ns > 0 ? 1 : 0;
      stretch.busy_ns += run_[i].busy_ns;
    }
    const Span host = stretch.host(facts_.trace.api);
    const double share = static_cast<double>(stretch.starved_ns) / static_cast<double>(host.second - host.first);
    if (stretch.starved >= kMinStarts && share >= kMinIdleShare) stretches_.push_back(std::move(stretch));
  }

  const Facts& facts_;
  Launches launches_;
  std::vector<Launch> run_;
  std::vector<Stretch> stretches_;
};

struct Sums {
  int64_t launches = 0;  ///< but the first of each stretch
  int64_t operations = 0;
  int64_t starved_ns = 0;
  int64_t busy_ns = 0;
  int64_t host_ns = 0;
};

Sums sums_of(const Calls& api, const std::vector<Stretch>& stretches) {
  Sums sums;
  for (const Stretch& s : stretches) {
    sums.launches += static_cast<int64_t>(s.launches.size()) - 1;
    for (const Launch& launch : s.launches | std::views::drop(1)) sums.operations += launch.operations;
    sums.starved_ns += s.starved_ns;
    sums.busy_ns += s.busy_ns;
    sums.host_ns += s.host(api).second - s.host(api).first;
  }
  return sums;
}

Change as_graphs(const Calls& api, const std::vector<Stretch>& stretches) {
  Change change;
  for (const Stretch& s : stretches) {
    change.cuts.push_back({api.thread[s.graph_first], api.end[s.graph_first], s.host(api).second, true});
  }
  return change;
}

void claim(const Calls& api, const std::vector<Stretch>& stretches, Claims& claims) {
  for (const Stretch& s : stretches) {
    std::vector<int64_t> until(claims.idle.size(), kUnknown);
    for (const Launch& launch : s.launches) until[launch.gpu] = std::max(until[launch.gpu], launch.end_ns);
    for (uint32_t gpu = 0; gpu < until.size(); ++gpu) {
      if (until[gpu] > s.host(api).first) claims.idle[gpu].emplace_back(s.host(api).first, until[gpu]);
    }
  }
}

/// Whether no call waits for the GPU in the judged steps: then each could be one graph.
bool steps_never_wait(const Facts& facts) {
  const Calls& api = facts.trace.api;
  for (Row row = 0; facts.steps && row < row_count(api); ++row) {
    const ApiKind kind = facts.api_kinds[row];
    const bool waits = kind == ApiKind::synchronize || kind == ApiKind::copy_blocking;
    if (waits && facts.judged_on_host(api.start[row])) return false;
  }
  return facts.steps.has_value();
}

/// What a graph of each whole step saves at most, if the stretches are most of what the host does in the steps: all
/// idle time. 0 otherwise.
int64_t whole_steps_ns(const Facts& facts, int64_t ceiling) {
  constexpr double kMostOfIdle = 0.8;
  const int64_t idle = facts.wall_ns() - facts.per_gpu(facts.judged_busy_ns());
  const bool most = static_cast<double>(ceiling) >= kMostOfIdle * static_cast<double>(idle);
  return most && steps_never_wait(facts) ? idle : 0;
}

void add_places(const Stretch& stretch, Places& places) {
  for (const Launch& launch : stretch.launches) {
    if (launch.starved_ns > 0) places.add(launch.call, launch.starved_ns);
  }
}

Finding finding_of(const Facts& facts, std::vector<Stretch>& stretches, int64_t ceiling) {
  const Calls& api = facts.trace.api;
  const Sums sums = sums_of(api, stretches);
  const auto number = [](int64_t n) { return static_cast<double>(n); };
  const double launches = number(std::max<int64_t>(1, sums.launches));
  Places places(facts);
  for (const Stretch& s : stretches) add_places(s, places);
  Finding finding{.id = "launch_bound",
                  .arguments = {text_argument("place", places.most_in_words()),
                                duration_argument("time", sums.starved_ns), count_argument("launches", sums.launches),
                                duration_argument("host", number(sums.host_ns) / launches),
                                duration_argument("busy", number(sums.busy_ns) / launches),
                                count_argument("rate", 1e9 * number(sums.operations) / number(sums.host_ns))},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(stretches, std::greater(), &Stretch::starved_ns);
  for (const Stretch& s : stretches | std::views::take(kMaxEvidence)) {
    Places place(facts);
    add_places(s, place);
    const Span host = s.host(api);
    finding.evidence.push_back(
        {host.first, host.second, facts.gpus.gpus[s.launches.back().gpu].place, place.most().name});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  if (row_count(k) + row_count(facts.trace.graph_launches) == 0) return;
  if (facts.trace.api.start.empty() || std::ranges::all_of(k.launch, [](Row launch) { return launch == kNone; })) {
    diagnosis.abstentions.push_back({"launch_bound", "launch_bound.no_launches", {}});
    return;
  }
  Stretches found(facts, *diagnosis.earlier);
  std::vector<Stretch>& stretches = found.all();
  const Calls& api = facts.trace.api;
  if (facts.percent_of_wall(facts.per_gpu(sums_of(api, stretches).starved_ns)) < kWorthPercent) return;
  const Change change = as_graphs(api, stretches);
  int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim(api, stretches, diagnosis.claims);
  if (const int64_t whole = whole_steps_ns(facts, ceiling); whole > ceiling) {
    ceiling = whole;
    for (std::vector<Span>& idle : diagnosis.claims.idle) idle.push_back(facts.extent);
  }
  diagnosis.findings.push_back(finding_of(facts, stretches, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"launch_bound.says",
     "{place}, the host launches work more slowly than the GPU finishes it. Each of {launches} launches takes the host "
     "{host} on average, for {busy} of GPU work ({rate} operations per second). The GPU is idle between them for "
     "{time} in total."},
    {"launch_bound.do",
     "Launch these stretches as CUDA graphs (torch.cuda.graph, torch.compile mode=\"reduce-overhead\"), or reduce the "
     "host work per operator: fused kernels, larger batches, less Python."},
    {"launch_bound.no_launches.says",
     "the profile does not contain the calls that launched the kernels, so the time that the host takes for a launch "
     "is unknown"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"launch_bound"},
      .reports = "The GPU is idle many times in a row between launches of one thread, and the thread waits for nothing "
                 "in that "
                 "time. The finding names the innermost range with three quarters of this idle time.",
      .when = fmt::format(
          "At least {} launches of a stretch find the GPU idle, at most {} in a row do not, and the GPU is idle "
          "for at least {:g} % of the stretch.",
          kMinStarts, kMaxFed, 100 * kMinIdleShare),
      .not_when =
          fmt::format("Idle time that `tiny_kernels` explains does not count. A launch that takes {} times longer than "
                      "usual in the stretch, or longer than {} ms, ends the stretch. No conclusion is drawn without "
                      "the launching calls.",
                      kMaxOfUsual, kMaxReadyingNs / 1'000'000),
      .ceiling =
          "Replay with each stretch as one CUDA graph: launched at its first launch, with kernels as long as recorded.",
      .evidence = "The stretches with the most idle time."}};
}

}  // namespace
}  // namespace launch_bound_finding

extern const Rule launch_bound_rule;
const Rule launch_bound_rule{
    .name = "launch_bound",
    .description = "stretches in which the GPU is idle because the host launches too slowly",
    .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
    .checks = {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    .judge = &launch_bound_finding::judge,
    .texts = launch_bound_finding::kTexts,
    .docs = &launch_bound_finding::docs,
    .saves = Saves::waits,
    .fix = FixKind::host_wait,
    .claims = ClaimUse::both};

}  // namespace sonde
