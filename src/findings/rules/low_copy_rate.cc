#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/host_link.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Large pinned copies far below the rate of the run's own best copies of their direction, or of the link of such GPUs.
/// Causes are memory on a distant NUMA node, a slot with fewer lanes, or a shared link. The ceiling is what a replay
/// (replay.h) saves in which they run at that rate.
namespace sonde {
namespace low_copy_rate_finding {
namespace {

/// From here on the fixed cost of a copy, 1 to 2 us and so some 100 KB at 50 GB/s, is no tenth of its time.
constexpr int64_t kLargeBytes = 1 << 20;
/// Of the run's own best: two directions or two GPUs that share a link take half of it from each other at most.
constexpr double kMinOfBest = 0.5;
/// Of the link: generations and lanes that a server may have been bought with (one generation less, half of the lanes)
/// leave half of it.
constexpr double kMinOfLink = 1.0 / 3;
/// So many copies must reach a rate for it to count as the run's best.
constexpr size_t kBestCopies = 3;

double rate_of(const Copies& c, Row row) {
  return static_cast<double>(c.bytes[row]) * 1e9 / static_cast<double>(c.end[row] - c.start[row]);
}

bool is_large_pinned(const Copies& c, Row row) {
  return crosses_link(c, row) && touches(c, row, MemoryKind::pinned) && c.bytes[row] != kUnknown &&
         c.bytes[row] >= kLargeBytes && c.end[row] > c.start[row];
}

/// The best rates of the whole run by direction, on all GPUs: if only one GPU is far from the memory, the others show
/// the rate.
std::map<uint8_t, double> best_rates(const Copies& c) {
  std::map<uint8_t, std::vector<double>> rates;
  for (Row row = 0; row < row_count(c); ++row) {
    if (is_large_pinned(c, row)) rates[c.kind[row]].push_back(rate_of(c, row));
  }
  std::map<uint8_t, double> best;
  for (auto& [direction, all] : rates) {
    if (all.size() < kBestCopies) continue;
    const auto nth = all.begin() + (kBestCopies - 1);
    std::ranges::nth_element(all, nth, std::greater());
    best[direction] = *nth;
  }
  return best;
}

struct Slow {
  Row row;
  double could;  ///< bytes a second
  bool by_link;  ///< and not by the run's own copies
};

std::vector<Slow> slow_copies(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  const auto best = best_rates(c);
  const auto link = usual_bytes_per_second(facts);
  std::vector<Slow> slow;
  for (Row row = 0; row < row_count(c); ++row) {
    if (!is_large_pinned(c, row) || !facts.judged(c.start[row])) continue;
    const double rate = rate_of(c, row);
    const auto of_run = best.find(c.kind[row]);
    if (of_run != best.end() && rate < kMinOfBest * of_run->second) {
      slow.push_back({row, of_run->second, false});
    } else if (link && rate < kMinOfLink * *link) {
      slow.push_back({row, *link, true});
    }
  }
  return slow;
}

Finding finding_of(const Facts& facts, std::vector<Slow>& slow, int64_t ceiling) {
  const Copies& c = facts.trace.copies;
  const auto length = [&](const Slow& s) { return c.end[s.row] - c.start[s.row]; };
  std::ranges::stable_sort(slow, std::greater(), length);
  int64_t bytes = 0;
  int64_t time = 0;
  std::vector<Row> rows;
  for (const Slow& s : slow) {
    rows.push_back(s.row);
    bytes += c.bytes[s.row];
    time += length(s);
  }
  const Slow& longest = slow.front();
  return {.id = "low_copy_rate",
          .arguments = {count_argument("count", slow.size()), bytes_argument("bytes", bytes),
                        duration_argument("time", time),
                        rate_argument("rate", static_cast<double>(bytes) / static_cast<double>(time)),
                        rate_argument("could", longest.could / 1e9),
                        text_argument("reference", longest.by_link ? "The usual rate of this GPU's link is"
                                                                   : "This run's best copies reach")},
          .ceiling_ns = ceiling,
          .evidence = evidence_of_copies(facts, std::move(rows))};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Copies& c = facts.trace.copies;
  std::vector<Slow> slow = slow_copies(facts);
  if (slow.empty()) return;
  Change change;
  for (const Slow& s : slow) {
    change.copies.push_back({s.row, static_cast<int64_t>(static_cast<double>(c.bytes[s.row]) * 1e9 / s.could)});
  }
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.findings.push_back(finding_of(facts, slow, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"low_copy_rate.says",
     "Pinned copies between host and GPU are slow: {count} of them move {bytes} in {time}, at {rate}. {reference} "
     "{could}."},
    {"low_copy_rate.do",
     "Pin the process and its memory to the NUMA node (CPU socket) that the GPU is attached to (nvidia-smi topo -m, "
     "numactl --cpunodebind --membind). Check the width and generation of the link under load (nvidia-smi -q -d PCIE), "
     "and which devices share it."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"low_copy_rate"},
      .reports = "Pinned copies between host and GPU are slow.",
      .when =
          fmt::format("A copy of at least {} MiB runs below {:g} % of the rate that {} copies of the run reach in its "
                      "direction, or below {:.0f} % of the usual rate of the GPU's link ({}).",
                      kLargeBytes >> 20, 100 * kMinOfBest, kBestCopies, 100 * kMinOfLink, usual_rates_in_words()),
      .not_when = "The comparison with the link needs the GPU's compute capability.",
      .ceiling = "Replay with that rate.",
      .evidence = "The longest copies."}};
}

}  // namespace
}  // namespace low_copy_rate_finding

extern const Rule low_copy_rate_rule;
const Rule low_copy_rate_rule{.name = "low_copy_rate",
                              .description = "large pinned copies far below the rate of the link",
                              .fields = kReplayFields,
                              .checks = kLoopChecks,
                              .judge = &low_copy_rate_finding::judge,
                              .texts = low_copy_rate_finding::kTexts,
                              .docs = &low_copy_rate_finding::docs,
                              .saves = Saves::gpu_work};

}  // namespace sonde
