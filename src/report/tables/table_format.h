#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "analyses/tables/table.h"
#include "base/error.h"

namespace sonde {

/// In what times are shown, and with how many digits: as `nsys stats --timeunit` does.
struct TimeUnit {
  std::string_view name;    ///< as the option takes it
  std::string_view symbol;  ///< in headers
  double nanoseconds;
  int decimals;  ///< of all times; -1: whole nanoseconds, means with the column's own decimals
};

/// A unit by a name of which `text` is a prefix ("nsec", "usec", "msec", "milli", "seconds", ...).
[[nodiscard]] Result<const TimeUnit*> find_time_unit(std::string_view text);
[[nodiscard]] const TimeUnit& nanoseconds_unit();

struct RenderOptions {
  const TimeUnit* time_unit = &nanoseconds_unit();
  size_t width = 0;         ///< of the terminal in characters; 0: none, nothing is cut to fit
  bool colors = false;      ///< of a terminal
  std::string_view absent;  ///< an absent cell of the column format; nothing, as in nsys, unless said otherwise
};

/// Takes rendered text, piece by piece.
using Sink = std::function<void(std::string_view)>;

/// A way to write a table. One row of list.inc each.
struct TableFormat {
  std::string_view name;
  std::string_view description;
  std::string_view file_ending;
  bool for_people;  ///< has a heading with the report's title
  void (*render)(const Table& table, const RenderOptions& options, const Sink& sink);
};

[[nodiscard]] std::span<const TableFormat> table_formats();
[[nodiscard]] Result<const TableFormat*> find_table_format(std::string_view name);

}  // namespace sonde
