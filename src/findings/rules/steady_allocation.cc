#include <array>

#include <fmt/format.h>

#include "findings/evidence/steady_calls.h"

/// Memory allocated from the driver and freed in steps after the warm-up. cudaFree and similar calls wait for the whole
/// GPU: the ceiling includes the time that streams lose by that.
namespace sonde {
namespace steady_allocation_finding {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  judge_steady_calls(facts, diagnosis, "steady_allocation", ApiKind::allocate, IdleCause::allocation);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"steady_allocation.says",
     "Steps after the warm-up still allocate memory from the driver or free it: {calls}, {time} in these calls."},
    {"steady_allocation.do",
     "Allocate once, before the loop, or from a pool: cudaMallocAsync and cudaFreeAsync, PyTorch's caching allocator. "
     "cudaFree waits for the whole GPU. If PyTorch itself frees memory in each step, its cache is full or fragmented: "
     "use a smaller batch, set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, and do not call "
     "torch.cuda.empty_cache() in the loop."},
    kSteadyCallsNeedSteps,
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"steady_allocation"},
      .reports = "Steps after the warm-up allocate memory from the driver or free it (`cudaMalloc`, `cudaFree`, "
                 "`cudaHostAlloc`).",
      .when = fmt::format("These calls take at least {} % of the judged time.", kWorthPercent),
      .not_when = "Asynchronous calls (`cudaMallocAsync`) do not count. No conclusion is drawn without steps.",
      .ceiling = "Replay without these calls. A call that frees memory and waited for the whole GPU is a wait.",
      .evidence = "The longest calls."}};
}

}  // namespace
}  // namespace steady_allocation_finding

extern const Rule steady_allocation_rule;
const Rule steady_allocation_rule{.name = "steady_allocation",
                                  .description = "memory allocated from the driver and freed in steady steps",
                                  .fields = kSteadyCallFields,
                                  .checks = kLoopChecks,
                                  .judge = &steady_allocation_finding::judge,
                                  .texts = steady_allocation_finding::kTexts,
                                  .docs = &steady_allocation_finding::docs,
                                  .fix = FixKind::host_wait,
                                  .claims = ClaimUse::adds};

}  // namespace sonde
