#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sonde {

/// Where a sequence stands.
struct SequencePlace {
  uint32_t chain = 0;
  uint32_t offset = 0;
  friend auto operator<=>(const SequencePlace&, const SequencePlace&) = default;
};

struct RepeatedSequence {
  std::vector<uint32_t> words;
  std::vector<SequencePlace> places;  ///< disjoint, also from those of other sequences
};

struct SequenceLimits {
  size_t longest = 64;
  size_t fewest_different = 3;  ///< words in a sequence
  size_t fewest_places = 2;
  size_t most_sequences = 8;
};

/// The sequences that shorten the chains most where each becomes one word: the best first, then what is best in the
/// rest, while that is at least a twentieth of the first. A sequence does not repeat within itself (its period is more
/// than half its length): of `abcabc` only `abc` counts. By rolling hashes of windows that grow as long as they repeat;
/// equal chains are looked at once. O(words x longest) a sequence.
[[nodiscard]] std::vector<RepeatedSequence> repeated_sequences(const std::vector<std::vector<uint32_t>>& chains,
                                                               const SequenceLimits& limits);

}  // namespace sonde
