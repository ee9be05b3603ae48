#pragma once

#include "monitor/monitor.h"

/// A host of which everything is known: every value present, labels that need escaping, one GPU that is lost.
[[nodiscard]] sonde::monitor::HostSnapshot sample_host(size_t gpus);
