#pragma once

#include <cstdint>

/// What is done with launches of one kind, in this order. Counters have a launch run again and again, samples and the
/// counts of instructions are each of one run: never two at once. Where more than one is wanted the first is done with
/// a launch, and the next ones like it are taken in its place for the others.
namespace sonde::inject::metrics {

enum class Work : uint8_t { none, count, sample, instructions };

/// What is wanted and can still be done.
struct Possible {
  bool counters = false;
  bool samples = false;
  bool instructions = false;

  [[nodiscard]] constexpr bool has(Work work) const noexcept {
    switch (work) {
      case Work::count: return counters;
      case Work::sample: return samples;
      case Work::instructions: return instructions;
      default: return false;
    }
  }
};

/// The next that is possible; none behind the last. The first one: behind none.
constexpr Work work_behind(Work work, const Possible& possible) noexcept {
  for (auto next = static_cast<uint8_t>(work) + 1; next <= static_cast<uint8_t>(Work::instructions); ++next) {
    if (possible.has(static_cast<Work>(next))) return static_cast<Work>(next);
  }
  return Work::none;
}

constexpr bool has_several(const Possible& possible) noexcept {
  return work_behind(work_behind(Work::none, possible), possible) != Work::none;
}
static_assert(!has_several({}) && !has_several({.counters = true}) &&
              has_several({.samples = true, .instructions = true}));

}  // namespace sonde::inject::metrics
