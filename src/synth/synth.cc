#include "synth/synth.h"

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "synth/counters.h"
#include "synth/torch_ranges.h"
#include "trace/columns.h"
#include "trace/link.h"
#include "trace/window.h"

namespace sonde::synth {

#define SONDE_PROGRAM(name) extern const ProgramInfo name##_program;
#include "synth/programs.inc"
#undef SONDE_PROGRAM

std::span<const ProgramInfo> programs() {
  static const std::array all = {
#define SONDE_PROGRAM(name) name##_program,
#include "synth/programs.inc"
#undef SONDE_PROGRAM
  };
  return all;
}

namespace {

constexpr int kMostGpus = 16;
constexpr int kMaxStreams = 8;
constexpr int kMaxLayers = 64;
/// Rows of a table have 32-bit numbers; half of that leaves room for a wrong estimate.
constexpr int64_t kMostEvents = 2'000'000'000;

template <typename Info>
Result<const Info*> named(std::span<const Info> all, std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(all, name, &Info::name);
  if (found != all.end()) return &*found;
  std::vector<std::string_view> names;
  for (const Info& i : all) names.push_back(i.name);
  return fail("unknown {} '{}'{}; known: {}", what, name, did_you_mean(name, names), fmt::join(names, ", "));
}

Status in_range(std::string_view what, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return {};
  return fail("the number of {} must be between {} and {}, not {}", what, least, most, value);
}

Status check(const SynthOptions& o) {
  SONDE_TRY(in_range("GPUs", o.gpus, 1, kMostGpus));
  SONDE_TRY(in_range("streams", o.streams, 1, kMaxStreams));
  SONDE_TRY(in_range("layers", o.layers, 1, kMaxLayers));
  if (o.events) SONDE_TRY(in_range("events", *o.events, 1, kMostEvents));
  if (o.iterations) SONDE_TRY(in_range("iterations", *o.iterations, 1, 100'000'000));
  if (o.events && o.iterations) return fail("pass either a number of events or a number of iterations, not both");
  if (o.graphs && o.program != "inference") return fail("only the program 'inference' can launch CUDA graphs");
  return {};
}

Result<std::vector<const Plant*>> chosen_plants(const SynthOptions& options) {
  std::vector<const Plant*> chosen;
  for (const std::string& name : options.plants) {
    const auto plant = named(plants(), name, "planted problem");
    if (!plant) return std::unexpected(plant.error());
    if (std::ranges::find(chosen, *plant) == chosen.end()) chosen.push_back(*plant);
  }
  return chosen;
}

/// The program with these plants but one.
Result<Program> build(const SynthOptions& options, std::span<const Plant* const> plants,
                      const Plant* left_out = nullptr) {
  const auto info = named(programs(), options.program, "program");
  if (!info) return std::unexpected(info.error());
  Program program = (*info)->build(options);
  for (const Plant* plant : plants) {
    if (plant != left_out) plant->apply(program);
  }
  if (!options.recorded_by.empty()) use_torch_ranges(program);
  return program;
}

int64_t event_count(const Trace& trace) {
  int64_t events = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) { events += static_cast<int64_t>(row_count(table)); });
  return events;
}

Result<int64_t> events_of(const Program& program, const SynthOptions& options, int32_t iterations) {
  Recorder recorder(program, options.form);
  Simulator simulator(program, options.seed, iterations, &recorder);
  const auto total = simulator.run(no_progress());
  if (!total) return std::unexpected(total.error());
  return event_count(recorder.take(*total)) + utilization_rows(program, *total);
}

/// Events grow by the same number with each iteration: two short runs tell how many are needed.
Result<int32_t> needed_iterations(const Program& program, const SynthOptions& options) {
  if (options.iterations) return *options.iterations;
  if (!options.events) return kDefaultIterations;
  constexpr int32_t kFew = 4;
  constexpr int32_t kMore = 36;  // apart by twice the longest period of a step
  const auto few = events_of(program, options, kFew);
  if (!few) return std::unexpected(few.error());
  const auto more = events_of(program, options, kMore);
  if (!more) return std::unexpected(more.error());
  const int64_t fixed = *few - (*more - *few) * kFew / (kMore - kFew);
  const int64_t wanted = (*options.events - fixed) * (kMore - kFew) / (*more - *few);
  return static_cast<int32_t>(std::max<int64_t>(1, wanted));
}

/// Measures the run without one plant.
Status run_without(const SynthOptions& options, int32_t iterations, std::span<const Plant* const> all,
                   const Plant* left_out, PlantedCost& cost) {
  const auto program = build(options, all, left_out);
  if (!program) return std::unexpected(program.error());
  options.progress->begin(fmt::format("simulating without {}", left_out->name), iterations, "iterations");
  Simulator simulator(*program, options.seed, iterations, nullptr);
  const auto total = simulator.run(*options.progress);
  if (!total) return std::unexpected(total.error());
  cost.base_total_ns = *total;
  cost.base_steps = simulator.steps();
  return {};
}

Status measure_plants(const SynthOptions& options, std::span<const Plant* const> chosen, Synthesis& synthesis) {
  for (const Plant* plant : chosen) {
    PlantedCost cost;
    cost.name = plant->name;
    cost.where = plant->where;
    SONDE_TRY(run_without(options, synthesis.iterations, chosen, plant, cost));
    cost.planted_total_ns = synthesis.unrecorded_ns;
    cost.cost_ns = synthesis.unrecorded_ns - cost.base_total_ns;
    cost.step_cost_ns = cost.cost_ns / synthesis.iterations;
    synthesis.planted.push_back(cost);
  }
  return {};
}

Result<RecordingModel> recording_of(const SynthOptions& options) {
  if (options.recorded_by.empty()) return RecordingModel{};
  return recording_model(options.recorded_by, options.seed);
}

/// The run's time without its recorder.
Result<int64_t> unrecorded_ns(const Program& program, const SynthOptions& options, int32_t iterations) {
  options.progress->begin("simulating without a recorder", iterations, "iterations");
  return Simulator(program, options.seed, iterations, nullptr).run(*options.progress);
}

Status record(const Program& program, const SynthOptions& options, Synthesis& synthesis) {
  Recorder recorder(program, options.form);
  const auto recording = recording_of(options);
  if (!recording) return std::unexpected(recording.error());
  options.progress->begin("simulating " + program.name, synthesis.iterations, "iterations");
  Simulator simulator(program, options.seed, synthesis.iterations, &recorder, *recording);
  const auto total = simulator.run(*options.progress);
  options.progress->end();
  if (!total) return std::unexpected(total.error());
  const auto unrecorded = options.recorded_by.empty() ? total : unrecorded_ns(program, options, synthesis.iterations);
  if (!unrecorded) return std::unexpected(unrecorded.error());
  synthesis.total_ns = *total;
  synthesis.unrecorded_ns = *unrecorded;
  synthesis.steps = simulator.steps();
  synthesis.trace = recorder.take(*total);
  if (!options.recorded_by.empty()) synthesis.trace.ranks.front().product = "PyTorch profiler (simulated)";
  if (program.recorded_permille < 1000) {
    Window window;
    window.end_ns = *total / 1000 * program.recorded_permille;
    keep_window(synthesis.trace, window);
  }
  link(synthesis.trace);
  add_utilization(program, synthesis.trace);
  return {};
}

}  // namespace

Result<Synthesis> synthesize_run(const SynthOptions& options) {
  SONDE_TRY(check(options));
  const auto bare = build(options, {});
  if (!bare) return std::unexpected(bare.error());
  const auto chosen = chosen_plants(options);
  if (!chosen) return std::unexpected(chosen.error());
  // Counted before anything is planted: with and without, the same work is done.
  const auto iterations = needed_iterations(*bare, options);
  if (!iterations) return std::unexpected(iterations.error());
  const auto program = build(options, *chosen);
  if (!program) return std::unexpected(program.error());
  Synthesis synthesis;
  synthesis.iterations = *iterations;
  SONDE_TRY(record(*program, options, synthesis));
  SONDE_TRY(measure_plants(options, *chosen, synthesis));
  return synthesis;
}

Result<Trace> synthesize(const SynthOptions& options) {
  auto synthesis = synthesize_run(options);
  if (!synthesis) return std::unexpected(synthesis.error());
  return std::move(synthesis->trace);
}

}  // namespace sonde::synth
