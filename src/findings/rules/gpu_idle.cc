#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "analyses/gpus/idle_totals.h"
#include "findings/evidence/most_of.h"
#include "findings/evidence/told.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Idle time of the GPUs, a finding for each cause. Idle nanoseconds of a GPU have one cause each, so that these
/// ceilings never add up past its idle time. What other findings explain is theirs (Claims).
namespace sonde {
namespace {

/// Idle time that no finding has claimed.
IdleTotals unclaimed(const Facts& facts, const Claims& claims) {
  const Told told(claims);
  return idle_totals(facts.trace, facts.gpus, facts.extent,
                     [&](const IdlePiece& piece) { return !told.holds(piece.gpu, piece.start_ns); });
}

/// What the thread was in most.
std::string calls_of(const Facts& facts, const IdleTotals& idle, IdleCause cause) {
  std::map<std::string, int64_t> by_label;
  for (const IdleWhile& part : idle.by_name) {
    if (part.cause == cause && part.name != kNone) {
      by_label[without_numbers(api_label(facts.trace.name(part.name)))] += part.ns;
    }
  }
  const std::string text = most_of(by_label, idle.total(cause));
  return text.empty() ? "no call or range is named" : text;
}

std::vector<Evidence> evidence_of(const Facts& facts, const IdleTotals& idle, IdleCause cause) {
  std::vector<Evidence> evidence;
  for (const IdlePiece& piece : idle.longest[static_cast<size_t>(cause)]) {
    evidence.push_back({piece.start_ns, piece.end_ns, facts.gpus.gpus[piece.gpu].place,
                        std::string(api_label(facts.trace.name(piece.name)))});
  }
  return evidence;
}

/// Time that threads spend blocked in synchronization: without it the host gains no more than that.
int64_t blocked_ns(const Facts& facts, const Claims& claims) {
  const std::set<Row> claimed(claims.waits.begin(), claims.waits.end());
  const Calls& api = facts.trace.api;
  int64_t blocked = 0;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] == ApiKind::synchronize && facts.judged(api.start[row]) && !claimed.contains(row))
      blocked += api.end[row] - api.start[row];
  }
  return facts.per_gpu(blocked);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty()) {
    diagnosis.abstentions.push_back({"gpu_idle", "gpu_idle.no_gpu_work", {}});
    return;
  }
  const IdleTotals idle = unclaimed(facts, diagnosis.claims);
  for (size_t c = 0; c < static_cast<size_t>(IdleCause::count_); ++c) {
    const auto cause = static_cast<IdleCause>(c);
    if (cause == IdleCause::before_first || cause == IdleCause::after_last) continue;
    const int64_t time = facts.per_gpu(idle.total(cause));
    const int64_t ceiling =
        cause == IdleCause::synchronization ? std::min(time, blocked_ns(facts, diagnosis.claims)) : time;
    if (facts.percent_of_wall(ceiling) < kWorthPercent) continue;
    diagnosis.findings.push_back({.id = fmt::format("gpu_idle_{}", info_of(cause).name),
                                  .arguments = {{"time", Unit::nanoseconds, static_cast<double>(time), {}},
                                                {"most", Unit::none, 0, calls_of(facts, idle, cause)}},
                                  .ceiling_ns = ceiling,
                                  .evidence = evidence_of(facts, idle, cause)});
  }
}

}  // namespace

extern const Rule gpu_idle_rule;
const Rule gpu_idle_rule{
    "gpu_idle", "the GPU does nothing, by cause", kIdleFields, {Check::records_complete, Check::launches_free}, &judge};

}  // namespace sonde
