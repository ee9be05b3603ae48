#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/redundant_syncs.h"
#include "findings/evidence/step_syncs.h"
#include "findings/rule.h"

/// Calls that wait for the GPU although nothing was launched since the thread's last wait: they take host time, and the
/// next launch comes later. The ceiling is what a replay (replay.h) saves without these calls. Waits within a step that
/// then launches more are sync_in_loop's, redundant or not.
namespace sonde {
namespace redundant_sync_finding {
namespace {

int64_t time_of(const Calls& api, const std::vector<Row>& rows) {
  int64_t time = 0;
  for (const Row row : rows) time += api.end[row] - api.start[row];
  return time;
}

void claim(const Facts& facts, const std::vector<Row>& rows, Claims& claims) {
  const Calls& api = facts.trace.api;
  const auto group_of = groups_of_threads(facts.trace, facts.gpus);
  std::vector<std::set<uint32_t>> gpus_of(facts.gpus.gpus.size());
  for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      if (ops.launch[row] == kNone || group_of[api.thread[ops.launch[row]]] == kNone) continue;
      gpus_of[group_of[api.thread[ops.launch[row]]]].insert(facts.gpus.of_stream[ops.stream[row]]);
    }
  });
  for (const Row row : rows) {
    for (const uint32_t gpu : gpus_of[group_of[api.thread[row]]]) {
      claims.idle[gpu].emplace_back(api.start[row], api.end[row]);
    }
  }
  claims.waits.insert(claims.waits.end(), rows.begin(), rows.end());
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty() || facts.trace.api.start.empty()) return;
  const Calls& api = facts.trace.api;
  RedundantSyncs found = redundant_syncs(facts);
  const std::vector<Row> inside = syncs_inside_steps(facts);
  const auto elsewhere = [&](Row row) { return std::ranges::binary_search(inside, row); };
  std::erase_if(found.rows, elsewhere);
  std::erase_if(found.unsure, elsewhere);
  if (facts.percent_of_wall(time_of(api, found.unsure)) >= kWorthPercent) {
    diagnosis.abstentions.push_back({"redundant_sync", "redundant_sync.several_gpus", {}});
  }
  const int64_t time = time_of(api, found.rows);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  Change change;
  for (const Row row : found.rows) change.cuts.push_back({api.thread[row], api.start[row], api.end[row]});
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim(facts, found.rows, diagnosis.claims);
  diagnosis.findings.push_back(
      {.id = "redundant_sync",
       .arguments = {text_argument("calls", counts_of_calls(facts, found.rows)), duration_argument("time", time)},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_calls(facts, found.rows)});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"redundant_sync.says",
     "The host synchronizes again although nothing was launched since the last synchronization ({calls}), for {time} "
     "in total."},
    {"redundant_sync.do",
     "Synchronize once: one cudaDeviceSynchronize (torch.cuda.synchronize) covers everything launched before it. Read "
     "all values of a step after one synchronization, and stop timers together."},
    {"redundant_sync.several_gpus.says",
     "threads launch work on several GPUs, and the profile does not show which GPU a call waits for"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"redundant_sync"},
      .reports = "Calls wait for work that the same thread has waited for already.",
      .when =
          fmt::format("Since the thread's last wait for the device, or for the same stream, no thread of its group put "
                      "work there. The calls take at least {} % of the judged time.",
                      kWorthPercent),
      .not_when =
          "Waits within a step that then launches more are `sync_in_loop`'s. A wait for an event alone does not make a "
          "later wait redundant: the profile does not show what it covers. No conclusion is drawn if the group's "
          "threads put work on several GPUs.",
      .ceiling = "Replay without these calls.",
      .evidence = "The longest calls."}};
}

}  // namespace
}  // namespace redundant_sync_finding

extern const Rule redundant_sync_rule;
const Rule redundant_sync_rule{.name = "redundant_sync",
                               .description = "synchronization with nothing launched since the last one",
                               .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                               .checks = kLoopChecks,
                               .judge = &redundant_sync_finding::judge,
                               .texts = redundant_sync_finding::kTexts,
                               .docs = &redundant_sync_finding::docs,
                               .saves = Saves::waits,
                               .claims = ClaimUse::adds};

}  // namespace sonde
