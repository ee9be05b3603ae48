#include <array>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/most_of.h"
#include "findings/evidence/places.h"
#include "findings/rule.h"
#include "trace/brief_kernel_name.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

/// Memsets that take GPU time. The ceiling is what a replay (replay.h) saves without them: whatever they clear may be
/// written by a kernel anyway. A GPU that is hardly idle sets the pace whatever its host was recorded to do between its
/// calls, so the ceiling is at least the memsets' time less the idle time.
namespace sonde {
namespace memset_time_finding {
namespace {

/// Below this they are a framework's own: gradients and workspaces that it clears.
constexpr double kMinPercent = 2;

std::vector<Row> judged_sets(const Facts& facts) {
  std::vector<Row> rows;
  for (Row row = 0; row < row_count(facts.trace.sets); ++row) {
    if (facts.judged(facts.trace.sets.start[row])) rows.push_back(row);
  }
  return rows;
}

bool has_own_call(const Facts& facts, Row row) {
  const Row call = facts.trace.sets.launch[row];
  return call != kNone &&
         (facts.api_kinds[call] == ApiKind::copy_async || facts.api_kinds[call] == ApiKind::copy_blocking);
}

/// Memsets of a graph have no call of their own.
Change without_sets(const Facts& facts, const std::vector<Row>& rows) {
  Change change;
  std::vector<Row> calls;
  for (const Row row : rows) {
    if (has_own_call(facts, row)) {
      calls.push_back(facts.trace.sets.launch[row]);
    } else {
      change.sets.push_back({row, 0});
    }
  }
  change.cuts = cuts_of_calls(facts, calls);
  return change;
}

/// The kernels that follow on the same streams, by the memsets' time.
std::string next_kernels(const Facts& facts, const std::vector<Row>& rows) {
  const Sets& s = facts.trace.sets;
  const Kernels& k = facts.trace.kernels;
  std::vector<Row> next_on(facts.trace.streams.size(), kNone);
  std::map<NameId, int64_t> by_name;
  auto kernel = static_cast<Row>(row_count(k));
  int64_t whole = 0;
  for (const Row row : rows | std::views::reverse) {
    for (; kernel > 0 && k.start[kernel - 1] >= s.start[row]; --kernel) next_on[k.stream[kernel - 1]] = kernel - 1;
    const Row next = next_on[s.stream[row]];
    whole += facts.shares.sets[row];
    if (next != kNone) by_name[k.name[next]] += facts.shares.sets[row];
  }
  std::map<std::string, int64_t> names;
  for (const auto& [name, ns] : by_name) names[brief_kernel_name(facts.trace.name(name))] += ns;
  const std::string text = most_of(names, whole);
  return text.empty() ? "no kernel" : text;
}

std::vector<Evidence> longest_sets(const Facts& facts, std::vector<Row> rows) {
  const Sets& s = facts.trace.sets;
  std::ranges::stable_sort(rows, std::greater(), [&](Row row) { return s.end[row] - s.start[row]; });
  rows.resize(std::min(rows.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const Row row : rows) {
    const Row call = s.launch[row];
    evidence.push_back(
        {s.start[row], s.end[row], facts.place_of(s.stream[row]),
         call == kNone ? std::string() : std::string(api_label(facts.trace.name(facts.trace.api.name[call])))});
  }
  return evidence;
}

struct Sum {
  int64_t bytes = 0;
  int64_t ns = 0;
  bool all_sized = true;
};

Sum sum_of(const Facts& facts, const std::vector<Row>& rows) {
  const Sets& s = facts.trace.sets;
  Sum sum;
  for (const Row row : rows) {
    sum.ns += facts.shares.sets[row];
    const int64_t bytes = s.bytes.empty() ? kUnknown : s.bytes[row];
    sum.all_sized = sum.all_sized && bytes != kUnknown;
    if (bytes != kUnknown) sum.bytes += bytes;
  }
  return sum;
}

std::string place_of(const Facts& facts, const std::vector<Row>& rows) {
  Places places(facts);
  for (const Row row : rows) {
    const Row call = facts.trace.sets.launch[row];
    if (call != kNone) places.add(call, facts.shares.sets[row]);
  }
  return places.most_in_words();
}

/// Over all GPUs.
int64_t idle_ns(const Facts& facts) {
  int64_t busy = 0;
  for (const GpuActivity& gpu : facts.activity) {
    std::vector<Span> all = gpu.compute;
    all.insert(all.end(), gpu.communication.begin(), gpu.communication.end());
    all.insert(all.end(), gpu.copies.begin(), gpu.copies.end());
    merge_spans(all);
    busy += covered_ns(facts.extent, all);
  }
  return static_cast<int64_t>(facts.activity.size()) * facts.wall_ns() - busy;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const std::vector<Row> rows = judged_sets(facts);
  const Sum sum = sum_of(facts, rows);
  const int64_t time = facts.per_gpu(sum.ns);
  if (facts.percent_of_wall(time) < kMinPercent) return;
  const int64_t ceiling = std::max(facts.saving_ns(without_sets(facts, rows)), facts.per_gpu(sum.ns - idle_ns(facts)));
  if (facts.percent_of_wall(ceiling) < kMinPercent) return;
  Finding finding{.id = sum.all_sized ? "memset_time" : "memset_time_unsized",
                  .arguments = {text_argument("place", place_of(facts, rows)), count_argument("count", rows.size()),
                                duration_argument("time", time), text_argument("next", next_kernels(facts, rows))},
                  .ceiling_ns = ceiling,
                  .evidence = longest_sets(facts, rows)};
  if (sum.all_sized && sum.ns > 0) {
    finding.arguments.push_back(bytes_argument("bytes", sum.bytes));
    finding.arguments.push_back(rate_argument("rate", static_cast<double>(sum.bytes) / static_cast<double>(sum.ns)));
  }
  diagnosis.findings.push_back(std::move(finding));
}

constexpr std::string_view kDo =
    "Clear only memory that is read before it is written: torch.empty instead of torch.zeros, "
    "zero_grad(set_to_none=True), cudaMalloc without cudaMemset. Clear only the part that is used. Or let the kernel "
    "that uses the values last clear them for the next step.";

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"memset_time.says",
     "{place}, {count} memsets fill {bytes} in {time}, at {rate}. The next kernels on their streams: {next}."},
    {"memset_time.do", kDo},
    {"memset_time_unsized.says", "{place}, {count} memsets take {time}. The next kernels on their streams: {next}."},
    {"memset_time_unsized.do", kDo},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{.ids = {"memset_time", "memset_time_unsized"},
                     .reports = "Memsets take GPU time. `_unsized`: the profile does not contain the size of each.",
                     .when = fmt::format("They take at least {} % of the judged time.", kMinPercent),
                     .not_when = "Work that kernels do to fill memory does not count.",
                     .ceiling =
                         "Replay without these memsets and their calls, and at least their time less the idle time of "
                         "the GPU.",
                     .evidence = "The longest memsets.",
                     .min_percent = kMinPercent}};
}

}  // namespace
}  // namespace memset_time_finding

extern const Rule memset_time_rule;
const Rule memset_time_rule{.name = "memset_time",
                            .description = "memsets that take GPU time",
                            .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                            .checks = kLoopChecks,
                            .judge = &memset_time_finding::judge,
                            .texts = memset_time_finding::kTexts,
                            .docs = &memset_time_finding::docs,
                            .saves = Saves::gpu_work};

}  // namespace sonde
