#pragma once

#include "trace/trace.h"

namespace sonde {

/// Gives the kernels from row `first` on, whose names are as the linker or the source has them, the three names of the
/// model: declaration, base name and mangled name.
void spread_kernel_names(Trace& trace, size_t first);

}  // namespace sonde
