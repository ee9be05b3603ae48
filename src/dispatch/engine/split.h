#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// How a batch is split, in numbers.
namespace sonde::dispatch {

/// To how many of `eligible` GPUs (at least 1) a batch goes: to as many as get `min` tasks each; to one where it has
/// fewer than twice as many.
[[nodiscard]] size_t gpus_of_split(int64_t tasks, int64_t min, size_t eligible);

/// Tasks for each GPU: in proportion to the speeds, but no fewer than `min`. Parts of a task go to those with the
/// largest remainder, of equals to the first. `tasks` >= least * speeds.size(), speeds above 0.
[[nodiscard]] std::vector<int64_t> sizes_of_split(int64_t tasks, int64_t min, std::span<const double> speeds);

/// Which part each task goes to, in their order, so that all parts grow alike: {2, 1} -> 0 1 0.
[[nodiscard]] std::vector<size_t> parts_in_turn(std::span<const int64_t> sizes);

}  // namespace sonde::dispatch
