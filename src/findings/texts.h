#pragma once

#include <string_view>

namespace sonde {

/// A text of a rule (rule.h) or a check (checks.h), with {named} arguments as fmt writes them. Empty for an unknown id.
[[nodiscard]] std::string_view catalogue_text(std::string_view id);

}  // namespace sonde
