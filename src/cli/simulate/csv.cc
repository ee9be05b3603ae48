#include <fmt/format.h>

#include "cli/simulate/documents.h"
#include "report/table_formats/shared_csv_cell.h"

namespace sonde::simulate {
namespace {

using dispatch::simulation::Interval;
using dispatch::simulation::Outcome;
using dispatch::simulation::TaskOutcome;

/// Seconds to the nanosecond; nothing where it is absent.
std::string seconds(std::optional<int64_t> ns) {
  constexpr int64_t kSecond_ns = 1'000'000'000;
  if (!ns) return {};
  const uint64_t size = *ns < 0 ? -static_cast<uint64_t>(*ns) : static_cast<uint64_t>(*ns);
  return fmt::format("{}{}.{:09}", *ns < 0 ? "-" : "", size / kSecond_ns, size % kSecond_ns);
}

std::string number(std::optional<int64_t> value) { return value ? fmt::format("{}", *value) : std::string(); }

void append_line(std::string& text, std::initializer_list<std::string> cells) {
  bool first = true;
  for (const std::string& cell : cells) {
    if (!first) text += ',';
    first = false;
    append_csv_cell(text, cell);
  }
  text += '\n';
}

void append_task(std::string& text, const std::string& strategy, const TaskOutcome& outcome) {
  const auto& [task, forecast] = outcome;
  append_line(
      text, {strategy, number(task.id), task.spec.type, task.spec.priority, task.spec.submitted_by, number(task.batch),
             number(task.spec.gpus), seconds(task.submitted_ns), seconds(task.ready_ns), seconds(task.started_ns),
             seconds(task.ended_ns), std::string(state_name(task.state)), std::string(cause_name(task.cause)),
             number(std::ssize(task.attempts)), forecast ? seconds(forecast->earliest_ns) : "",
             forecast ? seconds(forecast->likely_ns) : "", forecast ? seconds(forecast->latest_ns) : ""});
}

}  // namespace

std::string tasks_csv(std::span<const Outcome> outcomes) {
  std::string text =
      "strategy,task,type,priority,submitted_by,batch,gpus,submitted_s,ready_s,started_s,ended_s,state,cause,attempts,"
      "earliest_s,likely_s,latest_s\n";
  for (const Outcome& outcome : outcomes) {
    for (const TaskOutcome& task : outcome.tasks) append_task(text, outcome.strategy, task);
  }
  return text;
}

std::string intervals_csv(std::span<const Outcome> outcomes) {
  std::string text =
      "strategy,task,attempt,gpu,gpu_memory_bytes,start_s,end_s,reserved_bytes,memory_source,held_bytes,cause\n";
  for (const Outcome& outcome : outcomes) {
    for (const Interval& interval : outcome.intervals) {
      append_line(
          text, {outcome.strategy, number(interval.task), number(interval.attempt), fmt::format("{}", interval.gpu),
                 number(outcome.gpus[interval.gpu].memory_bytes), seconds(interval.start_ns), seconds(interval.end_ns),
                 number(interval.reserved_bytes), std::string(memory_source_name(interval.source)),
                 number(interval.held_bytes), std::string(cause_name(interval.cause))});
    }
  }
  return text;
}

}  // namespace sonde::simulate
