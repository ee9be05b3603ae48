#include "record/profile.h"

#include <unistd.h>

#include "base/file.h"
#include "exporters/exporter.h"
#include "record/remarks.h"
#include "trace/link.h"

namespace sonde::record {
namespace {

void add_diagnostics(Trace& trace, const std::vector<Remark>& remarks, const Span& span) {
  constexpr int kInfo = 1;
  constexpr int kWarning = 2;
  for (const Remark& remark : remarks) {
    trace.diagnostics.start.push_back(span.end - span.begin);
    trace.diagnostics.severity.push_back(remark.warning ? kWarning : kInfo);
    trace.diagnostics.text.push_back(trace.names.intern(remark.text));
    trace.diagnostics.process.push_back(kNone);
  }
}

Status fill_and_write(Profile& profile, EndedRound& round, Progress& progress) {
  Trace trace;
  describe(trace, round.span);
  const auto file = MappedFile::open(round.spool_path);
  if (!file) return std::unexpected(file.error());
  const auto content = spool_content(std::as_bytes(std::span(file->bytes())));
  if (!content) return std::unexpected(content.error());
  const Extent extent{round.span.begin, round.span.end, round.options.only};
  profile.tally = fill_trace(trace, ordered_slices(content->slices), extent);
  profile.remarks = remarks_of(profile.tally, round.options, round.header.get(), round.spool->state(), round.damaged,
                               round.span.end - round.span.begin);
  return write_profile(trace, profile.remarks, round.span, round.options, progress);
}

}  // namespace

void describe(Trace& trace, const Span& span) {
  trace.fields = Fields::all();
  Rank rank;
  rank.file = "record";
  rank.format = "record";
  rank.product = "Sonde";
  rank.product_version = SONDE_VERSION;
  rank.utc_ns = span.utc_begin;
  rank.capture_start_ns = 0;
  rank.capture_end_ns = span.end - span.begin;
  rank.capture_clock_ns = span.begin;
  trace.ranks.push_back(rank);
}

Status write_profile(Trace& trace, const std::vector<Remark>& remarks, const Span& span, const RoundOptions& options,
                     Progress& progress) {
  add_diagnostics(trace, remarks, span);
  link(trace);
  return write_nsys_sqlite(trace, options.output,
                           {.overwrite = options.overwrite, .inputs = {}, .progress = &progress});
}

Profile make_profile(EndedRound round, Progress& progress) {
  Profile profile;
  profile.output = round.options.output;
  profile.written = fill_and_write(profile, round, progress);
  if (profile.written) {
    unlink(round.spool_path.c_str());
  } else {
    profile.kept = round.spool_path;
  }
  return profile;
}

}  // namespace sonde::record
