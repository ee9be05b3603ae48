#pragma once

namespace sonde::dispatch::keeper {

/// Descriptors that the service hands over, and the program's arguments, for people who look at ps: TASK.ATTEMPT.
constexpr int kLaunchFile = 3;   ///< launch_text.h
constexpr int kAttemptFile = 4;  ///< attempt_record.h, locked
constexpr int kLiveFolder = 5;   ///< the folder of that file

/// Runs the attempt to its end, which is on the disk when this returns. The exit status of the program.
[[nodiscard]] int run();

}  // namespace sonde::dispatch::keeper
