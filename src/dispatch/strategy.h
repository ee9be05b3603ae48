#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/rule.h"

namespace sonde::dispatch {

/// A GPU that may get the task.
struct Choice {
  const GpuState* gpu = nullptr;
  const GpuLoad* load = nullptr;
  int64_t need_bytes = 0;
};

/// What a strategy remembers from choice to choice, and what it looks at beside the GPUs.
struct StrategyContext {
  const config::Config& config;
  const Task& task;
  size_t next_in_turn = 0;  ///< place of the GPU after the one that got the last task
  size_t gpu_count = 0;
  std::mt19937_64& random;
};

/// A score for each choice, the highest wins, the first of equals; NaN: not this one.
struct Scores {
  std::vector<double> values;  ///< as the choices
  std::string note;            ///< for the decision, where there is something to say
};

/// A way to choose the GPU: a row of config/strategies.inc, and a file of dispatch/strategies that defines
/// `extern const Strategy <name>_strategy`.
struct Strategy {
  std::string_view name;         ///< as in gpu.multi_gpu.strategies
  std::string_view description;  ///< one line
  void (*score)(const StrategyContext& context, std::span<const Choice> choices, Scores& scores) = nullptr;
  /// "12 % in use": what a score of a choice means, for people.
  std::string (*score_text)(const StrategyContext& context, const Choice& choice, double score) = nullptr;
};
[[nodiscard]] std::span<const Strategy* const> strategies();
[[nodiscard]] const Strategy* find_strategy(std::string_view name);  ///< null where there is none

}  // namespace sonde::dispatch
