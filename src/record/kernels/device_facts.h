#pragma once

#include "trace/trace.h"

namespace sonde::record {

/// Puts the value of a CUdevice_attribute where the trace has a place for it: the device's own facts, and the list of
/// attributes as Nsight Compute names them. Attributes that are not read are left out.
void add_device_fact(Trace& trace, DeviceId device, uint32_t attribute, int64_t value);

}  // namespace sonde::record
