#pragma once

#include <cstdint>

#include "findings/facts.h"

namespace sonde {

/// The most judged time that a program can save by waiting less, in nanoseconds: what is left when each GPU does its
/// recorded work as densely as it can. A GPU needs the time of its busiest stream, and the time in which its kernels
/// would fill it: two kernels that fill it do not run at once. Communication does not count, because it contains
/// waiting for other GPUs. Of several GPUs, the one with the most.
[[nodiscard]] int64_t saving_without_waits(const Facts& facts);

}  // namespace sonde
