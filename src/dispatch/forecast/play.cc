#include "dispatch/forecast/play.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace sonde::dispatch::forecast {
namespace {

/// Waiting tasks that are looked at when a task ends: further ones rarely pass so many.
constexpr size_t kLookAhead = 48;

struct Ending {
  int64_t end_ns = 0;
  std::vector<size_t> on;
  int64_t bytes = 0;  ///< -1: the share of each
  bool operator>(const Ending& other) const { return end_ns > other.end_ns; }
};

class Play {
 public:
  Play(const PlayState& state, std::mt19937_64& random)
      : state_(state), random_(random), now_ns_(state.now_ns), gpus_(state.gpus) {
    for (const PlayRunning& running : state.running)
      endings_.push({running.started_ns + run_time(running), running.on, running.reserved_bytes});
    waiting_.reserve(state.waiting.size());
    for (const PlayTask& task : state.waiting) waiting_.push_back(&task);
  }

  std::optional<int64_t> run() {
    while (!start_those_that_fit()) {
      if (endings_.empty()) return std::nullopt;
      now_ns_ = std::max(now_ns_, endings_.top().end_ns);
      while (!endings_.empty() && endings_.top().end_ns <= now_ns_) take_back();
    }
    return now_ns_;
  }

 private:
  int64_t draw(std::span<const int64_t> run_ns) {
    return run_ns[std::uniform_int_distribution<size_t>(0, run_ns.size() - 1)(random_)];
  }

  static int64_t limited(int64_t run_ns, const PlayTask& task) {
    return task.limit_ns ? std::min(run_ns, *task.limit_ns) : run_ns;
  }

  /// Of a running one: of those that ran longer than it has. Where it has run longer than all, as long again at most.
  int64_t run_time(const PlayRunning& running) {
    const int64_t elapsed_ns = std::max<int64_t>(state_.now_ns - running.started_ns, 0);
    const auto& known = running.task.run_ns;
    const auto longer = std::ranges::count_if(known, [&](int64_t ns) { return ns > elapsed_ns; });
    if (longer == 0) {
      const double share = std::uniform_real_distribution<double>(0, 1)(random_);
      return limited(elapsed_ns + static_cast<int64_t>(share * static_cast<double>(elapsed_ns)), running.task);
    }
    auto pick = std::uniform_int_distribution<std::ptrdiff_t>(0, longer - 1)(random_);
    const auto found = std::ranges::find_if(known, [&](int64_t ns) { return ns > elapsed_ns && pick-- == 0; });
    return limited(*found, running.task);
  }

  void take_back() {
    const Ending& ending = endings_.top();
    for (const size_t at : ending.on) take(gpus_[at], ending.bytes, -1);
    endings_.pop();
  }

  void take(PlayGpu& gpu, int64_t bytes, int64_t sign) const {
    gpu.slots -= sign;
    gpu.utilization += static_cast<double>(sign) * state_.utilization_of_task;
    if (gpu.total_bytes < std::numeric_limits<int64_t>::max())
      gpu.room_bytes -= sign * (bytes < 0 ? gpu.share_bytes : bytes);
  }

  /// True once the last one is among them.
  bool start_those_that_fit() {
    kept_.assign(gpus_.size(), false);
    bool has_kept = false;
    size_t looked_at = 0;
    for (size_t i = first_; i < waiting_.size() && looked_at < kLookAhead; ++i) {
      const PlayTask* const task = waiting_[i];
      if (task == nullptr) continue;
      ++looked_at;
      const bool is_last = i + 1 == waiting_.size();
      const bool gave_up = !is_last && task->gives_up_ns <= now_ns_;
      if (gave_up || start(*task)) {
        if (is_last) return true;
        waiting_[i] = nullptr;
      } else if (!has_kept) {
        keep(*task);
        has_kept = true;
      }
    }
    while (first_ < waiting_.size() && waiting_[first_] == nullptr) ++first_;
    return false;
  }

  [[nodiscard]] bool fits(const PlayTask& task, size_t at) const {
    const PlayGpu& gpu = gpus_[at];
    return gpu.usable && gpu.slots > 0 && !kept_[at] && gpu.room_bytes >= gpu.threshold_bytes &&
           gpu.utilization <= state_.utilization_threshold &&
           gpu.room_bytes >= task.need_bytes.value_or(gpu.share_bytes);
  }

  template <typename Visit>
  void each_allowed(const PlayTask& task, Visit visit) const {
    for (const size_t at : task.allowed) visit(at);
    if (!task.allowed.empty()) return;
    for (size_t at = 0; at < gpus_.size(); ++at) visit(at);
  }

  bool start(const PlayTask& task) {
    std::vector<size_t>& on = found_;
    on.clear();
    each_allowed(task, [&](size_t at) {
      if (fits(task, at)) on.push_back(at);
    });
    if (std::ssize(on) < task.gpus) return false;
    std::ranges::sort(on, std::ranges::greater(), [&](size_t at) { return gpus_[at].slots; });
    on.resize(static_cast<size_t>(task.gpus));
    const int64_t bytes = task.need_bytes.value_or(-1);
    for (const size_t at : on) take(gpus_[at], bytes, 1);
    endings_.push({now_ns_ + limited(draw(task.run_ns), task), on, bytes});
    return true;
  }

  /// The first that does not fit keeps the GPUs with the fewest tasks, as the engine does.
  void keep(const PlayTask& task) {
    std::vector<size_t>& on = found_;
    on.clear();
    each_allowed(task, [&](size_t at) {
      if (gpus_[at].usable) on.push_back(at);
    });
    std::ranges::sort(on, std::ranges::greater(), [&](size_t at) { return gpus_[at].slots; });
    for (size_t i = 0; i < std::min(on.size(), static_cast<size_t>(task.gpus)); ++i) kept_[on[i]] = true;
  }

  const PlayState& state_;
  std::mt19937_64& random_;
  int64_t now_ns_;
  std::vector<PlayGpu> gpus_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  std::vector<const PlayTask*> waiting_;  ///< null: it started
  size_t first_ = 0;                      ///< that waits
  std::vector<bool> kept_;
  std::vector<size_t> found_;
};

}  // namespace

std::optional<int64_t> play(const PlayState& state, std::mt19937_64& random) { return Play(state, random).run(); }

}  // namespace sonde::dispatch::forecast
