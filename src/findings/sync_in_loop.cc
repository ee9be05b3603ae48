#include <algorithm>
#include <map>

#include "analyses/idle_time.h"
#include "analyses/replay.h"
#include "findings/call_lists.h"
#include "findings/rule.h"
#include "findings/step_syncs.h"
#include "trace/columns.h"

/// Waits for the GPU in the middle of a step: the host launches nothing meanwhile, streams that could run side by side
/// run one after the other, and the GPU runs dry behind each wait. The ceiling is what a replay of the steps without
/// these calls saves (replay.h), so lost overlap counts and not only idle time. It claims the idle time behind these
/// waits.
namespace sonde {
namespace {

constexpr double kLeastPercent = 1;

/// Leaves idle time to this rule whose thread waited inside of a step last.
void claim(const Facts& facts, const std::vector<Row>& rows, Claims& claims) {
  const Calls& api = facts.trace.api;
  std::map<ThreadId, std::vector<std::pair<int64_t, bool>>> waits;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] == ApiKind::synchronize) {
      waits[api.thread[row]].emplace_back(api.start[row], std::ranges::binary_search(rows, row));
    }
  }
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    const auto of_thread = waits.find(piece.thread);
    if (piece.cause != IdleCause::synchronization || of_thread == waits.end()) return;
    const auto next = std::ranges::upper_bound(of_thread->second, piece.start_ns, {}, &std::pair<int64_t, bool>::first);
    if (next != of_thread->second.begin() && std::prev(next)->second) {
      claims.idle[piece.gpu].emplace_back(piece.start_ns, piece.end_ns);
    }
  });
  claims.waits.insert(claims.waits.end(), rows.begin(), rows.end());
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty() || facts.trace.api.start.empty()) return;
  if (!facts.steps) {
    diagnosis.abstentions.push_back({"sync_in_loop", "sync_in_loop.no_steps", {}});
    return;
  }
  const std::vector<Row> rows = syncs_inside_steps(facts);
  if (rows.empty()) return;
  const Calls& api = facts.trace.api;
  Change change;
  int64_t blocked = 0;
  for (const Row row : rows) {
    change.cuts.push_back({api.thread[row], api.start[row], api.end[row]});
    blocked += api.end[row] - api.start[row];
  }
  claim(facts, rows, diagnosis.claims);
  const int64_t ceiling = replay_saving_ns(facts.trace, facts.gpus, facts.api_kinds, facts.extent, change);
  if (facts.percent_of_wall(ceiling) < kLeastPercent) return;
  diagnosis.findings.push_back({.id = "sync_in_loop",
                                .arguments = {{"calls", Unit::none, 0, names_of_calls(facts, rows)},
                                              {"time", Unit::nanoseconds, static_cast<double>(blocked), {}}},
                                .ceiling_ns = ceiling,
                                .evidence = calls_as_evidence(facts, rows)});
}

}  // namespace

extern const Rule sync_in_loop_rule;
const Rule sync_in_loop_rule{"sync_in_loop", "waits for the GPU in the middle of a step",
                             kReplayFields | Fields{Field::ranges, Field::range_links} | kIdleFields, kLoopChecks,
                             &judge};

}  // namespace sonde
