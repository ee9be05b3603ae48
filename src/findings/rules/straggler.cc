#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "analyses/gpus/idle_totals.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/exposed_pieces.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// One GPU enters collectives late repeatedly, and the others wait for it with nothing to compute. The start of a
/// collective's kernels identifies the late GPU, not their durations: the longest kernels belong to the GPUs that wait.
/// If the late GPU's kernels take longer, the ceiling is what a replay (replay.h) saves with a GPU as fast as the
/// others, or with the work shared evenly. Otherwise the ceiling is the waiting that disappears if that GPU comes
/// earlier by its mean lateness: after that, another GPU comes last by chance.
namespace sonde {
namespace straggler_finding {
namespace {

/// The share of all waiting in collectives that is for one GPU. By chance alone it is half with two GPUs.
constexpr double kMinShare = 0.75;
constexpr size_t kMinTimes = 3;
constexpr double kMaxInOne = 0.5;

/// Of each collective, how long each GPU has nothing to compute in that time.
using Exposed = std::map<uint32_t, std::map<uint32_t, int64_t>>;

/// While it waits for the last to enter, or while data move.
Exposed exposed_of(const std::vector<ExposedPiece>& pieces, bool waits) {
  Exposed exposed;
  for (const ExposedPiece& p : pieces) {
    if (p.collective != kNone && p.waits == waits) exposed[p.collective][p.gpu] += p.span.second - p.span.first;
  }
  return exposed;
}

/// How late one GPU comes to a collective, in time that others lose by it; negative where that GPU waits for others.
struct Lateness {
  size_t position = 0;  ///< of the collective in its step; 0 for all where no steps are found
  int64_t ns = 0;
};

/// What the participant that loses least loses: with the late GPU on time, that one comes last.
int64_t least_of(const MatchedCollective& c, const Exposed& exposed, uint32_t collective) {
  const auto found = exposed.find(collective);
  if (found == exposed.end()) return 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Participant& p : c.participants) {
    if (p.gpu == c.last().gpu) continue;
    const auto ns = found->second.find(p.gpu);
    least = std::min(least, ns == found->second.end() ? 0 : ns->second);
  }
  return least;
}

/// Of one collective alone; negative where the GPU waits for others.
int64_t lateness_in(const MatchedCollective& c, const Exposed& waits, uint32_t collective, uint32_t gpu) {
  if (c.last().gpu == gpu) return least_of(c, waits, collective);
  const auto found = waits.find(collective);
  return found == waits.end() || !found->second.contains(gpu) ? 0 : -found->second.at(gpu);
}

/// Whether one of the GPUs computes nothing between the two: its waits in them are one wait.
bool goes_on(const Facts& facts, const MatchedCollective& before, const MatchedCollective& c) {
  return std::ranges::any_of(c.participants, [&](const Participant& p) {
    const auto same = std::ranges::find(before.participants, p.gpu, &Participant::gpu);
    if (same == before.participants.end()) return false;
    return same->end_ns >= p.entry_ns || covered_ns({same->end_ns, p.entry_ns}, facts.activity[p.gpu].compute) == 0;
  });
}

/// Collectives in which a GPU waits without computing between them count together, in the place of the last. What one
/// of them moves while the GPU is already late for the next would be moved during computation.
std::vector<Lateness> lateness_of(const Facts& facts, const Exposed& waits, const Exposed& moves, uint32_t gpu) {
  std::vector<Lateness> all;
  size_t step = 0;
  size_t position = 0;
  const MatchedCollective* before = nullptr;
  for (size_t i = 0; i < facts.collectives.all.size(); ++i) {
    const MatchedCollective& c = facts.collectives.all[i];
    const bool takes_part = std::ranges::find(c.participants, gpu, &Participant::gpu) != c.participants.end();
    if (!takes_part || !c.complete() || !facts.judged(c.first_entry_ns())) continue;
    const size_t of_step = facts.steps_begun(c.first_entry_ns());
    const bool same_step = facts.steps && of_step == step;
    position = same_step ? position + 1 : 0;
    step = of_step;
    int64_t ns = lateness_in(c, waits, static_cast<uint32_t>(i), gpu);
    if (same_step && before != nullptr && goes_on(facts, *before, c)) {
      if (ns > 0 && before->last().gpu == gpu) {
        ns += std::min(ns, least_of(*before, moves, static_cast<uint32_t>(before - facts.collectives.all.data())));
      }
      all.back() = {position, all.back().ns + ns};
    } else {
      all.push_back({position, ns});
    }
    before = &c;
  }
  return all;
}

int64_t positive_sum(const std::vector<Lateness>& all) {
  int64_t sum = 0;
  for (const Lateness& late : all) sum += std::max<int64_t>(0, late.ns);
  return sum;
}

/// By how much less others wait when the GPU comes earlier by its mean lateness, collective by collective of the step.
/// Without steps, collectives cannot be distinguished: the waiting of others for it less its waiting for them.
int64_t saving_of(const Facts& facts, const std::vector<Lateness>& all) {
  if (!facts.steps) {
    return std::accumulate(all.begin(), all.end(), int64_t{0},
                           [](int64_t sum, Lateness late) { return sum + late.ns; });
  }
  struct Sum {
    int64_t ns = 0;
    int64_t count = 0;
  };
  std::map<size_t, Sum> sums;
  for (const Lateness& late : all) {
    sums[late.position].ns += late.ns;
    ++sums[late.position].count;
  }
  int64_t saving = 0;
  for (const Lateness& late : all) {
    const int64_t mean = std::max<int64_t>(0, sums[late.position].ns / sums[late.position].count);
    saving += std::max<int64_t>(0, late.ns) - std::max<int64_t>(0, late.ns - mean);
  }
  return saving;
}

bool again_and_again(const std::vector<Lateness>& all) {
  const auto times = std::ranges::count_if(all, [](const Lateness& late) { return late.ns > 0; });
  const int64_t most = std::ranges::max_element(all, {}, &Lateness::ns)->ns;
  return static_cast<size_t>(times) >= kMinTimes &&
         static_cast<double>(most) <= kMaxInOne * static_cast<double>(positive_sum(all));
}

/// What one GPU has more of than the others, as their median.
int64_t more_than_others(const std::vector<int64_t>& of_gpu, uint32_t gpu) {
  std::vector<int64_t> others;
  for (uint32_t g = 0; g < of_gpu.size(); ++g) {
    if (g != gpu) others.push_back(of_gpu[g]);
  }
  std::ranges::sort(others);
  return of_gpu[gpu] - others[(others.size() - 1) / 2];
}

std::vector<int64_t> sums_of(const IdleTotals& idle) {
  std::vector<int64_t> sums;
  for (const auto& of_gpu : idle.of_gpu) sums.push_back(std::accumulate(of_gpu.begin(), of_gpu.end(), int64_t{0}));
  return sums;
}

/// Blocks of the kernels that each GPU computes with: its work. Empty if the profile has no grids.
std::vector<int64_t> blocks_of_gpus(const Facts& facts) {
  const Kernels& k = facts.trace.kernels;
  if (k.grid.empty()) return {};
  std::vector<int64_t> blocks(facts.gpus.gpus.size(), 0);
  for (Row row = 0; row < row_count(k); ++row) {
    if (facts.communication[row] != CommunicationKind::none || !facts.judged(k.start[row])) continue;
    const Dim3& grid = k.grid[row];
    blocks[facts.gpus.of_stream[k.stream[row]]] += int64_t{grid[0]} * grid[1] * grid[2];
  }
  return blocks;
}

/// Whether more blocks are a reason for half of the longer time at least.
bool has_more_work(const Facts& facts, uint32_t gpu, const std::vector<int64_t>& times) {
  const std::vector<int64_t> blocks = blocks_of_gpus(facts);
  if (blocks.empty() || blocks[gpu] <= 0 || times[gpu] <= 0) return false;
  const auto part = [&](const std::vector<int64_t>& of_gpu) {
    return static_cast<double>(more_than_others(of_gpu, gpu)) / static_cast<double>(of_gpu[gpu]);
  };
  return 2 * part(blocks) >= part(times);
}

/// The cause of which the late GPU has more idle time than the others, the most first.
std::pair<IdleCause, int64_t> idle_more(const IdleTotals& idle, uint32_t gpu) {
  std::pair<IdleCause, int64_t> most{IdleCause::unknown, 0};
  for (size_t c = 0; c < static_cast<size_t>(IdleCause::count_); ++c) {
    std::vector<int64_t> times;
    for (const auto& of_gpu : idle.of_gpu) times.push_back(of_gpu[c]);
    const int64_t more = more_than_others(times, gpu);
    if (more > most.second) most = {static_cast<IdleCause>(c), more};
  }
  return most;
}

/// Idle time of this cause is the reason for the lateness, and is not reported again.
void claim(const Facts& facts, uint32_t gpu, IdleCause cause, Claims& claims) {
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (piece.gpu == gpu && piece.cause == cause) claims.idle[gpu].emplace_back(piece.start_ns, piece.end_ns);
  });
}

/// Time of each GPU's kernels that compute, or of its copies.
std::vector<int64_t> times_of(const Facts& facts, const GpuOps& ops) {
  const bool kernels = &ops == &facts.trace.kernels;
  std::vector<int64_t> times(facts.gpus.gpus.size(), 0);
  for (Row row = 0; row < row_count(ops); ++row) {
    if (!facts.judged(ops.start[row]) || (kernels && facts.communication[row] != CommunicationKind::none)) continue;
    times[facts.gpus.of_stream[ops.stream[row]]] += ops.end[row] - ops.start[row];
  }
  return times;
}

/// These operations with the late GPU as fast as the median of the others or, where it has more work, with all work
/// shared out evenly.
std::vector<Change::Resized> without_lateness(const Facts& facts, const GpuOps& ops, uint32_t gpu, bool more_work) {
  const std::vector<int64_t> times = times_of(facts, ops);
  const int64_t mean = std::accumulate(times.begin(), times.end(), int64_t{0}) / static_cast<int64_t>(times.size());
  const bool kernels = &ops == &facts.trace.kernels;
  const int64_t of_median = times[gpu] - more_than_others(times, gpu);
  std::vector<Change::Resized> resized;
  for (Row row = 0; row < row_count(ops); ++row) {
    const uint32_t of_gpu = facts.gpus.of_stream[ops.stream[row]];
    if (!facts.judged(ops.start[row]) || (!more_work && of_gpu != gpu) || times[of_gpu] == 0) continue;
    if (kernels && facts.communication[row] != CommunicationKind::none) continue;
    const int64_t wanted = more_work ? mean : of_median;
    const double share = static_cast<double>(wanted) / static_cast<double>(times[of_gpu]);
    resized.push_back({row, std::llround(static_cast<double>(ops.end[row] - ops.start[row]) * share)});
  }
  return resized;
}

int64_t saving_without_lateness(const Facts& facts, uint32_t gpu, bool more_work) {
  Change change;
  change.kernels = without_lateness(facts, facts.trace.kernels, gpu, more_work);
  change.copies = without_lateness(facts, facts.trace.copies, gpu, more_work);
  return std::clamp<int64_t>(facts.saving_ns(change), 0, facts.wall_ns());
}

/// What the late GPU does while the others wait. Each of two reasons has its own finding, and what it makes the GPU
/// late by as ceiling; where they do not explain half of the waiting, the reason is not known.
std::vector<Finding> explained(const Facts& facts, uint32_t gpu, const Finding& waiting, Claims& claims) {
  std::vector<Finding> findings;
  const auto add = [&](std::string id, int64_t more) -> Finding* {
    if (facts.percent_of_wall(more) < kWorthPercent) return nullptr;
    Finding& finding = findings.emplace_back(waiting);
    finding.id = std::move(id);
    finding.ceiling_ns = std::min(more, waiting.ceiling_ns);
    finding.arguments.push_back(duration_argument("more", more));
    return &finding;
  };
  const IdleTotals idle_times = idle_totals(facts.trace, facts.gpus, facts.extent);
  const std::vector<int64_t> work = own_work_ns(facts.activity, facts.extent);
  const int64_t longer = more_than_others(work, gpu);
  const int64_t idler = more_than_others(sums_of(idle_times), gpu);
  const auto [cause, idle] = idle_more(idle_times, gpu);
  // Longer kernels leave less time in which the GPU waits for the host: then less is lost by them.
  const bool more_work = has_more_work(facts, gpu, work);
  Finding* computes = add(more_work ? "straggler_work" : "straggler_compute", longer + std::min<int64_t>(0, idler));
  if (computes != nullptr) computes->ceiling_ns = saving_without_lateness(facts, gpu, more_work);
  if (Finding* host = add("straggler_host", std::min(idle, idler + std::min<int64_t>(0, longer)))) {
    host->arguments.push_back(text_argument("cause", std::string(info_of(cause).title)));
  }
  std::erase_if(findings, [&](const Finding& f) { return facts.percent_of_wall(f.ceiling_ns) < kWorthPercent; });
  if (2 * (longer + idler) >= waiting.ceiling_ns && !findings.empty()) {
    if (findings.back().id == "straggler_host") claim(facts, gpu, cause, claims);
    return findings;
  }
  findings = {waiting};
  findings.front().id = "straggler_other";
  return findings;
}

std::vector<Evidence> evidence_of(const Facts& facts, uint32_t gpu, std::vector<ExposedPiece> pieces) {
  std::erase_if(
      pieces, [&](const ExposedPiece& p) { return !p.waits || facts.collectives.all[p.collective].last().gpu != gpu; });
  return evidence_of_pieces(facts, std::move(pieces));
}

Finding waiting_for(const Facts& facts, uint32_t gpu, const std::vector<Lateness>& late,
                    const std::vector<ExposedPiece>& pieces) {
  const int64_t ceiling = saving_of(facts, late);
  const size_t turns = facts.steps ? facts.steps->steady.size() : late.size();
  const double mean = static_cast<double>(ceiling) / static_cast<double>(turns);
  return {.id = {},
          .arguments = {text_argument("gpu", facts.gpus.gpus[gpu].place), duration_argument("late", mean),
                        text_argument("turn", facts.steps ? "step" : "collective"), duration_argument("time", ceiling)},
          .ceiling_ns = ceiling,
          .evidence = evidence_of(facts, gpu, pieces)};
}

/// Clocks of different files may differ: then the rank that seems to enter late seems to end as late, though
/// participants end together.
bool seems_late_by_its_clock(const Facts& facts, uint32_t gpu) {
  if (facts.trace.ranks.size() < 2) return false;
  std::vector<int64_t> entries;
  std::vector<int64_t> ends;
  for (const MatchedCollective& c : facts.collectives.all) {
    const Participant& last = c.last();
    if (last.gpu != gpu || !facts.judged(c.first_entry_ns())) continue;
    const auto first_end = std::ranges::min_element(c.participants, {}, &Participant::end_ns)->end_ns;
    entries.push_back(last.entry_ns - c.first_entry_ns());
    ends.push_back(last.end_ns - first_end);
  }
  const auto median = [](std::vector<int64_t>& values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
  };
  return !entries.empty() && 2 * median(ends) > median(entries);
}

void abstain(Diagnosis& diagnosis) { diagnosis.abstentions.push_back({"straggler", "straggler.no_common_clock", {}}); }

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (std::ranges::any_of(facts.collectives.all, [](const auto& c) { return !c.one_clock; })) return abstain(diagnosis);
  const std::vector<ExposedPiece> pieces = exposed_pieces(facts);
  const Exposed waits = exposed_of(pieces, true);
  const Exposed moves = exposed_of(pieces, false);
  if (waits.empty()) return;
  std::vector<std::vector<Lateness>> late;
  for (uint32_t gpu = 0; gpu < facts.gpus.gpus.size(); ++gpu) late.push_back(lateness_of(facts, waits, moves, gpu));
  const auto worst = std::ranges::max_element(late, {}, positive_sum);
  int64_t sum = 0;
  for (const auto& of_gpu : late) sum += positive_sum(of_gpu);
  const bool one_gpus = static_cast<double>(positive_sum(*worst)) >= kMinShare * static_cast<double>(sum);
  if (sum == 0 || !one_gpus || !again_and_again(*worst)) return;
  const auto gpu = static_cast<uint32_t>(worst - late.begin());
  const Finding waiting = waiting_for(facts, gpu, *worst, pieces);
  if (facts.percent_of_wall(waiting.ceiling_ns) < kWorthPercent) return;
  if (seems_late_by_its_clock(facts, gpu)) return abstain(diagnosis);
  for (Finding& reason : explained(facts, gpu, waiting, diagnosis.claims)) {
    diagnosis.findings.push_back(std::move(reason));
  }
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"straggler_compute.says",
     "{gpu} enters collectives late, by {late} per {turn}, and the other GPUs wait for it for {time} with nothing to "
     "compute. Its kernels and copies run {more} longer than theirs."},
    {"straggler_compute.do",
     "Compare its kernels with those of another GPU. They have no more blocks, so its clocks may be lower (nvidia-smi "
     "-q -d PERFORMANCE, temperature, power cap), or other processes use it too."},
    {"straggler_work.says",
     "{gpu} enters collectives late, by {late} per {turn}, and the other GPUs wait for it for {time} with nothing to "
     "compute. Its kernels have more blocks, and its kernels and copies run {more} longer than theirs."},
    {"straggler_work.do",
     "Divide the batch by the work it needs, not by count: sequence lengths, image sizes, tokens per expert."},
    {"straggler_host.says",
     "{gpu} enters collectives late, by {late} per {turn}, and the other GPUs wait for it for {time} with nothing to "
     "compute. It is idle {more} longer than they are (cause: {cause})."},
    {"straggler_host.do",
     "Check what the host does for this GPU only: its data (storage, workers), logging and checkpoints of rank 0, CPU "
     "cores that are shared or on another NUMA node (numactl)."},
    {"straggler_other.says",
     "{gpu} enters collectives late, by {late} per {turn}, and the other GPUs wait for it for {time} with nothing to "
     "compute."},
    {"straggler_other.do",
     "Check what it does before these collectives that the others do not (sonde stats -r collective_trace, "
     "communication_sum)."},
    {"straggler.no_common_clock.says",
     "the ranks have no common clock, so the last GPU to enter a collective cannot be identified"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"straggler_compute", "straggler_work", "straggler_host", "straggler_other"},
      .reports = "One GPU enters collectives last repeatedly, and the others have nothing to compute. `_compute`: its "
                 "kernels and "
                 "copies take longer. `_work`: its kernels have more blocks. `_host`: its host keeps it idle. "
                 "`_other`: none of "
                 "these explains half of the waiting.",
      .when = fmt::format(
          "At least {:g} % of all waiting is for that GPU, in at least {} collectives, and at most {:g} % of it in "
          "one collective.",
          100 * kMinShare, kMinTimes, 100 * kMaxInOne),
      .not_when = "No conclusion is drawn without a common clock, or if a rank's clock seems late.",
      .ceiling =
          "`_compute`: replay with its kernels and copies as long as the others' median. `_work`: replay with all work "
          "shared evenly. `_host` and `_other`: the waiting that the others save if that GPU comes earlier by its mean "
          "lateness, collective by collective of the step. `_host`: also at most the GPU's additional idle time.",
      .evidence = "The longest waits of the other GPUs."}};
}

}  // namespace
}  // namespace straggler_finding

extern const Rule straggler_rule;
const Rule straggler_rule{
    .name = "straggler",
    .description = "one GPU enters collectives late, and the others wait for it",
    .fields = kReplayFields | kIdleFields | Fields{Field::kernel_resources, Field::kernel_grid},
    .checks = {Check::records_complete, Check::past_warm_up, Check::launches_free, Check::ranks_complete},
    .judge = &straggler_finding::judge,
    .texts = straggler_finding::kTexts,
    .docs = &straggler_finding::docs,
    .claims = ClaimUse::adds};

}  // namespace sonde
