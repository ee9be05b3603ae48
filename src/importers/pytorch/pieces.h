#pragma once

#include <string_view>
#include <vector>

#include "base/progress.h"
#include "importers/pytorch/rows.h"

namespace sonde::pytorch {

/// Bytes of text that a worker takes at once: with its copy and the parser's index it stays in a core's own cache.
inline constexpr size_t kPieceBytes = size_t{512} << 10;

/// Reads the list of events whose first one (or closing bracket) is at `first`, on all cores. Pieces come in the
/// order of the text and join without gaps; the last one says where and how the list ended. Where valid
/// JSON was cut does not change what is read of it; of broken JSON, it may change which events count as damaged.
[[nodiscard]] std::vector<Piece> read_events(std::string_view text, size_t first, const Wanted& wanted,
                                             Progress& progress, size_t piece_bytes = kPieceBytes);

}  // namespace sonde::pytorch
