#include <algorithm>
#include <functional>
#include <map>

#include "analyses/gpus/operation_names.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/host_link.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Large pinned copies that run clearly below what the run's own best copies of their direction reach, or what the link
/// of such GPUs carries: memory on the CPU that is far from the GPU, a slot with fewer lanes, a link that several
/// share. The ceiling is what a replay (replay.h) saves in which they run at that rate.
namespace sonde {
namespace {

/// From here on the fixed cost of a copy, 1 to 2 us and so some 100 KB at 50 GB/s, is no tenth of its time.
constexpr int64_t kLargeBytes = 1 << 20;
/// Of the run's own best: two directions or two GPUs that share a link take half of it from each other at most.
constexpr double kLeastOfBest = 0.5;
/// Of the link: generations and lanes that a server may have been bought with (one generation less, half of the lanes)
/// leave half of it.
constexpr double kLeastOfLink = 1.0 / 3;
/// So many copies must reach a rate for it to count as the run's best.
constexpr size_t kBestCopies = 3;

double rate_of(const Copies& c, Row row) {
  return static_cast<double>(c.bytes[row]) * 1e9 / static_cast<double>(c.end[row] - c.start[row]);
}

bool is_large_pinned(const Copies& c, Row row) {
  return crosses_link(c, row) && touches(c, row, MemoryKind::pinned) && c.bytes[row] != kUnknown &&
         c.bytes[row] >= kLargeBytes && c.end[row] > c.start[row];
}

/// The best rates of the whole run by direction, on all GPUs: where only one GPU is far from the memory, the others
/// tell.
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
    if (of_run != best.end() && rate < kLeastOfBest * of_run->second) {
      slow.push_back({row, of_run->second, false});
    } else if (link && rate < kLeastOfLink * *link) {
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
  for (const Slow& s : slow) {
    bytes += c.bytes[s.row];
    time += length(s);
  }
  const Slow& longest = slow.front();
  Finding finding{
      .id = "low_copy_rate",
      .arguments = {{"count", Unit::none, static_cast<double>(slow.size()), {}},
                    {"bytes", Unit::bytes, static_cast<double>(bytes), {}},
                    {"time", Unit::nanoseconds, static_cast<double>(time), {}},
                    {"rate", Unit::gigabytes_per_second, static_cast<double>(bytes) / static_cast<double>(time), {}},
                    {"could", Unit::gigabytes_per_second, longest.could / 1e9, {}},
                    {"reference", Unit::none, 0,
                     longest.by_link ? "is usual on the link of such a GPU" : "this run's best copies reach"}},
      .ceiling_ns = ceiling,
      .evidence = {}};
  slow.resize(std::min(slow.size(), kMostEvidence));
  for (const Slow& s : slow) {
    const uint32_t gpu = facts.gpus.of_stream[c.stream[s.row]];
    finding.evidence.push_back(
        {c.start[s.row], c.end[s.row], facts.gpus.gpus[gpu].place, std::string(copy_operation(c.kind[s.row]))});
  }
  return finding;
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

}  // namespace

extern const Rule low_copy_rate_rule;
const Rule low_copy_rate_rule{"low_copy_rate", "large pinned copies far below what the link carries", kReplayFields,
                              kLoopChecks, &judge};

}  // namespace sonde
