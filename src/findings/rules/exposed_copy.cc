#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyses/gpus/covered_time.h"
#include "analyses/gpus/operation_names.h"
#include "analyses/gpus/operations_by_start.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/host_copies.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Copies between host and GPU while no kernel runs on that GPU: time that a second stream could hide. The ceiling is
/// what a replay (replay.h) saves in which these copies are made early on a separate stream: only waits for the whole
/// GPU wait for them, and the run takes at least as long as the busiest copy engine is busy. Copies of pageable memory
/// are pageable_copy's: they block the host, and cannot overlap before they are pinned.
namespace sonde {
namespace exposed_copy_finding {
namespace {

struct Exposed {
  Span span;
  uint32_t gpu;
  Row copy;
};

std::vector<std::vector<Span>> kernel_time(const Facts& facts) {
  std::vector<std::vector<Span>> of_gpu(facts.gpus.gpus.size());
  for_each_operation_by_start(facts.trace, [&](const GpuOps& ops, Row row) {
    if (&ops == &facts.trace.copies || &ops == &facts.trace.sets) return;
    add_merged(of_gpu[facts.gpus.of_stream[ops.stream[row]]], {ops.start[row], ops.end[row]});
  });
  return of_gpu;
}

std::vector<Exposed> exposed_copies(const Facts& facts, const Claims& claims) {
  const std::set<Row> claimed(claims.copies.begin(), claims.copies.end());
  const auto busy = kernel_time(facts);
  const Copies& c = facts.trace.copies;
  std::vector<Exposed> exposed;
  for (Row row = 0; row < row_count(c); ++row) {
    if (!crosses_link(c, row) || touches(c, row, MemoryKind::pageable) || !facts.judged(c.start[row])) continue;
    if (claimed.contains(row)) continue;
    const uint32_t gpu = facts.gpus.of_stream[c.stream[row]];
    for (const Span& span : uncovered_parts({c.start[row], c.end[row]}, busy[gpu])) exposed.push_back({span, gpu, row});
  }
  return exposed;
}

/// Copies of two directions at once count once.
int64_t total_of(const Facts& facts, const std::vector<Exposed>& exposed) {
  std::vector<std::vector<Span>> of_gpu(facts.gpus.gpus.size());
  for (const Exposed& e : exposed) of_gpu[e.gpu].push_back(e.span);
  int64_t total = 0;
  for (auto& spans : of_gpu) total += union_ns(spans);
  return total;
}

std::string directions_of(const Copies& copies, const std::vector<Exposed>& exposed) {
  std::set<std::string_view> directions;
  for (const Exposed& e : exposed) directions.insert(copy_operation(copies.kind[e.copy]));
  return fmt::format("{}", fmt::join(directions, ", "));
}

/// The busy time of the busiest copy engine, which makes the copies of one direction one after the other: however well
/// they are hidden, the run takes that long.
int64_t busiest_engine_ns(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  std::map<std::pair<uint32_t, uint8_t>, std::vector<Span>> engines;
  for (Row row = 0; row < row_count(c); ++row) {
    const Span span{std::max(c.start[row], facts.extent.first), std::min(c.end[row], facts.extent.second)};
    if (!crosses_link(c, row) || span.first >= span.second) continue;
    engines[{facts.gpus.of_stream[c.stream[row]], c.kind[row]}].push_back(span);
  }
  int64_t busiest = 0;
  for (auto& [engine, spans] : engines) busiest = std::max(busiest, union_ns(spans));
  return busiest;
}

/// The program that makes these copies a step ahead.
Change made_ahead(const std::vector<Exposed>& exposed) {
  Change change;
  for (const Exposed& e : exposed) change.ahead.push_back(e.copy);
  return change;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (row_count(facts.trace.kernels) + row_count(facts.trace.graph_launches) == 0) return;
  const Copies& copies = facts.trace.copies;
  std::vector<Exposed> exposed = exposed_copies(facts, *diagnosis.earlier);
  const int64_t alone = facts.per_gpu(total_of(facts, exposed));
  if (facts.percent_of_wall(alone) < kWorthPercent) return;
  const int64_t saved = facts.saving_ns(made_ahead(exposed));
  const int64_t ceiling = std::min({saved, alone, facts.wall_ns() - busiest_engine_ns(facts)});
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  Finding finding{
      .id = "exposed_copy",
      .arguments = {duration_argument("time", alone), text_argument("directions", directions_of(copies, exposed))},
      .ceiling_ns = ceiling,
      .evidence = {}};
  std::ranges::stable_sort(exposed, std::greater(), [](const Exposed& e) { return e.span.second - e.span.first; });
  exposed.resize(std::min(exposed.size(), kMaxEvidence));
  for (const Exposed& e : exposed) {
    finding.evidence.push_back(
        {e.span.first, e.span.second, facts.gpus.gpus[e.gpu].place, std::string(copy_operation(copies.kind[e.copy]))});
  }
  diagnosis.findings.push_back(std::move(finding));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"exposed_copy.says", "Copies run for {time} while no kernel runs on the GPU ({directions})."},
    {"exposed_copy.do",
     "Copy the next batch on a separate stream while the GPU computes: prefetch, use non_blocking=True with pinned "
     "memory, and order the streams with an event."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"exposed_copy"},
      .reports = "Pinned copies run while no kernel runs on the GPU.",
      .when = "The profile contains kernels or graphs, and such copies.",
      .not_when = "Copies of pageable memory, and copies that `repeated_copy` reports, do not count.",
      .ceiling = "Replay with these copies on a separate stream, so early that only waits for the whole GPU wait for "
                 "them. It is "
                 "at most the time in which only copies run, and at most the idle time of the busiest copy engine.",
      .evidence = "The longest pieces."}};
}

}  // namespace
}  // namespace exposed_copy_finding

extern const Rule exposed_copy_rule;
const Rule exposed_copy_rule{.name = "exposed_copy",
                             .description = "copies between host and GPU that no kernel overlaps",
                             .fields = kReplayFields,
                             .checks = kLoopChecks,
                             .judge = &exposed_copy_finding::judge,
                             .texts = exposed_copy_finding::kTexts,
                             .docs = &exposed_copy_finding::docs,
                             .saves = Saves::gpu_work,
                             .claims = ClaimUse::reads};

}  // namespace sonde
