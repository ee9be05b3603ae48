#include <algorithm>
#include <cmath>
#include <vector>

#include "dispatch/forecast.h"
#include "dispatch/forecast/queue_state.h"

namespace sonde::dispatch {
namespace {

constexpr size_t kDraws = 15;
constexpr size_t kFewestDraws = 3;
constexpr size_t kTasksOfAllDraws = 3000;  ///< played in one forecast; 3 ms for each thousand that wait
constexpr size_t kMaxRemembered = 100'000;
constexpr int64_t kMinScale_ns = 2'000'000'000;
constexpr double kShareOfWait = 0.1;

/// Sorted; tasks that were left out are taken to start at the pace of those that were played.
std::vector<int64_t> draws(const forecast::QueueState& state, std::mt19937_64& random) {
  const size_t tasks = state.play.waiting.size() + state.play.running.size();
  const size_t count = std::clamp(kTasksOfAllDraws / std::max<size_t>(tasks, 1), kFewestDraws, kDraws);
  const double stretch = static_cast<double>(state.play.waiting.size() + state.left_out) /
                         static_cast<double>(std::max<size_t>(state.play.waiting.size(), 1));
  std::vector<int64_t> starts;
  for (size_t i = 0; i < count; ++i) {
    const auto start = forecast::play(state.play, random);
    if (!start) continue;
    const auto wait = static_cast<double>(*start - state.play.now_ns);
    starts.push_back(state.play.now_ns + std::llround(wait * stretch));
  }
  std::ranges::sort(starts);
  return starts;
}

int64_t moved(const forecast::Played& played, double scales) {
  return std::max<int64_t>(played.said_ns,
                           played.likely_ns + std::llround(scales * static_cast<double>(played.scale_ns)));
}

}  // namespace

std::optional<StartForecast> Forecaster::start_of(const Engine& engine, int64_t task, int64_t now_ns,
                                                  std::string& why) {
  const Task* const found = engine.find(task);
  if (found == nullptr || found->state != TaskState::waiting) {
    why = "it is not in the queue";
    return std::nullopt;
  }
  const auto state = forecast::queue_state(engine, *found, now_ns);
  if (!state) {
    why = state.error().message;
    return std::nullopt;
  }
  const std::vector<int64_t> starts = draws(*state, random_);
  if (starts.empty()) {
    why = "no GPU becomes free for it when running tasks finish";
    return std::nullopt;
  }
  const size_t tenth = starts.size() / 10;
  forecast::Played played{.said_ns = now_ns, .likely_ns = starts[starts.size() / 2], .scale_ns = 1, .priority = 0};
  const auto wait = static_cast<double>(played.likely_ns - now_ns);
  played.scale_ns =
      (starts[starts.size() - 1 - tenth] - starts[tenth]) / 2 + std::llround(kShareOfWait * wait) + kMinScale_ns;
  const auto& levels = engine.config().gpu.multi_gpu.queue_priority_levels;
  if (const auto level = levels.find(found->spec.priority); level != levels.end()) played.priority = level->second;
  last_ = {task, played};
  const forecast::Offsets offsets = calibration_.offsets(played);
  return StartForecast{.earliest_ns = moved(played, offsets.low),
                       .likely_ns = moved(played, offsets.middle),
                       .latest_ns = moved(played, offsets.high)};
}

void Forecaster::remember(int64_t task, int64_t said_ns, const StartForecast& forecast) {
  forecast::Played played{.said_ns = said_ns,
                          .likely_ns = forecast.likely_ns,
                          .scale_ns = std::max<int64_t>((forecast.latest_ns - forecast.earliest_ns) / 2, 1),
                          .priority = 0};
  if (last_.first == task && last_.second.said_ns == said_ns) played = last_.second;
  said_.try_emplace(task, Said{forecast, played});
  if (said_.size() > kMaxRemembered) said_.erase(said_.begin());
}

void Forecaster::started(int64_t task, int64_t moment_ns) {
  const auto found = said_.find(task);
  if (found == said_.end()) return;
  const auto& [forecast, played] = found->second;
  calibration_.learn(played, moment_ns, moment_ns<forecast.earliest_ns, moment_ns> forecast.latest_ns);
  said_.erase(found);
}

}  // namespace sonde::dispatch
