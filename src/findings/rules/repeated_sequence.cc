#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analyses/steps/repeated_sequences.h"
#include "findings/evidence/claimed_idle_time.h"
#include "findings/evidence/places.h"
#include "findings/evidence/short_kernels.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Sequences of different short kernels that repeat many times in a step: bias, activation, dropout and add, or the
/// pieces of a norm, each a kernel of its own. The ceiling is what a replay (replay.h) saves in which each sequence is
/// one launch and one kernel (fused()). Kernels in runs of one name are tiny_kernels'. A sequence is left to
/// launch_bound if most of its repeats are within stretches of that finding.
namespace sonde {
namespace repeated_sequence_finding {
namespace {

/// Fewer repeats in a step are no pattern of the model: it has more layers.
constexpr size_t kMinInStep = 4;
/// The same where steps are not known.
constexpr size_t kMinInRun = 16;

/// Longer host time between two launches is other work, which a fused kernel does not remove. More than 9 of 10 of
/// PyTorch's eager operators take less on the host, profiled.
constexpr int64_t kMaxReadyingNs = 200'000;

/// Short kernels of one step that follow each other, by rows.
std::vector<KernelRun> chains_of(const Facts& facts, const Claims& claims) {
  const Kernels& k = facts.trace.kernels;
  const Calls& api = facts.trace.api;
  const ShortKernels short_kernels(facts);
  const std::set<Row> others(claims.kernels.begin(), claims.kernels.end());
  std::vector<KernelRun> chains;
  std::map<StreamId, KernelRun> open;
  const auto follows = [&](Row before, Row row) {
    if (!short_kernels.follows(before, row)) return false;
    const Row launch = k.launch[row];
    const Row launch_before = k.launch[before];
    return api.start[launch] - api.end[launch_before] <= kMaxReadyingNs &&
           facts.step_of(api.start[launch_before]) == facts.step_of(api.start[launch]);
  };
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row])) continue;
    KernelRun& chain = open[k.stream[row]];
    const bool other = others.contains(row);
    if (!chain.kernels.empty() && (other || !follows(chain.kernels.back(), row))) {
      chains.push_back(std::exchange(chain, {}));
    }
    if (!other && short_kernels.is_short(row)) chain.kernels.push_back(row);
  }
  for (auto& [stream, chain] : open) chains.push_back(std::move(chain));
  return chains;
}

/// A sequence and where it runs.
struct Sequence {
  std::vector<KernelRun> runs;
  int64_t time_ns = 0;
};

bool mostly_claimed(const Facts& facts, const ClaimedIdleTime& claimed, const Sequence& sequence) {
  const Kernels& k = facts.trace.kernels;
  const auto inside = std::ranges::count_if(sequence.runs, [&](const KernelRun& run) {
    return claimed.holds(facts.gpus.of_stream[k.stream[run.kernels.front()]], run.start(k));
  });
  return 2 * inside > std::ssize(sequence.runs);
}

std::vector<Sequence> sequences_of(const Facts& facts, const Claims& claims) {
  const Kernels& k = facts.trace.kernels;
  const std::vector<KernelRun> chains = chains_of(facts, claims);
  std::vector<std::vector<uint32_t>> words;
  for (const KernelRun& chain : chains) {
    auto& names = words.emplace_back();
    for (const Row row : chain.kernels) names.push_back(k.name[row]);
  }
  SequenceLimits limits;
  limits.fewest_places = facts.has_named_steps() ? kMinInStep * facts.steps->steady.size() : kMinInRun;
  const ClaimedIdleTime claimed(claims);
  std::vector<Sequence> sequences;
  for (const RepeatedSequence& found : repeated_sequences(words, limits)) {
    Sequence sequence;
    for (const SequencePlace& place : found.places) {
      const auto first = chains[place.chain].kernels.begin() + place.offset;
      KernelRun run{{first, first + std::ssize(found.words)}};
      sequence.time_ns += run.end(k) - run.start(k);
      sequence.runs.push_back(std::move(run));
    }
    if (!mostly_claimed(facts, claimed, sequence)) sequences.push_back(std::move(sequence));
  }
  std::ranges::stable_sort(sequences, std::greater(), &Sequence::time_ns);
  return sequences;
}

std::vector<KernelRun> runs_of(const std::vector<Sequence>& sequences) {
  std::vector<KernelRun> runs;
  for (const Sequence& s : sequences) runs.insert(runs.end(), s.runs.begin(), s.runs.end());
  return runs;
}

/// How many kernels of the sequences run in each call of the range that holds most of them, else in each repeat.
std::string density_of(size_t kernels, size_t repeats, const Places::Place& place) {
  const auto n = static_cast<double>(kernels);
  if (place.calls == 0) return fmt::format("{:.3g} per repeat", n / static_cast<double>(repeats));
  return fmt::format("{:.3g} per call of the range", n / static_cast<double>(place.calls));
}

Finding finding_of(const Facts& facts, const std::vector<Sequence>& sequences, int64_t ceiling) {
  const Kernels& k = facts.trace.kernels;
  std::vector<KernelRun> runs = runs_of(sequences);
  const KernelRun& heaviest = sequences.front().runs.front();
  Places places(facts);
  size_t kernels = 0;
  for (const KernelRun& run : runs) {
    kernels += run.kernels.size();
    for (const Row row : run.kernels) places.add(k.launch[row], 1);
  }
  Finding finding{.id = "repeated_sequence",
                  .arguments = {text_argument("place", places.most_in_words()), count_argument("count", kernels),
                                text_argument("density", density_of(kernels, runs.size(), places.most())),
                                count_argument("runs", runs.size()), count_argument("sequences", sequences.size()),
                                count_argument("length", heaviest.kernels.size()),
                                text_argument("first", facts.kernel_name(heaviest.kernels.front())),
                                text_argument("last", facts.kernel_name(heaviest.kernels.back()))},
                  .ceiling_ns = ceiling,
                  .evidence = {}};
  std::ranges::stable_sort(runs, std::greater(), [&](const KernelRun& run) { return run.end(k) - run.start(k); });
  for (const KernelRun& run : runs | std::views::take(kMaxEvidence)) {
    const Row first = run.kernels.front();
    finding.evidence.push_back({run.start(k), run.end(k), facts.place_of(k.stream[first]),
                                std::string(facts.trace.name(k.name[first])), facts.kernel_name(first)});
  }
  return finding;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  if (row_count(k) == 0) return;
  if (std::ranges::all_of(k.launch, [](Row launch) { return launch == kNone; })) {
    diagnosis.abstentions.push_back({"repeated_sequence", "tiny_kernels.no_launches", {}});
    return;
  }
  const std::vector<Sequence> sequences = sequences_of(facts, *diagnosis.earlier);
  if (sequences.empty()) return;
  const std::vector<KernelRun> runs = runs_of(sequences);
  const Change change = fused(facts.trace, runs);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  for (const KernelRun& run : runs) {
    diagnosis.claims.idle[facts.gpus.of_stream[k.stream[run.kernels.front()]]].emplace_back(run.start(k), run.end(k));
  }
  diagnosis.findings.push_back(finding_of(facts, sequences, ceiling));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"repeated_sequence.says",
     "{place}, the same short kernels follow each other repeatedly: {count} kernels, {density}, in {runs:repeat} "
     "({sequences:sequence}). The heaviest sequence has {length} kernels, from {first} to {last}."},
    {"repeated_sequence.do",
     "Do each sequence in one kernel: a fused operator (scaled_dot_product_attention, a fused norm or optimizer), "
     "torch.compile, or a Triton kernel. Or launch each sequence as one CUDA graph."},
    kNoKernelLaunches,
});

std::vector<FindingDoc> docs() {
  const SequenceLimits limits;
  return {FindingDoc{
      .ids = {"repeated_sequence"},
      .reports = "Different short kernels follow each other on one stream, repeatedly in the same order. The finding "
                 "names the "
                 "range, and the kernels in each of its calls.",
      .when = fmt::format(
          "At least {} kernels of at most {} us each, launched by one thread with a call for each, {} times a step or "
          "more ({} times in all without steps).",
          limits.fewest_different, kShortKernelNs / 1000, kMinInStep, kMinInRun),
      .not_when =
          fmt::format("Kernels in runs of `tiny_kernels` do not count. A sequence is left to `launch_bound` if most of "
                      "its repeats are in that finding's stretches. More than {} us of host time between two launches "
                      "ends a sequence. No conclusion is drawn without the launching calls.",
                      kMaxReadyingNs / 1000),
      .ceiling = "Replay with each repeat as one launch and one kernel, as for `tiny_kernels`.",
      .evidence = "The longest repeats."}};
}

}  // namespace
}  // namespace repeated_sequence_finding

extern const Rule repeated_sequence_rule;
const Rule repeated_sequence_rule{
    .name = "repeated_sequence",
    .description = "sequences of different short kernels that repeat many times in a step",
    .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
    .checks = {Check::records_complete, Check::past_warm_up, Check::kernels_traced, Check::launches_free},
    .judge = &repeated_sequence_finding::judge,
    .texts = repeated_sequence_finding::kTexts,
    .docs = &repeated_sequence_finding::docs,
    .claims = ClaimUse::both};

}  // namespace sonde
