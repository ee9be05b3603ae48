#pragma once

#include <map>
#include <string>

#include "cli/tasks/connection.h"

/// Tasks of the API's answers as text for people.
namespace sonde::tasks {

/// GPUs by UUID, as nvidia-smi numbers them: "gpu_0".
using GpuNames = std::map<std::string, std::string>;

/// Of an answer of GET /api/v1/queue.
[[nodiscard]] GpuNames gpu_names(const Json& queue);

/// The same, asked for; none where that cannot be had.
[[nodiscard]] GpuNames ask_gpu_names(Connection& connection);

/// "gpu_0, gpu_1" of a list of UUIDs; those of a GPU that is not known are shortened.
[[nodiscard]] std::string gpus_text(const Json& uuids, const GpuNames& names);

/// The last one; null where it was never started.
[[nodiscard]] const Json& last_attempt(const Json& task);

[[nodiscard]] bool is_over(const Json& task);

/// "task 12 (resnet)".
[[nodiscard]] std::string title_of(const Json& task);

/// What became of it: "task 12 failed: exit status 3".
[[nodiscard]] std::string outcome_text(const Json& task);

/// As exit status of a command that waited for it: 0 where it succeeded; its own status where it ended with one; 128
/// and the signal; 124 where its time was over, as of timeout(1); 125 where it was never run to its end.
[[nodiscard]] int outcome_exit(const Json& task);

/// All of one task.
[[nodiscard]] std::string task_details(const Json& task, const GpuNames& names);

}  // namespace sonde::tasks
