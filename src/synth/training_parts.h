#pragma once

#include <string>

#include "synth/synth.h"
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

void emit_optimizer(Builder& builder, const Rig& rig, int layers);

/// What one training program does its own way.
struct Trainer {
  Model (*model)(Program& program, int layers);
  void (*add_main_thread)(Program& program, const Model& model, const Rig& rig, int layers);
};

/// On each GPU a main thread and an autograd thread. Where there are several GPUs, gradients of a layer are summed over
/// all of them as soon as they are there, beside the computing of the next.
[[nodiscard]] Program training_program_of(std::string name, const SynthOptions& options, const Trainer& trainer);

}  // namespace sonde::synth
