#include <algorithm>
#include <map>

#include "analyses/replay/replay.h"
#include "findings/evidence/exposed_pieces.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Collectives that move data while nothing computes on the GPU. Waiting for other GPUs is the straggler's. The ceiling
/// is what a replay (replay.h) saves in which collectives that stand together behind computing run beside it, but for
/// the last of them: it reduces what was computed last. Where waiting cannot be told from moving data (other ranks are
/// not in the profile), and where each collective stands alone between kernels that need it, only a bound is said.
namespace sonde {
namespace {

/// Of communication that nothing computes beside: records get lost now and then.
constexpr double kMostUntold = 0.05;
constexpr double kLeastPercentOfBound = 5;
/// What of a large collective has to stay behind the computing when it is cut into parts: one part, as large as
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
  /// Hides a run of collectives beside what was computed since the run before.
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

Finding finding_of(const Facts& facts, std::string id, Pieces pieces, int64_t alone, int64_t ceiling) {
  Finding finding{.id = std::move(id),
                  .arguments = {{"time", Unit::nanoseconds, static_cast<double>(alone), {}}},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(pieces, std::greater(), [](const ExposedPiece& p) { return p.span.second - p.span.first; });
  pieces.resize(std::min(pieces.size(), kMostEvidence));
  for (const ExposedPiece& p : pieces) {
    finding.evidence.push_back({p.span.first, p.span.second, facts.gpus.gpus[p.gpu].place,
                                std::string(facts.trace.name(facts.trace.kernels.name[p.kernel]))});
  }
  return finding;
}

Finding bound_of(const Facts& facts, std::string id, const Pieces& pieces, int64_t alone) {
  Finding finding = finding_of(facts, std::move(id), pieces, alone, alone);
  finding.reachable = false;
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  Pieces pieces = exposed_pieces(facts);
  std::vector<ExposedPiece> untold = pieces;
  std::erase_if(untold, [](const ExposedPiece& p) { return p.collective != kNone; });
  const auto most = static_cast<int64_t>(kMostUntold * static_cast<double>(alone_ns(facts, pieces)));
  if (alone_ns(facts, untold) > most) {
    const int64_t alone = alone_ns(facts, pieces);
    if (facts.percent_of_wall(alone) < kLeastPercentOfBound) return;
    diagnosis.findings.push_back(bound_of(facts, "communication_or_waiting", pieces, alone));
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
  } else if (facts.percent_of_wall(alone) >= kLeastPercentOfBound) {
    diagnosis.findings.push_back(bound_of(facts, "serial_communication", pieces, alone));
  }
}

}  // namespace

extern const Rule exposed_communication_rule;
const Rule exposed_communication_rule{"exposed_communication",
                                      "communication between GPUs that no kernel computes beside", kReplayFields,
                                      kLoopChecks, &judge};

}  // namespace sonde
