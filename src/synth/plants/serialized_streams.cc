#include <array>
#include <map>

#include <fmt/format.h>

#include "synth/builder.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"
#include "synth/worker.h"

namespace sonde::synth {
namespace serialized_streams {
namespace {

constexpr int64_t kOperatorNs = 3800;  // as any operator's

bool is_residual(const Kernel& k) {
  return k.elementwise && (k.name.contains("add_functor") || k.name.contains("copy_functor"));
}

using StreamPair = std::array<uint16_t, 2>;

/// Two streams of a GPU as cudaStreamCreate makes them: blocking.
StreamPair add_streams(Program& program, uint16_t gpu) {
  constexpr uint32_t kFirst = 3;  // behind the program's own
  StreamPair pair{};
  for (uint32_t i = 0; i < pair.size(); ++i) {
    pair[i] = add_stream(program, gpu, stream_id(gpu, kFirst + i), false);
    program.streams[pair[i]].blocking = true;
  }
  return pair;
}

/// Half of the work in half of a wave (16 blocks on each of an H100's 132 SMs), which loops over it: as long as the
/// whole took.
uint32_t add_half(Program& program, const Kernel& whole) {
  constexpr uint32_t kHalfWave = 132 * 16 / 2;
  Kernel half = whole;
  half.grid = {kHalfWave, 1, 1};
  return add_kernel(program, std::move(half));
}

Step half_launch(const Step& launch, uint32_t kernel, uint16_t stream, uint32_t number) {
  Step step = launch;
  step.site = planted(StepKind::launch, launch.site, "half", number).site;
  step.what = kernel;
  step.stream = stream;
  return step;
}

/// The halves on streams of their own, and between them something is cleared on the null stream.
void append_halves(Steps& steps, const Step& launch, uint32_t kernel, const StreamPair& streams) {
  constexpr int64_t kClearedBytes = 4096;
  steps.push_back(half_launch(launch, kernel, streams[0], 0));
  Step set = planted(StepKind::set, launch.site, "clear");
  set.call = ApiCall::set_async;
  set.amount = kClearedBytes;
  set.stream = launch.stream;
  steps.push_back(set);
  Step host = planted(StepKind::host_work, launch.site, "second half");
  host.amount = kOperatorNs;
  steps.push_back(host);
  steps.push_back(half_launch(launch, kernel, streams[1], 1));
}

void plant_serialized_streams(Program& program) {
  std::map<uint32_t, uint32_t> halves;
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    const Kernel kernel = program.kernels[k];
    if (is_residual(kernel)) halves[k] = add_half(program, kernel);
  }
  std::vector<StreamPair> streams;
  for (uint16_t gpu = 0; gpu < program.gpus; ++gpu) streams.push_back(add_streams(program, gpu));
  for (HostThread& thread : program.threads) {
    Steps steps;
    for (const Step& step : thread.iteration) {
      const auto half = step.kind == StepKind::launch ? halves.find(step.what) : halves.end();
      if (half == halves.end()) {
        steps.push_back(step);
      } else {
        append_halves(steps, step, half->second, streams[thread.gpu]);
      }
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace serialized_streams

extern const Plant serialized_streams_plant;
const Plant serialized_streams_plant = {
    "serialized_streams",
    "residual kernels run as two halves on two streams with a memset on the null stream between them",
    "in each attention and MLP module, forward and backward, on every GPU", "--plant serialized_streams",
    &serialized_streams::plant_serialized_streams};

}  // namespace sonde::synth
