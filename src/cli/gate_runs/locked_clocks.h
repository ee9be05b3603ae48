#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/descriptor.h"
#include "device/clock_lock.h"

/// Clocks of GPUs that are locked while the gate makes its runs.
namespace sonde {

/// What --lock-clocks says.
struct ClockChoice {
  std::optional<unsigned> mhz;  ///< absent: the base clock
};
/// "base", "1200", "1200MHz".
[[nodiscard]] Result<ClockChoice> parse_clock_choice(std::string_view text);
/// "locked at 1200 MHz": the condition clock_control of such runs.
[[nodiscard]] std::string clock_text(const ClockChoice& choice);

/// Locks the clocks of the GPUs that CUDA_VISIBLE_DEVICES allows; unlocks them when it goes. A file for each GPU in
/// `folder`, locked (flock) while its process lives, tells the next start of a process that was killed meanwhile.
class LockedClocks {
 public:
  LockedClocks() = default;
  LockedClocks(LockedClocks&&) = default;
  LockedClocks& operator=(LockedClocks&&) = delete;
  LockedClocks(const LockedClocks&) = delete;
  LockedClocks& operator=(const LockedClocks&) = delete;
  ~LockedClocks();

  /// All of them or none. The error says which GPU refuses, and why.
  [[nodiscard]] static Result<LockedClocks> lock(const ClockChoice& choice, const std::string& folder);

 private:
  struct Held {
    device::LockableGpu gpu;
    std::string path;
    Descriptor file;
  };
  [[nodiscard]] Status lock(const device::LockableGpu& gpu, const ClockChoice& choice, const std::string& folder);

  std::unique_ptr<device::ClockLock> lock_;
  std::vector<Held> held_;
};

/// Unlocks what processes that were killed left locked; gives a sentence about each such GPU. Clocks that were locked
/// before a reboot are not any more.
[[nodiscard]] std::vector<std::string> unlock_left_clocks(const std::string& folder);

}  // namespace sonde
