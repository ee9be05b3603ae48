#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

/// The known name nearest to `name` by edit distance, where one is near enough to be a typing mistake.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view name, std::span<const std::string_view> known);

/// ", did you mean 'x'?" or nothing: the tail of an error about an unknown name.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace sonde
