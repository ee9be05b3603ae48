#pragma once

#include <string>

#include "dispatch/decision.h"
#include "dispatch/task.h"

/// After a worker did not answer, or refused, another one is asked first. No rule of the list: it chooses among those
/// that could be asked now, and keeps no task waiting.
namespace sonde::dispatch {

/// Whether an attempt of the task ended for the worker of that GPU.
[[nodiscard]] bool worker_failed_on(const Task& task, const std::string& gpu_uuid);

/// Why that GPU is passed over, where one is there whose worker did not fail the task.
[[nodiscard]] Refusal failed_worker();

}  // namespace sonde::dispatch
