#pragma once

#include "synth/program.h"

namespace sonde::synth {

/// Makes the program's ranges those of torch.profiler: each innermost operator calls two short ones before it launches
/// anything, as PyTorch's do (what the recorder leaves between two of them tells what it costs), and steps follow each
/// other at once.
void use_torch_ranges(Program& program);

}  // namespace sonde::synth
