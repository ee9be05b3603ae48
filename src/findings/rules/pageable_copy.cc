#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/host_link.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Copies between host and GPU from or to pageable memory: the driver stages them through its own buffers, which is
/// slower and needs the host. The ceiling is what a replay (replay.h) saves in which each takes as long as from pinned
/// memory at best, and copies to the GPU return at once. Copies to the host are still waited for.
namespace sonde {
namespace pageable_copy_finding {
namespace {

constexpr double kMinPercent = 0.5;
/// If the file does not describe the GPUs: PCIe 4 x16.
constexpr double kBestBytesPerSecond = 30e9;
/// Smaller copies tell little of the link.
constexpr int64_t kMinPinnedBytes = 1 << 20;

struct Copied {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t ns = 0;
  void add(const Copies& c, Row row) {
    ++count;
    bytes += c.bytes[row];
    ns += c.end[row] - c.start[row];
  }
  [[nodiscard]] double bytes_per_second() const {
    return ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(ns) : 0;
  }
};

Change pinned_instead(const Facts& facts, const std::vector<Row>& rows, double bytes_per_second) {
  const Copies& c = facts.trace.copies;
  const Calls& api = facts.trace.api;
  Change change;
  for (const Row row : rows) {
    const int64_t recorded = c.end[row] - c.start[row];
    const auto could = static_cast<int64_t>(static_cast<double>(c.bytes[row]) * 1e9 / bytes_per_second);
    change.copies.push_back({row, std::min(recorded, could)});
    const Row call = c.launch.empty() ? kNone : c.launch[row];
    const bool to_gpu = c.kind[row] == static_cast<uint8_t>(CopyKind::host_to_device);
    if (call == kNone || !to_gpu || c.bytes[row] <= kStagedBytes) continue;
    if (api.end[call] <= c.start[row] || api.end[call] - api.start[call] <= kCopyCallNs) continue;
    change.cuts.push_back({api.thread[call], api.start[call] + kCopyCallNs, api.end[call]});
  }
  return change;
}

/// No pinned copy is faster: the run's own rate where it has such copies, else the best known.
double best_rate(const Facts& facts, const Copied& pinned) {
  if (pinned.bytes >= kMinPinnedBytes) {
    return std::max(pinned.bytes_per_second(), usual_bytes_per_second(facts).value_or(0));
  }
  return best_bytes_per_second(facts).value_or(kBestBytesPerSecond);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Copies& c = facts.trace.copies;
  Copied pageable;
  Copied pinned;
  std::vector<Row> rows;
  bool kinds_known = false;
  for (Row row = 0; row < row_count(c); ++row) {
    if (!crosses_link(c, row) || c.bytes[row] == kUnknown || !facts.judged(c.start[row])) continue;
    kinds_known = kinds_known || c.source[row] != static_cast<uint8_t>(MemoryKind::absent);
    if (touches(c, row, MemoryKind::pageable)) {
      pageable.add(c, row);
      rows.push_back(row);
    } else if (touches(c, row, MemoryKind::pinned)) {
      pinned.add(c, row);
    }
  }
  if (!kinds_known && row_count(c) > 0) {
    diagnosis.abstentions.push_back({"pageable_copy", "pageable_copy.no_memory_kinds", {}});
    return;
  }
  const int64_t ceiling = facts.saving_ns(pinned_instead(facts, rows, best_rate(facts, pinned)));
  if (facts.percent_of_wall(ceiling) < kMinPercent) return;
  diagnosis.findings.push_back(
      {.id = "pageable_copy",
       .arguments = {count_argument("count", pageable.count), bytes_argument("bytes", pageable.bytes),
                     duration_argument("time", pageable.ns), rate_argument("rate", pageable.bytes_per_second() / 1e9)},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_copies(facts, std::move(rows))});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"pageable_copy.says",
     "Copies between host and GPU use pageable memory: {count} of them move {bytes} in {time}, at {rate}."},
    {"pageable_copy.do",
     "Copy from pinned memory: use cudaMallocHost or cudaHostRegister; in PyTorch, pin_memory=True and "
     "non_blocking=True."},
    {"pageable_copy.no_memory_kinds.says", "the profile does not distinguish pageable from pinned memory"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"pageable_copy"},
      .reports = "Copies between host and GPU read or write pageable host memory.",
      .when = "The profile contains such copies.",
      .not_when = "No conclusion is drawn without memory kinds.",
      .ceiling = fmt::format(
          "Replay with the rate of the run's own pinned copies of at least {} MiB in sum, and at least {}. In a run "
          "without such copies with the best known rate: {} ({:g} GB/s if the GPU is unknown). Copies to the GPU above "
          "{} KiB return after {} us.",
          kMinPinnedBytes >> 20, usual_rates_in_words(), best_rates_in_words(), kBestBytesPerSecond / 1e9,
          kStagedBytes >> 10, kCopyCallNs / 1000),
      .evidence = "The longest copies.",
      .min_percent = kMinPercent}};
}

}  // namespace
}  // namespace pageable_copy_finding

extern const Rule pageable_copy_rule;
const Rule pageable_copy_rule{.name = "pageable_copy",
                              .description = "copies between host and GPU that use pageable memory",
                              .fields = kReplayFields,
                              .checks = kLoopChecks,
                              .judge = &pageable_copy_finding::judge,
                              .texts = pageable_copy_finding::kTexts,
                              .docs = &pageable_copy_finding::docs,
                              .saves = Saves::gpu_work};

}  // namespace sonde
