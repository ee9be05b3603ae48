#pragma once

#include <vector>

#include "analyses/modules/module_tree.h"
#include "analyses/tables/table.h"

namespace sonde {

/// Adds to a table of modules, whose rows are sums over `modules_of_row` (kNone: outside any), device time by rank:
/// mean, least and most, which rank has the most, and a column for each rank. The files of a run are its ranks; of a
/// single file its GPUs.
void add_rank_columns(Table& table, const Trace& trace, const ModuleTree& tree,
                      const std::vector<std::vector<uint32_t>>& modules_of_row);

}  // namespace sonde
