#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dispatch/decision.h"
#include "dispatch/engine/fleet.h"
#include "dispatch/engine/keeping.h"
#include "dispatch/engine/needs.h"
#include "dispatch/strategy.h"

namespace sonde::dispatch {

/// GPUs that a strategy chose among those that no rule refuses.
struct Placed {
  const Strategy* strategy = nullptr;
  std::string note;
  std::vector<size_t> gpus;    ///< places, the best first; as many as were asked for
  std::vector<size_t> among;   ///< places of all that were eligible
  std::vector<double> scores;  ///< of those
};

/// Finds GPUs for a task: rules, then the strategy.
class Placement {
 public:
  Placement(Fleet& fleet, Keeping& keeping, Needs& needs, uint64_t seed)
      : fleet_(&fleet), keeping_(&keeping), needs_(&needs), random_(seed) {}

  /// Nothing where too few GPUs can take it now.
  [[nodiscard]] std::optional<Placed> place(const config::Config& config, const Task& task, Place place);
  /// Scores those GPUs, and takes the best `count`.
  [[nodiscard]] std::optional<Placed> choose(const config::Config& config, const Task& task, const Need& need,
                                             std::vector<size_t> among, size_t count);
  /// What each GPU says to the task, in texts. `placed`: null for none.
  [[nodiscard]] std::vector<Judgement> judge(const config::Config& config, const Task& task, Place place,
                                             const Placed* placed) const;
  [[nodiscard]] bool is_eligible(const config::Config& config, const Task& task, const Need& need, Place place,
                                 size_t index) const;

 private:
  [[nodiscard]] std::vector<size_t> untried(const Task& task, std::vector<size_t> among) const;
  [[nodiscard]] std::string score_text(const config::Config& config, const Task& task, const Placed& placed, size_t at,
                                       const Need& need) const;

  Fleet* fleet_;
  Keeping* keeping_;
  Needs* needs_;
  mutable std::mt19937_64 random_;
  size_t next_in_turn_ = 0;
  size_t turn_of_scores_ = 0;  ///< the turn that the last scores were made by, for their texts
};

}  // namespace sonde::dispatch
