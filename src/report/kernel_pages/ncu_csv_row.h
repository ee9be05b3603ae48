#pragma once

#include <string>
#include <string_view>

#include "report/kernel_pages/kernel_page.h"

namespace sonde {

/// A line of `ncu --csv`: every cell in quotes, quotes inside doubled.
class NcuCsvRow {
 public:
  void add(std::string_view cell);
  /// Which launch it is: ID, process, kernel, context, stream, block, grid, device and compute capability.
  void add_launch(const Trace& trace, const KernelProfile& kernel);
  /// The header of these columns.
  void add_launch_titles();
  /// As many empty cells as a launch has columns.
  void add_launch_blanks();
  /// The comma with which ncu ends a line that has fewer cells than the header.
  void end();
  /// The line with its end; the row is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  std::string line_;
};

}  // namespace sonde
