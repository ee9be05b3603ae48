#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/dispatcher.h"

namespace sonde::dispatch {

/// Responses to submissions and cancellations. Invariant: a response that depends on a change waits until the change is
/// saved, or until saving has failed. One thread.
class Responses {
 public:
  using Key = std::pair<std::string, std::string>;  ///< submitter, idempotency key
  using Keys = std::map<Key, int64_t>;
  struct Submission {
    int64_t id = 0;              ///< of the task or batch
    std::vector<int64_t> tasks;  ///< that it added; empty if an earlier submission with the same key did
    int64_t batch = 0;           ///< that it added; 0: none
    Submitted answered;
  };
  struct Cancellation {
    int64_t task = 0;
    bool done = false;  ///< false: the task was finished or unknown
    std::function<void(Result<bool>)> answered;
  };

  void wait_for_save(Submission submission) { submissions_.push_back(std::move(submission)); }
  void wait_for_save(Cancellation cancellation) { cancellations_.push_back(std::move(cancellation)); }
  /// A response that depends on no change.
  void add(std::function<void()> response) { ready_.push_back(std::move(response)); }
  void refuse(const Submitted& answered, Refused why);
  /// Keys of the submissions that wait: the store does not have them yet.
  [[nodiscard]] Keys& task_keys() { return task_keys_; }
  [[nodiscard]] Keys& batch_keys() { return batch_keys_; }

  /// All that wait are on disk.
  void saved();
  /// The submissions that wait, if nothing could be saved: the caller refuses them.
  [[nodiscard]] std::vector<Submission> take_unsaved();
  /// None of the cancellations that wait could be saved.
  void fail_cancellations(const std::string& error);
  /// Calls the receivers of all that are ready. Without the engine's lock: receivers query the dispatcher.
  void send();

 private:
  void clear_keys();

  std::vector<Submission> submissions_;
  std::vector<Cancellation> cancellations_;
  Keys task_keys_;
  Keys batch_keys_;
  std::vector<std::function<void()>> ready_;
};

}  // namespace sonde::dispatch
