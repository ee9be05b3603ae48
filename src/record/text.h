#pragma once

#include <string_view>

#include "base/text/utf8.h"
#include "trace/trace.h"

namespace sonde::record {

/// A text of a program's, which may be Latin-1 or no text at all: what is no UTF-8 becomes U+FFFD.
[[nodiscard]] inline NameId intern_text(Trace& trace, std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t length = utf8_length(rest);
    if (length == 0) return trace.names.intern(valid_utf8(text));
    rest.remove_prefix(length);
  }
  return trace.names.intern(text);
}

}  // namespace sonde::record
