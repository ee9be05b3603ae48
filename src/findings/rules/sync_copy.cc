#include <array>

#include <fmt/format.h>

#include "findings/evidence/call_rows.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/step_syncs.h"
#include "findings/rule.h"

/// Copies and memsets that block the host in the middle of a step: calls without "Async", and asynchronous ones that
/// returned only when they were done. The ceiling is what a replay (replay.h) saves in which they return at once.
/// Copies with a wait after them are sync_in_loop's, and copies from pageable memory to a GPU are pageable_copy's.
namespace sonde {
namespace sync_copy_finding {
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
  const int64_t blocked = time_in_calls(facts, rows);
  diagnosis.findings.push_back(
      {.id = "sync_copy",
       .arguments = {text_argument("calls", counts_of_calls(facts, rows)), duration_argument("time", blocked)},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_calls(facts, rows)});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"sync_copy.says",
     "Copies or memsets block the host in the middle of steps ({calls}), for {time} in total, and the host launches "
     "nothing in that time."},
    {"sync_copy.do",
     "Use cudaMemcpyAsync and cudaMemsetAsync with pinned memory (non_blocking=True). Wait for an event only where the "
     "host reads the result, ideally one step later."},
    {"sync_copy.no_steps.says", kNoRepeatedSteps},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"sync_copy"},
      .reports =
          "Calls of copies and memsets return only after the GPU is done, within a step that launches more after them.",
      .when = fmt::format("Steps are known. The call takes more than {} us.", kCopyCallNs / 1000),
      .not_when =
          "Copies from pageable memory to a GPU are `pageable_copy`'s. If the thread's next call waits for the GPU "
          "anyway (`aten::item`), the copy is `sync_in_loop`'s. No conclusion is drawn without steps.",
      .ceiling = fmt::format("Replay in which these calls return after {} us.", kCopyCallNs / 1000),
      .evidence = "The longest calls."}};
}

}  // namespace
}  // namespace sync_copy_finding

extern const Rule sync_copy_rule;
const Rule sync_copy_rule{.name = "sync_copy",
                          .description = "copies and memsets that block the host in the middle of a step",
                          .fields = kReplayFields | Fields{Field::ranges, Field::range_links} | kIdleFields,
                          .checks = kLoopChecks,
                          .judge = &sync_copy_finding::judge,
                          .texts = sync_copy_finding::kTexts,
                          .docs = &sync_copy_finding::docs,
                          .saves = Saves::waits,
                          .claims = ClaimUse::adds};

}  // namespace sonde
