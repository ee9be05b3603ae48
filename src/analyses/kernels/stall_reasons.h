#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// One state of the warps of a kernel.
struct Stall {
  std::string_view reason;                       ///< "long_scoreboard", as metric names have it; a view into the trace
  std::optional<double> cycles_per_instruction;  ///< warp cycles between two issued instructions of a warp
  std::optional<double> samples;                 ///< of the program counter; all states of warps, issuing or not
  std::optional<double> share_percent;           ///< of the cycles of all reasons; where there are none, of the samples
};

/// What warps waited for, the longest first; "selected" (not a wait) among them. Empty where nothing of it was
/// collected. The states are those that the report's metric names have, so that new ones need no list.
[[nodiscard]] std::vector<Stall> stall_reasons(const Trace& trace, const KernelProfile& kernel);

/// The longest wait; nullopt where none was collected.
[[nodiscard]] std::optional<Stall> top_stall(const Trace& trace, const KernelProfile& kernel);

/// What a warp waits for: "waiting for data of global, local, texture or surface memory"; empty for an unknown reason.
[[nodiscard]] std::string_view meaning_of_stall(std::string_view reason);

}  // namespace sonde
