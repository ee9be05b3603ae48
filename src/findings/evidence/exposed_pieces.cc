#include "findings/evidence/exposed_pieces.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde {
namespace {

/// The collective whose last entry is known.
uint32_t known_collective(const Facts& facts, Row kernel) {
  const uint32_t collective = facts.collectives.of_kernel[kernel];
  if (collective == kNone) return kNone;
  const MatchedCollective& c = facts.collectives.all[collective];
  return c.one_clock && c.complete() ? collective : kNone;
}

}  // namespace

std::vector<ExposedPiece> exposed_pieces(const Facts& facts) {
  const Kernels& k = facts.trace.kernels;
  std::vector<ExposedPiece> pieces;
  for (Row row = 0; row < row_count(k); ++row) {
    if (facts.communication[row] == CommunicationKind::none || !facts.judged(k.start[row])) continue;
    const uint32_t gpu = facts.gpus.of_stream[k.stream[row]];
    const uint32_t collective = known_collective(facts, row);
    const auto add = [&](Span span, bool waits) {
      for (const Span& part : uncovered_parts(span, facts.activity[gpu].compute)) {
        pieces.push_back({part, gpu, row, collective, waits});
      }
    };
    int64_t moves = k.start[row];
    if (collective != kNone) moves = std::clamp(facts.collectives.all[collective].last().entry_ns, moves, k.end[row]);
    if (moves > k.start[row]) add({k.start[row], moves}, true);
    if (k.end[row] > moves) add({moves, k.end[row]}, false);
  }
  std::ranges::stable_sort(pieces, {}, [](const ExposedPiece& p) { return std::pair(p.gpu, p.span); });
  return pieces;
}

std::vector<Evidence> evidence_of_pieces(const Facts& facts, std::vector<ExposedPiece> pieces) {
  std::ranges::stable_sort(pieces, std::greater(), [](const ExposedPiece& p) { return p.span.second - p.span.first; });
  pieces.resize(std::min(pieces.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const ExposedPiece& p : pieces) {
    evidence.push_back({p.span.first, p.span.second, facts.gpus.gpus[p.gpu].place,
                        std::string(facts.trace.name(facts.trace.kernels.name[p.kernel])),
                        facts.kernel_name(p.kernel)});
  }
  return evidence;
}

}  // namespace sonde
