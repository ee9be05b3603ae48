#pragma once

/// What a program does with CUDA, recorded by CUPTI while the recording runs. Nothing of CUPTI is enabled before that,
/// or stays enabled after it.
namespace sonde::inject::cupti {

/// Called by the driver while it is initialized.
void begin_timeline() noexcept;

/// Whether this is the process that began, and not a child of fork(), which must leave CUPTI alone.
[[nodiscard]] bool is_own_process() noexcept;

/// Has CUPTI do what the phase of the recording asks for. Cheap where nothing changed. Never in a signal handler.
void follow_phase() noexcept;

/// Whether there is nothing more to do for good.
[[nodiscard]] bool is_timeline_over() noexcept;

/// The rest is the worker's: fetches CUPTI's buffers once the last time is long enough ago,
void fetch_when_due() noexcept;
/// or now and for the last time.
void fetch_at_exit() noexcept;

}  // namespace sonde::inject::cupti
