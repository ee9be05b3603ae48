#include "synth/training_parts.h"

#include <fmt/format.h>

#include "synth/kernels.h"
#include "synth/worker.h"

namespace sonde::synth {
namespace {

void emit_reduction(Builder& b, const Rig& rig, int layer) {
  const uint32_t kernel = add_kernel(b.program(), allreduce_kernel(kLayerParameters * 2, b.program().gpus));
  b.record(rig.gradients_ready, rig.compute);
  b.stream_wait(rig.gradients_ready, rig.communication);
  b.push(RangeLevel::phase, fmt::format("allreduce.{}", layer), "nccl:all_reduce");
  b.collective(kernel, rig.communication);
  b.pop();
}

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

}  // namespace

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

Program training_program_of(std::string name, const SynthOptions& options, const Trainer& trainer) {
  Program program;
  program.name = std::move(name);
  program.gpus = static_cast<uint16_t>(options.gpus);
  if (program.gpus > 1) program.collective_elements = kLayerParameters;
  const Model model = trainer.model(program, options.layers);
  for (uint16_t gpu = 0; gpu < program.gpus; ++gpu) {
    const Rig rig = add_rig(program, gpu);
    trainer.add_main_thread(program, model, rig, 2 * options.layers);
    add_backward_thread(program, model, rig);
  }
  return program;
}

}  // namespace sonde::synth
