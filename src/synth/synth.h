#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "synth/program.h"
#include "synth/recorder.h"
#include "trace/trace.h"

/// Makes profiles whose problems are known: simulates a program of host threads and GPUs, changed by plants.
namespace sonde::synth {

struct SynthOptions {
  std::string program = "inference";
  uint64_t seed = 1;
  std::optional<int64_t> events;      ///< about how many; as many iterations as that needs are run
  std::optional<int32_t> iterations;  ///< otherwise; kDefaultIterations where neither is given
  int gpus = 1;
  int streams = 2;      ///< of each GPU that compute, where the program uses several
  int layers = 4;       ///< of encoder and decoder each
  bool graphs = false;  ///< inference launches CUDA graphs
  Form form = Form::nvtx;
  std::string recorded_by;          ///< whose cost the profile holds (recording_model()); none where empty
  std::vector<std::string> plants;  ///< names of plants/list.inc
  Progress* progress = &no_progress();
};

inline constexpr int32_t kDefaultIterations = 20;

/// A program that can be simulated. One row of programs.inc each.
struct ProgramInfo {
  std::string_view name;
  std::string_view description;
  Program (*build)(const SynthOptions& options);
};
[[nodiscard]] std::span<const ProgramInfo> programs();

/// A problem that can be planted: a change of the program, never of the timeline. One row of plants/list.inc each.
struct Plant {
  std::string_view name;
  std::string_view description;  ///< one line
  std::string_view where;        ///< where in the run it shows
  std::string_view example;
  void (*apply)(Program& program);
};
[[nodiscard]] std::span<const Plant> plants();

/// What a planted problem costs: the difference between the run with all plants and the one without this, both without
/// a recorder.
struct PlantedCost {
  std::string name;
  std::string where;
  int64_t cost_ns = 0;
  int64_t step_cost_ns = 0;  ///< for each iteration
  int64_t base_total_ns = 0;
  int64_t planted_total_ns = 0;
  StepTimes base_steps;
};

struct Synthesis {
  Trace trace;  ///< linked
  int32_t iterations = 0;
  int64_t total_ns = 0;
  int64_t unrecorded_ns = 0;  ///< what the run would take without its recorder
  StepTimes steps;
  std::vector<PlantedCost> planted;
};

/// The same options give the same trace on every machine. Fails on names that there are not, and numbers out of range.
[[nodiscard]] Result<Synthesis> synthesize_run(const SynthOptions& options);
[[nodiscard]] Result<Trace> synthesize(const SynthOptions& options);

/// The planted problems as a JSON document: what a checker of findings compares with.
[[nodiscard]] std::string planted_json(const SynthOptions& options, const Synthesis& synthesis);

}  // namespace sonde::synth
