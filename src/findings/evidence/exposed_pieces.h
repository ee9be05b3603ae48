#pragma once

#include <vector>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// A part of a communication kernel in which nothing computes on its GPU.
struct ExposedPiece {
  Span span;
  uint32_t gpu = 0;
  Row kernel = kNone;
  uint32_t collective = kNone;  ///< kNone if waiting cannot be distinguished from moving data
  bool waits = false;           ///< before the last participant entered: no data move
};

/// Of what is judged, by GPU and time.
[[nodiscard]] std::vector<ExposedPiece> exposed_pieces(const Facts& facts);

/// The longest of these.
[[nodiscard]] std::vector<Evidence> evidence_of_pieces(const Facts& facts, std::vector<ExposedPiece> pieces);

}  // namespace sonde
