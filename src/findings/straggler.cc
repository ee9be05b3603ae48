#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analyses/idle_totals.h"
#include "findings/exposed_pieces.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// One GPU enters collectives late, again and again, and the others wait for it with nothing to compute meanwhile. Who
/// is late is told by when kernels of a collective start, never by how long they take: the longest belong to those that
/// wait. The ceiling is what the GPU that waits least waits for it, less what it waits itself: then GPUs come last by
/// chance.
namespace sonde {
namespace {

constexpr double kLeastPercent = 1;
/// Of all waiting in collectives, so much is for one GPU. With chance alone it is the half of two GPUs.
constexpr double kLeastShare = 0.75;
/// A turn is a step, where steps are found, else a collective.
constexpr size_t kFewestTurns = 3;
constexpr double kMostInOneTurn = 0.5;
constexpr size_t kMostEvidence = 10;

/// Waiting with nothing to compute, for one GPU.
struct Waits {
  std::vector<ExposedPiece> pieces;
  std::set<uint32_t> participants;  ///< of the collectives, without the GPU that was waited for

  /// Of each GPU: collectives side by side count once.
  [[nodiscard]] int64_t ns_of(uint32_t gpu) const {
    std::vector<Span> spans;
    for (const ExposedPiece& p : pieces) {
      if (p.gpu == gpu) spans.push_back(p.span);
    }
    return union_ns(spans);
  }
  [[nodiscard]] int64_t sum_ns() const {
    int64_t sum = 0;
    for (const uint32_t gpu : participants) sum += ns_of(gpu);
    return sum;
  }
  [[nodiscard]] int64_t least_ns() const {
    std::vector<int64_t> all;
    for (const uint32_t gpu : participants) all.push_back(ns_of(gpu));
    return *std::ranges::min_element(all);
  }
};

std::map<uint32_t, Waits> waits_by_cause(const Facts& facts) {
  std::map<uint32_t, Waits> waits;
  for (const ExposedPiece& piece : exposed_pieces(facts)) {
    if (!piece.waits) continue;
    const MatchedCollective& c = facts.collectives.all[piece.collective];
    const uint32_t last = c.last().gpu;
    waits[last].pieces.push_back(piece);
    for (const Participant& p : c.participants) {
      if (p.gpu != last) waits[last].participants.insert(p.gpu);
    }
  }
  return waits;
}

/// Waiting in each turn, over all GPUs.
std::vector<int64_t> turns_of(const Facts& facts, const Waits& waits) {
  std::map<size_t, int64_t> turns;
  for (const ExposedPiece& p : waits.pieces) {
    size_t turn = p.collective;
    if (facts.steps) {
      const auto& steady = facts.steps->steady;
      turn = static_cast<size_t>(std::ranges::upper_bound(steady, p.span.first, {}, &Span::first) - steady.begin());
    }
    turns[turn] += p.span.second - p.span.first;
  }
  std::vector<int64_t> all;
  for (const auto& [turn, ns] : turns) all.push_back(ns);
  std::ranges::sort(all);
  return all;
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

std::vector<int64_t> compute_times(const Facts& facts) {
  std::vector<int64_t> times;
  for (const GpuActivity& gpu : facts.activity) times.push_back(covered_ns(facts.extent, gpu.compute));
  return times;
}

std::vector<int64_t> sums_of(const IdleTotals& idle) {
  std::vector<int64_t> sums;
  for (const auto& of_gpu : idle.of_gpu) sums.push_back(std::accumulate(of_gpu.begin(), of_gpu.end(), int64_t{0}));
  return sums;
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

/// Idle time of this cause is the reason for the lateness, and not told once more.
void claim(const Facts& facts, uint32_t gpu, IdleCause cause, Claims& claims) {
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (piece.gpu == gpu && piece.cause == cause) claims.idle[gpu].emplace_back(piece.start_ns, piece.end_ns);
  });
}

/// What the late GPU does while the others wait. Each of two reasons has its own finding, and what it makes the GPU
/// late by as ceiling; where they do not explain half of the waiting, the reason is not known.
std::vector<Finding> explained(const Facts& facts, uint32_t gpu, const Finding& waiting, Claims& claims) {
  std::vector<Finding> findings;
  const auto add = [&](std::string id, int64_t more) -> Finding* {
    if (facts.percent_of_wall(more) < kLeastPercent) return nullptr;
    Finding& finding = findings.emplace_back(waiting);
    finding.id = std::move(id);
    finding.ceiling_ns = std::min(more, waiting.ceiling_ns);
    finding.arguments.push_back({"more", Unit::nanoseconds, static_cast<double>(more), {}});
    return &finding;
  };
  const IdleTotals idle_times = idle_totals(facts.trace, facts.gpus, facts.extent);
  const int64_t longer = more_than_others(compute_times(facts), gpu);
  const int64_t idler = more_than_others(sums_of(idle_times), gpu);
  const auto [cause, idle] = idle_more(idle_times, gpu);
  // Longer kernels leave less time in which the GPU waits for the host: then less is lost by them.
  add("straggler_compute", longer + std::min<int64_t>(0, idler));
  if (Finding* host = add("straggler_host", std::min(idle, idler + std::min<int64_t>(0, longer)))) {
    host->arguments.push_back({"cause", Unit::none, 0, std::string(info_of(cause).title)});
    claim(facts, gpu, cause, claims);
  }
  if (2 * (longer + idler) >= waiting.ceiling_ns && !findings.empty()) return findings;
  findings = {waiting};
  findings.front().id = "straggler_other";
  return findings;
}

void add_evidence(const Facts& facts, Waits waits, Finding& finding) {
  std::ranges::stable_sort(waits.pieces, std::greater(),
                           [](const ExposedPiece& p) { return p.span.second - p.span.first; });
  waits.pieces.resize(std::min(waits.pieces.size(), kMostEvidence));
  for (const ExposedPiece& p : waits.pieces) {
    finding.evidence.push_back({p.span.first, p.span.second, facts.gpus.gpus[p.gpu].place,
                                std::string(facts.trace.name(facts.trace.kernels.name[p.kernel]))});
  }
}

bool again_and_again(const std::vector<int64_t>& turns, int64_t sum) {
  return turns.size() >= kFewestTurns && static_cast<double>(turns.back()) <= kMostInOneTurn * static_cast<double>(sum);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (std::ranges::any_of(facts.collectives.all, [](const auto& c) { return !c.one_clock; })) {
    diagnosis.abstentions.push_back({"straggler", "straggler.no_common_clock", {}});
    return;
  }
  const std::map<uint32_t, Waits> waits = waits_by_cause(facts);
  if (waits.empty()) return;
  int64_t sum = 0;
  for (const auto& [gpu, of_gpu] : waits) sum += of_gpu.sum_ns();
  const auto& [gpu, worst] = *std::ranges::max_element(waits, {}, [](const auto& w) { return w.second.sum_ns(); });
  const std::vector<int64_t> turns = turns_of(facts, worst);
  if (static_cast<double>(worst.sum_ns()) < kLeastShare * static_cast<double>(sum) || !again_and_again(turns, sum))
    return;
  int64_t own = 0;  // that GPU waits for others too, as chance has it
  for (const auto& [other, of_other] : waits) own += of_other.ns_of(gpu);
  const int64_t ceiling = worst.least_ns() - own;
  if (facts.percent_of_wall(ceiling) < kLeastPercent) return;
  const int64_t late = turns[turns.size() / 2] / static_cast<int64_t>(worst.participants.size());
  Finding finding{.id = {},
                  .arguments = {{"gpu", Unit::none, 0, facts.gpus.gpus[gpu].place},
                                {"late", Unit::nanoseconds, static_cast<double>(late), {}},
                                {"turn", Unit::none, 0, facts.steps ? "step" : "collective"},
                                {"time", Unit::nanoseconds, static_cast<double>(ceiling), {}}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  add_evidence(facts, worst, finding);
  for (Finding& reason : explained(facts, gpu, finding, diagnosis.claims))
    diagnosis.findings.push_back(std::move(reason));
}

}  // namespace

extern const Rule straggler_rule;
const Rule straggler_rule{"straggler",
                          "one GPU enters collectives late, and the others wait for it",
                          kGpuWork | kIdleFields | Fields{Field::kernel_resources},
                          {Check::records_complete, Check::past_warm_up, Check::launches_free, Check::ranks_complete},
                          &judge};

}  // namespace sonde
