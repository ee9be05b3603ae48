#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "findings/evidence/host_pauses.h"

/// Waits for Python's global interpreter lock. A thread that wants the lock asks for it after the switch interval, 5 ms
/// unless the program sets another; the thread that holds it gives it up then. So the waits last a little more than 5
/// ms, or than a multiple where the lock changes hands more often. With PyTorch 1.13 on CPython 3.11 and one computing
/// thread beside, 1,041 pauses were 5.2, 10.4, 15.6 and 20.8 ms long, each but a few.
namespace sonde {
namespace gil_wait_finding {
namespace {

/// sys.getswitchinterval().
constexpr int64_t kSwitchNs = 5'000'000;
/// What a wait takes for each interval: waking up comes on top, and the recorder's cost is taken out.
constexpr int64_t kLeastNs = kSwitchNs - kSwitchNs / 50;
constexpr int64_t kMostNs = kSwitchNs + kSwitchNs / 10;
/// Behind more intervals any length would fit.
constexpr int64_t kMaxIntervals = 4;
constexpr int64_t kShortestNs = 4'000'000;
constexpr size_t kMinWaits = 10;
/// Of the pauses as long as these waits: a fifth of all lengths would fit by chance.
constexpr double kMinFitting = 0.7;
/// The program's own code of one length stands at one place of a step.
constexpr size_t kMinPlaces = 3;

bool fits(int64_t length_ns) {
  for (int64_t intervals = 1; intervals <= kMaxIntervals; ++intervals) {
    if (length_ns >= intervals * kLeastNs && length_ns <= intervals * kMostNs) return true;
  }
  return false;
}

bool is_python(const Trace& trace) {
  return std::ranges::any_of(trace.domains, [](const Domain& domain) { return domain.kind == DomainKind::op; }) ||
         std::ranges::any_of(trace.processes, [&](const Process& process) {
           return process.name != kNone && trace.name(process.name).contains("python");
         });
}

/// What a run without the lock saves. In a longer pause the thread computes itself, in turns with another one: half of
/// it.
std::vector<Cut> cuts_of_waits(const std::vector<HostPause>& waits) {
  std::vector<Cut> cuts = cuts_of(waits);
  for (Cut& cut : cuts) {
    const int64_t length = cut.end_ns - cut.start_ns;
    if (length > kMaxIntervals * kMostNs) cut.start_ns += length / 2;
  }
  return cuts;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (!is_python(facts.trace)) return;
  const std::vector<HostPause> waits = host_pauses(facts, kMinWaits, kShortestNs);
  size_t like_waits = 0;
  size_t fitting = 0;
  std::set<std::pair<NameId, NameId>> places;
  for (const HostPause& pause : waits) {
    if (pause.length_ns() > kMaxIntervals * kMostNs) continue;
    ++like_waits;
    if (!fits(pause.length_ns())) continue;
    ++fitting;
    places.emplace(pause.before, pause.after);
  }
  if (fitting < kMinWaits || places.size() < kMinPlaces) return;
  if (static_cast<double>(fitting) < kMinFitting * static_cast<double>(like_waits)) return;
  Change change;
  change.cuts = cuts_of_waits(waits);
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  int64_t time = 0;
  for (const HostPause& wait : waits) time += wait.length_ns();
  diagnosis.findings.push_back({.id = "gil_wait",
                                .arguments = {count_argument("count", waits.size()), duration_argument("time", time),
                                              text_argument("places", places_of(facts, waits))},
                                .ceiling_ns = ceiling,
                                .evidence = evidence_of(facts, waits)});
  claim_pauses(facts, waits, diagnosis.claims);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"gil_wait.says",
     "The host pauses {count} times, most times for 5 ms or a multiple of it, {time} in total, between {places}. A "
     "Python thread waits that long for the global interpreter lock (GIL) while another thread computes in Python."},
    {"gil_wait.do",
     "Move the work of the other thread (data preparation, logging, metrics, monitoring) to a process of its own "
     "(DataLoader num_workers, multiprocessing), or to code that releases the GIL. py-spy dump --pid PID marks the "
     "thread that holds it."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"gil_wait"},
      .reports = "The threads that launch work wait for Python's global interpreter lock, which another thread holds.",
      .when = fmt::format("In a trace with operators or of a process named python, at least {} pauses, at {} places or "
                          "more, between operators and CUDA calls. {:.0f} % of those up to {} ms "
                          "last for 1 to {} switch intervals of Python: 4.9 to 5.5 ms each.",
                          kMinWaits, kMinPlaces, 100 * kMinFitting, kMaxIntervals * kMostNs / 1'000'000, kMaxIntervals),
      .not_when = "Programs that set another interval (`sys.setswitchinterval`) are not recognized.",
      .ceiling =
          fmt::format("Replay without pauses of {} ms and more, and with half of those above {} ms: there the thread "
                      "itself computes in Python, in turns with another one.",
                      kShortestNs / 1'000'000, kMaxIntervals * kMostNs / 1'000'000),
      .evidence = "The longest pauses."}};
}

}  // namespace
}  // namespace gil_wait_finding

extern const Rule gil_wait_rule;
const Rule gil_wait_rule{.name = "gil_wait",
                         .description = "waits for Python's global interpreter lock",
                         .fields = kHostPauseFields,
                         .checks = kLoopChecks,
                         .judge = &gil_wait_finding::judge,
                         .texts = gil_wait_finding::kTexts,
                         .docs = &gil_wait_finding::docs,
                         .fix = FixKind::host_wait,
                         .claims = ClaimUse::adds};

}  // namespace sonde
