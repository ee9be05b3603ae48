#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyses/replay/replay.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/copy_evidence.h"
#include "findings/evidence/host_copies.h"
#include "findings/evidence/places.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Copies of the same size to the GPU, several in each step from different places of the model: constants, masks or
/// weights that could stay there. No recorder shows the copied data, so the text says "if". The ceiling is what a
/// replay (replay.h) saves in which none is made: constant data is copied before the loop. Batches that accumulate
/// gradients have the whole model between two copies. Copies without a launch between them are the pieces of one input:
/// a data pipeline's thread launches nothing of the model. One copy in a step is enough where it comes from pageable
/// memory in the middle of the step: inputs are copied at its beginning.
namespace sonde {
namespace repeated_copy_finding {
namespace {

constexpr size_t kMinInStep = 4;
/// Smaller ones are small_copies', and scalars.
constexpr int64_t kMinBytes = 256 << 10;
/// So many launches behind the begin of a step are its middle.
constexpr int64_t kMiddle = 16;
/// So many kernels between two copies are the whole model.
constexpr size_t kWholeModel = 64;

/// For each row of `copies`: how many kernels and graphs its thread had launched before it. Copies with the same number
/// follow each other.
std::vector<int64_t> launches_before(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  const Calls& api = facts.trace.api;
  std::vector<int64_t> launched(facts.trace.threads.size(), 0);
  std::vector<int64_t> before_call(row_count(api), 0);
  for (Row row = 0; row < row_count(api); ++row) {
    if (api.thread[row] == kNone) continue;
    int64_t& of_thread = launched[api.thread[row]];
    of_thread += facts.api_kinds[row] == ApiKind::launch ? 1 : 0;
    before_call[row] = of_thread;
  }
  std::vector<int64_t> before(row_count(c), 0);
  for (Row row = 0; row < c.launch.size(); ++row) {
    if (c.launch[row] != kNone) before[row] = before_call[c.launch[row]];
  }
  return before;
}

/// Whether a copy from pageable memory comes in the middle of what its thread launches in a step.
bool is_late(const Facts& facts, Row copy) {
  const Copies& c = facts.trace.copies;
  const Calls& api = facts.trace.api;
  if (!touches(c, copy, MemoryKind::pageable)) return false;
  const auto& steps = facts.steps->launched;
  const int64_t called = api.start[c.launch[copy]];
  const auto next = std::ranges::upper_bound(steps, called, {}, &Span::first);
  if (next == steps.begin()) return false;
  int64_t launched = 0;
  for (Row row = c.launch[copy]; row-- > 0 && api.start[row] >= std::prev(next)->first && launched < kMiddle;) {
    const bool same = api.thread[row] == api.thread[c.launch[copy]];
    launched += same && facts.api_kinds[row] == ApiKind::launch ? 1 : 0;
  }
  return launched >= kMiddle;
}

/// Copies of a step by what makes them look the same.
using Alike = std::map<std::tuple<size_t, uint32_t, int64_t>, std::vector<Row>>;  // step, GPU, bytes

Alike alike_copies(const Facts& facts) {
  const Copies& c = facts.trace.copies;
  Alike alike;
  for (Row row = 0; row < c.launch.size(); ++row) {
    const bool to_gpu = c.kind[row] == static_cast<uint8_t>(CopyKind::host_to_device);
    if (!to_gpu || c.launch[row] == kNone || c.bytes[row] < kMinBytes) continue;
    if (!facts.judged(c.start[row])) continue;
    // The steps of one thread count for all threads. Steps of others begin a little earlier or later.
    alike[{facts.steps_begun(c.start[row]), facts.gpus.of_stream[c.stream[row]], c.bytes[row]}].push_back(row);
  }
  const std::vector<int64_t> before = launches_before(facts);
  std::erase_if(alike, [&](const auto& copies) {
    std::set<int64_t> places;
    for (const Row row : copies.second) places.insert(before[row]);
    return places.size() < kMinInStep &&
           !std::ranges::all_of(copies.second, [&](Row row) { return is_late(facts, row); });
  });
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
  if (copies.size() < kMinInStep) return false;
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
          .arguments = {text_argument("place", places.most_in_words()), count_argument("count", in_step),
                        bytes_argument("bytes", bytes)},
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

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"repeated_copy.says",
     "{place}, copies of the same size go to the GPU, up to {count} in each step, {bytes} in total. If they contain "
     "the same data, one copy before the loop is enough."},
    {"repeated_copy.do",
     "Copy constant data once and keep it on the GPU: register_buffer for masks and constants, .to(device) outside "
     "forward, weights that stay resident."},
    {"repeated_copy.no_steps.says",
     "no range marks the steps, so repeated copies cannot be distinguished from one-time copies"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"repeated_copy"},
      .reports =
          "Copies of the same size go to the GPU several times in each step. They are constants, masks or weights that "
          "could stay there, if they contain the same data (no recorder shows the data).",
      .when = fmt::format(
          "A step has at least {} copies of one size, of at least {} KiB each, or one from pageable memory behind {} "
          "launches. At least half of the steps do.",
          kMinInStep, kMinBytes >> 10, kMiddle),
      .not_when = fmt::format(
          "Copies with the same {} kernels or more between them (the whole model) do not count. Copies between which "
          "their thread launches nothing count as one: they are pieces of an input, as a data pipeline's are. No "
          "conclusion is drawn without steps.",
          kWholeModel),
      .ceiling = "Replay without these copies.",
      .evidence = "The longest copies."}};
}

}  // namespace
}  // namespace repeated_copy_finding

extern const Rule repeated_copy_rule;
const Rule repeated_copy_rule{.name = "repeated_copy",
                              .description = "copies of the same size to the GPU, several in each step",
                              .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                              .checks = kLoopChecks,
                              .judge = &repeated_copy_finding::judge,
                              .texts = repeated_copy_finding::kTexts,
                              .docs = &repeated_copy_finding::docs,
                              .saves = Saves::gpu_work,
                              .claims = ClaimUse::adds};

}  // namespace sonde
