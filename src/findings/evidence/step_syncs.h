#pragma once

#include "findings/facts.h"

namespace sonde {

/// Rows of `api`: calls that wait for the GPU within a step that then goes on to launch more work. The waits at a
/// step's end, behind its last launch, are not among them: they hand results over.
[[nodiscard]] std::vector<Row> syncs_inside_steps(const Facts& facts);

/// Copies and sets in such places whose call returned only when they were over. Those from pageable memory to a GPU are
/// not among them: the call has to read the memory first.
struct BlockingCopies {
  std::vector<Row> calls;     ///< rows of `api`
  std::vector<Row> in_syncs;  ///< the same, of those that the thread's next call waits for anyway: aten::item does this
};
[[nodiscard]] BlockingCopies blocking_copies_inside_steps(const Facts& facts);

}  // namespace sonde
