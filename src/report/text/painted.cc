#include "report/text/painted.h"

#include <array>

#include <fmt/format.h>

namespace sonde {

std::string painted(std::string_view text, Paint paint, bool colors) {
  // SGR: bold, then red, yellow and so on.
  static constexpr std::array<std::string_view, 5> kCodes = {"1", "1;32", "1;36", "1;33", "1;31"};
  if (!colors) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes.at(static_cast<size_t>(paint)), text);
}

}  // namespace sonde
