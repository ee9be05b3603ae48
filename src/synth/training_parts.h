#pragma once

#include "synth/transformer.h"

/// What programs that train have in common.
namespace sonde::synth {

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

[[nodiscard]] Rig add_rig(Program& program, uint16_t gpu);

void emit_optimizer(Builder& builder, const Rig& rig, int layers);

/// The autograd thread of a GPU. Where there are several GPUs, gradients of a layer are summed over all of them as soon
/// as they are there, beside the computing of the next.
void add_backward_thread(Program& program, const Model& model, const Rig& rig);

}  // namespace sonde::synth
