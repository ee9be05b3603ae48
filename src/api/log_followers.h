#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "api/message.h"

namespace sonde::api {

/// Those who wait for more output of a task: one thread looks for all of them, a few times a second, so that none holds
/// a thread of its own. Thread-safe.
class LogFollowers {
 public:
  /// Gives an answer once there is one; has to where `is_last`.
  using Look = std::function<std::optional<Response>(bool is_last)>;
  using Done = std::function<void(Response)>;

  LogFollowers() = default;
  /// Answers all that still wait.
  ~LogFollowers();
  LogFollowers(const LogFollowers&) = delete;
  LogFollowers& operator=(const LogFollowers&) = delete;

  /// `done` is called once, from the thread that looks or from this one.
  void wait(Look look, Done done);

  static constexpr std::chrono::seconds kTimeout{30};
  static constexpr std::chrono::milliseconds kPace{200};
  static constexpr size_t kMax = 512;  ///< more are answered at once, and ask again

 private:
  struct Follower {
    Look look;
    Done done;
    std::chrono::steady_clock::time_point end;
  };
  void run();
  static bool answer(const Follower& follower, bool is_last);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Follower> followers_;
  bool ends_ = false;
  std::thread thread_;  ///< from the first follower on
};

}  // namespace sonde::api
