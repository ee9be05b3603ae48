#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonde::tasks {

/// A column of a table for people.
struct Column {
  std::string_view title;
  bool left = false;
  bool sentence = false;  ///< cut at its end; others in their middle
  size_t least = 0;       ///< characters that it may be cut to; 0: it is never cut
  size_t most = 0;        ///< that it is cut to on any terminal; 0: as many as there are
  int droppable = 0;      ///< left out where there is no room, the highest first; 0: never
};

struct Grid {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< clean text, a cell each column
};

/// `width` of the terminal; 0: none, nothing is cut or left out.
[[nodiscard]] std::string grid_text(const Grid& grid, size_t width);

/// The text in at most `width` characters, with "…" at its end where it is cut.
[[nodiscard]] std::string cut_end(std::string_view text, size_t width);

}  // namespace sonde::tasks
