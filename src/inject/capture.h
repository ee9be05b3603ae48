#pragma once

#include "wire/layout.h"

/// The recording as the program itself begins and ends it: `--capture-range`.
namespace sonde::inject {

/// The program did what `trigger` waits for: where the recorder asked for it and waits, the recording begins.
void begin_capture(wire::Trigger trigger) noexcept;

/// It did what ends it.
void end_capture(wire::Trigger trigger) noexcept;

}  // namespace sonde::inject
