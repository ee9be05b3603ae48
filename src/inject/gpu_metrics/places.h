#pragma once

#include <cstdint>

/// A GPU is sampled by one of the recorded processes only: the hardware has one set of counters.
namespace sonde::inject::gpu_metrics {

/// Whether this process may sample the GPU with this UUID from now on. Also where the one that did has ended.
[[nodiscard]] bool take_place(const uint8_t (&uuid)[16]) noexcept;
void give_place_back(const uint8_t (&uuid)[16]) noexcept;

}  // namespace sonde::inject::gpu_metrics
