#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "monitor/alerts/sender.h"

namespace sonde::monitor {

/// One receiver of alerts and the thread that tells it. Ends with its last POST.
class Receiver {
 public:
  /// `url`: of the POST itself. What is passed by reference must outlive this object.
  Receiver(std::string url, std::unique_ptr<Outbox> outbox, HttpPoster& poster, Log& log, const SenderOptions& options);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open, const config::Alerts& alerts);
  /// Asks it to end; does not wait.
  void stop();
  [[nodiscard]] AlertCounts counts() const;
  /// Waits until nothing waits to be told. False where the time is over.
  [[nodiscard]] bool drain(std::chrono::steady_clock::time_point until);
  [[nodiscard]] bool over() const;

 private:
  void run();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] PostOutcome post(const std::string& body);
  void log_outcome(PostOutcome outcome, int64_t failures_before);
  [[nodiscard]] bool is_idle() const { return !posting_ && delivery_.outbox().waiting() == 0; }

  std::string url_;
  HttpPoster& poster_;
  Log& log_;
  const SenderOptions& options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Delivery delivery_;
  AlertCounts counts_;
  std::string trouble_;  ///< of the last POST; of the thread alone
  bool posting_ = false;
  bool stopping_ = false;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace sonde::monitor
