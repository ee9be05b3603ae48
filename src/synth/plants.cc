#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "synth/noise.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace {

Step planted(StepKind kind, uint32_t site, std::string_view what, uint32_t number = 0) {
  Step step;
  step.kind = kind;
  step.site = site_of(fmt::format("planted {} at {} {}", what, site, number));
  return step;
}

bool opens(const Program& program, const Step& step, RangeLevel level) {
  return step.kind == StepKind::push_range && program.ranges[step.what].level == level;
}

/// The first stream of a thread's GPU.
uint16_t any_stream(const Program& program, uint16_t gpu) {
  const auto found = std::ranges::find_if(program.streams, [&](const StreamInfo& s) { return s.gpu == gpu; });
  return static_cast<uint16_t>(found - program.streams.begin());
}

/// Host work in front of each iteration: what a slow data loader or a log written between steps does.
void plant_gap(Program& program) {
  constexpr int64_t kGapNs = 3'000'000;
  for (HostThread& thread : program.threads) {
    if (thread.iteration.empty() || !opens(program, thread.iteration.front(), RangeLevel::iteration)) continue;
    Step step = planted(StepKind::host_work, thread.iteration.front().site, "gap");
    step.amount = kGapNs;
    step.steady = true;
    thread.iteration.insert(thread.iteration.begin(), step);
  }
}

bool is_gelu(const Kernel& k) { return k.elementwise && k.name.find("gelu_functor") != std::string::npos; }

/// Each activation by slices: as many kernels, each with its launch.
constexpr uint32_t kSlices = 32;

uint32_t add_slice(Program& program, const Kernel& whole) {
  constexpr int64_t kShortestKernelNs = 1700;
  Kernel slice = whole;
  slice.grid[0] = std::max(1U, whole.grid[0] / kSlices);
  slice.duration_ns = std::max(kShortestKernelNs, whole.duration_ns / kSlices);
  program.kernels.push_back(slice);
  return static_cast<uint32_t>(program.kernels.size() - 1);
}

void append_slices(Steps& steps, const Step& launch, uint32_t slice) {
  constexpr int64_t kSliceHostNs = 3800;  // as any operator's
  for (uint32_t i = 0; i < kSlices; ++i) {
    Step host = planted(StepKind::host_work, launch.site, "slice", i);
    host.amount = kSliceHostNs;
    if (i > 0) steps.push_back(host);
    Step step = launch;
    step.site = planted(StepKind::launch, launch.site, "launch", i).site;
    step.what = slice;
    steps.push_back(step);
  }
}

void plant_tiny_kernels(Program& program) {
  std::vector<uint32_t> slices(program.kernels.size(), 0);
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    if (is_gelu(program.kernels[k])) slices[k] = add_slice(program, program.kernels[k]);
  }
  for (HostThread& thread : program.threads) {
    Steps steps;
    for (const Step& step : thread.iteration) {
      if (step.kind == StepKind::launch && slices[step.what] != 0) {
        append_slices(steps, step, slices[step.what]);
      } else {
        steps.push_back(step);
      }
    }
    thread.iteration = std::move(steps);
  }
}

/// A layer is a module whose name ends in its number.
bool is_layer(const Program& program, const Step& step) {
  if (!opens(program, step, RangeLevel::module)) return false;
  const std::string& name = program.ranges[step.what].nvtx;
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

/// The host waits for the GPU after each layer, and before the iteration ends.
void plant_sync(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps steps;
    std::vector<Step> open;
    for (const Step& step : thread.iteration) {
      const bool closes = step.kind == StepKind::pop_range;
      const bool wait =
          closes && (is_layer(program, open.back()) || opens(program, open.back(), RangeLevel::iteration));
      if (step.kind == StepKind::push_range) open.push_back(step);
      if (wait) {
        Step sync = planted(StepKind::sync_device, step.site, "sync");
        sync.stream = any_stream(program, thread.gpu);
        steps.push_back(sync);
      }
      if (closes) open.pop_back();
      steps.push_back(step);
    }
    thread.iteration = std::move(steps);
  }
}

void plant_pageable(Program& program) {
  for (HostThread& thread : program.threads) {
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::copy && step.copy_kind == CopyKind::host_to_device) {
        step.host_memory = MemoryKind::pageable;
      }
    }
  }
}

}  // namespace

#define SONDE_PLANT(name) extern const Plant name##_plant;
#include "synth/plants.inc"
#undef SONDE_PLANT

const Plant gap_plant = {"gap", "host work between iterations, in which the GPU has nothing to do",
                         "before each iteration, on the threads that run them", "--plant gap", &plant_gap};
const Plant tiny_kernels_plant = {"tiny_kernels", "each GELU activation runs as many tiny kernels instead of one",
                                  "in each MLP module, on every GPU", "--plant tiny_kernels", &plant_tiny_kernels};
const Plant sync_plant = {"sync", "the host waits for the whole GPU after each layer",
                          "at the end of each layer and iteration", "--plant sync", &plant_sync};
const Plant pageable_plant = {"pageable", "input copies come from pageable instead of pinned memory",
                              "the input copy of each batch", "--plant pageable", &plant_pageable};

std::span<const Plant> plants() {
  static const std::array all = {
#define SONDE_PLANT(name) name##_plant,
#include "synth/plants.inc"
#undef SONDE_PLANT
  };
  return all;
}

}  // namespace sonde::synth
