#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "analyses/gpus/operation_names.h"
#include "findings/evidence/most_of.h"
#include "findings/evidence/serialized_kernels.h"
#include "trace/columns.h"

/// Streams that could run in parallel, but an unneeded order serializes them. The ceiling is what a replay (replay.h)
/// saves in which the kernels of each group, and the operations between them, start as soon as each is launched and its
/// stream is free. Only kernels that are known to fit on the GPU together count. The profile does not show whether
/// their work is independent.
namespace sonde {
namespace serialized_streams_finding {
namespace {

using Groups = std::vector<SerializedKernels>;

int64_t saved_by(const Facts& facts, const Groups& groups, bool events) {
  Change change;
  for (const SerializedKernels& group : groups) change.side_by_side.push_back({group.operations, events});
  return facts.saving_ns(change);
}

std::string what_held_apart(const Facts& facts, const Groups& groups) {
  std::map<std::string, int64_t> names;
  for (const SerializedKernels& group : groups) {
    for (const auto& [table, row] : group.held_apart_by) {
      const Trace& t = facts.trace;
      const std::string name = table == &t.kernels  ? facts.kernel_name(row)
                               : table == &t.copies ? std::string(copy_operation(t.copies.kind[row]))
                                                    : std::string(set_operation());
      ++names[name];
    }
  }
  return most_of(names);
}

std::vector<Evidence> evidence_of(const Facts& facts, const Groups& groups) {
  const Kernels& k = facts.trace.kernels;
  std::vector<const SerializedKernels*> longest;
  for (const SerializedKernels& group : groups) longest.push_back(&group);
  std::ranges::stable_sort(longest, std::greater(), [&](const auto* group) { return group->end(k) - group->start(k); });
  longest.resize(std::min(longest.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const SerializedKernels* group : longest) {
    const Row first = group->kernels.front();
    evidence.push_back({group->start(k), group->end(k), facts.place_of(k.stream[first]),
                        fmt::format("{} and {} more", facts.kernel_name(first), group->kernels.size() - 1)});
  }
  return evidence;
}

void claim(const Facts& facts, const Groups& groups, Claims& claims) {
  const Kernels& k = facts.trace.kernels;
  for (const SerializedKernels& group : groups) {
    claims.side_by_side.insert(claims.side_by_side.end(), group.kernels.begin(), group.kernels.end());
    claims.idle[facts.gpus.of_stream[k.stream[group.kernels.front()]]].emplace_back(group.start(k), group.end(k));
  }
}

void add_finding(const Facts& facts, std::string_view id, const Groups& groups, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  int64_t shares = 0;
  int64_t kernels = 0;
  std::set<StreamId> streams;
  std::map<std::string, int64_t> names;
  for (const SerializedKernels& group : groups) {
    for (const Row row : group.kernels) {
      shares += facts.shares.kernels[row];
      names[facts.kernel_name(row)] += facts.shares.kernels[row];
      streams.insert(k.stream[row]);
    }
    kernels += std::ssize(group.kernels);
  }
  const int64_t time = facts.per_gpu(shares);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  const int64_t ceiling = saved_by(facts, groups, id == "serialized_streams_events");
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.findings.push_back(
      {.id = std::string(id),
       .arguments = {count_argument("kernels", kernels), count_argument("streams", streams.size()),
                     duration_argument("time", time), text_argument("most", most_of(names)),
                     text_argument("between", what_held_apart(facts, groups))},
       .ceiling_ns = ceiling,
       .evidence = evidence_of(facts, groups)});
  claim(facts, groups, diagnosis.claims);
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  std::set<StreamId> streams;
  for (Row row = 0; row < row_count(k); ++row) {
    if (facts.judged(k.start[row])) streams.insert(k.stream[row]);
  }
  if (streams.size() < 2) return;
  if (std::ranges::all_of(k.launch, [](Row launch) { return launch == kNone; })) {
    diagnosis.abstentions.push_back({"serialized_streams", "serialized_streams.no_launches", {}});
    return;
  }
  add_finding(facts, "serialized_streams_default", serialized_by_default_stream(facts), diagnosis);
  Groups groups = serialized_by_events(facts);
  const std::set<Row> claimed(diagnosis.claims.side_by_side.begin(), diagnosis.claims.side_by_side.end());
  std::erase_if(groups, [&](const SerializedKernels& group) {
    return std::ranges::any_of(group.kernels, [&](Row row) { return claimed.contains(row); });
  });
  add_finding(facts, "serialized_streams_events", groups, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"serialized_streams_default.says",
     "{kernels} kernels on {streams} streams run one after the other, for {time} in total, although they fit on the "
     "GPU together: {most}. Operations on the legacy default stream between them serialize them: {between}."},
    {"serialized_streams_default.do",
     "If their work is independent, do not use the default stream: pass a stream to every kernel, copy and memset "
     "(cudaMemsetAsync, cudaMemcpyAsync), or compile with --default-stream per-thread. Or create the streams with "
     "cudaStreamNonBlocking, and order them by events where one needs the result of another."},
    {"serialized_streams_events.says",
     "{kernels} kernels on {streams} streams run one after the other, for {time} in total, although they fit on the "
     "GPU together: {most}. The streams repeatedly wait for each other's events, in both directions "
     "(cudaStreamWaitEvent), and never overlap."},
    {"serialized_streams_events.do",
     "If their work is independent, remove the waits, and join the streams once, where the results meet. If it is not, "
     "use one stream."},
    {"serialized_streams.no_launches.says",
     "the profile does not contain the calls that launched the kernels, so it is unknown whether they could have run "
     "earlier"},
});

std::vector<FindingDoc> docs() {
  const std::string not_when =
      "Communication kernels, and kernels whose grid, registers or SM count are unknown, do not count. No conclusion "
      "is "
      "drawn without the launching calls.";
  return {
      FindingDoc{
          .ids = {"serialized_streams_default"},
          .reports = "Operations on the legacy default stream serialize kernels of several streams that fit on the GPU "
                     "together.",
          .when =
              fmt::format("The waves of the kernels add up to 1 at most. Each kernel was launched while the one before "
                          "still ran. The default stream's operations between two kernels take at most half as long "
                          "as the kernel before. The kernels take at least {} % of the judged time.",
                          kWorthPercent),
          .not_when = "Streams flagged as non-blocking, and streams with an operation that overlaps one of the default "
                      "stream, do not count. Kernels whose stream also waited for an event do not count. The finding "
                      "needs to know the default stream (torch.profiler does not record it). " +
                      not_when,
          .ceiling = "Replay in which the kernels of each group, and the operations between them, run in parallel.",
          .evidence = "The longest groups."},
      FindingDoc{
          .ids = {"serialized_streams_events"},
          .reports = "Two streams serialize their kernels by waiting for each other's events.",
          .when = fmt::format("As above, but with at least {} waits in each direction, and no two kernels of the two "
                              "streams overlap.",
                              kMinEventWaits),
          .not_when = not_when,
          .ceiling = "The same replay, also without these waits. It assumes that the work is independent.",
          .evidence = "The longest groups."}};
}

}  // namespace
}  // namespace serialized_streams_finding

extern const Rule serialized_streams_rule;
const Rule serialized_streams_rule{
    .name = "serialized_streams",
    .description = "streams that could run in parallel but wait for each other",
    .fields = kSerializedKernelsFields,
    .checks = {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    .judge = &serialized_streams_finding::judge,
    .texts = serialized_streams_finding::kTexts,
    .docs = &serialized_streams_finding::docs,
    .claims = ClaimUse::adds};

}  // namespace sonde
