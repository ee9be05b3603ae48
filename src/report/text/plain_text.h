#pragma once

#include <string>
#include <string_view>

#include "base/text/utf8.h"

/// Texts of profiles made safe for where they go: a profile may name something by any bytes.
namespace sonde {

/// Valid UTF-8 on one line: control characters, those of a terminal among them, become blanks.
[[nodiscard]] std::string one_line(std::string_view text);

/// For an XML 1.0 document, as text or as an attribute's value: what that does not allow is replaced by U+FFFD, line
/// ends stay what they are.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace sonde
