#include <array>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace missing_gpu {
namespace {

/// A side with fewer GPUs: their time is counted as idle, so that both sides have as much.
void claim_missing_gpu(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 1> kCauses = {kNoGpu};
  ledger.claim("missing_gpu", ledger.open_idle(kCauses), {}, {});
}

}  // namespace
}  // namespace missing_gpu

extern const CauseRule missing_gpu_cause;
const CauseRule missing_gpu_cause{"missing_gpu", missing_gpu::claim_missing_gpu};

}  // namespace sonde::gate
