#pragma once

#include <vector>

#include "findings/facts.h"

namespace sonde {

/// A part of a communication kernel that nothing computes beside, on its GPU.
struct ExposedPiece {
  Span span;
  uint32_t gpu = 0;
  Row kernel = kNone;
  uint32_t collective = kNone;  ///< kNone where waiting and moving data cannot be told apart
  bool waits = false;           ///< before the last participant entered: no data move
};

/// Of what is judged, by GPU and time.
[[nodiscard]] std::vector<ExposedPiece> exposed_pieces(const Facts& facts);

}  // namespace sonde
