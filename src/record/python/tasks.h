#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/files/descriptor.h"
#include "record/python/stacks.h"
#include "trace/events.h"

namespace sonde::record::python {

/// What Linux says that a thread does: /proc/PID/task/TID/syscall.
struct TaskState {
  sonde::ThreadState state = sonde::ThreadState::unknown;  ///< running (or ready), or waiting in a system call
  uint64_t waits_on = 0;  ///< the address of the futex that it waits on; 0: it waits on none
};

/// "running", or the number of a system call with its arguments; "-1" of a thread that waits for memory, say.
[[nodiscard]] TaskState parse_task_state(std::string_view line);

/// What a thread has to do with the lock of its interpreter. One that waits on what is part of the lock wants it.
[[nodiscard]] GilUse gil_use(const Layout& layout, const ThreadState& thread, const std::vector<Gil>& gils,
                             const TaskState& task);

/// The threads of a process, as Linux knows them.
class Tasks {
 public:
  explicit Tasks(pid_t process) : process_(process) {}

  /// False where the process has no such thread.
  [[nodiscard]] bool look(uint32_t number, TaskState& state);

  /// A thread was seen waiting for the lock.
  void note_gil_wait(uint32_t number);
  /// Whether it has had no core since: it wants the lock still, and waits for a core too.
  [[nodiscard]] bool is_still_in_gil_wait(uint32_t number);

  /// Linux's number of a thread of which Python knows its pthread_t only: the C library has it behind that address.
  /// 0: it is not found.
  [[nodiscard]] uint32_t number_of(const ForeignMemory& memory, uint64_t thread_id);

 private:
  struct Task {
    Descriptor syscall;
    Descriptor schedstat = Descriptor();
    uint64_t turns = 0;  ///< that it had had on cores when it last was seen waiting for the lock; 0: it was not
  };

  [[nodiscard]] uint64_t turns_of(uint32_t number, Task& task) const;
  [[nodiscard]] bool is_task(uint32_t number) const;
  void learn(std::span<const std::byte> bytes);

  pid_t process_;
  boost::unordered_flat_map<uint32_t, Task> tasks_;
  size_t number_at_ = 0;  ///< of what pthread_t points to; 0: not known yet
};

}  // namespace sonde::record::python
