#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/argument.h"
#include "findings/measured_gains.h"

namespace sonde {

/// A place on the timeline that a finding is about.
struct Evidence {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string place;       ///< GPU or thread
  std::string what;        ///< call, range or kernel; may be empty
  std::string brief = {};  ///< `what` as people name it; empty: as it is
  /// A launch of a kernel report, by its number there; its time says how long it took, not when.
  std::optional<int64_t> launch = {};
  std::string source = {};  ///< the source line with most of what the finding counts: "sum.cu:12"; may be empty
  double source_percent = 0;

  [[nodiscard]] const std::string& shown() const { return brief.empty() ? what : brief; }
};

/// The most places that a finding keeps, the heaviest.
inline constexpr size_t kMaxEvidence = 10;

/// A problem of the run. Its texts are in the row of its rule (rule.h): "<id>.says" and "<id>.do".
struct Finding {
  std::string id;
  std::vector<Argument> arguments;
  int64_t ceiling_ns = 0;                           ///< the most wall time that a fix can save
  bool reachable = true;                            ///< false for a bound that no fix reaches: such findings come last
  bool fixable = true;                              ///< false: its advice is only to measure more
  bool folded = false;                              ///< not worth a paragraph beside the others: named in one line
  bool takes_time = true;                           ///< false for what costs nothing yet: its ceiling is 0
  bool saves_work = false;                          ///< its ceiling is GPU work, not idle time
  bool saves_waits = false;                         ///< its ceiling is Saves::waits
  FixKind fix = FixKind::unmeasured;                ///< which measured fixes its likely gain is from
  std::optional<LikelyGain> likely = {};            ///< where fixes of its kind were measured
  std::vector<Evidence> evidence = {};              ///< the heaviest first
  std::vector<std::string_view> not_recorded = {};  ///< what its rule also reads, absent in the profile (coverage.inc)
};

/// A rule that draws no conclusion. The text "<id>.says" says why.
struct Abstention {
  std::string_view rule;
  std::string id;
  std::vector<Argument> arguments;
};

}  // namespace sonde
