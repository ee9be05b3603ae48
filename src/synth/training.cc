#include <fmt/format.h>

#include "synth/kernels.h"
#include "synth/synth.h"
#include "synth/transformer.h"
#include "synth/worker.h"

namespace sonde::synth {
namespace {

/// Streams, events and semaphores of one GPU.
struct Rig {
  uint16_t gpu = 0;
  uint16_t compute = 0;
  uint16_t copies = 0;
  uint16_t communication = 0;
  uint32_t input_ready = 0;  ///< events
  uint32_t gradients_ready = 0;
  uint32_t gradients_reduced = 0;
  uint32_t backward_start = 0;  ///< semaphores
  uint32_t backward_done = 0;
};

Rig add_rig(Program& program, uint16_t gpu) {
  Rig rig;
  rig.gpu = gpu;
  rig.compute = add_stream(program, gpu, stream_id(gpu, 0), true);
  rig.copies = add_stream(program, gpu, stream_id(gpu, 1), false);
  rig.communication = add_stream(program, gpu, stream_id(gpu, 2), false, -1);
  rig.input_ready = program.events++;
  rig.gradients_ready = program.events++;
  rig.gradients_reduced = program.events++;
  rig.backward_start = add_semaphore(program);
  rig.backward_done = add_semaphore(program);
  return rig;
}

void emit_input(Builder& b, const Rig& rig, const LoaderLink& loader) {
  b.push(RangeLevel::phase, "data", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  b.wait(loader.ready, "sem_wait");
  b.copy(CopyKind::host_to_device, kInputBytes, MemoryKind::pinned, rig.copies);
  b.record(rig.input_ready, rig.copies);
  b.stream_wait(rig.input_ready, rig.compute);
  b.post(loader.slot);
  b.pop();
}

void emit_optimizer(Builder& b, const Rig& rig, int layers) {
  b.push(RangeLevel::phase, "optimizer", "Optimizer.step#AdamW.step");
  if (b.program().gpus > 1) b.stream_wait(rig.gradients_reduced, rig.compute);
  const uint32_t kernel = add_kernel(b.program(), optimizer_kernel(kLayerParameters));
  for (int layer = 0; layer < layers; ++layer) {
    b.push_op("aten::_fused_adamw_", kUnknown, false);
    b.launch(kernel, rig.compute);
    b.pop();
  }
  b.set(kLayerParameters * 2 * layers, rig.compute);
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

/// Gradients of a layer are summed over all GPUs as soon as they are there, beside the computing of the next.
void emit_reduction(Builder& b, const Rig& rig, int layer) {
  const uint32_t kernel = add_kernel(b.program(), allreduce_kernel(kLayerParameters * 2, b.program().gpus));
  b.record(rig.gradients_ready, rig.compute);
  b.stream_wait(rig.gradients_ready, rig.communication);
  b.push(RangeLevel::phase, fmt::format("allreduce.{}", layer), "nccl:all_reduce");
  b.collective(kernel, rig.communication);
  b.pop();
}

void add_backward_thread(Program& program, const Model& model, const Rig& rig) {
  Builder b(program, fmt::format("pt_autograd_{}", rig.gpu), rig.gpu);
  const bool reduces = program.gpus > 1;
  b.to_iteration();
  b.wait(rig.backward_start, "pthread_cond_wait");
  b.push(RangeLevel::phase, "backward", "");
  emit_backward(b, model, rig.compute, [&](int layer) {
    if (reduces) emit_reduction(b, rig, layer);
  });
  if (reduces) b.record(rig.gradients_reduced, rig.communication);
  b.pop();
  b.post(rig.backward_done);
}

Program build(const SynthOptions& options) {
  Program program;
  program.name = "training";
  program.gpus = static_cast<uint16_t>(options.gpus);
  if (program.gpus > 1) program.collective_elements = kLayerParameters;
  const Model model = transformer(program, options.layers);
  for (uint16_t gpu = 0; gpu < program.gpus; ++gpu) {
    const Rig rig = add_rig(program, gpu);
    add_main_thread(program, model, rig, 2 * options.layers);
    add_backward_thread(program, model, rig);
  }
  return program;
}

}  // namespace

extern const ProgramInfo training_program;
const ProgramInfo training_program = {
    "training", "steps of a transformer's training: a backward thread a GPU, gradients reduced over all GPUs", &build};

}  // namespace sonde::synth
