#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sonde {

/// The lines of an operator's inputs as `Ranges::shapes` has them: JSON lists of shapes, of types, and of values. A
/// source that has shapes alone leaves out the other two.
enum class InputLine : uint8_t { shapes, types, values };

/// Empty for a line that is left out.
[[nodiscard]] inline std::string_view line_of(std::string_view inputs, InputLine line) {
  for (int skipped = 0; skipped < static_cast<int>(line); ++skipped) {
    const size_t end = std::min(inputs.find('\n'), inputs.size());
    inputs.remove_prefix(std::min(end + 1, inputs.size()));
  }
  return inputs.substr(0, inputs.find('\n'));
}

}  // namespace sonde
