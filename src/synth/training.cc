#include <fmt/format.h>

#include "synth/synth.h"
#include "synth/training_parts.h"
#include "synth/worker.h"

namespace sonde::synth {
namespace training {
namespace {

void emit_input(Builder& b, const Rig& rig, const LoaderLink& loader) {
  b.push(RangeLevel::phase, "data", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  b.wait(loader.ready, "sem_wait");
  b.copy(CopyKind::host_to_device, kInputBytes, MemoryKind::pinned, rig.copies);
  b.record(rig.input_ready, rig.copies);
  b.stream_wait(rig.input_ready, rig.compute);
  b.post(loader.slot);
  b.pop();
}

/// What `loss.item()` does: a small copy to pageable memory, and a wait for it.
void emit_loss(Builder& b, const Rig& rig) {
  b.push(RangeLevel::phase, "loss", "## loss ##");
  b.push_op("aten::item", kUnknown, false);
  b.copy(CopyKind::device_to_host, 4, MemoryKind::pageable, rig.compute);
  b.sync_stream(rig.compute);
  b.pop();
  b.pop();
}

void add_main_thread(Program& program, const Model& model, const Rig& rig, int layers) {
  Builder b(program, fmt::format("main_{}", rig.gpu), rig.gpu);
  const LoaderLink loader = add_loader(program, rig.gpu);
  emit_start(b, rig.gpu, layers, rig.compute);
  b.to_iteration();
  b.push(RangeLevel::iteration, "iteration", "ProfilerStep");
  emit_warm_up_allocations(b);
  emit_input(b, rig, loader);
  b.push(RangeLevel::phase, "forward", "## forward ##");
  emit_forward(b, model, rig.compute);
  b.pop();
  b.push(RangeLevel::phase, "backward", "## backward ##");
  b.post(rig.backward_start);
  b.wait(rig.backward_done, "pthread_cond_wait");
  b.pop();
  emit_optimizer(b, rig, layers);
  emit_loss(b, rig);
  b.unified(StepKind::unified_write, 262'144, 16);
  b.unified(StepKind::unified_read, 131'072, 16);
  b.pop();
  emit_end(b, layers, rig.compute);
}

Program build(const SynthOptions& options) {
  return training_program_of("training", options, {&transformer, &add_main_thread});
}

}  // namespace
}  // namespace training

extern const ProgramInfo training_program;
const ProgramInfo training_program = {
    "training", "training of a transformer: one backward thread per GPU, gradients reduced over all GPUs",
    &training::build};

}  // namespace sonde::synth
