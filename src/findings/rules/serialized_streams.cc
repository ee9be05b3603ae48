#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "analyses/gpus/operation_names.h"
#include "findings/evidence/most_of.h"
#include "findings/evidence/serialized_kernels.h"
#include "trace/columns.h"

/// Streams that could run side by side and do not: something orders them that need not. The ceiling is what a replay
/// (replay.h) saves in which the kernels of each group, and what stood between them, start together, each as soon as it
/// is launched and its stream is free. Only kernels that are known to fit the GPU together are told. That their work is
/// independent the profile does not tell.
namespace sonde {
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
      const std::string_view name = table == &t.kernels  ? t.name(t.kernels.short_name[row])
                                    : table == &t.copies ? copy_operation(t.copies.kind[row])
                                                         : set_operation();
      ++names[std::string(name)];
    }
  }
  return most_of(names);
}

std::vector<Evidence> evidence_of(const Facts& facts, const Groups& groups) {
  const Kernels& k = facts.trace.kernels;
  std::vector<const SerializedKernels*> longest;
  for (const SerializedKernels& group : groups) longest.push_back(&group);
  std::ranges::stable_sort(longest, std::greater(), [&](const auto* group) { return group->end(k) - group->start(k); });
  longest.resize(std::min(longest.size(), kMostEvidence));
  std::vector<Evidence> evidence;
  for (const SerializedKernels* group : longest) {
    const Row first = group->kernels.front();
    evidence.push_back(
        {group->start(k), group->end(k), facts.gpus.gpus[facts.gpus.of_stream[k.stream[first]]].place,
         fmt::format("{} and {} more", facts.trace.name(k.short_name[first]), group->kernels.size() - 1)});
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

void tell(const Facts& facts, std::string_view id, const Groups& groups, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  int64_t shares = 0;
  int64_t kernels = 0;
  std::set<StreamId> streams;
  std::map<std::string, int64_t> names;
  for (const SerializedKernels& group : groups) {
    for (const Row row : group.kernels) {
      shares += facts.shares.kernels[row];
      names[std::string(facts.trace.name(k.short_name[row]))] += facts.shares.kernels[row];
      streams.insert(k.stream[row]);
    }
    kernels += std::ssize(group.kernels);
  }
  const int64_t time = facts.per_gpu(shares);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  const int64_t ceiling = saved_by(facts, groups, id == "serialized_streams_events");
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.findings.push_back({.id = std::string(id),
                                .arguments = {{"kernels", Unit::none, static_cast<double>(kernels), {}},
                                              {"streams", Unit::none, static_cast<double>(streams.size()), {}},
                                              {"time", Unit::nanoseconds, static_cast<double>(time), {}},
                                              {"most", Unit::none, 0, most_of(names)},
                                              {"between", Unit::none, 0, what_held_apart(facts, groups)}},
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
  tell(facts, "serialized_streams_default", serialized_by_default_stream(facts), diagnosis);
  Groups groups = serialized_by_events(facts);
  const std::set<Row> told(diagnosis.claims.side_by_side.begin(), diagnosis.claims.side_by_side.end());
  std::erase_if(groups, [&](const SerializedKernels& group) {
    return std::ranges::any_of(group.kernels, [&](Row row) { return told.contains(row); });
  });
  tell(facts, "serialized_streams_events", groups, diagnosis);
}

}  // namespace

extern const Rule serialized_streams_rule;
const Rule serialized_streams_rule{
    "serialized_streams",
    "streams that could run side by side and wait for each other",
    kSerializedKernelsFields,
    {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    &judge};

}  // namespace sonde
