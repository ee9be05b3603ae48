#pragma once

#include "analyses/module_tree.h"
#include "analyses/table.h"

namespace sonde {

/// The tree as a table: a row a module, indented below the one around it, most device time first; then what lies
/// outside any module. Modules with less than `min_percent` of the device time stand together in one row below their
/// parent, so that Device Self adds up to the GPU busy time whatever is shown; the note says so with its numbers.
[[nodiscard]] Table module_table(const Trace& trace, const ModuleTree& tree, double min_percent);

}  // namespace sonde
