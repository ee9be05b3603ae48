#include <array>

#include <fmt/format.h>

#include "findings/evidence/steady_calls.h"

/// Device code loaded or compiled in steps after the warm-up: each step needs kernels that are not loaded yet.
namespace sonde {
namespace steady_load_finding {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  judge_steady_calls(facts, diagnosis, "steady_load", ApiKind::load, IdleCause::load);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"steady_load.says", "Steps after the warm-up still load or compile device code: {calls}, {time} in these calls."},
    {"steady_load.do",
     "Load each kernel once, before the loop: keep modules loaded, set CUDA_MODULE_LOADING=EAGER, keep shapes constant "
     "or compile for dynamic shapes, and keep the compiler's cache."},
    kSteadyCallsNeedSteps,
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{.ids = {"steady_load"},
                     .reports = "Steps after the warm-up load or compile device code.",
                     .when = fmt::format("These calls take at least {} % of the judged time.", kWorthPercent),
                     .not_when = "No conclusion is drawn without steps.",
                     .ceiling = "Replay without these calls.",
                     .evidence = "The longest calls."}};
}

}  // namespace
}  // namespace steady_load_finding

extern const Rule steady_load_rule;
const Rule steady_load_rule{.name = "steady_load",
                            .description = "device code loaded or compiled in steady steps",
                            .fields = kSteadyCallFields,
                            .checks = kLoopChecks,
                            .judge = &steady_load_finding::judge,
                            .texts = steady_load_finding::kTexts,
                            .docs = &steady_load_finding::docs,
                            .claims = ClaimUse::adds};

}  // namespace sonde
