#include <fmt/format.h>

#include "synth/synth.h"
#include "synth/training_parts.h"
#include "synth/worker.h"

/// A training loop with nothing left to fix, so that what a rule finds in it with a problem planted is that problem:
/// the host stays a step ahead of the GPU, the next batch is copied beside the computing, and losses are read a step
/// late.
namespace sonde::synth {
namespace tuned {
namespace {

/// A batch this many times the other programs': kernels long against the time between them.
constexpr int64_t kBatch = 3;

/// Blocks of a matrix product: whole waves of an H100's 132 SMs, as cuBLAS chooses its tiles for.
constexpr uint32_t kProductBlocks = 8 * 132;

Model large_batch_model(Program& program, int layers) {
  const Model model = transformer(program, layers);
  for (Kernel& kernel : program.kernels) {
    kernel.duration_ns *= kBatch;
    kernel.grid[0] *= kBatch;
    if (kernel.name.contains("gemm")) kernel.grid = {kProductBlocks, 1, 1};
  }
  return model;
}

struct Loop {
  Rig rig;
  LoaderLink loader;
  uint32_t step_done = 0;  ///< event
};

void emit_input_copy(Builder& b, const Rig& rig) {
  b.copy(CopyKind::host_to_device, kInputBytes * kBatch, MemoryKind::pinned, rig.copies);
  b.record(rig.input_ready, rig.copies);
}

/// The thread reads the first batch itself.
void emit_first_batch(Builder& b, const Rig& rig) {
  b.os("read", 400'000);
  emit_input_copy(b, rig);
}

void emit_iteration(Builder& b, const Model& model, const Loop& loop, int layers) {
  const Rig& rig = loop.rig;
  b.push(RangeLevel::iteration, "iteration", "ProfilerStep");
  emit_warm_up_allocations(b);
  b.push(RangeLevel::phase, "data", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  b.stream_wait(rig.input_ready, rig.compute);
  b.wait(loop.loader.ready, "sem_wait");
  emit_input_copy(b, rig);  // of the next batch
  b.post(loop.loader.slot);
  b.pop();
  b.push(RangeLevel::phase, "forward", "## forward ##");
  emit_forward(b, model, rig.compute);
  b.pop();
  b.push(RangeLevel::phase, "backward", "## backward ##");
  b.post(rig.backward_start);
  b.wait(rig.backward_done, "pthread_cond_wait");
  b.pop();
  emit_optimizer(b, rig, layers);
  b.push(RangeLevel::phase, "loss", "## loss ##");
  b.copy(CopyKind::device_to_host, 4, MemoryKind::pinned, rig.compute);
  b.record(loop.step_done, rig.compute);
  b.sync_event(loop.step_done);
  b.pop();
  b.pop();
}

void add_main_thread(Program& program, const Model& model, const Rig& rig, int layers) {
  Builder b(program, fmt::format("main_{}", rig.gpu), rig.gpu);
  const Loop loop{rig, add_loader(program, rig.gpu), program.events++};
  emit_start(b, rig.gpu, layers, rig.compute);
  emit_first_batch(b, rig);
  b.to_iteration();
  emit_iteration(b, model, loop, layers);
  emit_end(b, layers, rig.compute);
}

Program build(const SynthOptions& options) {
  return training_program_of("tuned", options, {&large_batch_model, &add_main_thread});
}

}  // namespace
}  // namespace tuned

extern const ProgramInfo tuned_program;
const ProgramInfo tuned_program = {
    "tuned", "training without planted problems: batches copied ahead, one short wait per step, a large batch",
    &tuned::build};

}  // namespace sonde::synth
