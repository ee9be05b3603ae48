#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Unified memory that migrates between host and GPU repeatedly: each side faults on pages that the other accessed
/// last. The ceiling is what a replay (replay.h) saves without these migrations: kernels do not wait for pages, and
/// neither does the thread that launches next while pages come back to the host.
namespace sonde {
namespace managed_thrash_finding {
namespace {

/// The driver migrates memory in pieces of up to this size. Two moves of a block may begin at different addresses in
/// it.
constexpr int64_t kBlockBytes = 2 << 20;
/// In each direction: to the GPU once and back once is a hand-over.
constexpr int64_t kMinMoves = 3;

/// A block moves piece by piece: what moves in one direction before any of it moves in the other is one move.
struct Moves {
  int64_t to_gpu = 0;
  int64_t to_host = 0;
  bool on_gpu = false;
  void add(bool moves_to_gpu) {
    const bool first = to_gpu + to_host == 0;
    if (first || on_gpu != moves_to_gpu) ++(moves_to_gpu ? to_gpu : to_host);
    on_gpu = moves_to_gpu;
  }
};

bool to_gpu(const Copies& c, Row row) { return c.kind[row] == static_cast<uint8_t>(CopyKind::unified_host_to_device); }
bool to_host(const Copies& c, Row row) { return c.kind[row] == static_cast<uint8_t>(CopyKind::unified_device_to_host); }

/// Migrations of blocks that moved often in both directions.
std::vector<Row> thrashing(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  const auto block_of = [&](Row row) {
    return std::pair(facts.gpus.of_stream[c.stream[row]], c.address[row] / kBlockBytes);
  };
  const auto counts = [&](Row row) {
    return (to_gpu(c, row) || to_host(c, row)) && facts.judged(c.start[row]) && c.address[row] != kUnknown;
  };
  std::map<std::pair<uint32_t, int64_t>, Moves> moves;
  for (Row row = 0; row < c.address.size(); ++row) {
    if (counts(row)) moves[block_of(row)].add(to_gpu(c, row));
  }
  std::vector<Row> rows;
  for (Row row = 0; row < c.address.size(); ++row) {
    if (!counts(row)) continue;
    const Moves& of_block = moves.at(block_of(row));
    if (std::min(of_block.to_gpu, of_block.to_host) >= kMinMoves) rows.push_back(row);
  }
  return rows;
}

/// By GPU, merged: when these rows move in one direction.
std::vector<std::vector<Span>> moving(const Facts& facts, const std::vector<Row>& rows,
                                      bool (*direction)(const Copies&, Row)) {
  const Copies& c = facts.trace.copies;
  std::vector<std::vector<Span>> spans(facts.gpus.gpus.size());
  for (const Row row : rows) {
    if (direction(c, row)) spans[facts.gpus.of_stream[c.stream[row]]].emplace_back(c.start[row], c.end[row]);
  }
  for (auto& of_gpu : spans) merge_spans(of_gpu);
  return spans;
}

void do_without_faults(const Facts& facts, const std::vector<std::vector<Span>>& pulls, Change& change) {
  const Kernels& k = facts.trace.kernels;
  for (Row row = 0; row < row_count(k); ++row) {
    const int64_t waited = covered_ns({k.start[row], k.end[row]}, pulls[facts.gpus.of_stream[k.stream[row]]]);
    if (waited > 0) change.kernels.push_back({row, k.end[row] - k.start[row] - waited});
  }
}

/// API calls of each thread in the order of time.
std::map<ThreadId, std::vector<Span>> calls_by_thread(const Facts& facts) {
  const Calls& api = facts.trace.api;
  std::map<ThreadId, std::vector<Span>> calls;
  for (Row row = 0; row < row_count(api); ++row) calls[api.thread[row]].emplace_back(api.start[row], api.end[row]);
  return calls;
}

/// For each GPU, when its kernels were launched and by which thread.
std::vector<std::map<int64_t, ThreadId>> launches_by_gpu(const Facts& facts) {
  const Kernels& k = facts.trace.kernels;
  std::vector<std::map<int64_t, ThreadId>> launches(facts.gpus.gpus.size());
  for (Row row = 0; row < k.launch.size(); ++row) {
    if (k.launch[row] == kNone) continue;
    const Calls& api = facts.trace.api;
    launches[facts.gpus.of_stream[k.stream[row]]][api.start[k.launch[row]]] = api.thread[k.launch[row]];
  }
  return launches;
}

/// No column shows which thread faulted. The thread that launches next is assumed to, between its calls.
void do_without_reads(const Facts& facts, const std::vector<std::vector<Span>>& reads, Change& change) {
  const auto calls = calls_by_thread(facts);
  const auto launches = launches_by_gpu(facts);
  std::map<ThreadId, std::vector<Span>> waits;
  for (size_t gpu = 0; gpu < reads.size(); ++gpu) {
    for (const Span& read : reads[gpu]) {
      const auto next = launches[gpu].upper_bound(read.first);
      if (next == launches[gpu].end()) continue;
      const std::vector<Span>& of_thread = calls.at(next->second);
      const auto after = std::ranges::upper_bound(of_thread, read.first, {}, &Span::first);
      const int64_t free_from =
          after == of_thread.begin() ? read.first : std::max(read.first, std::prev(after)->second);
      const int64_t free_to = after == of_thread.end() ? read.second : std::min(read.second, after->first);
      if (free_to > free_from) waits[next->second].emplace_back(free_from, free_to);
    }
  }
  for (auto& [thread, spans] : waits) {
    merge_spans(spans);
    for (const Span& span : spans) change.cuts.push_back({thread, span.first, span.second});
  }
}

Change staying(const Facts& facts, const std::vector<Row>& rows) {
  Change change;
  do_without_faults(facts, moving(facts, rows, &to_gpu), change);
  do_without_reads(facts, moving(facts, rows, &to_host), change);
  for (const Row row : rows) change.copies.push_back({row, 0});
  return change;
}

/// Idle time before these migrations.
void claim(const Facts& facts, const std::vector<Row>& rows, Claims& claims) {
  const Copies& c = facts.trace.copies;
  std::set<std::pair<uint32_t, int64_t>> starts;
  for (const Row row : rows) starts.emplace(facts.gpus.of_stream[c.stream[row]], c.start[row]);
  for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (piece.cause == IdleCause::migration && starts.contains({piece.gpu, piece.end_ns}))
      claims.idle[piece.gpu].emplace_back(piece.start_ns, piece.end_ns);
  });
}

Finding finding_of(const Facts& facts, std::vector<Row> rows, int64_t ceiling) {
  const Copies& c = facts.trace.copies;
  int64_t bytes[2] = {0, 0};
  for (const Row row : rows) bytes[to_gpu(c, row) ? 0 : 1] += c.bytes[row];
  return {.id = "managed_thrash",
          .arguments = {bytes_argument("to_gpu", bytes[0]), bytes_argument("to_host", bytes[1]),
                        count_argument("count", rows.size())},
          .ceiling_ns = ceiling,
          .evidence = evidence_of_copies(facts, std::move(rows))};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const std::vector<Row> rows = thrashing(facts);
  if (rows.empty()) return;
  const Change change = staying(facts, rows);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  claim(facts, rows, diagnosis.claims);
  diagnosis.findings.push_back(finding_of(facts, rows, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"managed_thrash.says",
     "Unified memory thrashes: {to_gpu} migrate to the GPU and {to_host} back, in {count} migrations of the same "
     "blocks."},
    {"managed_thrash.do",
     "Access the memory from one side only in the loop: use cudaMalloc, and copy what the other side needs. Or "
     "prefetch it (cudaMemPrefetchAsync), or advise its use (cudaMemAdvise: cudaMemAdviseSetPreferredLocation, "
     "SetAccessedBy, SetReadMostly)."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"managed_thrash"},
      .reports = "The same blocks of unified memory migrate to the GPU and back repeatedly.",
      .when = fmt::format(
          "A block of {} MiB moves at least {} times in each direction. Successive pieces in one direction are one "
          "move.",
          kBlockBytes >> 20, kMinMoves),
      .not_when = "The finding needs the addresses of migrations.",
      .ceiling = "Replay without these migrations. Kernels take less by the time in which these migrations run in "
                 "parallel. The "
                 "thread that launches next saves the time in which pages come to the host.",
      .evidence = "The longest migrations."}};
}

}  // namespace
}  // namespace managed_thrash_finding

extern const Rule managed_thrash_rule;
const Rule managed_thrash_rule{.name = "managed_thrash",
                               .description = "unified memory that migrates to the GPU and back repeatedly",
                               .fields = kReplayFields | kIdleFields,
                               .checks = kLoopChecks,
                               .judge = &managed_thrash_finding::judge,
                               .texts = managed_thrash_finding::kTexts,
                               .docs = &managed_thrash_finding::docs,
                               .saves = Saves::gpu_work,
                               .claims = ClaimUse::adds};

}  // namespace sonde
