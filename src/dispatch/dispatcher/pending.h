#pragma once

#include <set>
#include <utility>
#include <vector>

#include "dispatch/engine.h"
#include "dispatch/store.h"

namespace sonde::dispatch {

/// What steps changed and no transaction has saved yet, and what is to be done once one has.
struct Pending {
  std::set<int64_t> tasks;
  std::set<int64_t> batches;
  std::vector<Decision> decisions;
  std::vector<ProfileRecord> profiles;
  std::vector<int64_t> starts;
  std::vector<int64_t> cancels;
  std::vector<TaskNews> news;
  std::vector<std::pair<int64_t, int64_t>> ended;  ///< attempts whose end the executor may forget

  /// Adds a step, the recordings of its starts, and the ended attempts that it has processed.
  void add(Step step, std::vector<ProfileRecord> recordings, std::vector<std::pair<int64_t, int64_t>> processed);
  /// A task that was never submitted after all.
  void forget(int64_t task);
  [[nodiscard]] bool has_start(int64_t task) const;
  [[nodiscard]] bool needs_saving() const { return !tasks.empty() || !batches.empty() || !decisions.empty(); }
  /// Pointers into the engine, for as long as it is not changed.
  [[nodiscard]] Changes changes(const Engine& engine) const;
};

}  // namespace sonde::dispatch
