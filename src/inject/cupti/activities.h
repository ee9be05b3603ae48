#pragma once

#include "inject/cupti/library.h"

/// The kinds of CUPTI's records that the recorder asks for.
namespace sonde::inject::cupti {

/// Before the first enable(): the clock, the buffers, ids of threads as the system has them. False where CUPTI takes
/// none of it, which is reported.
[[nodiscard]] bool set_up_activities(const Library& library) noexcept;

/// What CUPTI tells of once only, when it comes to be: devices, contexts, streams. Enabled by set_up_activities().
void disable_objects(const Library& library) noexcept;

/// Whether the program has had a CUDA context.
[[nodiscard]] bool had_context() noexcept;
/// It may have, before CUPTI could say so: the recorder came to a program that runs.
void note_context() noexcept;

/// Those that CUPTI does not have are reported. False where not even kernels can be had.
[[nodiscard]] bool enable_activities(const Library& library) noexcept;
void disable_activities(const Library& library) noexcept;

}  // namespace sonde::inject::cupti
