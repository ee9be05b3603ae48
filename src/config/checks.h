#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace sonde::config {

/// Checks what concerns several keys. `report` gets the wrong key, the conflicting key, and a sentence.
void check_together(const Config& config,
                    const std::function<void(std::string_view key, std::string_view other, std::string says)>& report);

}  // namespace sonde::config
