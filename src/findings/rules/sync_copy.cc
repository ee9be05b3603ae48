#include "findings/evidence/call_rows.h"
#include "findings/evidence/step_syncs.h"
#include "findings/rule.h"

/// Copies and sets that block the host in the middle of a step: calls without "Async", and asynchronous ones that
/// returned only when they were done. The ceiling is what a replay (replay.h) saves in which they return at once. What
/// a wait follows is sync_in_loop's, and copies from pageable memory to a GPU are pageable_copy's.
namespace sonde {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty() || facts.trace.api.start.empty()) return;
  if (!facts.steps) {
    diagnosis.abstentions.push_back({"sync_copy", "sync_copy.no_steps", {}});
    return;
  }
  const std::vector<Row> rows = blocking_copies_inside_steps(facts).calls;
  if (rows.empty()) return;
  Change change;
  change.cuts = waits_of_copies(facts, rows);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim_idle_behind(facts, rows, {ApiKind::copy_async, ApiKind::copy_blocking}, IdleCause::copy, diagnosis.claims);
  const auto blocked = static_cast<double>(time_in_calls(facts, rows));
  diagnosis.findings.push_back(
      {.id = "sync_copy",
       .arguments = {{"calls", Unit::none, 0, counts_of_calls(facts, rows)}, {"time", Unit::nanoseconds, blocked, {}}},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_calls(facts, rows)});
}

}  // namespace

extern const Rule sync_copy_rule;
const Rule sync_copy_rule{"sync_copy", "copies and sets that block the host in the middle of a step",
                          kReplayFields | Fields{Field::ranges, Field::range_links} | kIdleFields, kLoopChecks, &judge};

}  // namespace sonde
