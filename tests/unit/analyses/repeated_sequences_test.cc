#include "analyses/steps/repeated_sequences.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace sonde {
namespace repeated_sequences_test {

using Words = std::vector<uint32_t>;

/// The most words that one sequence saves, by looking at each window of each length from each place.
size_t most_saved(const Words& text, const SequenceLimits& limits) {
  size_t most = 0;
  for (size_t length = 2; length <= std::min(limits.longest, text.size()); ++length) {
    for (size_t begin = 0; begin + length <= text.size(); ++begin) {
      const Words words(text.begin() + static_cast<std::ptrdiff_t>(begin),
                        text.begin() + static_cast<std::ptrdiff_t>(begin + length));
      if (std::set(words.begin(), words.end()).size() < limits.fewest_different) continue;
      bool repeats_itself = false;
      for (size_t period = 1; 2 * period <= length; ++period) {
        const auto moved = words.begin() + static_cast<std::ptrdiff_t>(period);
        repeats_itself = repeats_itself || std::equal(moved, words.end(), words.begin());
      }
      if (repeats_itself) continue;
      size_t places = 0;
      for (size_t at = 0; at + length <= text.size();) {
        const bool here = std::equal(words.begin(), words.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
        places += here ? 1 : 0;
        at += here ? length : 1;
      }
      if (places >= limits.fewest_places) most = std::max(most, places * (length - 1));
    }
  }
  return most;
}

TEST(RepeatedSequences, FirstSavesMost) {
  std::mt19937 dice(7);
  for (int turn = 0; turn < 300; ++turn) {
    Words text(20 + dice() % 60);
    const uint32_t different = 2 + static_cast<uint32_t>(dice() % 5);
    for (uint32_t& word : text) word = static_cast<uint32_t>(dice()) % different;
    SequenceLimits limits;
    limits.longest = 12;
    const auto found = repeated_sequences({text}, limits);
    const size_t saved = found.empty() ? 0 : found.front().places.size() * (found.front().words.size() - 1);
    EXPECT_EQ(saved, most_saved(text, limits)) << "turn " << turn;
  }
}

TEST(RepeatedSequences, PlacesHoldTheWordsAndAreDisjoint) {
  std::mt19937 dice(11);
  std::vector<Words> chains(40);
  for (Words& chain : chains) {
    chain.resize(dice() % 30);
    for (uint32_t& word : chain) word = static_cast<uint32_t>(dice()) % 4;
  }
  chains[7] = chains[3];
  std::set<SequencePlace> taken;
  size_t words = 0;
  for (const RepeatedSequence& sequence : repeated_sequences(chains, {})) {
    for (const SequencePlace& place : sequence.places) {
      for (uint32_t i = 0; i < sequence.words.size(); ++i) {
        EXPECT_EQ(chains[place.chain].at(place.offset + i), sequence.words[i]);
        taken.insert({place.chain, place.offset + i});
        ++words;
      }
    }
  }
  EXPECT_GT(words, 0U);
  EXPECT_EQ(taken.size(), words);
}

TEST(RepeatedSequences, ALoopIsOneTurnOfIt) {
  Words text;
  for (int turn = 0; turn < 50; ++turn) text.insert(text.end(), {1, 2, 3, 4, 5});
  const auto found = repeated_sequences({text}, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().words.size(), 5U);
  EXPECT_EQ(found.front().places.size(), 50U);
}

TEST(RepeatedSequences, FewerDifferentWordsAreNone) {
  Words text;
  for (int turn = 0; turn < 50; ++turn) text.insert(text.end(), {1, 1, 2, 2});
  EXPECT_TRUE(repeated_sequences({text}, {}).empty());
}

}  // namespace repeated_sequences_test
}  // namespace sonde
