#pragma once

#include <string>
#include <vector>

#include "report/kernel_pages/kernel_page.h"

namespace sonde {

/// The instructions of a kernel with what was counted at each, as ncu's source page has them.
struct SourceRows {
  std::string kernel;  ///< its declaration, with the casts of template arguments
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};

/// Empty where the report does not have the kernel's code. Columns are those that the sections of the report name, of
/// metrics that were counted by instruction. The text of an instruction is empty: Sonde has no disassembler.
[[nodiscard]] SourceRows source_rows(const KernelPage& page, const KernelProfile& kernel);

}  // namespace sonde
