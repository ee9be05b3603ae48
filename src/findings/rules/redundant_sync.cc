#include <algorithm>
#include <set>

#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/redundant_syncs.h"
#include "findings/evidence/step_syncs.h"
#include "findings/rule.h"

/// Waits for the GPU for what the same thread has waited for already: they take host time, and the next launch comes
/// later. The ceiling is what a replay (replay.h) saves without these calls. Waits that the step's next launches stand
/// behind are sync_in_loop's, redundant or not.
namespace sonde {
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
  diagnosis.findings.push_back({.id = "redundant_sync",
                                .arguments = {{"calls", Unit::none, 0, counts_of_calls(facts, found.rows)},
                                              {"time", Unit::nanoseconds, static_cast<double>(time), {}}},
                                .ceiling_ns = ceiling,
                                .evidence = evidence_of_calls(facts, found.rows)});
}

}  // namespace

extern const Rule redundant_sync_rule;
const Rule redundant_sync_rule{"redundant_sync", "waits for what has been waited for already",
                               kReplayFields | Fields{Field::ranges, Field::range_links}, kLoopChecks, &judge};

}  // namespace sonde
