#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/exposed_pieces.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Collectives that move data while nothing computes on the GPU. Waiting for other GPUs is the straggler's. The ceiling
/// is what a replay (replay.h) saves in which collectives that follow a computation together run beside it, except for
/// the last one: it reduces what was computed last. Only a bound is reported if waiting cannot be distinguished from
/// moving data (other ranks are not in the profile), or if each collective is alone between kernels that need it.
namespace sonde {
namespace exposed_communication_finding {
namespace {

/// Of communication while nothing computes: some records are lost.
constexpr double kMaxUnmatchedShare = 0.05;
constexpr double kMinPercentOfBound = 5;
/// From here on a bound on unmatched communication is ordered by its size, as what can be saved is.
constexpr double kMinPercentOfLarge = 10;
/// The part of a large collective that cannot be hidden when it is cut into parts: the last one, as large as
/// DistributedDataParallel makes them (bucket_cap_mb=25).
constexpr double kPartBytes = 25 << 20;

using Pieces = std::vector<ExposedPiece>;

/// GPUs side by side: the mean over GPUs of the time in which they do nothing else.
int64_t alone_ns(const Facts& facts, const Pieces& pieces) {
  std::vector<std::vector<Span>> of_gpu(facts.gpus.gpus.size());
  for (const ExposedPiece& p : pieces) of_gpu[p.gpu].push_back(p.span);
  int64_t total = 0;
  for (auto& spans : of_gpu) total += union_ns(spans);
  return facts.per_gpu(total);
}

/// What of a run's last collective can be hidden: all but one part.
double hidden_share(const Facts& facts, uint32_t collective) {
  const int64_t bytes = facts.collectives.all[collective].bytes;
  return bytes == kUnknown ? 0 : std::max(0.0, 1 - kPartBytes / static_cast<double>(bytes));
}

/// Time that kernels of collectives would not take: what is hidden of each.
class Hidden {
 public:
  /// `pieces` are those of data that move, by GPU and time.
  Hidden(const Facts& facts, const Pieces& pieces) : facts_(facts) {
    int64_t before = facts.extent.first;
    for (size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
      end = begin + 1;
      while (end < pieces.size() && follows(pieces[end - 1], pieces[end])) ++end;
      if (begin == 0 || pieces[begin].gpu != pieces[begin - 1].gpu) before = facts.extent.first;
      add_run({pieces.data() + begin, end - begin}, before);
      before = pieces[end - 1].span.second;
    }
  }

  [[nodiscard]] Change change() const {
    const Kernels& k = facts_.trace.kernels;
    Change change;
    for (const auto& [row, ns] : of_kernel_) change.kernels.push_back({row, k.end[row] - k.start[row] - ns});
    return change;
  }

 private:
  [[nodiscard]] int64_t compute_ns(uint32_t gpu, Span span) const {
    return span.second <= span.first ? 0 : covered_ns(span, facts_.activity[gpu].compute);
  }
  /// Nothing was computed between the two.
  [[nodiscard]] bool follows(const ExposedPiece& a, const ExposedPiece& b) const {
    return a.gpu == b.gpu && compute_ns(a.gpu, {a.span.second, b.span.first}) == 0;
  }
  /// Hides a run of collectives in the computation since the run before.
  void add_run(std::span<const ExposedPiece> run, int64_t before) {
    int64_t room = compute_ns(run.front().gpu, {before, run.front().span.first});
    for (const ExposedPiece& p : run) {
      const double share = p.kernel == run.back().kernel ? hidden_share(facts_, p.collective) : 1;
      const auto ns = static_cast<int64_t>(share * static_cast<double>(p.span.second - p.span.first));
      of_kernel_[p.kernel] += std::min(ns, room);
      room -= std::min(ns, room);
    }
  }

  const Facts& facts_;
  std::map<Row, int64_t> of_kernel_;
};

Finding finding_of(const Facts& facts, std::string id, const Pieces& pieces, int64_t alone, int64_t ceiling) {
  return {.id = std::move(id),
          .arguments = {duration_argument("time", alone)},
          .ceiling_ns = ceiling,
          .evidence = evidence_of_pieces(facts, pieces)};
}

/// Whether the profile is known to have all GPUs of the job.
bool has_all_ranks(const Facts& facts) {
  int world = 0;
  for (const Rank& rank : facts.trace.ranks) world = std::max(world, rank.world_size.value_or(0));
  if (world > 0) return facts.trace.ranks.size() >= static_cast<size_t>(world);
  return facts.gpus.gpus.size() > 1;
}

Finding bound_of(const Facts& facts, std::string id, const Pieces& pieces, int64_t alone) {
  Finding finding = finding_of(facts, std::move(id), pieces, alone, alone);
  finding.reachable = false;
  return finding;
}

/// Communication of which waiting is not known.
Finding unmatched_of(const Facts& facts, const Pieces& pieces, int64_t alone) {
  const bool all_ranks = has_all_ranks(facts);
  Finding finding = bound_of(facts, all_ranks ? "unmatched_communication" : "communication_or_waiting", pieces, alone);
  finding.reachable = facts.percent_of_wall(alone) >= kMinPercentOfLarge;
  if (!all_ranks) return finding;
  const Kernels& k = facts.trace.kernels;
  int64_t count = 0;
  int64_t unmatched = 0;
  for (Row row = 0; row < row_count(k); ++row) {
    if (facts.communication[row] == CommunicationKind::none || !facts.judged(k.start[row])) continue;
    ++count;
    unmatched += facts.collectives.of_kernel[row] == kNone ? 1 : 0;
  }
  finding.arguments.push_back(count_argument("unmatched", unmatched));
  finding.arguments.push_back(count_argument("count", count));
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  Pieces pieces = exposed_pieces(facts);
  std::vector<ExposedPiece> unmatched = pieces;
  std::erase_if(unmatched, [](const ExposedPiece& p) { return p.collective != kNone; });
  const auto most = static_cast<int64_t>(kMaxUnmatchedShare * static_cast<double>(alone_ns(facts, pieces)));
  if (alone_ns(facts, unmatched) > most) {
    const int64_t alone = alone_ns(facts, pieces);
    if (facts.percent_of_wall(alone) < kMinPercentOfBound) return;
    diagnosis.findings.push_back(unmatched_of(facts, pieces, alone));
    return;
  }
  std::erase_if(pieces, [](const ExposedPiece& p) { return p.waits || p.collective == kNone; });
  const int64_t alone = alone_ns(facts, pieces);
  if (facts.percent_of_wall(alone) < kWorthPercent) return;
  const Change change = Hidden(facts, pieces).change();
  const int64_t saved = facts.saving_ns(change);
  const int64_t ceiling = std::min(saved, alone);
  if (facts.percent_of_wall(ceiling) >= kWorthPercent) {
    diagnosis.findings.push_back(finding_of(facts, "exposed_communication", pieces, alone, ceiling));
  } else if (facts.percent_of_wall(alone) >= kMinPercentOfBound) {
    diagnosis.findings.push_back(bound_of(facts, "serial_communication", pieces, alone));
  }
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"exposed_communication.says",
     "GPUs exchange data for {time} while nothing computes on the GPU (waiting for late GPUs is not counted)."},
    {"exposed_communication.do",
     "Communicate while the GPU computes something else: reduce gradients in buckets during the backward pass "
     "(DistributedDataParallel without no_sync in the last micro-batch, FSDP backward_prefetch), use async_op=True, "
     "and use a separate stream."},
    {"serial_communication.says",
     "GPUs exchange data for {time} while nothing computes on the GPU, and the next computation needs this data."},
    {"serial_communication.do",
     "Move less data (lower precision, fewer and larger collectives), use a faster link, or compute another part of "
     "the batch in that time. sonde stats -r collective_trace shows sizes and bandwidths."},
    {"communication_or_waiting.says",
     "Communication kernels run for {time} while nothing computes on the GPU. The profile does not show how much of "
     "this is waiting for other GPUs."},
    {"communication_or_waiting.do",
     "Record all ranks and name all their files. sonde then distinguishes transfers from waiting, and identifies the "
     "late GPU."},
    {"unmatched_communication.says",
     "Communication kernels run for {time} while nothing computes on the GPU. {unmatched} of {count} have no "
     "counterpart on the other GPUs that names or times identify, so transfers cannot be distinguished from waiting."},
    {"unmatched_communication.do",
     "Compute something else in that time (async_op=True, another micro-batch, a separate stream), or move less data. "
     "sonde stats -r collective_trace lists which kernels have counterparts. PyTorch's traces name each collective and "
     "its process group (torch 2.2 and later), which makes them comparable."},
});

std::vector<FindingDoc> docs() {
  return {
      FindingDoc{
          .ids = {"exposed_communication"},
          .reports = "GPUs exchange data while nothing computes on the GPU. Waiting for late GPUs does not count.",
          .when = "The computation before the collectives could hide them.",
          .not_when = {},
          .ceiling = fmt::format("Replay in which the computation before the collectives hides all but the last one. "
                                 "Of a last collective above {:g} MiB (the size of DDP's buckets), it hides all but "
                                 "that size. The ceiling is at most the time in which only communication runs.",
                                 kPartBytes / (1 << 20)),
          .evidence = "The longest pieces."},
      FindingDoc{.ids = {"serial_communication"},
                 .reports = "The same, but each collective is alone, and the next computation needs its data.",
                 .when = "Hiding the collectives as above saves too little.",
                 .not_when = {},
                 .ceiling = "A bound that no fix reaches: the time in which only communication runs.",
                 .evidence = "The longest pieces.",
                 .min_percent = kMinPercentOfBound},
      FindingDoc{.ids = {"communication_or_waiting"},
                 .reports =
                     "Communication kernels run while nothing computes, and some of their counterparts are not in the "
                     "profile. With the file of one rank, waiting cannot be distinguished from moving data.",
                 .when = fmt::format("Kernels without a complete match take more than {:g} % of this time.",
                                     100 * kMaxUnmatchedShare),
                 .not_when = {},
                 .ceiling = fmt::format("The time in which only communication runs. Below {:g} % of the judged time it "
                                        "is ordered after all that a fix can reach.",
                                        kMinPercentOfLarge),
                 .evidence = "The longest pieces.",
                 .min_percent = kMinPercentOfBound},
      FindingDoc{.ids = {"unmatched_communication"},
                 .reports = "The same, and the profile has all ranks of the job, or several GPUs without a number of "
                            "ranks.",
                 .when = fmt::format("Kernels without a complete match take more than {:g} % of this time.",
                                     100 * kMaxUnmatchedShare),
                 .not_when = {},
                 .ceiling = "As for `communication_or_waiting`.",
                 .evidence = "The longest pieces.",
                 .min_percent = kMinPercentOfBound}};
}

}  // namespace
}  // namespace exposed_communication_finding

extern const Rule exposed_communication_rule;
const Rule exposed_communication_rule{.name = "exposed_communication",
                                      .description = "communication between GPUs that no computation overlaps",
                                      .fields = kReplayFields,
                                      .checks = kLoopChecks,
                                      .judge = &exposed_communication_finding::judge,
                                      .texts = exposed_communication_finding::kTexts,
                                      .docs = &exposed_communication_finding::docs,
                                      .saves = Saves::gpu_work};

}  // namespace sonde
