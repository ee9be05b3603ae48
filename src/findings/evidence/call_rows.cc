#include "findings/evidence/call_rows.h"

#include <algorithm>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "findings/evidence/host_copies.h"
#include "trace/columns.h"

namespace sonde {

namespace {

/// The name of the outermost operator around a call: "aten::item"; empty where there is none.
std::string_view outermost_operator(const Trace& trace, Row call) {
  Row range = operator_around(trace, call);
  if (range == kNone) return {};
  while (trace.ranges.parent[range] != kNone) range = trace.ranges.parent[range];
  return trace.name(trace.ranges.name[range]);
}

}  // namespace

Row operator_around(const Trace& trace, Row call) {
  for (const DomainLinks& links : trace.range_links) {
    const bool ops = trace.domains[links.domain].kind == DomainKind::op;
    if (ops && links.of_api[call] != kNone) return links.of_api[call];
  }
  return kNone;
}

std::string counts_of_calls(const Facts& facts, const std::vector<Row>& rows) {
  std::map<std::string, int64_t> counts;
  for (const Row row : rows) {
    const std::string_view name = api_label(facts.trace.name(facts.trace.api.name[row]));
    const std::string_view around = outermost_operator(facts.trace, row);
    ++counts[fmt::format("{}{}{}", name, around.empty() ? "" : " in ", around)];
  }
  std::vector<std::pair<std::string, int64_t>> most(counts.begin(), counts.end());
  std::ranges::stable_sort(most, std::greater(), &std::pair<std::string, int64_t>::second);
  constexpr size_t kShown = 3;
  std::string text;
  for (const auto& [name, count] : most | std::views::take(kShown)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  if (most.size() > kShown) text += fmt::format(" and {} more kinds", most.size() - kShown);
  return text;
}

int64_t time_in_calls(const Facts& facts, const std::vector<Row>& rows) {
  int64_t time = 0;
  for (const Cut& cut : cuts_of_calls(facts, rows)) time += cut.end_ns - cut.start_ns;
  return time;
}

std::vector<Evidence> evidence_of_calls(const Facts& facts, std::vector<Row> rows) {
  const Calls& api = facts.trace.api;
  std::ranges::stable_sort(rows, std::greater(), [&](Row row) { return api.end[row] - api.start[row]; });
  rows.resize(std::min(rows.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const Row row : rows) {
    evidence.push_back({api.start[row], api.end[row],
                        fmt::format("thread {}", facts.trace.threads[api.thread[row]].tid),
                        std::string(api_label(facts.trace.name(api.name[row])))});
  }
  return evidence;
}

std::vector<Cut> merged_cuts(const std::vector<Cut>& cuts) {
  std::map<ThreadId, std::vector<Span>> of_thread;
  for (const Cut& cut : cuts) of_thread[cut.thread].emplace_back(cut.start_ns, cut.end_ns);
  std::vector<Cut> merged;
  for (auto& [thread, spans] : of_thread) {
    merge_spans(spans);
    for (const Span& span : spans) merged.push_back({thread, span.first, span.second});
  }
  return merged;
}

std::vector<Cut> cuts_of_calls(const Facts& facts, const std::vector<Row>& rows) {
  const Calls& api = facts.trace.api;
  std::vector<Cut> cuts;
  for (const Row row : rows) cuts.push_back({api.thread[row], api.start[row], api.end[row]});
  return merged_cuts(cuts);
}

std::vector<Cut> waits_of_copies(const Facts& facts, const std::vector<Row>& rows) {
  const Calls& api = facts.trace.api;
  std::vector<Cut> cuts;
  for (const Row row : rows) {
    if (api.end[row] - api.start[row] <= kCopyCallNs) continue;
    cuts.push_back({api.thread[row], api.start[row] + kCopyCallNs, api.end[row]});
  }
  return cuts;
}

void claim_idle_behind(const Facts& facts, const std::vector<Row>& rows, std::initializer_list<ApiKind> kinds,
                       IdleCause cause, Claims& claims) {
  const Calls& api = facts.trace.api;
  std::map<ThreadId, std::vector<std::pair<int64_t, bool>>> calls;
  for (Row row = 0; row < row_count(api); ++row) {
    if (std::ranges::find(kinds, facts.api_kinds[row]) == kinds.end()) continue;
    calls[api.thread[row]].emplace_back(api.start[row], std::ranges::binary_search(rows, row));
  }
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    const auto of_thread = calls.find(piece.thread);
    if (piece.cause != cause || of_thread == calls.end()) return;
    const auto next = std::ranges::upper_bound(of_thread->second, piece.start_ns, {}, &std::pair<int64_t, bool>::first);
    if (next != of_thread->second.begin() && std::prev(next)->second) {
      claims.idle[piece.gpu].emplace_back(piece.start_ns, piece.end_ns);
    }
  });
}

}  // namespace sonde
