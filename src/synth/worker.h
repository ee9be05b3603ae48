#pragma once

#include "synth/builder.h"

/// What programs have in common: loading data, starting and ending with a GPU.
namespace sonde::synth {

/// Semaphores between a data loader and its consumer.
struct LoaderLink {
  uint32_t ready = 0;  ///< a batch is there
  uint32_t slot = 0;   ///< there is room for one
};

/// A thread that reads and decodes one batch an iteration, two ahead.
[[nodiscard]] LoaderLink add_loader(Program& program, uint16_t gpu);

/// Opens the GPU: streams, events, memory, weights of `layers` layers.
void emit_start(Builder& builder, uint16_t gpu, int layers, uint16_t stream);
void emit_end(Builder& builder, int layers, uint16_t stream);
/// Buffers that the first iterations allocate.
void emit_warm_up_allocations(Builder& builder);

/// CUDA's number of a GPU's i-th stream; 0 is the default one.
[[nodiscard]] uint32_t stream_id(uint16_t gpu, uint32_t index);

}  // namespace sonde::synth
