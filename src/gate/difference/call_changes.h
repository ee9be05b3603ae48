#pragma once

#include <functional>
#include <string>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {

/// How the number of some calls changed.
struct CallsChanged {
  std::string names;  ///< of those whose number changed most, "cudaDeviceSynchronize, cudaEventSynchronize"
  std::string place;
  double base_count = 0;  ///< a step or run, of all of them
  double count = 0;
  [[nodiscard]] double change() const { return count - base_count; }
};
[[nodiscard]] CallsChanged calls_changed(const Leaves& leaves, const std::function<bool(const CallChange&)>& chosen);

/// Claims these leaves where the calls became more or fewer, and the leaves' time with them.
CauseEntry* claim_calls(CauseLedger& ledger, std::string_view family, const CallsChanged& calls,
                        std::span<Leaf* const> leaves);

}  // namespace sonde::gate
