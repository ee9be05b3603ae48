#pragma once

#include "findings/facts.h"

namespace sonde {

struct RedundantSyncs {
  std::vector<Row> rows;    ///< of `api`
  std::vector<Row> unsure;  ///< they would be, had their thread's group (replay.h) one GPU only
};

/// Calls that wait for work that their thread has waited for already, at any speed of the GPU: since an earlier wait of
/// the thread that covers them began, no thread of the group put work where they wait. A wait for the device covers
/// everything, and a wait for a stream covers this stream. A wait for an event covers nothing, and is assumed to wait
/// for everything. A call whose work is not in the profile may have put it anywhere. Calls outside Facts::extent are
/// left out.
[[nodiscard]] RedundantSyncs redundant_syncs(const Facts& facts);

}  // namespace sonde
