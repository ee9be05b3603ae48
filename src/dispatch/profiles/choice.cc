#include "dispatch/profiles/choice.h"
#include "base/time_units.h"

#include <algorithm>
#include <charconv>

namespace sonde::dispatch::profiles {
namespace {

constexpr std::string_view kEvery = "every ";

/// Of "every 100"; 1 for "always", absent for "never".
std::optional<int64_t> each_of(std::string_view profile) {
  if (profile == "always") return 1;
  if (!profile.starts_with(kEvery)) return std::nullopt;
  profile.remove_prefix(kEvery.size());
  int64_t each = 0;
  std::from_chars(profile.data(), profile.data() + profile.size(), each);
  return each > 0 ? std::optional(each) : std::nullopt;
}

bool within_hour(int64_t moment_ns, int64_t now_ns) { return now_ns - moment_ns < kNsPerHour; }

}  // namespace

void Choice::restore(std::span<const ProfileRecord> records) {
  for (const ProfileRecord& record : records) {
    if (record.why == kSlowTask || record.why == kSlowGpu) began_ns_.push_back(record.moment_ns);
  }
}

std::optional<std::string> Choice::why(const Task& task, const config::Config& config, int64_t now_ns) {
  const std::optional<std::string> counted = by_type(task, config);
  if (task.spec.inference || task.spec.profile == false) return std::nullopt;
  if (std::ranges::any_of(task.attempts, &Attempt::recorded)) return std::nullopt;
  if (task.spec.profile == true) return "asked";
  const auto failed = failed_ns_.find(task.spec.type);
  if (failed != failed_ns_.end() && within_hour(failed->second, now_ns)) return std::nullopt;
  return counted ? counted : by_wish(task, config, now_ns);
}

/// Counts each task once, when it first starts.
std::optional<std::string> Choice::by_type(const Task& task, const config::Config& config) {
  const auto type = config.sonde.tasks.types.find(task.spec.type);
  if (type == config.sonde.tasks.types.end() || task.attempts.size() != 1) return std::nullopt;
  const std::string& profile = type->second.profile;
  const std::optional<int64_t> each = each_of(profile);
  if (!each) return std::nullopt;
  const auto [count, is_new] = started_.try_emplace({task.spec.type, profile});
  if (is_new) count->second = started_before_(task.spec.type, profile);
  if (++count->second < *each) return std::nullopt;
  if (task.spec.profile.has_value() || task.spec.inference) return std::nullopt;
  count->second = 0;
  return profile;
}

std::optional<std::string> Choice::by_wish(const Task& task, const config::Config& config, int64_t now_ns) {
  std::erase_if(wishes_, [&](const Wish& wish) { return !within_hour(wish.moment_ns, now_ns); });
  const std::vector<std::string>& gpus = task.attempts.back().gpus;
  const auto wish = std::ranges::find_if(wishes_, [&](const Wish& each) {
    return each.type == task.spec.type &&
           (each.gpu_uuid.empty() || std::ranges::find(gpus, each.gpu_uuid) != gpus.end());
  });
  if (wish == wishes_.end() || !take_one(config, now_ns)) return std::nullopt;
  std::string why = std::move(wish->why);
  wishes_.erase(wish);
  return why;
}

void Choice::wish(Wish wish) {
  std::erase_if(wishes_, [&](const Wish& each) {
    return each.type == wish.type && each.gpu_uuid == wish.gpu_uuid && each.why == wish.why;
  });
  wishes_.push_back(std::move(wish));
}

bool Choice::has_one(const config::Config& config, int64_t now_ns) const {
  const auto count = std::ranges::count_if(began_ns_, [&](int64_t began_ns) { return within_hour(began_ns, now_ns); });
  return count < config.sonde.tasks.profiles.max_per_hour;
}

bool Choice::take_one(const config::Config& config, int64_t now_ns) {
  std::erase_if(began_ns_, [&](int64_t began_ns) { return !within_hour(began_ns, now_ns); });
  if (!has_one(config, now_ns)) return false;
  began_ns_.push_back(now_ns);
  return true;
}

}  // namespace sonde::dispatch::profiles
