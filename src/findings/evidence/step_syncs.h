#pragma once

#include <string_view>

#include "findings/facts.h"

namespace sonde {

/// Why rules on waits within steps draw no conclusion.
inline constexpr std::string_view kNoRepeatedSteps =
    "no steps were found, so waits in a loop cannot be distinguished from other waits";

/// Rows of `api`: calls that wait for the GPU within a step that launches more work after them. Waits after a
/// step's last launch are not among them: they deliver results.
[[nodiscard]] std::vector<Row> syncs_inside_steps(const Facts& facts);

/// Copies and memsets in such places whose call returned only when they were over. Those from pageable memory to a GPU
/// are not among them: the call has to read the memory first.
struct BlockingCopies {
  std::vector<Row> calls;     ///< rows of `api`
  std::vector<Row> in_syncs;  ///< the same, of those that the thread's next call waits for anyway: aten::item does this
};
[[nodiscard]] BlockingCopies blocking_copies_inside_steps(const Facts& facts);

/// For each row of `api`, the thread's next call that does something if that waits for the GPU, else kNone.
[[nodiscard]] Ids syncs_behind(const Facts& facts);

}  // namespace sonde
