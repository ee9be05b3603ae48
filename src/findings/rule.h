#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_catalogue.h"
#include "findings/checks.h"
#include "findings/facts.h"
#include "findings/finding.h"
#include "findings/gpu_limit.h"
#include "findings/time_explained.h"

namespace sonde {

/// What a finding on measured kernels says of one launch.
struct LaunchCost {
  const KernelProfile* launch = nullptr;
  std::string_view finding;  ///< its id
  int64_t duration_ns = 0;   ///< the launch's
  int64_t saves_ns = 0;      ///< the most that a fix saves
  bool reachable = true;     ///< as the finding's
};

/// What findings explain. Later rules leave it out.
struct Claims {
  std::vector<std::vector<Span>> idle;  ///< by GPU: idle pieces that begin in one of these spans
  std::vector<Row> waits;               ///< rows of `api`, calls that wait for the GPU
  std::vector<Row> copies;              ///< rows of `copies` that a finding would remove
  std::vector<Row> kernels;             ///< rows of `kernels` that a finding would merge into others
  std::vector<Row> side_by_side;        ///< rows of `kernels` that a finding would run in parallel with others
  std::vector<Row> float32;             ///< rows of `kernels` that a finding would compute with 16-bit numbers
  std::vector<Span> pauses;             ///< times of the host in no operator and no call (host_pauses.h)
  std::vector<LaunchCost> launches;     ///< of kernel reports

  explicit Claims(size_t gpus) : idle(gpus) {}
  void add(const Claims& others);
};

/// What `sonde why` answers: its headline and its exit code.
enum class Answer : uint8_t {
  problems,        ///< at least one finding that is not folded
  nothing_found,   ///< most rules looked, and none found a problem worth fixing
  could_not_look,  ///< most rules abstained, or there is no GPU work
};

/// The results of all rules on a run, or of one of them.
struct Diagnosis {
  explicit Diagnosis(size_t gpus = 0) : claims(gpus) {}

  /// The highest ceiling first, folded ones last; ceilings add up to the wall time at most.
  std::vector<Finding> findings;
  std::vector<Abstention> abstentions;
  size_t asked = 0;                      ///< rules for profiles of this kind
  std::vector<std::string_view> looked;  ///< rules that did not abstain
  Answer answer = Answer::could_not_look;
  TimeExplained explained;
  std::optional<GpuLimit> limit;               ///< where nothing was found since the GPUs work at their limit
  std::vector<std::string_view> not_recorded;  ///< what rules also read, absent in the profile (coverage.inc)
  Claims claims;
  const Claims* earlier = nullptr;  ///< while a rule is asked that reads them: what rules before it claim
};

/// Findings with a ceiling below this part of the judged time are dropped, unless a rule has its own limit.
inline constexpr double kWorthPercent = 1;

/// What conclusions on the timing of a loop need.
inline constexpr Checks kLoopChecks{Check::records_complete, Check::past_warm_up, Check::launches_free};

/// A finding, or a family of findings, in docs/profiles/findings.md. What to do is in the findings' texts.
struct FindingDoc {
  std::vector<std::string> ids;  ///< of all findings of the family
  std::string reports;           ///< the problem
  std::string when;              ///< conditions, with their limits
  std::string not_when;          ///< exceptions; may be empty
  std::string ceiling;           ///< how the ceiling is computed
  std::string evidence;          ///< the places that it shows; may be empty
  /// The smallest ceiling that is reported; 0 for findings that take no time yet.
  double min_percent = kWorthPercent;
};

/// Which part of the judged time a fix takes away. `waits`: idle time, and time in which operations could run at once
/// (saving_without_waits.h).
enum class Saves : uint8_t { idle_time, gpu_work, waits };

/// Whether a rule adds to `Diagnosis::claims` and reads `Diagnosis::earlier`. One that reads is asked when all before
/// it that add have answered.
enum class ClaimUse : uint8_t { none, adds, reads, both };

/// One kind of problem. A rule is one file, and one line in list.inc.
struct Rule {
  std::string_view name;
  std::string_view description;
  Fields fields;  ///< what it reads
  Checks checks;  ///< what must hold for it to be asked
  /// Adds its findings, or the reason why the profile allows no conclusion. Several rules are asked at once, each with
  /// a diagnosis of its own.
  void (*judge)(const Facts& facts, Diagnosis& diagnosis);
  /// English texts by id, with {named} arguments: "<finding>.says" and "<finding>.do", and "<reason>.says" of each
  /// abstention.
  std::span<const CatalogueText> texts;
  std::vector<FindingDoc> (*docs)();
  Saves saves = Saves::idle_time;
  FixKind fix = FixKind::unmeasured;  ///< of all its findings; else each has its own
  /// Whether it judges the launches of kernel reports (Facts::launches), and not timelines.
  bool of_kernel_reports = false;
  ClaimUse claims = ClaimUse::none;
};

[[nodiscard]] inline bool adds_claims(const Rule& rule) {
  return rule.claims == ClaimUse::adds || rule.claims == ClaimUse::both;
}
[[nodiscard]] inline bool reads_claims(const Rule& rule) {
  return rule.claims == ClaimUse::reads || rule.claims == ClaimUse::both;
}

/// In the order of their lists.
[[nodiscard]] std::span<const Rule* const> rules();
[[nodiscard]] Fields diagnosis_fields();
[[nodiscard]] Diagnosis diagnose(const Facts& facts);

}  // namespace sonde
