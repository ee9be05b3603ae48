#include "cli/tasks/task_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/text/decimal.h"
#include "base/text/text_width.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/ids.h"
#include "cli/tasks/shell_text.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

const Json kAbsent;

/// In words, where the task gives no reason of its own.
std::string cause_text(const Json& task) {
  const Json& attempt = last_attempt(task);
  const std::string cause = text_of(task, "cause");
  if (cause == "exit") {
    const auto status = whole_of(attempt, "exit_status");
    return status ? fmt::format("exit status {}", *status) : "it ended by itself";
  }
  if (cause == "signal") {
    const auto signal = whole_of(attempt, "signal");
    return signal ? fmt::format("killed by signal {}", *signal) : "killed by a signal";
  }
  std::string words = cause;
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string attempt_line(const Json& attempt, const GpuNames& names, double now) {
  const auto started = moment_of(attempt, "started");
  const auto ended = moment_of(attempt, "ended");
  std::string line = fmt::format("attempt {}: {}, from {}", whole_of(attempt, "number").value_or(0),
                                 gpus_text(member(attempt, "gpus"), names), moment_text_here(started, now));
  if (started && ended) line += fmt::format(" for {}", seconds_text(*ended - *started));
  if (const auto reserved = whole_of(attempt, "reserved_bytes")) {
    line += fmt::format(", keeps {} ({})", bytes_text(reserved), text_of(attempt, "memory_source"));
  }
  if (const auto peak = whole_of(attempt, "peak_bytes")) line += fmt::format(", held at most {}", bytes_text(peak));
  if (const std::string cause = text_of(attempt, "cause"); ended && !cause.empty()) {
    line += "; " + cause_text(Json{{"cause", cause}, {"attempts", Json::array({attempt})}});
  }
  const std::string message = text_of(attempt, "message");
  return message.empty() ? line : line + ": " + message;
}

std::string ids_of(const Json& list) {
  std::vector<int64_t> ids;
  for (const Json& id : list) {
    if (id.is_number_integer()) ids.push_back(id.get<int64_t>());
  }
  return ids_text(std::move(ids));
}

std::string what_it_runs(const Json& task) {
  if (const Json& inference = member(task, "inference"); inference.is_object()) {
    const std::string version = text_of(inference, "version");
    return fmt::format("a request to the model {}{}", text_of(inference, "model"),
                       version.empty() ? "" : ", version " + version);
  }
  const std::string line = shell_text(member(task, "command"));
  return flag_of(task, "arguments_hidden") ? line + " ... (its arguments are for its owner and admins)" : line;
}

/// A line of the details; nothing where there is no value.
std::string detail(std::string_view name, const std::string& value) {
  return value.empty() || value == "-" ? "" : fmt::format("  {:<11}{}\n", name, value);
}

std::string time_lines(const Json& task, double now) {
  const std::string by = text_of(task, "submitted_by");
  std::string text =
      detail("submitted", moment_text_here(moment_of(task, "submitted"), now) + (by.empty() ? "" : " by " + by));
  const auto wait = number_of(task, "wait_seconds");
  const auto started = moment_of(task, "started");
  if (started) {
    text += detail("started", moment_text_here(started, now) +
                                  (wait ? fmt::format(" after {} in the queue", seconds_text(wait)) : ""));
  }
  const auto run = number_of(task, "run_seconds");
  return text + detail("ended", moment_text_here(moment_of(task, "ended"), now) +
                                    (run && is_over(task) ? fmt::format(" after {}", seconds_text(run)) : ""));
}

}  // namespace

GpuNames gpu_names(const Json& queue) {
  GpuNames names;
  for (const Json& gpu : list_of(queue, "gpus")) {
    if (const std::string id = text_of(gpu, "id"); !id.empty()) names[raw_text(gpu, "uuid")] = id;
  }
  return names;
}

GpuNames ask_gpu_names(Connection& connection) {
  const auto queue = connection.get("/api/v1/queue?limit=1");
  return queue ? gpu_names(*queue) : GpuNames();
}

std::string gpus_text(const Json& uuids, const GpuNames& names) {
  constexpr size_t kShort = 12;  // "GPU-1234abcd"
  std::vector<std::string> gpus;
  if (!uuids.is_array()) return "-";
  for (const Json& uuid : uuids) {
    const std::string whole = uuid.is_string() ? uuid.get<std::string>() : "";
    const auto name = names.find(whole);
    gpus.push_back(name == names.end() ? one_line(whole).substr(0, kShort) : name->second);
  }
  std::ranges::sort(gpus, {},
                    [](const std::string& gpu) { return std::pair(gpu.size(), gpu); });  // gpu_10 behind gpu_9
  return gpus.empty() ? "-" : fmt::format("{}", fmt::join(gpus, ","));
}

const Json& last_attempt(const Json& task) {
  const Json& attempts = list_of(task, "attempts");
  return attempts.empty() ? kAbsent : attempts.back();
}

bool is_over(const Json& task) {
  const std::string state = raw_text(task, "state");
  return state == "succeeded" || state == "failed" || state == "cancelled";
}

std::string title_of(const Json& task) {
  constexpr size_t kMostName = 60;
  const std::string name = cut_middle(text_of(task, "name"), kMostName);
  const int64_t id = whole_of(task, "id").value_or(0);
  return name.empty() ? fmt::format("task {}", id) : fmt::format("task {} ({})", id, name);
}

std::string outcome_text(const Json& task) {
  const std::string state = raw_text(task, "state");
  std::string head = title_of(task) + " " + (state == "cancelled" ? "was cancelled" : one_line(state));
  if (state == "succeeded") return head;
  const std::string reason = text_of(task, "reason");
  return head + ": " + (reason.empty() ? cause_text(task) : reason);
}

int outcome_exit(const Json& task) {
  constexpr int kTimeLimit = 124;
  constexpr int kNotRun = 125;
  constexpr int kSignal = 128;
  constexpr int64_t kMostStatus = 255;
  if (raw_text(task, "state") == "succeeded") return 0;
  const std::string cause = raw_text(task, "cause");
  const auto status = whole_of(last_attempt(task), "exit_status");
  if ((cause == "exit" || cause == "out_of_memory") && status && *status > 0 && *status <= kMostStatus) {
    return static_cast<int>(*status);
  }
  const auto signal = whole_of(last_attempt(task), "signal");
  if (cause == "signal" && signal && *signal > 0 && *signal < kSignal) return kSignal + static_cast<int>(*signal);
  return cause == "time_limit" ? kTimeLimit : kNotRun;
}

std::string task_details(const Json& task, const GpuNames& names) {
  const double now = now_s();
  const auto limit = number_of(task, "time_limit_seconds");
  const auto wanted = whole_of(task, "memory_bytes");
  std::string text = fmt::format("{}: {}\n", title_of(task), text_of(task, "state"));
  text += detail("reason", text_of(task, "reason"));
  text += detail("type", text_of(task, "type"));
  text += detail("runs", what_it_runs(task));
  text += detail("in", text_of(task, "working_directory"));
  text += detail("priority", text_of(task, "priority"));
  text += detail("GPUs", fmt::format("{}", whole_of(task, "gpus").value_or(0)));
  text += detail("memory", wanted ? bytes_text(wanted) + " on each GPU, declared" : "");
  text += detail("time limit", seconds_text(limit));
  text += detail("strategy", text_of(task, "strategy"));
  text += detail("after", ids_of(member(task, "after")));
  const auto batch = whole_of(task, "batch");
  text += detail("batch", batch ? fmt::format("{}", *batch) : "");
  text += time_lines(task, now);
  for (const Json& attempt : list_of(task, "attempts")) text += "  " + attempt_line(attempt, names, now) + "\n";
  return text;
}

}  // namespace sonde::tasks
