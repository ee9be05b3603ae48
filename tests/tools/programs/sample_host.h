#pragma once

#include "monitor/monitor.h"

/// A host with all values, labels that need escaping, and one lost GPU.
[[nodiscard]] sonde::monitor::HostSnapshot sample_host(size_t gpus);
