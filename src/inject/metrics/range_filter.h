#pragma once

#include <cstdint>

#include "inject/encode.h"
#include "inject/metrics/settings.h"

/// Whether a thread is within the push/pop range that launches must lie in to be measured.
namespace sonde::inject::metrics {

/// Whether ranges matter to what is measured: else nothing need be noted of them.
[[nodiscard]] inline bool watches_ranges() noexcept { return measures; }

/// A range of the thread begins, at `level` of its domain.
void note_push(uint16_t domain, uint16_t level, const Text& name) noexcept;
void note_pop(uint16_t domain, uint16_t level) noexcept;

/// Of the names of the thread's open ranges, their digits left out: equal for the layers of a model, and for steps.
[[nodiscard]] uint64_t place() noexcept;

/// True too where no range was asked for.
[[nodiscard]] bool in_range() noexcept;

}  // namespace sonde::inject::metrics
