#pragma once

#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace sonde {

/// The one piece of a kernel profiler's advice that is worth reading first.
struct TopAdvice {
  std::string_view title;                   ///< of the advice, else the rule's name; a view into the trace
  std::optional<EstimatedSpeedup> speedup;  ///< absent where the rule gives none
};

/// Of the advice that relieves what bounds the kernel (advice_rules.inc): the greatest estimate for the whole kernel;
/// without one, the greatest local estimate; without any, the first warning or optimization. Compression comes last.
/// nullopt where no rule found such a thing (or none was run).
[[nodiscard]] std::optional<TopAdvice> top_advice(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
