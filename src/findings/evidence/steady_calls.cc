#include "findings/evidence/steady_calls.h"

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "trace/columns.h"

namespace sonde {
namespace {

std::vector<Row> calls_of_kind(const Facts& facts, ApiKind kind) {
  const Calls& api = facts.trace.api;
  std::vector<Row> rows;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] != kind || !facts.judged_on_host(api.start[row])) continue;
    if (api.thread[row] >= facts.trace.threads.size()) continue;  // of a thread that the file does not name
    if (!facts.trace.name(api.name[row]).contains("Async")) rows.push_back(row);
  }
  return rows;
}

void claim_idle_of_cause(const Facts& facts, IdleCause cause, Claims& claims) {
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (piece.cause == cause) claims.idle[piece.gpu].emplace_back(piece.start_ns, piece.end_ns);
  });
}

}  // namespace

void judge_steady_calls(const Facts& facts, Diagnosis& diagnosis, std::string_view rule, ApiKind kind,
                        IdleCause cause) {
  const std::vector<Row> rows = calls_of_kind(facts, kind);
  if (facts.gpus.gpus.empty() || rows.empty()) return;
  if (!facts.steps) {
    diagnosis.abstentions.push_back({rule, "steady_calls.no_steps", {}});
    return;
  }
  const int64_t time = time_in_calls(facts, rows);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  Change change;
  change.cuts = cuts_of_calls(facts, rows);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim_idle_of_cause(facts, cause, diagnosis.claims);
  diagnosis.findings.push_back(
      {.id = std::string(rule),
       .arguments = {text_argument("calls", counts_of_calls(facts, rows)), duration_argument("time", time)},
       .ceiling_ns = ceiling,
       .evidence = evidence_of_calls(facts, rows)});
}

}  // namespace sonde
