#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "config/config.h"

namespace sonde::config {

/// Whether each GPU that task_specific_mappings and workers of types name exists: an error names all that do not.
/// `uuids`: of the GPUs of this host, in the order of their numbers; `mig_uuids`: of their MIG devices. A mapping to a
/// missing GPU would make its tasks wait for ever, so the service says it at the start.
[[nodiscard]] Status check_mappings(const Config& config, std::span<const std::string> uuids,
                                    std::span<const std::string> mig_uuids = {});

}  // namespace sonde::config
