#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "analyses/ranges/range_label.h"
#include "analyses/steps/range_turns.h"
#include "findings/evidence/host_pauses.h"
#include "trace/columns.h"

/// Pauses of the host that come now and then, at places where it usually goes on at once. Python's garbage collector
/// makes them: with PyTorch 1.13 on CPython 3.11 and 180,000 new objects, 4 of 30 steps paused for 43 to 73 ms where
/// the others paused for 2.5 ms; with 3 million objects kept, 1 of 30 paused for 743 ms. The bound takes the whole
/// pause: where the collector made a step take 50 to 57 ms, it took 13 to 17 ms without it (a gain of 70 to 77 %).
namespace sonde {
namespace rare_pauses_finding {
namespace {

constexpr int64_t kShortestNs = 1'000'000;
constexpr int64_t kTimesUsual = 5;

struct RarePauses {
  std::vector<HostPause> pauses;
  std::vector<int64_t> usual;  ///< of each pause's place
  size_t passes = 0;           ///< how often their places are passed
};

/// Ranges that tell what runs in a pause: then gpu_idle_range or gpu_idle_data_loading names it. Steps, modules and
/// Python frames do not tell why one pause is longer than the others.
class NamedTime {
 public:
  explicit NamedTime(const Facts& facts) {
    const Ranges& r = facts.trace.ranges;
    for (Row row = 0; row < row_count(r); ++row) {
      const DomainKind kind = facts.trace.domains[r.domain[row]].kind;
      if (!is_closed(r, row) || kind == DomainKind::op || kind == DomainKind::module || kind == DomainKind::python)
        continue;
      const std::string_view name = facts.trace.name(r.name[row]);
      if (!facts.has_named_steps() || without_numbers(name) != facts.steps->range)
        spans_.emplace_back(r.start[row], r.end[row]);
    }
  }
  [[nodiscard]] bool covers(const HostPause& pause) const {
    return std::ranges::any_of(spans_, [&](const Span& span) {
      return 2 * (std::min(span.second, pause.end_ns) - std::max(span.first, pause.start_ns)) > pause.length_ns();
    });
  }

 private:
  std::vector<Span> spans_;
};

/// A place may be passed more than once in a step: the usual pause is the longest one that comes in half of the steps.
RarePauses find_rare(const Facts& facts, size_t half_of_steps) {
  std::map<std::pair<NameId, NameId>, std::vector<HostPause>> places;
  for (const HostPause& pause : host_pauses(facts, 1, 1)) places[{pause.before, pause.after}].push_back(pause);
  std::optional<NamedTime> named;  // made for the first long pause
  RarePauses rare;
  for (auto& [place, pauses] : places) {
    if (pauses.size() <= half_of_steps) continue;
    Longs lengths;
    for (const HostPause& pause : pauses) lengths.push_back(pause.length_ns());
    const auto usual_place = lengths.begin() + static_cast<std::ptrdiff_t>(half_of_steps);
    std::ranges::nth_element(lengths, usual_place, std::greater());
    const int64_t usual = *usual_place;
    const size_t found = rare.pauses.size();
    for (const HostPause& pause : pauses) {
      if (pause.length_ns() < std::max(kShortestNs, kTimesUsual * usual)) continue;
      if (!named) named.emplace(facts);
      if (named->covers(pause)) continue;
      rare.pauses.push_back(pause);
      rare.usual.push_back(usual);
    }
    if (rare.pauses.size() > found) rare.passes += pauses.size();
  }
  return rare;
}

bool has_operators(const Trace& trace) {
  return std::ranges::any_of(trace.domains, [](const Domain& domain) { return domain.kind == DomainKind::op; });
}

int64_t median(Longs values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (!diagnosis.earlier->pauses.empty()) return;  // those of gil_wait, which may be rare, too
  if (!facts.steps || !has_operators(facts.trace)) return;
  const size_t half_of_steps = facts.steps->steady.size() / 2;
  const RarePauses rare = find_rare(facts, half_of_steps);
  if (rare.pauses.empty() || rare.pauses.size() > half_of_steps) return;
  Change change;
  change.cuts = cuts_of(rare.pauses);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  Longs lengths;
  for (const HostPause& pause : rare.pauses) lengths.push_back(pause.length_ns());
  diagnosis.findings.push_back(
      {.id = "rare_pauses",
       .arguments = {count_argument("count", rare.pauses.size()), count_argument("passes", rare.passes),
                     duration_argument("median", median(lengths)), duration_argument("usual", median(rare.usual)),
                     text_argument("places", places_of(facts, rare.pauses))},
       .ceiling_ns = ceiling,
       .evidence = evidence_of(facts, rare.pauses)});
  claim_pauses(facts, rare.pauses, diagnosis.claims);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"rare_pauses.says",
     "{count} of {passes} times the host pauses for {median} (median) where it usually pauses for {usual}, between "
     "operators and CUDA calls ({places}). Python's garbage collector makes such pauses if a program keeps many "
     "objects. So does code that runs in some steps only, and compiling for a new shape (torch.compile)."},
    {"rare_pauses.do",
     "Find out which it is: gc.set_debug(gc.DEBUG_STATS) prints when the collector runs, TORCH_LOGS=recompiles what is "
     "compiled again. Collector: call gc.collect() and gc.freeze() after set-up, then gc.disable(), with a "
     "gc.collect() at chosen steps. Code of some steps, such as logging and checkpoints: run it on another thread."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"rare_pauses"},
      .reports = "The host pauses now and then, as for Python's garbage collector.",
      .when =
          fmt::format("In a trace with operators, a pause between operators and CUDA calls lasts for at least {} "
                      "ms and {} times as long as usual at its place. Usual is the longest pause that comes as often "
                      "as in half of the steps. A place is the operators or calls before and behind the pause. There "
                      "are at most half as many "
                      "such pauses as steps.",
                      kShortestNs / 1'000'000, kTimesUsual),
      .not_when = "Pauses of which a range covers more than half do not count (`record_function`, NVTX, data loading): "
                  "`gpu_idle_*` names it. Steps and modules are no such ranges. No conclusion is drawn without steps.",
      .ceiling = "Replay without these pauses.",
      .evidence = "The longest pauses."}};
}

}  // namespace
}  // namespace rare_pauses_finding

extern const Rule rare_pauses_rule;
const Rule rare_pauses_rule{.name = "rare_pauses",
                            .description = "pauses of the host that come now and then",
                            .fields = kHostPauseFields,
                            .checks = kLoopChecks,
                            .judge = &rare_pauses_finding::judge,
                            .texts = rare_pauses_finding::kTexts,
                            .docs = &rare_pauses_finding::docs,
                            .fix = FixKind::host_wait,
                            .claims = ClaimUse::both};

}  // namespace sonde
