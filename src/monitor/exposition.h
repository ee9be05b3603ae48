#pragma once

#include <string>

#include "config/config.h"
#include "monitor/monitor.h"

namespace sonde::monitor {

/// How DCGM's metrics are exposed.
enum class DcgmForm {
  linted,  ///< without what `promtool check metrics` objects to: the label modelName, the type counter, one name
  exact    ///< as dcgm-exporter has them
};

/// What Prometheus scrapes, in its text format 0.0.4: families by families/list.inc, ours by UUID, DCGM's old and new
/// names beside them. Reads the snapshot, and /proc/self for what the service itself uses.
[[nodiscard]] std::string exposition(const HostSnapshot& host, const config::Config& config,
                                     const std::string& hostname, DcgmForm dcgm = DcgmForm::linted);

}  // namespace sonde::monitor
