#pragma once

#include <string>
#include <vector>

#include "analyses/memory/memory_peak.h"
#include "findings/argument.h"

namespace sonde {

/// A way to need less memory at the peak, and the most that it frees.
struct MemorySaving {
  std::string what;
  int64_t bytes = 0;
};

/// Those for what is held at the peak, the largest first. Memory that they share counts in each.
[[nodiscard]] std::vector<MemorySaving> memory_savings(const MemoryAtPeak& peak);

/// The three largest: "activation checkpointing, at most 3.2 GB; 8-bit or sharded optimizer state, at most 1.1 GB".
[[nodiscard]] std::string savings_text(const MemoryAtPeak& peak);

/// "activations 35 %, gradients 12 %; most of it from MLP_# 20 %, ...".
[[nodiscard]] std::string holders_text(const MemoryAtPeak& peak);

/// "19.5 GB".
[[nodiscard]] std::string size_text(int64_t bytes);

/// What findings on a peak say of it: bytes by role, and the texts above as {held} and {free}.
[[nodiscard]] std::vector<Argument> peak_arguments(const MemoryAtPeak& peak);

}  // namespace sonde
