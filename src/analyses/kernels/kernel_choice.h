#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analyses/kernels/kernel_groups.h"
#include "base/error.h"

namespace sonde {

/// Whether a launch is looked at.
using KernelChoice = std::function<bool(const KernelLaunch&)>;

/// Reads what --kernel takes: the number that a report gives a launch, or a regular expression (ECMAScript's; "regex:"
/// may stand before it, as in ncu) that is searched in the kernel's name. An empty text chooses all.
[[nodiscard]] Result<KernelChoice> parse_kernel_choice(const std::string& text);

}  // namespace sonde
