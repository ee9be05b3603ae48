#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::dispatch {

/// Why a GPU does not get a task now: a rule of rules/list.inc with its figures.
struct Refusal {
  std::string_view rule;     ///< "memory_room"
  std::string reason;        ///< "keeps 62.0 GiB for tasks, others hold 9.1 GiB: 8.9 GiB are left, 16.0 GiB are needed"
  std::string unblocked;     ///< what would unblock it: "a task that ends there, or 7.1 GiB freed by other programs"
  bool is_for_good = false;  ///< nothing that happens by itself changes it: compute capability, memory of the whole GPU
};

/// What a decision found of one GPU.
struct Judgement {
  size_t gpu = 0;
  std::string uuid;
  std::vector<Refusal> refusals;  ///< empty: eligible
  std::optional<double> score;    ///< of an eligible one, by the strategy; the highest wins
  std::string score_text;         ///< what the score is: "12 % in use", "next in turn"
  bool chosen = false;
};

/// That a task got GPUs, and why those.
struct Decision {
  int64_t task = 0;
  int64_t attempt = 1;
  int64_t moment_ns = 0;
  std::string strategy;  ///< by which it was chosen
  std::string note;  ///< in one sentence where more is to be said: a type without a mapping, a batch's GPU, backfill
  std::vector<Judgement> gpus;
  int64_t waiting = 0;  ///< tasks in the queue at that moment
};

/// When a task should start: 80 % of tasks start within the range.
struct StartForecast {
  int64_t earliest_ns = 0;
  int64_t likely_ns = 0;
  int64_t latest_ns = 0;
};

/// Why a task waits, or why it went where it did.
struct Explanation {
  int64_t task = 0;
  std::string summary;                ///< in one sentence
  std::vector<std::string> unblocks;  ///< what would let it start, a sentence each; empty where it runs or is over
  std::vector<Judgement> gpus;        ///< as of now, for one that waits
  std::optional<int64_t> position;    ///< in the queue, from 1
  std::vector<int64_t> ahead;         ///< tasks before it, the next one first, ten at most
  std::optional<StartForecast> start;
  std::string start_unknown;        ///< why there is no forecast, where there is none
  std::vector<Decision> decisions;  ///< of its attempts, the last one last
};

}  // namespace sonde::dispatch
