#pragma once

#include "importers/pytorch/document.h"
#include "trace/trace.h"

namespace sonde::pytorch {

/// What the members around the list of events say: of the recording and the job into `rank`, of GPUs into the devices.
void read_about(const Document& document, const Fields& fields, Rank& rank, Trace& trace);

/// What the times of the events are counted from, as UTC; absent where the document does not say.
[[nodiscard]] std::optional<int64_t> base_time_ns(const Document& document);

}  // namespace sonde::pytorch
