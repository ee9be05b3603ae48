#include "analyses/steps/repeated_sequences.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde {
namespace {

using Words = std::vector<uint32_t>;

/// A part of the text in which no sequence has been taken yet. The text is all different chains behind each other.
struct Piece {
  uint32_t begin;
  uint32_t end;
  uint32_t kind;  ///< number of the chain among the different ones
};

struct Window {
  uint32_t begin;
  uint32_t piece;
  uint64_t hash;
};

struct Count {
  size_t places = 0;
  uint32_t first = 0;
  uint32_t free_from = 0;  ///< windows that begin earlier overlap the last one counted
};

struct Best {
  size_t saved = 0;  ///< words
  uint32_t begin = 0;
  size_t length = 0;
};

uint64_t mixed(uint64_t hash, uint32_t word) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15U;  // odd, from splitmix64
  hash = (hash ^ word) * kFactor;
  return hash ^ (hash >> 29U);
}

/// The smallest p > 0 with word[i] == word[i + p] for all i (Knuth, Morris, Pratt).
size_t period_of(std::span<const uint32_t> words) {
  std::vector<size_t> border(words.size(), 0);
  for (size_t i = 1, k = 0; i < words.size(); ++i) {
    while (k > 0 && words[i] != words[k]) k = border[k - 1];
    if (words[i] == words[k]) ++k;
    border[i] = k;
  }
  return words.size() - border.back();
}

class SequenceSearch {
 public:
  SequenceSearch(const std::vector<Words>& chains, const SequenceLimits& limits) : limits_(limits) {
    std::map<Words, uint32_t> kinds;
    for (uint32_t chain = 0; chain < chains.size(); ++chain) {
      const auto [known, fresh] = kinds.try_emplace(chains[chain], static_cast<uint32_t>(begin_.size()));
      if (fresh) add_kind(chains[chain]);
      chains_of_[known->second].push_back(chain);
    }
  }

  [[nodiscard]] std::vector<RepeatedSequence> run() {
    std::vector<RepeatedSequence> found;
    size_t first_saved = 0;
    while (found.size() < limits_.most_sequences) {
      const Best best = find_best();
      constexpr size_t kMinPart = 20;
      if (best.saved == 0 || best.saved * kMinPart < first_saved) break;
      if (found.empty()) first_saved = best.saved;
      found.push_back(take(best));
    }
    return found;
  }

 private:
  void add_kind(const Words& words) {
    const auto begin = static_cast<uint32_t>(text_.size());
    const auto kind = static_cast<uint32_t>(begin_.size());
    begin_.push_back(begin);
    chains_of_.emplace_back();
    text_.insert(text_.end(), words.begin(), words.end());
    pieces_.push_back({begin, static_cast<uint32_t>(text_.size()), kind});
  }

  [[nodiscard]] Best find_best() const {
    std::vector<Window> windows;
    for (uint32_t i = 0; i < pieces_.size(); ++i) {
      for (uint32_t begin = pieces_[i].begin; begin < pieces_[i].end; ++begin) windows.push_back({begin, i, 0});
    }
    Best best;
    for (size_t length = 1; length <= limits_.longest && !windows.empty(); ++length) {
      std::erase_if(windows, [&](const Window& w) { return w.begin + length > pieces_[w.piece].end; });
      for (Window& w : windows) w.hash = mixed(w.hash, text_[w.begin + length - 1]);
      const auto counts = count(windows, length);
      // A longer window stands nowhere where its beginning does not.
      std::erase_if(windows, [&](const Window& w) { return counts.at(w.hash).places < limits_.fewest_places; });
      for (const Window& w : windows) consider(counts.at(w.hash), length, best);
    }
    return best;
  }

  using Counts = boost::unordered_flat_map<uint64_t, Count>;
  [[nodiscard]] Counts count(const std::vector<Window>& windows, size_t length) const {
    Counts counts;
    for (const Window& w : windows) {
      Count& of_hash = counts[w.hash];
      if (of_hash.places > 0 && w.begin < of_hash.free_from) continue;
      if (of_hash.places == 0) of_hash.first = w.begin;
      of_hash.places += chains_of_[pieces_[w.piece].kind].size();
      of_hash.free_from = w.begin + static_cast<uint32_t>(length);
    }
    return counts;
  }

  void consider(const Count& counted, size_t length, Best& best) const {
    const size_t saved = counted.places * (length - 1);
    if (saved <= best.saved) return;
    const auto words = std::span(text_).subspan(counted.first, length);
    const std::set<uint32_t> different(words.begin(), words.end());
    if (different.size() < limits_.fewest_different || 2 * period_of(words) <= length) return;
    best = {saved, counted.first, length};
  }

  /// Takes the sequence out of the pieces.
  [[nodiscard]] RepeatedSequence take(const Best& best) {
    RepeatedSequence sequence;
    const auto from = text_.begin() + best.begin;
    sequence.words.assign(from, from + static_cast<std::ptrdiff_t>(best.length));
    std::vector<Piece> rest;
    for (Piece piece : pieces_) {
      for (uint32_t at = piece.begin; at + best.length <= piece.end;) {
        if (!std::equal(sequence.words.begin(), sequence.words.end(), text_.begin() + at)) {
          ++at;
          continue;
        }
        for (const uint32_t chain : chains_of_[piece.kind]) {
          sequence.places.push_back({chain, at - begin_[piece.kind]});
        }
        if (at > piece.begin) rest.push_back({piece.begin, at, piece.kind});
        at += static_cast<uint32_t>(best.length);
        piece.begin = at;
      }
      if (piece.end > piece.begin) rest.push_back(piece);
    }
    pieces_ = std::move(rest);
    std::ranges::sort(sequence.places);
    return sequence;
  }

  const SequenceLimits& limits_;
  Words text_;
  std::vector<uint32_t> begin_;                   ///< by kind, in the text
  std::vector<std::vector<uint32_t>> chains_of_;  ///< by kind
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<RepeatedSequence> repeated_sequences(const std::vector<Words>& chains, const SequenceLimits& limits) {
  return SequenceSearch(chains, limits).run();
}

}  // namespace sonde
