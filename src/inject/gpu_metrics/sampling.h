#pragma once

/// GPU metrics over time, sampled in the program while the recording runs, by a thread of our own.
namespace sonde::inject::gpu_metrics {

/// Called by the driver while it is initialized, once a process. Nothing where no GPU is to be sampled.
void begin_sampling() noexcept;

/// Whether this process has a sampler that has not ended: it may be within CUPTI at any time.
[[nodiscard]] bool is_sampling() noexcept;

}  // namespace sonde::inject::gpu_metrics
