#include <nlohmann/json.hpp>

#include "api/api_host.h"
#include "api/arguments.h"
#include "api/limits.h"
#include "api/moment.h"
#include "api/problems.h"
#include "api/schema/schema.h"
#include "api/schema/strict_json.h"

namespace sonde::api {
namespace api_test {

using Json = nlohmann::json;

std::string code_of(const Response& response) {
  EXPECT_EQ(response.content_type, "application/problem+json") << response.body;
  const auto body = Json::parse(response.body);
  EXPECT_FALSE(mismatch(body, {{"$ref", "#/components/schemas/Problem"}})) << response.body;
  EXPECT_EQ(body["status"], response.status);
  EXPECT_EQ(body["detail"].get<std::string>().find("{}"), std::string::npos) << response.body;
  return body["type"].get<std::string>().substr(std::string("/problems/").size());
}

std::string detail_of(const Response& response) { return Json::parse(response.body)["detail"]; }

TEST_F(ApiHost, EveryRouteAnswersByItsOwnSchema) {
  const std::map<std::string_view, std::string> paths = {{"get_gpu", "/api/v1/gpus/gpu_0"},
                                                         {"get_gpu_history", "/api/v1/gpus/0/history"},
                                                         {"get_incident", "/api/v1/incidents/3"},
                                                         {"acknowledge_incident", "/api/v1/incidents/7/acknowledge"},
                                                         {"clear_incident", "/api/v1/incidents/7/clear"},
                                                         {"get_task", "/api/v1/tasks/1"},
                                                         {"cancel_task", "/api/v1/tasks/1/cancel"},
                                                         {"explain_task", "/api/v1/tasks/1/explain"},
                                                         {"get_task_log", "/api/v1/tasks/1/log"},
                                                         {"list_task_profiles", "/api/v1/tasks/1/profiles"},
                                                         {"get_batch", "/api/v1/batches/1"},
                                                         {"cancel_batch", "/api/v1/batches/1/cancel"}};
  history_.range = {
      .resolution_ns = 1'000'000'000,
      .moments_ns = {kNow_ns},
      .series = {{.value = monitor::history_values().front().name, .minimum = {1}, .mean = {NAN}, .maximum = {2}}}};
  for (const Route* route : routes()) {
    const auto path = paths.contains(route->name) ? paths.at(route->name) : std::string(route->path);
    const Response response = answered(request(route->method, path, Role::admin, std::string(route->example)));
    EXPECT_EQ(response.status, route->status) << route->name << response.body;
    if (!route->response.starts_with('{')) {
      EXPECT_TRUE(response.content_type.starts_with(route->response)) << route->name;
      continue;
    }
    const auto wrong = mismatch(Json::parse(response.body), Json::parse(route->response));
    EXPECT_FALSE(wrong) << route->name << ": " << wrong->place << " " << wrong->what;
  }
}

TEST_F(ApiHost, EveryRouteRefusesWhoMayNot) {
  for (const Route* route : routes()) {
    if (route->role == Role::none) continue;
    const Response none = api_->answer(request(route->method, std::string(route->path), Role::none));
    EXPECT_EQ(code_of(none), "no_key") << route->name;
    EXPECT_EQ(none.status, 401);
    EXPECT_TRUE(header(none, "WWW-Authenticate").starts_with("Bearer"));
    for (const Role role : {Role::read, Role::submit}) {
      if (role >= route->role) continue;
      const Response low = api_->answer(request(route->method, std::string(route->path), role));
      EXPECT_EQ(code_of(low), "role_too_low") << route->name;
      EXPECT_NE(detail_of(low).find(role_name(route->role)), std::string::npos);
    }
  }
}

TEST_F(ApiHost, PathsAndMethods) {
  const Response unknown = get("/api/v1/gpu");
  EXPECT_EQ(code_of(unknown), "unknown_path");
  EXPECT_NE(detail_of(unknown).find("'/api/v1/gpus'"), std::string::npos) << unknown.body;
  EXPECT_NE(detail_of(get("/api/v1/gpus/")).find("'/api/v1/gpus'"), std::string::npos);
  for (const char* path : {"", "x", "//", "/api/v1/gpus//history"}) EXPECT_EQ(get(path).status, 404) << path;
  const Response wrong = post("/api/v1/gpus");
  EXPECT_EQ(code_of(wrong), "wrong_method");
  EXPECT_EQ(header(wrong, "Allow"), "GET, HEAD, OPTIONS");
  const Response options = api_->answer(request(Method::options, "/api/v1/config/reload", Role::none));
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(header(options, "Allow"), "POST, OPTIONS");
  const Response head = api_->answer(request(Method::head, "/api/v1/gpus"));
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.body.empty());
}

TEST_F(ApiHost, UnknownGpusAndIncidentsAreTold) {
  EXPECT_NE(detail_of(get("/api/v1/gpus/gpu_9")).find("gpu_0 (GPU-aaaa)"), std::string::npos);
  for (const char* id : {"0", "-1", "99", "x", "9223372036854775807", "99999999999999999999"}) {
    EXPECT_EQ(code_of(get(std::string("/api/v1/incidents/") + id)), "unknown_incident") << id;
  }
  EXPECT_EQ(code_of(post("/api/v1/incidents/3/clear")), "incident_over");
  history_.trouble_text = "disk full";
  EXPECT_EQ(code_of(get("/api/v1/incidents")), "history_unavailable");
}

TEST_F(ApiHost, OpenIncidentsAreListedAsTheyAreNow) {
  auto host = std::make_shared<monitor::HostSnapshot>(*monitor_.host);
  std::ranges::find(host->open, 7, &monitor::Incident::id)->summary = "hotter";
  monitor_.host = host;
  const auto all = Json::parse(get("/api/v1/incidents?state=all").body);
  ASSERT_EQ(all["incidents"].size(), 2);
  EXPECT_EQ(all["incidents"][0]["summary"], "hotter");
  EXPECT_EQ(all["incidents"][1]["summary"], "hot") << "what is over is told as it ended";
}

TEST_F(ApiHost, IncidentsComeInPages) {
  for (int64_t id = 8; id < 12; ++id) history_.kept.push_back(an_incident(id, 1));
  const auto first = Json::parse(get("/api/v1/incidents?state=all&limit=2").body);
  EXPECT_EQ(first["next_before"], 10);
  const auto last = Json::parse(get("/api/v1/incidents?state=all&limit=4&before=10").body);
  EXPECT_EQ(last["incidents"].size(), 4);
  EXPECT_TRUE(last["next_before"].is_null());
  EXPECT_EQ(Json::parse(get("/api/v1/incidents?gpu=0").body)["incidents"].size(), 1);
}

TEST_F(ApiHost, ParametersAreHeldAgainstTheirSchemas) {
  const std::map<std::string, std::string> wrong = {
      {"/api/v1/incidents?stat=all", "unknown_parameter"},
      {"/api/v1/incidents?state=closed", "invalid_parameter"},
      {"/api/v1/incidents?limit=0", "invalid_parameter"},
      {"/api/v1/incidents?limit=ten", "invalid_parameter"},
      {"/api/v1/incidents?limit=1.5", "invalid_parameter"},
      {"/api/v1/incidents?limit=1&limit=2", "repeated_parameter"},
      {"/api/v1/incidents?gpu=", "invalid_parameter"},
      {"/api/v1/gpus/0/history?value=nonsense", "invalid_parameter"},
      {"/api/v1/gpus/0/history?from=yesterday", "invalid_parameter"},
      {"/api/v1/gpus/0/history?from=now", "invalid_parameter"},
      {"/api/v1/gpus/0/history?from=-5200w&to=9223372036", "invalid_parameter"},  // more than int64 nanoseconds
      {"/api/v1/events?type=sample", "invalid_parameter"},
      {"/api/v1/me?x=1", "unknown_parameter"}};
  for (const auto& [path, code] : wrong) {
    const Response response = get(path);
    EXPECT_EQ(response.status, 400) << path;
    EXPECT_EQ(code_of(response), code) << path;
  }
  EXPECT_NE(detail_of(get("/api/v1/incidents?stat=all")).find("did you mean 'state'"), std::string::npos);
  EXPECT_NE(detail_of(get("/api/v1/incidents?state=closed")).find("open, all"), std::string::npos);
}

TEST_F(ApiHost, BodiesAreHeldAgainstTheirSchemas) {
  const std::string path = "/api/v1/config/gpu/strategy";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "missing_body"},
      {" \n", "missing_body"},
      {"{", "broken_json"},
      {"[]", "invalid_body"},
      {"{}", "invalid_body"},
      {"null", "invalid_body"},
      {R"({"strategy": 1})", "invalid_body"},
      {R"({"strategy": null})", "invalid_body"},
      {R"({"strategy": "round_robin", "x": 1})", "invalid_body"},
      {R"({"strategy": "round_robin", "persist": "yes"})", "invalid_body"},
      {R"({"strategy": "round_robin", "strategy": "random"})", "broken_json"},
      {"{\"strategy\": \"\xff\"}", "broken_json"},
      {std::string(100'000, '['), "broken_json"},
      {R"({"strategy": "random"})", "unknown_strategy"},
      {R"({"strategy": "round_robbin"})", "unknown_strategy"},
      {R"({"strategy": ")" + std::string(100, 'x') + "\"}", "invalid_body"}};
  for (const auto& [body, code] : wrong) {
    const Response response = post(path, body);
    EXPECT_EQ(response.status, 400) << body.substr(0, 80);
    EXPECT_EQ(code_of(response), code) << body.substr(0, 80);
  }
  EXPECT_NE(detail_of(post(path, R"({"strategy": "random"})")).find("least_loaded, round_robin"), std::string::npos);
  Request form = request(Method::post, path, Role::admin, R"({"strategy": "round_robin"})");
  form.headers["content-type"] = "text/plain";
  EXPECT_EQ(api_->answer(form).status, 415);
  for (const char* type : {"Application/JSON; charset=utf-8", "application/x-www-form-urlencoded"}) {
    form.headers["content-type"] = type;
    EXPECT_EQ(api_->answer(form).status, 200) << type;
  }
  EXPECT_EQ(code_of(post(path, std::string(2 << 20, ' '))), "body_too_large");
  EXPECT_EQ(code_of(post("/api/v1/config/reload", "x")), "unexpected_body");
}

TEST_F(ApiHost, TheTwoCallsInUseHoldAtOnceAndAreTold) {
  const auto changed = Json::parse(post("/api/v1/config/gpu/strategy", R"({"strategy": "round_robin"})").body);
  EXPECT_EQ(changed, (Json{{"key", "gpu.multi_gpu.default_strategy"},
                           {"value", "round_robin"},
                           {"before", "least_loaded"},
                           {"persisted", false}}));
  EXPECT_EQ(config_->current()->gpu.multi_gpu.default_strategy, "round_robin");
  const Response tasks =
      post("/api/v1/config/gpu/max_concurrent_tasks", R"({"max_concurrent_tasks": 12, "persist": true})");
  EXPECT_EQ(tasks.status, 200) << tasks.body;
  EXPECT_EQ(config_->current()->gpu.multi_gpu.max_concurrent_tasks_per_gpu, 12);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/changes.json"));
  for (const char* count : {"0", "-1", "1.5", "\"12\"", "1e400", "12.0", "null", "true"}) {
    EXPECT_EQ(
        post("/api/v1/config/gpu/max_concurrent_tasks", fmt::format(R"({{"max_concurrent_tasks": {}}})", count)).status,
        400)
        << count;
  }
  bool missed = false;
  const auto told = events_.after(0, 10, missed);
  ASSERT_EQ(told.size(), 2);
  EXPECT_EQ(told[0].data, R"({"changed":["gpu.multi_gpu.default_strategy"],"by":"admin key"})");
  EXPECT_NE(log_.lines.front().find("value=round_robin "), std::string::npos) << log_.lines.front();
  EXPECT_TRUE(std::ranges::any_of(log_.lines, [](const auto& l) {
    return l.find("key_name=admin key role=admin call=POST") != std::string::npos;
  }));
}

TEST_F(ApiHost, AChangeThatCannotBeKeptIsNone) {
  std::filesystem::create_directory(folder_ + "/changes.json");
  const Response refused = post("/api/v1/config/gpu/strategy", R"({"strategy": "round_robin", "persist": true})");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(code_of(refused), "not_kept");
  EXPECT_EQ(config_->current()->gpu.multi_gpu.default_strategy, "least_loaded");
  EXPECT_EQ(events_.last_id(), 0);
}

TEST_F(ApiHost, AFileWithMistakesChangesNothing) {
  std::ofstream(folder_ + "/config.yaml") << "gpu:\n  memory_threshold: 7\n";
  const Response refused = post("/api/v1/config/reload");
  EXPECT_EQ(code_of(refused), "invalid_configuration");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(detail_of(refused).find("memory_threshold"), std::string::npos);
}

TEST_F(ApiHost, KeysHaveABucketEach) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(get("/api/v1/me").status, 200);
  const Response refused = get("/api/v1/me");
  EXPECT_EQ(code_of(refused), "too_many_requests");
  EXPECT_EQ(header(refused, "Retry-After"), "1");
  EXPECT_EQ(get("/api/v1/me", Role::admin).status, 200);
  EXPECT_EQ(get("/api/v1/events").status, 429);
  Request stream = request(Method::get, "/api/v1/events");
  stream.is_checked_again = true;  // it was counted when it came
  EXPECT_TRUE(api_->answer(stream).events);
  now_ns_ += 2'000'000'000;
  EXPECT_EQ(get("/api/v1/me").status, 200);
}

TEST_F(ApiHost, WrongKeysAreCountedByAddressAndRightOnesPass) {
  Request wrong = request(Method::get, "/api/v1/me");
  wrong.headers["authorization"] = "Bearer sonde_k0000000_x";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(code_of(api_->answer(wrong)), "unknown_key");
  const Response refused = api_->answer(wrong);
  EXPECT_EQ(code_of(refused), "too_many_wrong_keys");
  EXPECT_FALSE(header(refused, "Retry-After").empty());
  EXPECT_EQ(get("/api/v1/me").status, 200);
  wrong.remote_address = "192.0.2.2";
  EXPECT_EQ(api_->answer(wrong).status, 401);
  wrong.headers["authorization"] = "Basic abc";
  EXPECT_EQ(code_of(api_->answer(wrong)), "wrong_scheme");
}

TEST_F(ApiHost, NothingIsSuggestedForLongPaths) {
  EXPECT_NE(detail_of(get("/api/v1/gpus/gpu_0/histori")).find("did you mean"), std::string::npos);
  const std::string path = "/api/v1/gpus/" + std::string(300, 'a') + "/histori";
  EXPECT_EQ(detail_of(get(path)).find("did you mean"), std::string::npos);
}

TEST_F(ApiHost, AKeyFileHasOneLockWhateverItIsCalled) {
  std::filesystem::create_symlink(folder_ + "/keys.json", folder_ + "/link.json");
  std::filesystem::remove(folder_ + "/keys.json.lock");
  ASSERT_TRUE(KeyFile::at(folder_ + "/link.json")->make("other", Role::read, std::nullopt));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/keys.json.lock"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/link.json.lock"));
}

TEST_F(ApiHost, KeysThatAreRevokedOrExpiredAreRefused) {
  EXPECT_EQ(Json::parse(get("/api/v1/me").body), (Json{{"name", "read key"}, {"role", "read"}}));
  ASSERT_TRUE(keys_->revoke("read key"));
  EXPECT_EQ(code_of(get("/api/v1/me")), "unknown_key");
  const auto made = keys_->make("short", Role::read, kNow_ns / 1'000'000'000 + 1);
  ASSERT_TRUE(made);
  secrets_[Role::read] = made->secret;
  EXPECT_EQ(get("/api/v1/me").status, 200);
  now_ns_ += 1'000'000'000;
  EXPECT_EQ(get("/api/v1/me").status, 401);
  std::ofstream(folder_ + "/keys.json") << "broken";
  EXPECT_EQ(code_of(get("/api/v1/me", Role::admin)), "keys_unreadable");
  EXPECT_EQ(Json::parse(get("/api/v1/health").body)["status"], "degraded");
}

TEST_F(ApiHost, EventsGoOnWhereTheReaderWas) {
  for (int i = 0; i < 5; ++i) static_cast<void>(events_.add("samples", "{}"));
  EXPECT_EQ(get("/api/v1/events").events->after_id, 5);
  EXPECT_EQ(get("/api/v1/events?after=2&type=incident,config").events->after_id, 2);
  EXPECT_EQ(get("/api/v1/events?type=incident,config").events->types, (std::vector<std::string>{"incident", "config"}));
  Request back = request(Method::get, "/api/v1/events?after=2");
  back.headers["last-event-id"] = "4";
  EXPECT_EQ(api_->answer(back).events->after_id, 4);
  back.headers["last-event-id"] = "900";  // of a service that ended
  EXPECT_EQ(api_->answer(back).events->after_id, -1);
  back.headers["last-event-id"] = "x";
  EXPECT_EQ(api_->answer(back).status, 400);
}

TEST_F(ApiHost, MetricsAreWhereAndForWhomTheConfigurationSays) {
  EXPECT_EQ(get("/metrics", Role::none).status, 200);
  ASSERT_TRUE(config_->set("gpu.monitoring.prometheus_endpoint", "\"/prom\"", false));
  EXPECT_EQ(get("/metrics", Role::none).status, 404);
  EXPECT_EQ(get("/prom", Role::none).status, 200);
  ASSERT_TRUE(config_->set("sonde.server.metrics_need_key", "true", false));
  EXPECT_EQ(get("/prom", Role::none).status, 401);
  EXPECT_EQ(get("/prom").status, 200);
  ASSERT_TRUE(config_->set("gpu.monitoring.prometheus_metrics", "false", false));
  EXPECT_EQ(code_of(get("/prom")), "metrics_off");
}

TEST_F(ApiHost, HealthFailsWhenSamplingStops) {
  EXPECT_EQ(get("/-/healthy", Role::none).status, 200);
  now_ns_ += 3'600'000'000'000;
  EXPECT_EQ(get("/-/healthy", Role::none).status, 503);
  EXPECT_EQ(get("/api/v1/health", Role::none).status, 503);
  EXPECT_EQ(code_of(get("/api/v1/ready", Role::none)), "not_ready");
}

TEST_F(ApiHost, WhatGoesWrongInsideIsA500AndALogLine) {
  monitor_.broken = true;
  EXPECT_EQ(code_of(get("/api/v1/gpus")), "internal_error");
  EXPECT_NE(log_.lines.back().find("no snapshot"), std::string::npos);
}

TEST(ApiDocument, HasEveryRouteAndNoOther) {
  const auto document = Json::parse(openapi_document());
  size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) operations += methods.size();
  EXPECT_EQ(operations, routes().size());
  for (const Route* route : routes()) {
    const std::string method = route->method == Method::get ? "get" : "post";
    const auto& operation = document["paths"][std::string(route->path)][method];
    EXPECT_EQ(operation["operationId"], route->name);
    EXPECT_EQ(operation["x-sonde-role"], role_name(route->role));
    if (!route->body.empty()) {
      EXPECT_FALSE(mismatch(Json::parse(route->example), Json::parse(route->body))) << route->name;
    }
    for (const std::string_view code : route->problems) {
      EXPECT_NE(std::ranges::find(problem_rows(), code, &ProblemRow::code), problem_rows().end()) << code;
    }
  }
}

TEST(ApiMoment, IsReadInThreeWays) {
  constexpr int64_t kNow = 1'000'000'000'000;
  EXPECT_EQ(moment_of_text("now", kNow).value(), kNow);
  EXPECT_EQ(moment_of_text("-90s", kNow).value(), kNow - 90'000'000'000);
  EXPECT_EQ(moment_of_text("-1.5m", kNow).value(), kNow - 90'000'000'000);
  EXPECT_EQ(moment_of_text("12.5", kNow).value(), 12'500'000'000);
  EXPECT_EQ(moment_of_text("1970-01-01T01:00:01.25+01:00", kNow).value(), 1'250'000'000);
  EXPECT_EQ(moment_of_text("1970-01-02T00:00:00Z", kNow).value(), 86'400'000'000'000);
  for (const char* text :
       {"", "-", "-1", "-1y", "-xh", "--1h", "1970-01-02", "1970-01-02T00:00:00", "1970-13-02T00:00:00Z",
        "1970-01-02T00:00:00.Z", "1970-01-02T00:00:00+1:00", "9999-12-31T00:00:00Z", "-99999999d", "1e30", "nan"}) {
    EXPECT_FALSE(moment_of_text(text, kNow)) << text;
  }
}

TEST(ApiLimiter, KeepsABoundedTable) {
  Limiter limiter(8);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limiter.take(std::to_string(i), 1, 2, i));
  EXPECT_EQ(limiter.size(), 8);
  EXPECT_FALSE(limiter.take("999", 1, 2, 999));
  EXPECT_EQ(limiter.take("999", 1, 2, 999), 1);
  EXPECT_EQ(limiter.take("999", 1, 2, 0), 1);  // the clock went back
}

TEST(ApiJson, IsReadStrictly) {
  EXPECT_TRUE(parse_strictly(R"({"a": {"b": 1}, "c": {"b": 1}})"));
  for (const char* text : {"", "{", "{} x", R"({"a":1,"a":2})", "nan", "1e999", "\"\xc3\"", "[1,]", "// x\n1"}) {
    EXPECT_FALSE(parse_strictly(text)) << text;
  }
  EXPECT_TRUE(parse_strictly(std::string(16, '[') + std::string(16, ']')));
  EXPECT_FALSE(parse_strictly(std::string(17, '[') + std::string(17, ']')));
}

TEST(ApiProblem, FillsNamesInOnce) {
  const Response response = refuse("unknown_gpu", {{"gpu", "{known}"}, {"known", "K"}});
  EXPECT_EQ(detail_of(response), "This host has no GPU '{known}'. K");
}

}  // namespace api_test
}  // namespace sonde::api
