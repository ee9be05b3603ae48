#include "findings/evidence/copy_evidence.h"

#include <algorithm>

#include "analyses/gpus/operation_names.h"

namespace sonde {

std::vector<Evidence> evidence_of_copies(const Facts& facts, std::vector<Row> rows) {
  const Copies& c = facts.trace.copies;
  std::ranges::stable_sort(rows, std::greater(), [&](Row row) { return c.end[row] - c.start[row]; });
  rows.resize(std::min(rows.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const Row row : rows) {
    evidence.push_back(
        {c.start[row], c.end[row], facts.place_of(c.stream[row]), std::string(copy_operation(c.kind[row]))});
  }
  return evidence;
}

}  // namespace sonde
