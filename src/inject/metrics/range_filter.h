#pragma once

#include <cstdint>

#include "inject/encode.h"
#include "inject/metrics/settings.h"

/// Which ranges a thread, and its process, are in: launches are measured in those that were asked for.
namespace sonde::inject::metrics {

/// Whether ranges are to be noted: something is to be measured, recorded at this moment or not.
[[nodiscard]] inline bool follows_ranges() noexcept { return measures; }

/// A push/pop range of the thread begins, at `level` of its domain. `recorded`: it will be in the profile.
void note_push(uint16_t domain, uint16_t level, const Text& name, bool recorded) noexcept;
void note_pop(uint16_t domain, uint16_t level) noexcept;

/// A start/end range of the process.
void note_start(uint64_t range, uint16_t domain, const Text& name) noexcept;
void note_end(uint64_t range) noexcept;

/// Of the names of the thread's open recorded ranges (wire/place.h).
[[nodiscard]] uint64_t place() noexcept;

/// True too where no range was asked for.
[[nodiscard]] bool in_range() noexcept;

}  // namespace sonde::inject::metrics
