#include "cli/tasks/wait.h"

#include <algorithm>

#include "cli/output.h"
#include "cli/tasks/interrupt.h"
#include "cli/tasks/task_text.h"

namespace sonde::tasks {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{50};
constexpr milliseconds kLongestPause{1000};

/// What there is to say of a state; empty where it is over, which others say.
std::string state_text(const Json& task, Connection& connection) {
  const std::string state = raw_text(task, "state");
  if (state == "blocked") return title_of(task) + " waits for the tasks that it depends on";
  if (state == "waiting") return title_of(task) + " waits in the queue";
  if (state != "running") return {};
  const Json& gpus = member(last_attempt(task), "gpus");
  const bool any = gpus.is_array() && !gpus.empty();
  return title_of(task) + (any ? " runs on " + gpus_text(gpus, ask_gpu_names(connection)) : " runs");
}

}  // namespace

Result<Json> wait_for_task(Connection& connection, int64_t task, bool tells_start,
                           const std::function<bool(const Json& task)>& wanted) {
  const Call call{.path = fmt::format("/api/v1/tasks/{}", task), .waits_for_service = true};
  std::string told;
  milliseconds pause = kFirstWait;
  while (true) {
    auto now = connection.call(call);
    if (!now || wanted(*now)) return now;
    const std::string state = raw_text(*now, "state");
    if (state != told && (tells_start || state != "running"))
      fmt::print(stderr, "sonde: {}\n", state_text(*now, connection));
    pause = state == told ? std::min(pause * 3 / 2, kLongestPause) : kFirstWait;
    told = state;
    Interrupt::sleep(pause);
    if (Interrupt::came()) return fail("interrupted");
  }
}

int tell_interrupted(int64_t task) {
  fmt::print(stderr,
             "\nsonde: task {} keeps running: `sonde logs -f {}` follows its output, `sonde cancel {}` cancels it\n",
             task, task, task);
  return kInterruptedExit;
}

int tell_failure(const Error& error, int64_t task) {
  return Interrupt::came() ? tell_interrupted(task) : report_error(error);
}

}  // namespace sonde::tasks
