#pragma once

/// What a program does with CUDA, recorded by CUPTI while the recording runs. Before that CUPTI is only set up: it
/// tells of devices, contexts and streams when they come to be, and never again. Nothing of it stays enabled after it.
namespace sonde::inject::cupti {

/// Called by the driver while it is initialized.
void begin_timeline() noexcept;

/// Whether this is the process that began, and not a child of fork(), which must leave CUPTI alone.
[[nodiscard]] bool is_own_process() noexcept;

/// Has CUPTI do what the phase of the recording asks for. Cheap where nothing changed. Never in a signal handler.
void follow_phase() noexcept;

/// The program began the recording by a range: what it launches next is in it, so CUPTI begins on this thread. While
/// the driver initializes itself that may take seconds, and is left to the worker.
void begin_with_range() noexcept;

/// Whether there is nothing more to do for good.
[[nodiscard]] bool is_timeline_over() noexcept;

/// Has the worker fetch CUPTI's records: the program may be about to end.
void fetch_soon() noexcept;
/// Has CUPTI give back what it can on this thread, which is about to drop what the records tell of.
void fetch_here() noexcept;

/// The rest is the worker's: fetches CUPTI's buffers once the last time is long enough ago,
void fetch_when_due() noexcept;
/// or now and for the last time.
void fetch_at_exit() noexcept;

}  // namespace sonde::inject::cupti
