#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "monitor/alerts/outbox.h"

namespace sonde::monitor {

/// How POSTs to a receiver follow each other.
struct DeliveryPace {
  int64_t first_pause_ns = 1'000'000'000;     ///< after a failure; twice as long after each further one
  int64_t longest_pause_ns = 60'000'000'000;  ///< an Alertmanager that restarts is found again within a minute
  size_t posts_a_minute = 30;                 ///< further changes wait and are sent together
};

/// What became of a POST.
enum class PostOutcome {
  arrived,
  failed,   ///< may do better later: no connection, 5xx, 429
  refused,  ///< would be refused again
};
/// By the status of the answer.
[[nodiscard]] PostOutcome outcome_of(int status);

/// When and what a receiver is sent next: an outbox, with pauses after failures and a limit of POSTs. Without a thread
/// or a clock of its own. One thread at a time.
class Delivery {
 public:
  Delivery(std::unique_ptr<Outbox> outbox, DeliveryPace pace) : outbox_(std::move(outbox)), pace_(pace) {}

  [[nodiscard]] Outbox& outbox() { return *outbox_; }
  [[nodiscard]] const Outbox& outbox() const { return *outbox_; }
  /// When the next POST may be made; nothing where nothing is to be sent.
  [[nodiscard]] std::optional<int64_t> next_ns(int64_t now_ns);
  /// Its body.
  [[nodiscard]] std::string begin(int64_t now_ns);
  void end(PostOutcome outcome, int64_t now_ns);
  [[nodiscard]] int64_t failures_in_a_row() const { return failures_; }

 private:
  std::unique_ptr<Outbox> outbox_;
  DeliveryPace pace_;
  std::deque<int64_t> begun_ns_;  ///< of the last POSTs, as many as a minute may have
  int64_t not_before_ns_ = 0;
  int64_t failures_ = 0;
  bool hurried_ = false;
};

}  // namespace sonde::monitor
