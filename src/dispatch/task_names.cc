#include <algorithm>
#include <array>

#include "dispatch/task.h"

namespace sonde::dispatch {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"blocked",   "waiting", "running",
                                                     "succeeded", "failed",  "cancelled"};
constexpr std::array<std::string_view, 11> kCauses = {"none",       "exit",          "signal",    "out_of_memory",
                                                      "time_limit", "queue_timeout", "cancelled", "dependency",
                                                      "lost",       "not_started",   "worker"};
constexpr std::array<std::string_view, 3> kMemorySources = {"declared", "learned", "share"};

template <typename Value, size_t Size>
std::optional<Value> value_of(const std::array<std::string_view, Size>& names, std::string_view name) {
  const auto* const at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Value>(at - names.begin());
}

}  // namespace

std::string_view state_name(TaskState state) { return kStates.at(static_cast<size_t>(state)); }
std::optional<TaskState> state_of(std::string_view name) { return value_of<TaskState>(kStates, name); }
std::string_view cause_name(EndCause cause) { return kCauses.at(static_cast<size_t>(cause)); }
std::optional<EndCause> cause_of(std::string_view name) { return value_of<EndCause>(kCauses, name); }
std::string_view memory_source_name(MemorySource source) { return kMemorySources.at(static_cast<size_t>(source)); }

}  // namespace sonde::dispatch
