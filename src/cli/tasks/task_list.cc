#include "cli/tasks/task_list.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::tasks {
namespace {

constexpr size_t kPage = 200;

/// What may stand in a query as it is does; the rest as %XX.
std::string encoded(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,";
  std::string made;
  for (const char c : text) {
    made += kPlain.contains(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return made;
}

std::string path_of(const TaskFilter& filter, size_t page, int64_t before) {
  std::string path = fmt::format("/api/v1/tasks?limit={}", page);
  if (!filter.states.empty()) path += "&state=" + encoded(filter.states);
  if (!filter.type.empty()) path += "&type=" + encoded(filter.type);
  if (!filter.by.empty()) path += "&by=" + encoded(filter.by);
  if (filter.batch > 0) path += fmt::format("&batch={}", filter.batch);
  if (before > 0) path += fmt::format("&before={}", before);
  return path;
}

}  // namespace

Result<TaskList> list_tasks(Connection& connection, const TaskFilter& filter) {
  TaskList list;
  int64_t before = 0;
  while (true) {
    const size_t page = std::min(kPage, filter.most - list.tasks.size());
    const auto answer = connection.get(path_of(filter, page, before));
    if (!answer) return std::unexpected(answer.error());
    for (const Json& task : list_of(*answer, "tasks")) list.tasks.push_back(task);
    const auto next = whole_of(*answer, "next_before");
    list.has_more = next.has_value();
    if (!next || (before > 0 && *next >= before) || list.tasks.size() >= filter.most) return list;
    before = *next;
  }
}

}  // namespace sonde::tasks
