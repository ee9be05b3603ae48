#pragma once

#include <bitset>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// What a profile must be for a conclusion.
enum class Check : uint8_t {
#define SONDE_CHECK(name) name,
#include "findings/checks.inc"
#undef SONDE_CHECK
  count_
};

/// The checks that a rule asks for.
class Checks {
 public:
  Checks(std::initializer_list<Check> checks) {
    for (const Check check : checks) bits_.set(static_cast<size_t>(check));
  }
  [[nodiscard]] bool has(Check check) const { return bits_.test(static_cast<size_t>(check)); }

 private:
  std::bitset<static_cast<size_t>(Check::count_)> bits_;
};

/// A check that the profile does not pass.
struct FailedCheck {
  Check check = Check::count_;
  std::string text_id;
  std::vector<Argument> arguments;
};

/// All checks that the profile does not pass:
/// - records_complete: more than 1 %, and 10, of the kernel launches of what is judged have no kernel in the profile,
/// not counting
///   those that a stream capture took.
/// - past_warm_up: steps were found and fewer than 3 are past the warm-up, or the 2 to 4 that were recorded still get
///   clearly shorter.
/// - kernels_traced: CUDA graphs traced as a whole take more than a tenth of the GPUs' busy time.
/// - launches_free: nearly every launch returned only after its kernel's end (CUDA_LAUNCH_BLOCKING=1, a debugger).
/// - ranks_complete: the job has more ranks than there are files.
[[nodiscard]] std::vector<FailedCheck> failed_checks(const Facts& facts);

}  // namespace sonde
