// The calls of tasks, over a dispatcher that decides nothing.

#include <future>

#include <nlohmann/json.hpp>

#include "api/api_host.h"
#include "api/log_followers.h"
#include "api/schema/schema.h"
#include "api/task_log.h"

namespace sonde::api {
namespace api_tasks_test {

using dispatch::TaskState;
using Json = nlohmann::json;

std::string code_of(const Response& response) {
  EXPECT_EQ(response.content_type, "application/problem+json") << response.body;
  return Json::parse(response.body)["type"].get<std::string>().substr(std::string("/problems/").size());
}
std::string detail_of(const Response& response) { return Json::parse(response.body)["detail"]; }

Json body_of(const Response& response, int status = 200) {
  EXPECT_EQ(response.status, status) << response.body;
  return Json::parse(response.body);
}

/// Tasks of the key with the role submit, unless said otherwise.
class ApiTasks : public ApiHost {
 protected:
  dispatch::Task& a_task(TaskState state = TaskState::waiting, const std::string& by = "submit key") {
    dispatch::TaskSpec spec;
    spec.type = "training";
    spec.priority = "normal";
    spec.command = {"train"};
    spec.submitted_by = by;
    dispatch::Task& task = dispatcher_.add(spec);
    task.state = state;
    if (dispatch::is_over(state)) task.ended_ns = kNow_ns;
    return task;
  }
  void runs(dispatch::Task& task) {
    task.state = TaskState::running;
    task.attempts.push_back({.number = std::ssize(task.attempts) + 1,
                             .gpus = {"GPU-aaaa"},
                             .gpu_name = {},
                             .started_ns = kNow_ns,
                             .ended_ns = {},
                             .exit_status = {},
                             .signal = {},
                             .message = {},
                             .peak_bytes = {}});
  }
  Response submit(const std::string& body, Role role = Role::submit, const std::string& key = "") {
    Request asked = request(Method::post, "/api/v1/tasks", role, body);
    if (!key.empty()) asked.headers["idempotency-key"] = key;
    return answered(asked);
  }
};

TEST_F(ApiTasks, ATaskIsSubmitted) {
  const Response made = submit(
      R"({"name": "a", "type": "training", "arguments": ["-v"], "environment": {"SEED": "secret"}, "priority": "low",
          "gpus": 2, "memory": "16GiB", "time_limit_seconds": 1.5, "strategy": "round_robin", "after": [4], "retries": 1,
          "profile": true})");
  const Json task = body_of(made, 201);
  EXPECT_EQ(header(made, "Location"), "/api/v1/tasks/1");
  EXPECT_EQ(header(made, "Cache-Control"), "no-store");
  EXPECT_EQ(task["id"], 1);
  EXPECT_EQ(task["state"], "waiting");
  EXPECT_EQ(task["command"], (Json{"train", "-v"}));
  EXPECT_EQ(task["memory_bytes"], int64_t{16} << 30U);
  EXPECT_EQ(task["submitted_by"], "submit key");
  EXPECT_EQ(made.body.find("secret"), std::string::npos) << "values of variables are shown to nobody";
  const auto& spec = dispatcher_.kept.tasks.at(1).spec;
  EXPECT_EQ(spec.environment.at("SEED"), "secret");
  EXPECT_EQ(spec.time_limit_ns, 1'500'000'000);
  EXPECT_EQ(
      log_.lines.back().find("request completed: Submit a task key_name=submit key role=submit call=POST /api/v1/tasks "
                             "status=201"),
      0)
      << log_.lines.back();
}

TEST_F(ApiTasks, TheAnswerComesOnceTheTaskIsKept) {
  dispatcher_.holds = true;
  const Response response = api_->answer(request(Method::post, "/api/v1/tasks", Role::submit, R"({"type": "fixed"})"));
  ASSERT_TRUE(response.later);
  std::optional<Response> first;
  response.later([&](Response made) { first = std::move(made); });
  EXPECT_FALSE(first);
  dispatcher_.release();
  ASSERT_TRUE(first && first->later) << "the dispatcher's thread does not make the answer";
  std::optional<Response> second;
  first->later([&](Response made) { second = std::move(made); });
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 201);
}

TEST_F(ApiTasks, WhatIsRefusedIsToldByItsCode) {
  const std::map<std::string, std::string> wrong = {
      {R"({"type": "unheard_of"})", "unknown_type"},
      {R"({})", "unknown_type"},
      {R"({"type": "fixed", "priority": "urgent"})", "unknown_priority"},
      {R"({"type": "fixed", "strategy": "random"})", "unknown_strategy"},
      {R"({"type": "fixed", "memory": "16G"})", "invalid_task"},
      {R"({"type": "fixed", "memory": "1GiB", "memory_bytes": 5})", "invalid_task"},
      {R"({"type": "fixed", "gpus": -1})", "invalid_body"},
      {R"({"type": "fixed", "gpus": 1.5})", "invalid_body"},
      {R"({"type": "fixed", "after": [0]})", "invalid_body"},
      {R"({"type": "fixed", "after": ["1"]})", "invalid_body"},
      {R"({"type": "fixed", "time_limit_seconds": 0})", "invalid_body"},
      {R"({"type": "fixed", "environment": {"A": 1}})", "invalid_body"},
      {R"({"typ": "fixed"})", "invalid_body"},
      {R"([])", "invalid_body"}};
  for (const auto& [body, code] : wrong) {
    const Response response = submit(body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(code_of(response), code) << body;
  }
  for (const auto& [body, code] : std::map<std::string, std::string>{
           {R"({"command": ["id"]})", "command_not_allowed"},
           {R"({"type": "fixed", "arguments": ["a"]})", "command_not_allowed"},
           {R"({"type": "training", "environment": {"LD_PRELOAD": "x"}})", "variable_not_allowed"}}) {
    const Response response = submit(body);
    EXPECT_EQ(response.status, 403) << body;
    EXPECT_EQ(code_of(response), code) << body;
  }
  EXPECT_TRUE(dispatcher_.kept.tasks.empty());
  EXPECT_NE(detail_of(submit(R"({"type": "trainin"})")).find("did you mean 'training'?"), std::string::npos);
}

TEST_F(ApiTasks, WhatTheDispatcherRefusesIsToldWithTheTimeToComeBack) {
  for (const auto& [code, status] : std::map<std::string, int>{{"queue_full", 429},
                                                               {"gpus_disabled", 503},
                                                               {"not_saved", 503},
                                                               {"disk_limit", 503},
                                                               {"tasks_disabled", 503},
                                                               {"unknown_dependency", 400},
                                                               {"too_many_gpus", 400}}) {
    dispatcher_.refusal = dispatch::Refused{.code = code, .detail = "So it is.", .retry_after_s = 7};
    for (const Response& response :
         {submit(R"({"type": "fixed"})"), post("/api/v1/batches", R"({"count": 2, "task": {"type": "fixed"}})")}) {
      EXPECT_EQ(response.status, status) << code;
      EXPECT_EQ(code_of(response), code);
      EXPECT_EQ(detail_of(response), "So it is.");
      EXPECT_EQ(header(response, "Retry-After"), "7");
    }
  }
}

TEST_F(ApiTasks, TasksCanBeReadWhereTheyAreSwitchedOff) {
  ASSERT_TRUE(config_->set("sonde.tasks.enabled", "false", false));
  EXPECT_EQ(get("/api/v1/tasks").status, 200) << "what there is can be read";
}

TEST_F(ApiTasks, WithoutADispatcherEachCallSaysSo) {
  const auto alone = Api::make({.config = config_.get(),
                                .monitor = &monitor_,
                                .history = &history_,
                                .events = &events_,
                                .keys = keys_.get(),
                                .log = &log_,
                                .now_ns = [] { return kNow_ns; },
                                .hostname = "h"});
  for (const char* path :
       {"/api/v1/tasks", "/api/v1/tasks/1", "/api/v1/tasks/1/log", "/api/v1/tasks/1/explain",
        "/api/v1/tasks/1/profiles", "/api/v1/task_types", "/api/v1/batches", "/api/v1/batches/1", "/api/v1/queue"}) {
    const Response response = alone->answer(request(Method::get, path));
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(code_of(response), "tasks_disabled") << path;
  }
}

TEST_F(ApiTasks, TheSameIdempotencyKeyMakesOneTask) {
  const std::string body = R"({"type": "training", "arguments": ["1"]})";
  EXPECT_EQ(submit(body, Role::submit, "k1").status, 201);
  const Response again = submit(body, Role::submit, "k1");
  EXPECT_EQ(body_of(again, 200)["id"], 1);
  EXPECT_EQ(header(again, "Location"), "/api/v1/tasks/1");
  const Response other = submit(R"({"type": "training", "arguments": ["2"]})", Role::submit, "k1");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(code_of(other), "key_used");
  EXPECT_NE(detail_of(other).find("Task 1 was submitted with the Idempotency-Key 'k1'"), std::string::npos);
  EXPECT_EQ(submit(body, Role::admin, "k1").status, 201) << "keys of others are others";
  for (const char* key : {"a b", "\x01", "é"}) EXPECT_EQ(code_of(submit(body, Role::submit, key)), "invalid_parameter");
  EXPECT_EQ(code_of(submit(body, Role::submit, std::string(201, 'x'))), "invalid_parameter");
  EXPECT_EQ(dispatcher_.kept.tasks.size(), 2);
}

TEST_F(ApiTasks, TasksComeInPagesByWhatIsAskedFor) {
  for (int i = 0; i < 5; ++i) a_task();
  a_task(TaskState::failed, "admin key").spec.type = "fixed";
  const Json first = body_of(get("/api/v1/tasks?limit=2"));
  EXPECT_EQ(first["tasks"].size(), 2);
  EXPECT_EQ(first["tasks"][0]["id"], 6);
  EXPECT_EQ(first["next_before"], 5);
  EXPECT_EQ(body_of(get("/api/v1/tasks?before=5&limit=10"))["tasks"].size(), 4);
  EXPECT_TRUE(body_of(get("/api/v1/tasks?limit=6"))["next_before"].is_null());
  EXPECT_EQ(body_of(get("/api/v1/tasks?state=failed,cancelled"))["tasks"].size(), 1);
  EXPECT_EQ(body_of(get("/api/v1/tasks?type=fixed"))["tasks"].size(), 1);
  EXPECT_EQ(body_of(get("/api/v1/tasks?by=submit%20key"))["tasks"].size(), 0) << "the server decodes the query";
  for (const char* path : {"?state=over", "?limit=0", "?before=0", "?limit=1001", "?batch=-1", "?type="}) {
    EXPECT_EQ(code_of(get(std::string("/api/v1/tasks") + path)), "invalid_parameter") << path;
  }
}

TEST_F(ApiTasks, ForgedIdsAreUnknown) {
  a_task();
  for (const char* id : {"0", "-1", "2", "x", "1x", "01x", "9223372036854775807", "9223372036854775808", "%", "null"}) {
    for (const char* call : {"", "/explain", "/log", "/profiles"}) {
      const Response response = get(std::string("/api/v1/tasks/") + id + call);
      EXPECT_EQ(response.status, 404) << id << call;
      EXPECT_EQ(code_of(response), "unknown_task") << id << call;
    }
    EXPECT_EQ(code_of(post(std::string("/api/v1/tasks/") + id + "/cancel")), "unknown_task") << id;
    EXPECT_EQ(code_of(get(std::string("/api/v1/batches/") + id)), "unknown_batch") << id;
    EXPECT_EQ(code_of(post(std::string("/api/v1/batches/") + id + "/cancel")), "unknown_batch") << id;
  }
}

TEST_F(ApiTasks, EachCancelsItsOwnAndAdminsAll) {
  a_task();
  a_task(TaskState::waiting, "admin key");
  a_task(TaskState::succeeded);
  EXPECT_EQ(post("/api/v1/tasks/1/cancel", "", Role::read).status, 403);
  const Response others = post("/api/v1/tasks/2/cancel", "", Role::submit);
  EXPECT_EQ(others.status, 403);
  EXPECT_EQ(code_of(others), "not_your_task");
  EXPECT_NE(detail_of(others).find("Task 2 was submitted with the key 'admin key'"), std::string::npos);
  EXPECT_EQ(body_of(post("/api/v1/tasks/1/cancel", "", Role::submit))["state"], "cancelled");
  EXPECT_EQ(dispatcher_.kept.tasks.at(1).cancelled_by, "submit key");
  const Response again = post("/api/v1/tasks/1/cancel");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(code_of(again), "task_over");
  EXPECT_EQ(detail_of(again).find("Task 1 is over (cancelled at "), 0U) << detail_of(again);
  EXPECT_EQ(code_of(post("/api/v1/tasks/3/cancel")), "task_over");
  EXPECT_EQ(body_of(post("/api/v1/tasks/2/cancel"))["state"], "cancelled");
}

TEST_F(ApiTasks, ATaskIsExplained) {
  a_task();
  auto& said = dispatcher_.explained;
  said.summary = "It waits.";
  said.unblocks = {"a task that ends"};
  said.position = 3;
  said.ahead = {7, 8};
  said.start = dispatch::StartForecast{.earliest_ns = kNow_ns, .likely_ns = kNow_ns + 1, .latest_ns = kNow_ns + 2};
  dispatch::Judgement judgement;
  judgement.uuid = "GPU-aaaa";
  judgement.refusals.push_back({.rule = "slots", .reason = "full", .unblocked = "an end"});
  said.gpus = {judgement};
  judgement.refusals.clear();
  judgement.score = 0.5;
  judgement.score_text = "half";
  judgement.chosen = true;
  dispatch::Decision decision;
  decision.moment_ns = kNow_ns;
  decision.strategy = "random";
  decision.gpus = {judgement};
  said.decisions = {decision};
  const Json body = body_of(get("/api/v1/tasks/1/explain"));
  const auto wrong = mismatch(body, {{"$ref", "#/components/schemas/Explanation"}});
  EXPECT_FALSE(wrong) << wrong->place << " " << wrong->what;
  EXPECT_EQ(body["state"], "waiting");
  EXPECT_EQ(body["position"], 3);
}

TEST_F(ApiTasks, OutputIsReadInParts) {
  runs(a_task());
  dispatcher_.output.print("one\ntwo\n");
  Json part = body_of(get("/api/v1/tasks/1/log"));
  EXPECT_EQ(part["text"], "one\ntwo\n");
  EXPECT_EQ(part["next"], 8);
  EXPECT_EQ(part["attempt"], 1);
  EXPECT_EQ(part["whole"], false);
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=4&limit=4"))["text"], "two\n");
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=-4&stream=stderr"))["stream"], "stderr");
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=8"))["text"], "");
  const Response missing = get("/api/v1/tasks/1/log?attempt=3");
  EXPECT_EQ(code_of(missing), "unknown_attempt");
  EXPECT_NE(detail_of(missing).find("Task 1 has 1 attempt so far"), std::string::npos) << missing.body;
  for (const char* query : {"?stream=both", "?attempt=0", "?limit=0", "?limit=2000000", "?from=x", "?follow=yes"}) {
    EXPECT_EQ(code_of(get(std::string("/api/v1/tasks/1/log") + query)), "invalid_parameter") << query;
  }
}

TEST_F(ApiTasks, CharactersAreNotTornApart) {
  EXPECT_EQ(whole_characters("a\xF0\x9F\x94"), 1);
  EXPECT_EQ(whole_characters("a\xF0\x9F\x94\xA5"), 5);
  EXPECT_EQ(whole_characters("\xC3"), 0);
  EXPECT_EQ(whole_characters("\x80\x80\x80\x80\x80"), 5) << "no character at all: it is replaced";
  EXPECT_EQ(whole_characters(""), 0);
  runs(a_task());
  dispatcher_.output.print("\xC3\xA9\xC3\xA9\xC3");
  const Json first = body_of(get("/api/v1/tasks/1/log"));
  EXPECT_EQ(first["text"], "\xC3\xA9\xC3\xA9");
  EXPECT_EQ(first["next"], 4);
  dispatcher_.output.print("\xA8!");
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=4"))["text"], "\xC3\xA8!");
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=-2"))["text"], "!");
  dispatcher_.output.print("\xC3", true);
  EXPECT_EQ(body_of(get("/api/v1/tasks/1/log?from=7"))["text"], "\xEF\xBF\xBD") << "at the end it is what it is";
}

TEST_F(ApiTasks, AFollowerWaitsForMore) {
  runs(a_task());
  dispatcher_.output.print("one");
  EXPECT_FALSE(api_->answer(request(Method::get, "/api/v1/tasks/1/log?follow=true")).later) << "there is something";
  const Response waiting = api_->answer(request(Method::get, "/api/v1/tasks/1/log?follow=true&from=3"));
  ASSERT_TRUE(waiting.later);
  EXPECT_TRUE(waiting.is_only_waiting);
  std::promise<Response> promise;
  waiting.later([&](Response made) { promise.set_value(std::move(made)); });
  dispatcher_.output.print(" two");
  const Json part = body_of(promise.get_future().get());
  EXPECT_EQ(part["text"], " two");
  EXPECT_EQ(part["from"], 3);
}

TEST_F(ApiTasks, AFollowerOfATaskThatWaitsGetsItsFirstOutput) {
  a_task();
  EXPECT_TRUE(body_of(get("/api/v1/tasks/1/log"))["attempt"].is_null());
  a_task(TaskState::cancelled);
  EXPECT_EQ(body_of(get("/api/v1/tasks/2/log?follow=true"))["whole"], true) << "nothing will come";
}

TEST_F(ApiTasks, FollowersAreAnsweredWhenTheServiceEnds) {
  runs(a_task());
  const Response waiting = api_->answer(request(Method::get, "/api/v1/tasks/1/log?follow=true"));
  std::optional<Response> got;
  waiting.later([&](Response made) { got = std::move(made); });
  api_.reset();
  ASSERT_TRUE(got);
  EXPECT_EQ(body_of(*got)["text"], "");
}

TEST(LogFollowers, AreBounded) {
  size_t answered = 0;  // outlives the followers, who are all answered in the end
  const auto never = [](bool is_last) { return is_last ? std::optional(Response()) : std::nullopt; };
  LogFollowers followers;
  for (size_t i = 0; i < LogFollowers::kMax; ++i) followers.wait(never, [](const Response&) {});
  // The thread may just look at all of them; what it holds is not counted then.
  for (size_t i = 0; i < 2 * LogFollowers::kMax; ++i) followers.wait(never, [&](const Response&) { ++answered; });
  EXPECT_GE(answered, LogFollowers::kMax / 2);
}

TEST_F(ApiTasks, ABatchIsNumbered) {
  const Response made = post(
      "/api/v1/batches",
      R"({"name": "sweep", "count": 3, "task": {"type": "training", "arguments": ["--seed={index}/{index}"], "environment": {"SEED": "{index}"}}})",
      Role::submit);
  const Json batch = body_of(made, 201);
  EXPECT_EQ(header(made, "Location"), "/api/v1/batches/1");
  EXPECT_EQ(batch["tasks"], (Json{1, 2, 3}));
  EXPECT_EQ(batch["states"]["waiting"], 3);
  EXPECT_EQ(batch["submitted_by"], "submit key");
  const auto& last = dispatcher_.kept.tasks.at(3).spec;
  EXPECT_EQ(last.command.back(), "--seed=2/2");
  EXPECT_EQ(last.environment.at("SEED"), "2");
  EXPECT_EQ(body_of(get("/api/v1/batches/1")), batch);
  EXPECT_EQ(body_of(get("/api/v1/batches"))["batches"][0], batch);
}

TEST_F(ApiTasks, ABatchIsTakenWholeOrNotAtAll) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({})", "invalid_task"},
      {R"({"tasks": []})", "invalid_task"},
      {R"({"count": 2})", "invalid_task"},
      {R"({"task": {"type": "fixed"}})", "invalid_task"},
      {R"({"tasks": [{"type": "fixed"}], "count": 2, "task": {"type": "fixed"}})", "invalid_task"},
      {R"({"count": 0, "task": {"type": "fixed"}})", "invalid_body"},
      {R"({"count": 5000, "task": {"type": "fixed"}})", "invalid_task"},
      {R"({"tasks": [{"type": "fixed"}, {"type": "nothing"}]})", "unknown_type"},
      {R"({"tasks": [{"type": "fixed", "x": 1}]})", "invalid_body"}};
  for (const auto& [body, code] : wrong) EXPECT_EQ(code_of(post("/api/v1/batches", body)), code) << body;
  EXPECT_NE(detail_of(post("/api/v1/batches", wrong[7].first)).find("Task 1 of the batch, counted from 0: There is no"),
            std::string::npos);
  ASSERT_TRUE(config_->set("gpu.multi_gpu.max_queue_size", "100000", false));
  const std::string large(100'000, 'x');
  EXPECT_EQ(code_of(post("/api/v1/batches",
                         R"({"count": 100000, "task": {"type": "training", "arguments": [")" + large + R"("]}})")),
            "invalid_task")
      << "a short body takes no memory without bounds";
  EXPECT_TRUE(dispatcher_.kept.tasks.empty());
}

TEST_F(ApiTasks, TheSameIdempotencyKeyMakesOneBatch) {
  const auto send = [&](const std::string& body) {
    Request asked = request(Method::post, "/api/v1/batches", Role::submit, body);
    asked.headers["idempotency-key"] = "k";
    return answered(asked);
  };
  const std::string body = R"({"count": 3, "task": {"type": "training", "arguments": ["{index}"]}})";
  EXPECT_EQ(send(body).status, 201);
  EXPECT_EQ(body_of(send(body), 200)["id"], 1);
  EXPECT_EQ(code_of(send(R"({"count": 4, "task": {"type": "training", "arguments": ["{index}"]}})")), "key_used");
  EXPECT_EQ(code_of(send(R"({"count": 3, "task": {"type": "training", "arguments": ["x"]}})")), "key_used");
  EXPECT_EQ(dispatcher_.kept.tasks.size(), 3);
}

TEST_F(ApiTasks, ABatchIsCancelled) {
  post("/api/v1/batches", R"({"count": 3, "task": {"type": "fixed"}})", Role::admin);
  dispatcher_.kept.tasks.at(2).state = TaskState::succeeded;
  EXPECT_EQ(code_of(post("/api/v1/batches/1/cancel", "", Role::submit)), "not_your_task");
  const Json batch = body_of(post("/api/v1/batches/1/cancel"));
  EXPECT_EQ(batch["states"], (Json{{"cancelled", 2}, {"succeeded", 1}}));
  EXPECT_EQ(code_of(post("/api/v1/batches/1/cancel")), "batch_over");
}

TEST_F(ApiTasks, TheQueueIsShown) {
  a_task();
  a_task();
  runs(a_task());
  auto& now = dispatcher_.queue_now;
  now.moment_ns = kNow_ns;
  now.engine.by_state = {{TaskState::waiting, 2}, {TaskState::running, 1}};
  now.engine.waiting_by_priority = {{"normal", 2}};
  now.engine.queue_length = 2;
  now.gpus = {{.uuid = "GPU-aaaa", .tasks = 1, .reserved_bytes = 5}, {.uuid = "GPU-gone"}};
  now.trouble = "disk full";
  const Json queue = body_of(get("/api/v1/queue?limit=1"));
  EXPECT_EQ(queue["strategy"], "least_loaded");
  EXPECT_EQ(queue["strategies"], (Json{"least_loaded", "round_robin"}));
  EXPECT_EQ(queue["by_state"], (Json{{"blocked", 0}, {"waiting", 2}, {"running", 1}}));
  EXPECT_EQ(queue["by_priority"], (Json{{"high", 0}, {"normal", 2}, {"low", 0}}));
  EXPECT_EQ(queue["waiting"].size(), 1);
  EXPECT_EQ(queue["running"].size(), 1);
  EXPECT_EQ(queue["gpus"][0]["id"], "gpu_0");
  EXPECT_TRUE(queue["gpus"][1]["id"].is_null());
  EXPECT_EQ(queue["trouble"], "disk full");
}

TEST_F(ApiTasks, TypesTellWhatTheyRunAndWhatTheyTook) {
  dispatcher_.figures.memory =
      dispatch::MemoryEstimate{.need_bytes = 9, .median_bytes = 7, .spread_bytes = 1, .tasks = 20};
  dispatcher_.figures.run_time = dispatch::RunTimeEstimate{
      .low_ns = 1'000'000'000, .median_ns = 2'000'000'000, .high_ns = 3'000'000'000, .tasks = 20};
  dispatcher_.kept.kept_profiles.push_back({.task = 1,
                                            .attempt = 1,
                                            .why = "asked",
                                            .state = "done",
                                            .file = {},
                                            .findings = "[]",
                                            .trouble = {},
                                            .moment_ns = 1});
  Json types = body_of(get("/api/v1/task_types"))["types"];
  ASSERT_EQ(types.size(), 3);
  EXPECT_EQ(types[0]["name"], "asking");
  EXPECT_EQ(types[0]["runs"], "workers");
  EXPECT_EQ(types[2]["runs"], "command");
  EXPECT_EQ(types[2]["learned"]["need_bytes"], 9);
  EXPECT_EQ(types[2]["run_seconds"]["median"], 2);
  EXPECT_EQ(types[2]["profiles"].size(), 1);
  ASSERT_TRUE(config_->set("sonde.tasks.allow_undeclared_commands", "true", false));
  types = body_of(get("/api/v1/task_types"))["types"];
  EXPECT_EQ(types[1]["name"], "default");
  EXPECT_EQ(types[1]["runs"], "anything");
}

TEST_F(ApiTasks, TasksThatCannotBeReadAreTold) {
  a_task();
  dispatcher_.kept.trouble = "tasks.db is broken";
  for (const char* path :
       {"/api/v1/tasks", "/api/v1/tasks/1", "/api/v1/tasks/1/log", "/api/v1/tasks/1/explain",
        "/api/v1/tasks/1/profiles", "/api/v1/task_types", "/api/v1/batches", "/api/v1/batches/1", "/api/v1/queue"}) {
    const Response response = get(path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(code_of(response), "tasks_unreadable") << path;
  }
}

TEST_F(ApiTasks, ConfigurationsShowNoValuesOfVariables) {
  const Response response = get("/api/v1/config", Role::admin);
  EXPECT_EQ(response.body.find("hidden"), std::string::npos);
  EXPECT_NE(response.body.find(R"("TOKEN":"***")"), std::string::npos);
}

}  // namespace api_tasks_test
}  // namespace sonde::api
