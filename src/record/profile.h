#pragma once

#include <memory>

#include "record/header_copy.h"
#include "record/record.h"
#include "record/spool.h"
#include "trace/trace.h"

namespace sonde::record {

/// When a round began and ended, on CLOCK_MONOTONIC, and UTC at its begin.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t utc_begin = 0;
};

/// A round that is over: what its profile is made of.
struct EndedRound {
  RecordOptions options;  ///< with those of the round
  Span span;
  std::string spool_path;
  std::unique_ptr<SpoolWriter> spool;
  HeaderCopy header;  ///< losses are those of the round
  int64_t damaged = 0;
};

/// Makes the profile; the spool is gone afterwards, or kept where there is no profile.
[[nodiscard]] Profile make_profile(EndedRound round, Progress& progress);

/// A trace of no events yet: of what was recorded in `span`.
void describe(Trace& trace, const Span& span);

/// Writes the trace with its remarks.
[[nodiscard]] Status write_profile(Trace& trace, const std::vector<Remark>& remarks, const Span& span,
                                   const RoundOptions& options, Progress& progress);

}  // namespace sonde::record
