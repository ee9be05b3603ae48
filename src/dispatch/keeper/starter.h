#pragma once

#include <cstdint>
#include <optional>

#include "base/files/descriptor.h"

/// sonde-keeper as a service starts it: one process, which becomes the keeper of each attempt by forking. What a
/// program's start costs is paid once: exec, and what the C library asks the processor before main(), which a virtual
/// machine answers slowly (0.8 ms of the 1.0 ms that a keeper's start took in one).
namespace sonde::dispatch::keeper {

/// Descriptor of a socket that keeps messages apart (SOCK_SEQPACKET): requests come, an answer goes for each. The
/// starter ends when the service closes the other end; keepers keep running.
constexpr int kDoor = 3;

struct StartRequest {
  int64_t task = 0;
  int64_t attempt = 1;
};
/// What the keeper gets as kLaunchFile and kAttemptFile.
struct AttemptDescriptors {
  int launch = -1;
  int attempt_file = -1;
};
struct StartAnswer {
  int32_t keeper = 0;  ///< process id of a child of the service; 0: none
  int32_t error = 0;   ///< the error's number then
};

/// 0 or the error's number: nothing was asked then.
[[nodiscard]] int ask_for_keeper(int door, const StartRequest& request, const AttemptDescriptors& files);
/// Waits for it. Absent where the starter is gone, or takes longer than the socket's time-out.
[[nodiscard]] std::optional<StartAnswer> receive_answer(int door);

/// The program. `shown`: its argument, as long as the longest TASK.ATTEMPT, for which ps shows that of each keeper.
/// The exit status.
[[nodiscard]] int run_starter(char* shown);

}  // namespace sonde::dispatch::keeper
