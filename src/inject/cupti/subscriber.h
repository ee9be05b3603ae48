#pragma once

#include "inject/cupti/library.h"

/// CUPTI's callbacks. It serves one subscriber a process, so all parts of this library share one.
namespace sonde::inject::cupti {

/// Runs on the thread that makes the call, before and after it. `data` is a CallbackData for calls.
using Handler = void (*)(Domain domain, uint32_t id, const void* data);

/// Before subscribe(); for all that is watched. Each once, however often it is added.
void add_handler(Handler handler) noexcept;

/// Once; `ok` where it was done before. multiple_subscribers: another tool has CUPTI.
[[nodiscard]] Result subscribe(const Library& library) noexcept;
void unsubscribe(const Library& library) noexcept;

/// Whether one call of a domain is watched.
[[nodiscard]] Result watch(const Library& library, Domain domain, uint32_t id, bool on) noexcept;
/// The same of all calls of a domain.
[[nodiscard]] Result watch_all(const Library& library, Domain domain, bool on) noexcept;

}  // namespace sonde::inject::cupti
