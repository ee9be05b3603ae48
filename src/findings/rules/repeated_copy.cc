#include <algorithm>
#include <map>
#include <set>

#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/places.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Copies of the same size to the GPU, several in each step from different places of the model: constants, masks or
/// weights that could stay there. No recorder tells what was copied, so that the text says "if". The ceiling is what a
/// replay (replay.h) saves in which none is made: what does not change is copied before the loop. Batches that
/// accumulate have the whole model between two copies.
namespace sonde {
namespace {

constexpr size_t kFewestInStep = 4;
/// Smaller ones are small_copies', and scalars.
constexpr int64_t kLeastBytes = 256 << 10;

/// Copies of a step by what makes them look the same.
using Alike = std::map<std::tuple<size_t, uint32_t, int64_t>, std::vector<Row>>;  // step, GPU, bytes

Alike alike_copies(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  Alike alike;
  for (Row row = 0; row < c.launch.size(); ++row) {
    const bool to_gpu = c.kind[row] == static_cast<uint8_t>(CopyKind::host_to_device);
    if (!to_gpu || c.launch[row] == kNone || c.bytes[row] < kLeastBytes) continue;
    if (!facts.judged(c.start[row])) continue;
    // The steps of one thread count for all: others are a little before or behind it.
    alike[{facts.steps_begun(c.start[row]), facts.gpus.of_stream[c.stream[row]], c.bytes[row]}].push_back(row);
  }
  std::erase_if(alike, [](const auto& copies) { return copies.second.size() < kFewestInStep; });
  return alike;
}

/// Whether many kernels run between the first two of the copies, and the same again before the third.
bool has_whole_models_between(const Facts& facts, const std::vector<Row>& copies) {
  const Kernels& k = facts.trace.kernels;
  const Copies& c = facts.trace.copies;
  const auto kernels_in = [&](Row before, Row after) {
    std::multiset<NameId> names;
    auto row = std::ranges::lower_bound(k.start, c.start[before]) - k.start.begin();
    for (; row < std::ssize(k.start) && k.start[static_cast<size_t>(row)] < c.start[after]; ++row) {
      names.insert(k.name[static_cast<size_t>(row)]);
    }
    return names;
  };
  constexpr size_t kWholeModel = 64;
  const auto first = kernels_in(copies[0], copies[1]);
  return first.size() >= kWholeModel && first == kernels_in(copies[1], copies[2]);
}

/// Where most steps have them.
std::vector<Row> repeated_copies(const Facts& facts, int64_t& in_step) {
  std::map<std::pair<uint32_t, int64_t>, std::vector<const std::vector<Row>*>> of_size;
  const Alike alike = alike_copies(facts);
  for (const auto& [key, rows] : alike) of_size[{std::get<1>(key), std::get<2>(key)}].push_back(&rows);
  std::vector<Row> repeated;
  in_step = 0;
  for (const auto& [size, steps] : of_size) {
    if (2 * steps.size() < facts.steps->steady.size() || has_whole_models_between(facts, *steps.front())) continue;
    for (const std::vector<Row>* rows : steps) {
      in_step = std::max(in_step, static_cast<int64_t>(rows->size()));
      repeated.insert(repeated.end(), rows->begin(), rows->end());
    }
  }
  std::ranges::sort(repeated);
  return repeated;
}

Finding finding_of(const Facts& facts, std::vector<Row> rows, int64_t in_step, int64_t ceiling) {
  const Copies& c = facts.trace.copies;
  Places places(facts);
  int64_t bytes = 0;
  for (const Row row : rows) {
    bytes += c.bytes[row];
    places.add(c.launch[row], c.bytes[row]);
  }
  return {.id = "repeated_copy",
          .arguments = {{"place", Unit::none, 0, places.most_in_words()},
                        {"count", Unit::none, static_cast<double>(in_step), {}},
                        {"bytes", Unit::bytes, static_cast<double>(bytes), {}}},
          .ceiling_ns = ceiling,
          .evidence = evidence_of_copies(facts, std::move(rows))};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (!facts.has_named_steps()) {
    if (row_count(facts.trace.copies) > 0)
      diagnosis.abstentions.push_back({"repeated_copy", "repeated_copy.no_steps", {}});
    return;
  }
  int64_t in_step = 0;
  const std::vector<Row> rows = repeated_copies(facts, in_step);
  if (rows.empty()) return;
  std::vector<Row> calls;
  for (const Row row : rows) calls.push_back(facts.trace.copies.launch[row]);
  std::ranges::sort(calls);
  Change change;
  change.cuts = cuts_of_calls(facts, calls);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  diagnosis.claims.copies.insert(diagnosis.claims.copies.end(), rows.begin(), rows.end());
  diagnosis.findings.push_back(finding_of(facts, rows, in_step, ceiling));
}

}  // namespace

extern const Rule repeated_copy_rule;
const Rule repeated_copy_rule{"repeated_copy", "copies of the same size to the GPU, several in each step",
                              kReplayFields | Fields{Field::ranges, Field::range_links}, kLoopChecks, &judge};

}  // namespace sonde
