#pragma once

#include "importers/nsys/tables.h"

namespace sonde::nsys {

/// SONDE_TORCH_MEMORY: memory snapshots of PyTorch that `sonde record --torch-memory` put into its profile. Reads
/// processes and names: to be called when these are complete.
void read_torch_memory(NsysFile& file);

}  // namespace sonde::nsys
