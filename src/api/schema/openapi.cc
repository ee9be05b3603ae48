#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/api.h"
#include "api/problems.h"
#include "api/schema/schema.h"

namespace sonde::api {
namespace {

using Json = nlohmann::ordered_json;
using Codes = std::map<int, std::set<std::string_view>>;

/// Of the API, not of the program: it grows when the meaning of what is there changes.
constexpr std::string_view kVersion = "1.0.0";
constexpr std::string_view kPrefix = "/api/v1/";
constexpr int kCreated = 201;

constexpr std::string_view kDescription =
    "GPUs of a host with history, incidents, events, waste, tasks and the configuration of the service. Timestamps are "
    "RFC 3339 in UTC; unknown values are null. Errors are problem+json (RFC 9457): `title` names the error, `detail` "
    "says what to do. Create keys with `sonde keys add`. x-sonde-role is the role that a request requires: read, "
    "submit or admin; each role includes the roles before it.";

void add_codes(Codes& codes, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto row = std::ranges::find(problem_rows(), name, &ProblemRow::code);
    codes[row->status].insert(name);
  }
}

Codes codes_of(const Route& route) {
  Codes codes;
  add_codes(codes, {"unknown_parameter", "internal_error", "body_too_large", "unexpected_body"});
  if (!route.parameters.empty()) add_codes(codes, {"repeated_parameter", "invalid_parameter"});
  if (!route.body.empty()) add_codes(codes, {"missing_body", "broken_json", "invalid_body", "not_json"});
  if (!route.body.empty()) codes[400].erase("unexpected_body");
  // The metrics ask for a key where the configuration says so.
  if (route.role != Role::none || route.name == "metrics") {
    add_codes(codes,
              {"no_key", "wrong_scheme", "unknown_key", "too_many_requests", "too_many_wrong_keys", "keys_unreadable"});
  }
  if (route.role > Role::read) add_codes(codes, {"role_too_low"});
  for (const std::string_view code : route.problems) add_codes(codes, {code});
  return codes;
}

Json problem_response(int status, const std::set<std::string_view>& codes) {
  Json response = {
      {"description", fmt::format("{}", fmt::join(codes, ", "))},
      {"content", {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  if (status == 401) response["headers"]["WWW-Authenticate"] = {{"schema", {{"type", "string"}}}};
  if (status == 429 || status == 503) response["headers"]["Retry-After"] = {{"schema", {{"type", "integer"}}}};
  return response;
}

bool is_json(const Route& route) { return route.response.starts_with('{'); }

Json good_response(const Route& route) {
  const std::string type(is_json(route) ? "application/json" : route.response);
  const Json schema = is_json(route) ? Json::parse(route.response) : Json{{"type", "string"}};
  return {{"description", route.summary}, {"content", {{type, {{"schema", schema}}}}}};
}

/// Health answers in the same form whatever it says; probes get text.
bool answers_503(const Route& route) {
  return route.name == "get_health" || route.name == "healthy" || route.name == "ready";
}

/// What the same Idempotency-Key made before is answered with 200.
void add_created(Json& responses) {
  Json before = responses[std::to_string(kCreated)];
  before["description"] = "already submitted with the same Idempotency-Key";
  responses["200"] = std::move(before);
  responses[std::to_string(kCreated)]["headers"]["Location"] = {{"schema", {{"type", "string"}}},
                                                                {"description", "path of the created resource"}};
}

Json responses_of(const Route& route) {
  Json responses = {{std::to_string(route.status), good_response(route)}};
  if (route.status == kCreated) add_created(responses);
  for (const auto& [status, codes] : codes_of(route))
    responses[std::to_string(status)] = problem_response(status, codes);
  if (answers_503(route)) {
    responses["503"] = good_response(route);
    responses["503"]["description"] = "the service is not working, or not yet ready";
  }
  return responses;
}

Json query_parameter(const Parameter& parameter) {
  Json json = {{"name", parameter.name},
               {"in", "query"},
               {"description", parameter.description},
               {"schema", Json::parse(parameter.schema)}};
  if (json["schema"].value("type", "") == "array") json.update({{"style", "form"}, {"explode", false}});
  return json;
}

Json path_parameter(std::string_view name) {
  static const std::map<std::string_view, std::string_view> descriptions = {{"gpu", "UUID, gpu_N or N"},
                                                                            {"id", "ID of the incident"},
                                                                            {"task", "ID of the task"},
                                                                            {"batch", "ID of the batch"}};
  const std::string_view description = descriptions.at(name);
  return {{"name", name},
          {"in", "path"},
          {"required", true},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

Json parameters_of(const Route& route) {
  Json parameters = Json::array();
  for (size_t open = route.path.find('{'); open != std::string_view::npos; open = route.path.find('{', open + 1)) {
    parameters.push_back(path_parameter(route.path.substr(open + 1, route.path.find('}', open) - open - 1)));
  }
  for (const Parameter& parameter : route.parameters) parameters.push_back(query_parameter(parameter));
  for (const Parameter& header : route.headers) {
    parameters.push_back({{"name", header.name},
                          {"in", "header"},
                          {"description", header.description},
                          {"schema", Json::parse(header.schema)}});
  }
  return parameters;
}

/// The first part of the path: "gpus".
std::string tag_of(const Route& route) {
  if (!route.path.starts_with(kPrefix)) return "operation";
  const std::string_view rest = route.path.substr(kPrefix.size());
  const std::string tag(rest.substr(0, rest.find('/')));
  const bool operation = tag == "health" || tag == "ready" || tag == "openapi.json";
  return operation ? "operation" : tag;
}

Json body_of(const Route& route) {
  return {{"required", true},
          {"content",
           {{"application/json", {{"schema", Json::parse(route.body)}, {"example", Json::parse(route.example)}}}}}};
}

Json operation_of(const Route& route) {
  Json operation = {{"operationId", route.name}, {"summary", route.summary}, {"tags", Json::array({tag_of(route)})}};
  if (!route.description.empty()) operation["description"] = route.description;
  operation["x-sonde-role"] = role_name(route.role);
  operation["security"] = route.role == Role::none ? Json::array() : Json::array({Json{{"key", Json::array()}}});
  if (const Json parameters = parameters_of(route); !parameters.empty()) operation["parameters"] = parameters;
  if (!route.body.empty()) operation["requestBody"] = body_of(route);
  operation["responses"] = responses_of(route);
  return operation;
}

std::string method_key(const Route& route) {
  std::string key(method_name(route.method));
  std::ranges::transform(key, key.begin(), [](char c) { return static_cast<char>(c + 32); });
  return key;
}

Json tags() {
  return Json::array(
      {{{"name", "gpus"}, {"description", "GPUs and their history"}},
       {{"name", "incidents"}, {"description", "errors, open or cleared, and what to do"}},
       {{"name", "events"}, {"description", "stream of events"}},
       {{"name", "tasks"}, {"description", "tasks on the GPUs, with the reasons for their placement"}},
       {{"name", "task_types"}, {"description", "declared task types, with learned memory and run times"}},
       {{"name", "batches"}, {"description", "tasks that are split over the GPUs together"}},
       {{"name", "queue"}, {"description", "waiting and running tasks"}},
       {{"name", "waste"}, {"description", "GPU time that was not used"}},
       {{"name", "config"}, {"description", "the current configuration"}},
       {{"name", "me"}, {"description", "the key of the request"}},
       {{"name", "operation"}, {"description", "probes, metrics and this document"}}});
}

}  // namespace

std::string openapi_document() {
  Json paths = Json::object();
  for (const Route* route : routes()) paths[std::string(route->path)][method_key(*route)] = operation_of(*route);
  const Json document = {
      {"openapi", "3.1.0"},
      {"info", {{"title", "Sonde"}, {"version", kVersion}, {"description", kDescription}}},
      {"servers", Json::array({Json{{"url", "/"}}})},
      {"tags", tags()},
      {"paths", paths},
      {"components",
       {{"securitySchemes",
         {{"key", {{"type", "http"}, {"scheme", "bearer"}, {"description", "a key created by `sonde keys add`"}}}}},
        {"schemas", component_schemas()}}}};
  return document.dump(2) + "\n";
}

}  // namespace sonde::api
