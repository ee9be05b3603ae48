#pragma once

#include "findings/facts.h"

namespace sonde {

struct RedundantSyncs {
  std::vector<Row> rows;    ///< of `api`
  std::vector<Row> unsure;  ///< they would be, had their thread's group (replay.h) one GPU only
};

/// Calls that wait for what their thread has waited for already, whatever the GPU's speed: since a wait of the thread
/// that covers theirs began, no thread of the group put work where they wait. A wait for the device covers all, one for
/// a stream this stream; one for an event covers nothing, and is taken to wait for all. A call whose work is not in the
/// profile may have put it anywhere. Calls outside of Facts::extent are left out.
[[nodiscard]] RedundantSyncs redundant_syncs(const Facts& facts);

}  // namespace sonde
