#include "dispatch/executor/worker_requests.h"

#include <chrono>
#include <utility>

namespace sonde::dispatch {
namespace {

class NoWorkers final : public WorkerRequests {
 public:
  explicit NoWorkers(std::function<void(EndReport)> ended) : ended_(std::move(ended)) {}

  void start(const Launch& launch, const std::string& /*output*/) override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    ended_({.task = launch.task,
            .attempt = launch.attempt,
            .cause = EndCause::worker,
            .exit_status = {},
            .signal = {},
            .message = "this version of Sonde cannot ask workers",
            .ended_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()});
  }
  void cancel(int64_t /*task*/, int64_t /*attempt*/) override {}
  void stop() override {}

 private:
  std::function<void(EndReport)> ended_;
};

}  // namespace

std::unique_ptr<WorkerRequests> WorkerRequests::make(std::function<void(EndReport)> ended) {
  return std::make_unique<NoWorkers>(std::move(ended));
}

}  // namespace sonde::dispatch
