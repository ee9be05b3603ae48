#pragma once

#include <string>
#include <string_view>

#include "analyses/kernels/kernel_join.h"
#include "cli/study/choice.h"

/// What a study says, on 80 columns.
namespace sonde::study {

/// Which modules cost what and are chosen, what of them cannot be measured, and which of their kernels are measured.
[[nodiscard]] std::string choice_text(const Choice& choice);

/// What measuring the chosen kernels costs. `metrics` as --metrics has it.
[[nodiscard]] std::string cost_text(const Choice& choice, const Bounds& bounds, std::string_view metrics);

/// What the modules' measured kernels move, and how their time goes with it.
[[nodiscard]] std::string counters_text(const Choice& choice, const KernelJoin& join);

/// Which chosen kernels have no counters; empty where all have.
[[nodiscard]] std::string missed_text(const Trace& timeline, const Choice& choice, const KernelJoin& join);

}  // namespace sonde::study
