#include "dispatch/profiles/slow_work.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_units.h"
#include "dispatch/engine/engine_words.h"
#include "dispatch/profiles/choice.h"

namespace sonde::dispatch::profiles {
namespace {

/// A type that does not come again leaves no trouble behind.
constexpr int64_t kTaskNs = 60 * kNsPerMinute;
constexpr int64_t kGpuNs = 24 * kTaskNs;
/// Minimum time for which a finding stays in an alert.
constexpr int64_t kFindingNs = 5 * kNsPerMinute;

std::string_view why_of(bool is_of_gpu) { return is_of_gpu ? kSlowGpu : kSlowTask; }

}  // namespace

SlowWork::Trouble& SlowWork::of(bool is_of_gpu, const Place& place, bool& is_new) {
  const auto known = std::ranges::find_if(troubles_, [&](const Trouble& each) {
    return each.is_of_gpu == is_of_gpu && each.place.type == place.type && each.place.gpu_uuid == place.gpu_uuid;
  });
  is_new = known == troubles_.end();
  if (!is_new) return *known;
  Trouble& trouble = troubles_.emplace_back();
  trouble.is_of_gpu = is_of_gpu;
  trouble.place = place;
  return trouble;
}

bool SlowWork::task_is_slow(const Place& place, int64_t task, int64_t run_ns, int64_t usual_ns, int64_t now_ns) {
  bool is_new = false;
  Trouble& trouble = of(false, place, is_new);
  trouble.seen_ns = now_ns;
  trouble.is_normal = false;
  trouble.arguments = {{"task", fmt::format("{}", task)},
                       {"type", place.type},
                       {"time", shown_ns(run_ns)},
                       {"usual", shown_ns(usual_ns)}};
  return is_new;
}

void SlowWork::task_was_normal(const std::string& type, const std::string& gpu_name) {
  for (Trouble& trouble : troubles_) {
    if (!trouble.is_of_gpu && trouble.place.type == type && trouble.place.gpu_name == gpu_name) {
      trouble.is_normal = true;
    }
  }
}

bool SlowWork::gpu_is_slow(const Place& place, double ratio, int64_t median_ns, int64_t equals_ns, int64_t now_ns) {
  bool is_new = false;
  Trouble& trouble = of(true, place, is_new);
  trouble.seen_ns = now_ns;
  trouble.arguments = {{"type", place.type},
                       {"ratio", fmt::format("{:.2f}", ratio)},
                       {"time", shown_ns(median_ns)},
                       {"usual", shown_ns(equals_ns)}};
  return is_new;
}

void SlowWork::gpu_is_well(const Place& place) {
  std::erase_if(troubles_, [&](const Trouble& each) {
    return each.is_of_gpu && each.place.type == place.type && each.place.gpu_uuid == place.gpu_uuid;
  });
}

bool SlowWork::is_slow_gpu(const std::string& type, const std::string& uuid) const {
  return std::ranges::any_of(troubles_, [&](const Trouble& each) {
    return each.is_of_gpu && each.place.type == type && each.place.gpu_uuid == uuid;
  });
}

void SlowWork::recording(std::string_view why, const Place& place, std::string sentence, bool awaited) {
  for (Trouble& trouble : troubles_) {
    if (why_of(trouble.is_of_gpu) != why || trouble.place.type != place.type) continue;
    if (trouble.place.gpu_uuid != place.gpu_uuid) continue;
    trouble.recording = sentence;
    trouble.awaited = awaited;
  }
}

void SlowWork::recorded(std::string_view why, const std::string& type, std::span<const std::string> gpus,
                        const std::optional<Finding>& finding, int64_t now_ns) {
  for (Trouble& trouble : troubles_) {
    if (why_of(trouble.is_of_gpu) != why || trouble.place.type != type) continue;
    if (trouble.is_of_gpu && std::ranges::find(gpus, trouble.place.gpu_uuid) == gpus.end()) continue;
    trouble.awaited = false;
    if (!finding) continue;
    trouble.finding = finding;
    trouble.found_ns = now_ns;
  }
}

bool SlowWork::is_over(const Trouble& trouble, int64_t now_ns) {
  if (trouble.is_of_gpu) return now_ns - trouble.seen_ns > kGpuNs;
  if (now_ns - trouble.seen_ns > kTaskNs) return true;
  return trouble.is_normal && !trouble.awaited && (!trouble.finding || now_ns - trouble.found_ns > kFindingNs);
}

std::vector<monitor::Reported> SlowWork::now(const std::map<std::string, size_t>& indices, int64_t now_ns) {
  std::erase_if(troubles_, [&](const Trouble& each) { return is_over(each, now_ns); });
  std::vector<monitor::Reported> all;
  for (const Trouble& trouble : troubles_) {
    const auto index = indices.find(trouble.place.gpu_uuid);
    if (index == indices.end()) continue;
    monitor::Reported& reported = all.emplace_back();
    reported.detector = trouble.is_of_gpu ? "gpu_slow_for_tasks" : "task_slow";
    reported.seen = {.gpu = index->second,
                     .subject = trouble.place.type,
                     .severity = monitor::Severity::warning,
                     .text = reported.detector,
                     .arguments = trouble.arguments};
    reported.seen.arguments.push_back({"index", fmt::format("{}", index->second)});
    reported.seen.arguments.push_back({"recording", trouble.recording});
    if (!trouble.finding) continue;
    reported.seen.text += "_found";
    reported.seen.arguments.push_back({"recorded", fmt::format("{}", trouble.finding->task)});
    reported.seen.arguments.push_back({"finding", trouble.finding->says});
    reported.seen.arguments.push_back({"advice", trouble.finding->advice});
  }
  return all;
}

}  // namespace sonde::dispatch::profiles
