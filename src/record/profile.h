#pragma once

#include <memory>
#include <vector>

#include "exporters/nsys/writer.h"
#include "record/record.h"
#include "record/rounds/header_copy.h"
#include "record/rounds/spool.h"
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
  CpuState cpu;       ///< the same
  int64_t damaged = 0;
  std::vector<Remark> remarks = {};  ///< of how it ended
};

/// Makes the profile, or one for each rank where its name asks for that; the spool is gone afterwards, or kept where
/// there is not each of them.
[[nodiscard]] std::vector<Profile> make_profiles(EndedRound round, Progress& progress);

/// A profile of slices is made in two steps, since what it says of itself follows from what is in it.
class ProfileMaker {
 public:
  /// `options.output` is opened. Nothing is there before finish().
  [[nodiscard]] static Result<ProfileMaker> open(const RoundOptions& options, Progress& progress);

  /// Writes the events; those of CPU samples tell of cycles or not. `options`: those that the program was started with.
  void fill(Profile& profile, const Slices& slices, const Extent& extent, int64_t utc_begin_ns, bool cycles,
            const RecordOptions& options);
  /// Writes what is known at the end: how long it was, and the remarks.
  [[nodiscard]] Status finish(const std::vector<Remark>& remarks, int64_t duration_ns);

 private:
  explicit ProfileMaker(NsysWriter writer) : writer_(std::move(writer)) {}

  Trace trace_;
  NsysWriter writer_;
  Status written_;
};

}  // namespace sonde::record
