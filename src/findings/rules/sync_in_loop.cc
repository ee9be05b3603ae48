#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/step_syncs.h"
#include "findings/evidence/wait_chains.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Calls that wait for the GPU in the middle of a step: in that time the host launches nothing, independent streams run
/// one after the other, and the GPU is idle after each wait. The ceiling is what a replay (replay.h) of the steps
/// without these calls saves, so it includes lost overlap. Copies that block the host just before such a wait no longer
/// block it either: aten::item is both. Waits in a row, each for a value that a few short kernels made, go with what is
/// between them. Claims the idle time after these waits.
namespace sonde {
namespace sync_in_loop_finding {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty() || facts.trace.api.start.empty()) return;
  if (!facts.steps) {
    diagnosis.abstentions.push_back({"sync_in_loop", "sync_in_loop.no_steps", {}});
    return;
  }
  std::vector<Row> rows = syncs_inside_steps(facts);
  const std::set<Row> claimed(diagnosis.earlier->waits.begin(), diagnosis.earlier->waits.end());
  std::erase_if(rows, [&](Row row) { return claimed.contains(row); });
  if (rows.empty()) return;
  Change change;
  change.cuts = cuts_of_calls(facts, rows);
  const std::vector<Row> copies = blocking_copies_inside_steps(facts).in_syncs;
  std::ranges::copy(waits_of_copies(facts, copies), std::back_inserter(change.cuts));
  std::ranges::copy(chains_of_waits(facts, rows), std::back_inserter(change.cuts));
  change.cuts = merged_cuts(change.cuts);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim_idle_behind(facts, rows, {ApiKind::synchronize}, IdleCause::synchronization, diagnosis.claims);
  claim_idle_behind(facts, copies, {ApiKind::copy_async, ApiKind::copy_blocking}, IdleCause::copy, diagnosis.claims);
  diagnosis.claims.waits.insert(diagnosis.claims.waits.end(), rows.begin(), rows.end());
  rows.insert(rows.end(), copies.begin(), copies.end());
  diagnosis.findings.push_back({.id = "sync_in_loop",
                                .arguments = {text_argument("calls", counts_of_calls(facts, rows)),
                                              duration_argument("time", time_in_calls(facts, rows))},
                                .ceiling_ns = ceiling,
                                .evidence = evidence_of_calls(facts, rows)});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"sync_in_loop.says",
     "The host synchronizes with the GPU in the middle of steps ({calls}), for {time} in total, and launches nothing "
     "in that time."},
    {"sync_in_loop.do",
     "Remove these waits from the loop. Streams order their own work, and events (cudaStreamWaitEvent) order work "
     "across streams. Wait once, where the host reads a result. Do not call .item(), .tolist(), .cpu(), print or "
     "cudaDeviceSynchronize in each step, not even for timing. Check many tensors on the GPU, and read one value."},
    {"sync_in_loop.no_steps.says", kNoRepeatedSteps},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"sync_in_loop"},
      .reports = "Calls wait for the GPU within a step, and the step launches more work after them.",
      .when = "Steps are known, and such calls are in them.",
      .not_when = "The profile has no steps (no conclusion). Waits after the last launch of a step do not count.",
      .ceiling = "Replay without these calls, and without the wait in a blocking copy directly before one. Eight or "
                 "more waits in a row, each for one value that at most four short kernels made, go with the calls and "
                 "kernels between them.",
      .evidence = "The longest calls."}};
}

}  // namespace
}  // namespace sync_in_loop_finding

extern const Rule sync_in_loop_rule;
const Rule sync_in_loop_rule{.name = "sync_in_loop",
                             .description = "synchronization with the GPU in the middle of a step",
                             .fields = kReplayFields | Fields{Field::ranges, Field::range_links} | kIdleFields,
                             .checks = kLoopChecks,
                             .judge = &sync_in_loop_finding::judge,
                             .texts = sync_in_loop_finding::kTexts,
                             .docs = &sync_in_loop_finding::docs,
                             .saves = Saves::waits,
                             .fix = FixKind::host_wait,
                             .claims = ClaimUse::both};

}  // namespace sonde
