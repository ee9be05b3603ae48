#pragma once

#include "wire/record.h"

namespace sonde::inject {

/// Reads the environment: to be called while the library is loaded, before the program can change it.
void read_process_rank() noexcept;

/// The place of this process in its job. False where its environment did not say.
[[nodiscard]] bool process_rank(wire::ProcessRankBody& body) noexcept;

}  // namespace sonde::inject
