#include <algorithm>
#include <iterator>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/step_syncs.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Waits for the GPU in the middle of a step: the host launches nothing meanwhile, streams that could run side by side
/// run one after the other, and the GPU runs dry behind each wait. The ceiling is what a replay of the steps without
/// these calls saves (replay.h), so lost overlap counts and not only idle time. A copy that such a wait follows and
/// that blocks the host itself no longer does so either: aten::item is both. It claims the idle time behind these
/// waits.
namespace sonde {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty() || facts.trace.api.start.empty()) return;
  if (!facts.steps) {
    diagnosis.abstentions.push_back({"sync_in_loop", "sync_in_loop.no_steps", {}});
    return;
  }
  std::vector<Row> rows = syncs_inside_steps(facts);
  if (rows.empty()) return;
  Change change;
  change.cuts = cuts_of_calls(facts, rows);
  const std::vector<Row> copies = blocking_copies_inside_steps(facts).in_syncs;
  std::ranges::copy(waits_of_copies(facts, copies), std::back_inserter(change.cuts));
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim_idle_behind(facts, rows, {ApiKind::synchronize}, IdleCause::synchronization, diagnosis.claims);
  claim_idle_behind(facts, copies, {ApiKind::copy_async, ApiKind::copy_blocking}, IdleCause::copy, diagnosis.claims);
  diagnosis.claims.waits.insert(diagnosis.claims.waits.end(), rows.begin(), rows.end());
  rows.insert(rows.end(), copies.begin(), copies.end());
  diagnosis.findings.push_back(
      {.id = "sync_in_loop",
       .arguments = {{"calls", Unit::none, 0, counts_of_calls(facts, rows)},
                     {"time", Unit::nanoseconds, static_cast<double>(time_in_calls(facts, rows)), {}}},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_calls(facts, rows)});
}

}  // namespace

extern const Rule sync_in_loop_rule;
const Rule sync_in_loop_rule{"sync_in_loop", "waits for the GPU in the middle of a step",
                             kReplayFields | Fields{Field::ranges, Field::range_links} | kIdleFields, kLoopChecks,
                             &judge};

}  // namespace sonde
