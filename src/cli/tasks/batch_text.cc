#include "cli/tasks/batch_text.h"

#include <algorithm>
#include <array>

#include "base/text/text_width.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/ids.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

constexpr auto kStates =
    std::to_array<std::string_view>({"running", "waiting", "blocked", "succeeded", "failed", "cancelled"});

int64_t count_of(const Json& batch, std::string_view state) {
  return whole_of(member(batch, "states"), state).value_or(0);
}

std::string split_text(const Json& batch, const GpuNames& names) {
  std::string text;
  const Json& split = member(batch, "split");
  if (!split.is_object()) return text;
  for (const auto& [uuid, count] : split.items()) {
    const std::string gpu = gpus_text(Json::array({uuid}), names);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gpu, count.is_number_integer() ? count.get<int64_t>() : 0);
  }
  return text;
}

}  // namespace

bool is_batch_over(const Json& batch) {
  return member(batch, "states").is_object() && std::ranges::none_of(kStates, [&](std::string_view state) {
           return state != "succeeded" && state != "failed" && state != "cancelled" && count_of(batch, state) > 0;
         });
}

std::string states_text(const Json& batch) {
  std::string text;
  for (const std::string_view state : kStates) {
    if (const int64_t count = count_of(batch, state); count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    }
  }
  return text.empty() ? "-" : text;
}

std::string batch_title(const Json& batch) {
  constexpr size_t kMostName = 60;
  const std::string name = cut_middle(text_of(batch, "name"), kMostName);
  const int64_t id = whole_of(batch, "id").value_or(0);
  return name.empty() ? fmt::format("batch {}", id) : fmt::format("batch {} ({})", id, name);
}

std::string batch_tasks_text(const Json& batch) {
  std::vector<int64_t> ids;
  for (const Json& id : list_of(batch, "tasks")) {
    if (id.is_number_integer()) ids.push_back(id.get<int64_t>());
  }
  const size_t count = ids.size();
  return fmt::format("{} {}: {}", count, count == 1 ? "task" : "tasks", ids_text(std::move(ids)));
}

std::string batch_details(const Json& batch, const GpuNames& names) {
  const std::string by = text_of(batch, "submitted_by");
  const std::string split = split_text(batch, names);
  return fmt::format("{}: {}\n  submitted  {}{}\n  split      {}\n", batch_title(batch), states_text(batch),
                     moment_text_here(moment_of(batch, "submitted"), now_s()), by.empty() ? "" : " by " + by,
                     split.empty() ? "not decided" : split);
}

}  // namespace sonde::tasks
