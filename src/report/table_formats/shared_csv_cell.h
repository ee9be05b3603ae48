#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// Adds a cell of CSV, quoted only where it must be, as `nsys stats` does (RFC 4180).
inline void append_csv_cell(std::string& text, std::string_view cell) {
  if (cell.find_first_of(",\"\n\r") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

}  // namespace sonde
