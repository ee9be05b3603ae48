#pragma once

#include <cstdint>

namespace sonde::dispatch::keeper {

/// Descriptors that are closed where the task begins.
constexpr int kLaunchFile = 3;   ///< launch_text.h
constexpr int kAttemptFile = 4;  ///< attempt_record.h, locked
constexpr int kLiveFolder = 5;   ///< the folder of that file
constexpr int kBell = 6;         ///< a pipe that takes a BellWord once the end is written

/// Rung before the end is safe from a power cut: it is in the file, so that a service which lives, or starts again,
/// finds it, and saves it in its database anyway. Where that has been done a moment later, the disk's own time is not
/// spent twice. After a power cut that comes before either, the attempt is lost as one is that still ran.
struct BellWord {
  int64_t task = 0;
  int64_t attempt = 0;
};

/// Runs the attempt to its end, which is on the disk, here or in the database, when this returns. The exit status of
/// the process.
[[nodiscard]] int run();

}  // namespace sonde::dispatch::keeper
