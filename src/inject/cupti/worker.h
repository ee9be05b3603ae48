#pragma once

/// The one thread of ours in a program that uses CUDA: it follows the recording's phases, fetches CUPTI's buffers every
/// second and writes down what is in them. It blocks all signals; a child of fork() has none.
namespace sonde::inject::cupti {

/// Once. False where no thread could be had.
[[nodiscard]] bool start_worker() noexcept;

/// There is something to do: it looks now, and not only when its turn comes.
void wake_worker() noexcept;

/// Has it fetch all that CUPTI holds, by force, and end. Waits for that, but no longer than ten seconds. For the
/// program's exit.
void end_worker() noexcept;

}  // namespace sonde::inject::cupti
