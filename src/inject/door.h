#pragma once

/// Where a program that was started without a recorder waits for one, which comes by `sonde record --pid`.
namespace sonde::inject {

/// A thread of our own waits from here on, once a process; nothing where there is a recorder already.
void open_door() noexcept;

/// Whether a recorder may come to this process.
[[nodiscard]] bool is_door_open() noexcept;

/// A recorder has come, and waits for its answer: on the thread that waited (cupti/entry.cc).
void on_recorder() noexcept;

}  // namespace sonde::inject
