#include "api/log_followers.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "api/problems.h"

namespace sonde::api {

LogFollowers::~LogFollowers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LogFollowers::wait(Look look, Done done) {
  Follower follower{
      .look = std::move(look), .done = std::move(done), .end = std::chrono::steady_clock::now() + kTimeout};
  {
    const std::lock_guard lock(mutex_);
    if (!ends_ && followers_.size() < kMax) {
      followers_.push_back(std::move(follower));
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
      changed_.notify_all();
      return;
    }
  }
  answer(follower, true);
}

bool LogFollowers::answer(const Follower& follower, bool is_last) {
  std::optional<Response> response;
  try {
    response = follower.look(is_last);
  } catch (const std::exception&) {  // out of memory, mostly
    response = refuse("internal_error");
  }
  if (!response) return false;
  follower.done(*std::move(response));
  return true;
}

void LogFollowers::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    changed_.wait(lock, [&] { return ends_ || !followers_.empty(); });
    std::vector<Follower> looked = std::exchange(followers_, {});
    const bool is_end = ends_;
    lock.unlock();
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(looked, [&](const Follower& one) { return answer(one, is_end || now >= one.end); });
    lock.lock();
    std::ranges::move(looked, std::back_inserter(followers_));
    if (!followers_.empty()) changed_.wait_for(lock, kPace, [&] { return ends_; });
  }
  for (const Follower& one : followers_) answer(one, true);
  followers_.clear();
}

}  // namespace sonde::api
