#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dispatch/dispatch_tasks.h"
#include "dispatch/json.h"
#include "monitor/json.h"

/// Tasks as the API shows them, against texts that were written by hand.
namespace sonde::dispatch {
namespace dispatch_json_test {

using Json = nlohmann::ordered_json;

constexpr int64_t kNoon_ns = 1'763'812'800'000'000'000;  ///< 2025-11-22T12:00:00Z
constexpr int64_t kMs = 1'000'000;

Json task_json(const Task& task) { return Json::parse(task_text(task)); }

/// The members too, in this order.
void expect_json(const Json& json, const std::string& text) { EXPECT_EQ(json.dump(), Json::parse(text).dump()); }

TEST(DispatchJson, ATaskThatWaits) {
  Task task;
  task.id = 12;
  task.spec.type = "default";
  task.spec.priority = "normal";
  task.spec.command = {"python", "train.py"};
  task.spec.submitted_by = "ci";
  task.submitted_ns = kNoon_ns;
  task.ready_ns = kNoon_ns + kMs + 999'999;
  expect_json(task_json(task), R"({"id": 12, "name": null, "type": "default", "state": "waiting", "cause": "none",
    "reason": null, "priority": "normal", "command": ["python", "train.py"], "arguments_hidden": false,
    "working_directory": null, "inference": null, "gpus": 1, "memory_bytes": null, "time_limit_seconds": null,
    "strategy": null, "after": [], "batch": null, "retries": 0, "profile": null,
    "submitted": "2025-11-22T12:00:00.000Z", "submitted_by": "ci", "ready": "2025-11-22T12:00:00.001Z",
    "started": null, "ended": null, "wait_seconds": null, "run_seconds": null, "cancelling": false, "attempts": []})");
}

TEST(DispatchJson, ATaskThatIsOver) {
  Task task;
  task.id = 13;
  task.spec = {.name = "night",
               .type = "ask",
               .priority = "high",
               .command = {},
               .environment = {{"SECRET", "1"}},
               .folder = "/data",
               .inference = Inference{.model = "resnet", .version = "", .request = "{}"},
               .workers = {},
               .gpus = 2,
               .memory_bytes = 1024,
               .time_limit_ns = 1500 * kMs,
               .strategy = "random",
               .after = {3, 4},
               .retries = 2,
               .retry_failures = true,
               .submitted_by = "anna",
               .idempotency_key = "k",
               .profile = true,
               .simulated_memory_bytes = {}};
  task.state = TaskState::failed;
  task.cause = EndCause::signal;
  task.reason = "was killed";
  task.batch = 5;
  task.submitted_ns = kNoon_ns;
  task.ready_ns = kNoon_ns + 1000 * kMs;
  task.started_ns = kNoon_ns + 3500 * kMs;
  task.ended_ns = kNoon_ns + 9000 * kMs;
  task.cancelling = true;
  task.attempts = {attempt_of(1, *task.started_ns, kNoon_ns + 4000 * kMs),
                   attempt_of(2, kNoon_ns + 5000 * kMs, task.ended_ns)};
  task.attempts[0].exit_status = 1;
  task.attempts[1].cause = EndCause::signal;
  task.attempts[1].signal = 9;
  task.attempts[1].message = "killed by signal 9";
  task.attempts[1].reserved_bytes = 2048;
  task.attempts[1].memory_source = MemorySource::learned;
  task.attempts[1].peak_bytes = 7;
  task.attempts[1].recorded = true;
  expect_json(task_json(task), R"({"id": 13, "name": "night", "type": "ask", "state": "failed", "cause": "signal",
    "reason": "was killed", "priority": "high", "command": null, "arguments_hidden": false,
    "working_directory": "/data", "inference": {"model": "resnet", "version": null}, "gpus": 2, "memory_bytes": 1024,
    "time_limit_seconds": 1.5, "strategy": "random", "after": [3, 4], "batch": 5, "retries": 2, "profile": true,
    "submitted": "2025-11-22T12:00:00.000Z", "submitted_by": "anna", "ready": "2025-11-22T12:00:01.000Z",
    "started": "2025-11-22T12:00:03.500Z", "ended": "2025-11-22T12:00:09.000Z", "wait_seconds": 2.5,
    "run_seconds": 4.0, "cancelling": true, "attempts": [
      {"number": 1, "gpus": ["GPU-0"], "started": "2025-11-22T12:00:03.500Z", "ended": "2025-11-22T12:00:04.000Z",
       "cause": "exit", "exit_status": 1, "signal": null, "message": null, "reserved_bytes": 0,
       "memory_source": "share", "peak_bytes": null, "recorded": false},
      {"number": 2, "gpus": ["GPU-0"], "started": "2025-11-22T12:00:05.000Z", "ended": "2025-11-22T12:00:09.000Z",
       "cause": "signal", "exit_status": null, "signal": 9, "message": "killed by signal 9", "reserved_bytes": 2048,
       "memory_source": "learned", "peak_bytes": 7, "recorded": true}]})");
}

TEST(DispatchJson, ABlockedTaskIsNotReadyAndARunningOneHasNotRun) {
  Task task = small_task(1, TaskState::blocked);
  EXPECT_TRUE(task_json(task).at("ready").is_null());
  task.state = TaskState::running;
  task.started_ns = task.ready_ns;
  task.attempts = {attempt_of(1, task.ready_ns)};
  EXPECT_EQ(task_json(task).at("wait_seconds"), 0.0);
  EXPECT_TRUE(task_json(task).at("run_seconds").is_null());
  EXPECT_TRUE(task_json(task).at("attempts")[0].at("ended").is_null());
}

TEST(DispatchJson, ABatch) {
  Batch batch{.id = 3,
              .name = "",
              .submitted_by = "ci",
              .idempotency_key = "k",
              .submitted_ns = kNoon_ns,
              .tasks = {7, 8},
              .split = {{"GPU-1", 1}, {"GPU-0", 1}}};
  expect_json(batch_json(batch), R"({"id": 3, "name": null, "submitted": "2025-11-22T12:00:00.000Z",
    "submitted_by": "ci", "tasks": [7, 8], "split": {"GPU-0": 1, "GPU-1": 1}})");
}

TEST(DispatchJson, AnExplanationWithItsDecisions) {
  const Judgement refused{.gpu = 0,
                          .uuid = "GPU-0",
                          .refusals = {{.rule = "health", .reason = "is lost", .unblocked = "", .is_for_good = false},
                                       {.rule = "memory", .reason = "small", .unblocked = "no", .is_for_good = true}},
                          .score = {},
                          .score_text = "",
                          .chosen = false};
  const Judgement chosen{
      .gpu = 1, .uuid = "GPU-1", .refusals = {}, .score = 0.5, .score_text = "50 % in use", .chosen = true};
  Explanation explanation;
  explanation.task = 4;
  explanation.summary = "waits";
  explanation.unblocks = {"a task ends"};
  explanation.gpus = {refused};
  explanation.position = 2;
  explanation.ahead = {3};
  explanation.start =
      StartForecast{.earliest_ns = kNoon_ns, .likely_ns = kNoon_ns + 1000 * kMs, .latest_ns = kNoon_ns + 2000 * kMs};
  explanation.decisions = {{.task = 4,
                            .attempt = 1,
                            .moment_ns = kNoon_ns,
                            .strategy = "random",
                            .note = "",
                            .gpus = {chosen},
                            .waiting = 9}};
  const std::string refused_text = R"({"index": 0, "id": "gpu_0", "uuid": "GPU-0", "eligible": false, "chosen": false,
    "score": null, "score_text": null, "refusals": [
      {"rule": "health", "reason": "is lost", "unblocked": null, "for_good": false},
      {"rule": "memory", "reason": "small", "unblocked": "no", "for_good": true}]})";
  const std::string decision_text = R"({"attempt": 1, "moment": "2025-11-22T12:00:00.000Z", "strategy": "random",
    "note": null, "waiting": 9, "gpus": [{"index": 1, "id": "gpu_1", "uuid": "GPU-1", "eligible": true, "chosen": true,
    "score": 0.5, "score_text": "50 % in use", "refusals": []}]})";
  expect_json(explanation_json(explanation), R"({"task": 4, "summary": "waits", "unblocks": ["a task ends"],
    "position": 2, "ahead": [3], "start": {"earliest": "2025-11-22T12:00:00.000Z", "likely": "2025-11-22T12:00:01.000Z",
    "latest": "2025-11-22T12:00:02.000Z"}, "start_unknown": null, "gpus": [)" +
                                                 refused_text + R"(], "decisions": [)" + decision_text + "]}");
  explanation.start.reset();
  explanation.start_unknown = "nobody knows how long they run";
  EXPECT_TRUE(explanation_json(explanation).at("start").is_null());
  EXPECT_EQ(explanation_json(explanation).at("start_unknown"), "nobody knows how long they run");
}

TEST(DispatchJson, AProfileWithItsFindings) {
  ProfileRecord profile{.task = 1,
                        .attempt = 2,
                        .why = "asked",
                        .state = "done",
                        .file = "/x.nsys-rep",
                        .findings = R"([{"finding": "launch_bound"}])",
                        .trouble = "",
                        .moment_ns = kNoon_ns};
  expect_json(profile_json(profile), R"({"task": 1, "attempt": 2, "why": "asked", "state": "done",
    "file": "/x.nsys-rep", "findings": [{"finding": "launch_bound"}], "trouble": null,
    "moment": "2025-11-22T12:00:00.000Z"})");
  for (const char* const text : {"", "{}", "[1"}) {
    profile.findings = text;
    EXPECT_TRUE(profile_json(profile).at("findings").is_null()) << text;
  }
}

TEST(DispatchJson, BytesThatAreNoTextDoNotStopIt) {
  Task task = small_task(1);
  task.spec.name = "\xff\xfe";
  task.spec.command = {std::string("a\0b", 3), "\xc3"};
  Judgement judgement;
  judgement.score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(task_text(task).find(R"("name":"��","type")"), std::string::npos);
  EXPECT_NE(task_text(task).find(R"(["a\u0000b","�"])"), std::string::npos);
  EXPECT_NE(monitor::json_line(judgement_json(judgement)).find(R"("score":null)"), std::string::npos);
}

}  // namespace dispatch_json_test
}  // namespace sonde::dispatch
