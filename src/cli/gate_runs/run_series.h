#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/gate_runs/run_maker.h"
#include "cli/runs/decide_and_write.h"

namespace sonde {

struct SeriesPlan {
  RunCommand changed = {};
  std::optional<RunCommand> base = {};  ///< absent: only new runs are made
  std::optional<int> warm_up = {};      ///< runs of each before the first that counts; absent: until they are stable
  int most = 0;                         ///< runs a side, for people
  std::optional<int64_t> time_budget_ns = {};
};

/// Runs of one or two commands, interleaved, as many as are asked for.
class RunSeries {
 public:
  RunSeries(RunMaker& maker, SeriesPlan plan) : maker_(maker), plan_(std::move(plan)) {}

  [[nodiscard]] Status warm_up();
  /// Until there are so many runs a side, or no time is left for another of each; at least one is made.
  [[nodiscard]] Status make_until(int runs);

  /// There was no time for all that was asked for.
  [[nodiscard]] bool out_of_time() const { return out_of_time_; }
  [[nodiscard]] size_t runs() const { return changed_.records.size(); }
  [[nodiscard]] const DecideSide& base() const { return base_; }
  [[nodiscard]] const DecideSide& changed() const { return changed_; }

 private:
  [[nodiscard]] bool time_for_another() const;
  [[nodiscard]] Status make(Side side);

  RunMaker& maker_;
  SeriesPlan plan_;
  DecideSide base_;
  DecideSide changed_;
  int64_t longest_ns_ = 0;  ///< of a run
  bool out_of_time_ = false;
};

/// "new-03"
[[nodiscard]] std::string run_name(std::string_view side, size_t number);

/// What a person wants to see of a run at once: its wall time, its step or mean kernel time.
[[nodiscard]] std::string run_text(const MadeRun& run);

}  // namespace sonde
