#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dispatch/executor.h"

namespace sonde::dispatch {

/// Attempts that ask a worker over HTTP (KServe v2) instead of running a command. Thread-safe.
class WorkerRequests {
 public:
  /// `ended` is called once for each start(), from any thread.
  [[nodiscard]] static std::unique_ptr<WorkerRequests> make(std::function<void(EndReport)> ended);
  virtual ~WorkerRequests() = default;

  /// Does not wait. `output`: what the worker answers goes to `output` + ".stdout".
  virtual void start(const Launch& launch, const std::string& output) = 0;
  virtual void cancel(int64_t task, int64_t attempt) = 0;
  /// Ends all; each is reported before this returns.
  virtual void stop() = 0;
};

}  // namespace sonde::dispatch
