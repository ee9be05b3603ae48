#pragma once

#include <string>

#include "config/config.h"
#include "monitor/monitor.h"

namespace sonde::monitor {

/// What Prometheus scrapes, in its text format 0.0.4: families by exposition/families/list.inc, ours by UUID, DCGM's
/// old and new names beside them. Reads the snapshot only.
[[nodiscard]] std::string exposition(const HostSnapshot& host, const config::Config& config,
                                     const std::string& hostname);

}  // namespace sonde::monitor
