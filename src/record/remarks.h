#pragma once

#include <vector>

#include "record/record.h"
#include "record/rounds/drain.h"
#include "record/rounds/spool.h"

namespace sonde::record {

/// How a recording went: what it holds, what it cost and what is missing from it.
[[nodiscard]] std::vector<Remark> remarks_of(const Tally& tally, const RecordOptions& options,
                                             const wire::Header& header, const SpoolState& spool, int64_t damaged,
                                             int64_t duration_ns);

/// The program ended by a signal that nobody sent through the recorder.
[[nodiscard]] Remark remark_of_crash(int signal);

/// The program went on, and came to CUDA when the recording was over. Times since its start.
[[nodiscard]] Remark remark_of_late_cuda(int64_t first_cuda_ns, int64_t ended_ns);

/// The recorder sends it a signal.
[[nodiscard]] Remark remark_of_sent(int signal, std::string_view because);

/// Those of a recording whose program ended before it was to begin: nothing else can be said of it.
[[nodiscard]] std::vector<Remark> remarks_of_none(const RecordOptions& options);

}  // namespace sonde::record
